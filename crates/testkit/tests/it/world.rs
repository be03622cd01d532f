//! The world and its ledger.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::World;

async fn call(world: &World, route: &str, key: &str, note: &str) -> reqwest::Response {
    let request = reqwest::Client::new().post(format!("{}{route}", world.base_url())).header("idempotency-key", key);
    request.json(&json!({ "note": note })).send().await.unwrap()
}

async fn look_up(world: &World, key: &str) -> Value {
    let url = format!("{}/verifiable/look_up?key={key}", world.base_url());
    reqwest::get(url).await.unwrap().json().await.unwrap()
}

fn repeats(world: &World) -> Vec<(String, bool)> {
    world.ledger().into_iter().map(|entry| (entry.tool, entry.is_repeat)).collect()
}

#[tokio::test]
async fn a_key_makes_the_second_time_the_first() {
    let world = World::start().await;
    let first: Value = call(&world, "/idempotent", "k", "a").await.json().await.unwrap();
    let second: Value = call(&world, "/idempotent", "k", "a").await.json().await.unwrap();
    assert_eq!(first, json!({ "tool": "set_label", "number": 1, "note": "a" }));
    assert_eq!(first, second);
    assert_eq!(repeats(&world), [("set_label".to_owned(), false), ("set_label".to_owned(), true)]);
    assert_eq!(world.effects("set_label"), 1);
}

#[tokio::test]
async fn what_may_happen_once_shows_that_it_happened_twice() {
    let world = World::start().await;
    call(&world, "/at_most_once", "k", "a").await;
    call(&world, "/at_most_once", "k", "a").await;
    call(&world, "/pure", "p", "sky").await;
    assert_eq!(world.effects("send_letter"), 2);
    assert!(world.ledger()[1].is_repeat);
    assert_eq!(world.ledger()[2].arguments, json!({ "note": "sky" }));
}

#[tokio::test]
async fn it_can_be_looked_up_whether_something_happened() {
    let world = World::start().await;
    assert_eq!(look_up(&world, "k").await, json!({ "happened": false }));
    let result: Value = call(&world, "/verifiable", "k", "a").await.json().await.unwrap();
    assert_eq!(look_up(&world, "k").await, json!({ "happened": true, "result": result }));
    assert_eq!(world.look_ups(), ["k", "k"]);
}

#[tokio::test]
async fn answers_can_be_withheld_after_the_effect() {
    let world = World::start().await;
    world.hold("send_letter");
    let mut answer = Box::pin(call(&world, "/at_most_once", "k", "a"));
    tokio::select! {
        _ = &mut answer => panic!("an answer"),
        () = world.until(|world| world.waiting("send_letter") == 1) => {}
    }
    assert_eq!(world.effects("send_letter"), 1, "it happened");
    world.release("send_letter");
    assert_eq!(answer.await.status(), 200);
}

#[tokio::test]
async fn a_caller_that_goes_away_before_the_effect_has_none() {
    let world = World::start().await;
    world.hold_before("send_letter");
    {
        let answer = call(&world, "/at_most_once", "k", "a");
        tokio::select! {
            _ = answer => panic!("an answer"),
            () = world.until(|world| world.waiting("send_letter") == 1) => {}
        }
    }
    world.until(|world| world.waiting("send_letter") == 0).await;
    world.release("send_letter");
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(world.effects("send_letter"), 0);
}

#[tokio::test]
async fn calls_fail_with_an_effect_or_without() {
    let world = World::start().await;
    world.fail("book_table", 503);
    assert_eq!(call(&world, "/verifiable", "k", "a").await.status(), 503);
    assert_eq!(world.effects("book_table"), 0);
    world.recover("book_table");
    world.fail_after("book_table", 500);
    assert_eq!(call(&world, "/verifiable", "k", "a").await.status(), 500);
    assert_eq!(world.effects("book_table"), 1);
    world.fail("look_up", 500);
    let url = format!("{}/verifiable/look_up?key=k", world.base_url());
    assert_eq!(reqwest::get(url).await.unwrap().status(), 500);
}

#[tokio::test]
async fn the_declarations_can_be_changed() {
    let world = World::start().await;
    let plain = world.tools_toml();
    assert_eq!(plain.matches("[[tool]]").count(), 4);
    assert!(plain.contains("safety = \"acts\"") && plain.contains("look_up_url"));
    let changed = world.tools_toml_with(|tool| {
        tool.safety = "observes".to_owned();
        tool.more = "timeout_ms = 50".to_owned();
    });
    assert_eq!(changed.matches("safety = \"observes\"").count(), 4);
    assert_eq!(changed.matches("timeout_ms = 50").count(), 4);
}
