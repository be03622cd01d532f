//! The tool server and its ledger.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::ToolServer;

async fn call(tool_server: &ToolServer, route: &str, key: &str, note: &str) -> reqwest::Response {
    let request =
        reqwest::Client::new().post(format!("{}{route}", tool_server.base_url())).header("idempotency-key", key);
    request.json(&json!({ "note": note })).send().await.unwrap()
}

async fn look_up(tool_server: &ToolServer, key: &str) -> Value {
    let url = format!("{}/verifiable/look_up?key={key}", tool_server.base_url());
    reqwest::get(url).await.unwrap().json().await.unwrap()
}

fn repeats(tool_server: &ToolServer) -> Vec<(String, bool)> {
    tool_server.ledger().into_iter().map(|entry| (entry.tool, entry.is_repeat)).collect()
}

#[tokio::test]
async fn a_key_makes_the_second_time_the_first() {
    let tool_server = ToolServer::start().await;
    let first: Value = call(&tool_server, "/idempotent", "k", "a").await.json().await.unwrap();
    let second: Value = call(&tool_server, "/idempotent", "k", "a").await.json().await.unwrap();
    assert_eq!(first, json!({ "tool": "set_label", "number": 1, "note": "a" }));
    assert_eq!(first, second);
    assert_eq!(repeats(&tool_server), [("set_label".to_owned(), false), ("set_label".to_owned(), true)]);
    assert_eq!(tool_server.effects("set_label"), 1);
}

#[tokio::test]
async fn what_may_happen_once_shows_that_it_happened_twice() {
    let tool_server = ToolServer::start().await;
    call(&tool_server, "/at_most_once", "k", "a").await;
    call(&tool_server, "/at_most_once", "k", "a").await;
    call(&tool_server, "/pure", "p", "sky").await;
    assert_eq!(tool_server.effects("send_letter"), 2);
    assert!(tool_server.ledger()[1].is_repeat);
    assert_eq!(tool_server.ledger()[2].arguments, json!({ "note": "sky" }));
}

#[tokio::test]
async fn it_can_be_looked_up_whether_something_happened() {
    let tool_server = ToolServer::start().await;
    assert_eq!(look_up(&tool_server, "k").await, json!({ "happened": false }));
    let result: Value = call(&tool_server, "/verifiable", "k", "a").await.json().await.unwrap();
    assert_eq!(look_up(&tool_server, "k").await, json!({ "happened": true, "result": result }));
    assert_eq!(tool_server.look_ups(), ["k", "k"]);
}

#[tokio::test]
async fn answers_can_be_withheld_after_the_effect() {
    let tool_server = ToolServer::start().await;
    tool_server.hold("send_letter");
    let mut answer = Box::pin(call(&tool_server, "/at_most_once", "k", "a"));
    tokio::select! {
        _ = &mut answer => panic!("an answer"),
        () = tool_server.until(|tool_server| tool_server.waiting("send_letter") == 1) => {}
    }
    assert_eq!(tool_server.effects("send_letter"), 1, "it happened");
    tool_server.release("send_letter");
    assert_eq!(answer.await.status(), 200);
}

#[tokio::test]
async fn a_caller_that_goes_away_before_the_effect_has_none() {
    let tool_server = ToolServer::start().await;
    tool_server.hold_before("send_letter");
    {
        let answer = call(&tool_server, "/at_most_once", "k", "a");
        tokio::select! {
            _ = answer => panic!("an answer"),
            () = tool_server.until(|tool_server| tool_server.waiting("send_letter") == 1) => {}
        }
    }
    tool_server.until(|tool_server| tool_server.waiting("send_letter") == 0).await;
    tool_server.release("send_letter");
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(tool_server.effects("send_letter"), 0);
}

#[tokio::test]
async fn calls_fail_with_an_effect_or_without() {
    let tool_server = ToolServer::start().await;
    tool_server.fail("book_table", 503);
    assert_eq!(call(&tool_server, "/verifiable", "k", "a").await.status(), 503);
    assert_eq!(tool_server.effects("book_table"), 0);
    tool_server.recover("book_table");
    tool_server.fail_after("book_table", 500);
    assert_eq!(call(&tool_server, "/verifiable", "k", "a").await.status(), 500);
    assert_eq!(tool_server.effects("book_table"), 1);
    tool_server.fail("look_up", 500);
    let url = format!("{}/verifiable/look_up?key=k", tool_server.base_url());
    assert_eq!(reqwest::get(url).await.unwrap().status(), 500);
}

#[tokio::test]
async fn the_declarations_can_be_changed() {
    let tool_server = ToolServer::start().await;
    let plain = tool_server.tools_toml();
    assert_eq!(plain.matches("[[tool]]").count(), 4);
    assert!(plain.contains("safety = \"acts\"") && plain.contains("look_up_url"));
    let changed = tool_server.tools_toml_with(|tool| {
        tool.safety = "observes".to_owned();
        tool.more = "timeout_ms = 50".to_owned();
    });
    assert_eq!(changed.matches("safety = \"observes\"").count(), 4);
    assert_eq!(changed.matches("timeout_ms = 50").count(), 4);
}
