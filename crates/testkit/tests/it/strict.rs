//! Conversations that a strict provider would refuse.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, ToolCall};

use crate::client::post;

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn calls(ids: &[&str]) -> Value {
    let call = |id: &&str| json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": "{}" } });
    json!({ "role": "assistant", "content": null, "tool_calls": ids.iter().map(call).collect::<Vec<_>>() })
}

fn result(id: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": "42" })
}

fn says(text: &str) -> Value {
    json!({ "role": "assistant", "content": text })
}

fn conversation(messages: &[Value]) -> Value {
    json!({ "model": "m", "messages": messages })
}

#[tokio::test]
async fn conversations_in_order_are_taken() {
    let server = ModelServer::start().await;
    let system = json!({ "role": "system", "content": "s" });
    for messages in [
        vec![user("a")],
        vec![system.clone(), user("a"), says("b"), user("a")],
        vec![user("a"), user("b")],
        vec![user("a"), calls(&["1", "2"]), result("2"), result("1"), user("go on")],
        vec![user("a"), calls(&["1"]), result("1"), calls(&["1"]), result("1"), says("b"), system, user("c")],
    ] {
        let response = post(&server.base_url(), &conversation(&messages)).await;
        assert_eq!(response.status(), 200, "{messages:?}");
    }
    assert!(server.violations().is_empty());
}

#[tokio::test]
async fn conversations_out_of_order_are_refused_and_kept() {
    let server = ModelServer::start().await;
    let cases = [
        (vec![user("a"), calls(&["1", "2"]), result("1"), user("b")], "no answer: 2"),
        (vec![user("a"), calls(&["1"])], "no answer: 1"),
        (vec![user("a"), calls(&["1"]), says("b")], "no answer: 1"),
        (vec![user("a"), result("1")], "'1' does not come before it"),
        (vec![user("a"), calls(&["1", "2"]), result("1"), result("1")], "'1' is answered already"),
        (vec![user("a"), calls(&["1"]), result("2")], "'2' does not come before it"),
        (vec![user("a"), calls(&["1", "1"])], "two tool calls have the id '1'"),
        (vec![user("a"), calls(&[])], "a list of at least one"),
        (vec![user("a"), user("a")], "repeats the user's message"),
        (vec![json!({ "role": "narrator", "content": "" })], "no role 'narrator'"),
        (vec![says("hello")], "not 'user'"),
        (vec![json!({ "role": "system", "content": "s" })], "no message of the user"),
    ];
    for (messages, expected) in &cases {
        server.push(Reply::text("not for you"));
        let response = post(&server.base_url(), &conversation(messages)).await;
        assert_eq!(response.status(), 400, "{messages:?}");
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["error"]["type"], "invalid_request_error");
        let message = body["error"]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{message}");
        assert_eq!(server.violations().last().map(String::as_str), Some(message));
    }
    assert_eq!(server.violations().len(), cases.len());
    assert_eq!(server.requests().len(), cases.len(), "they were received all the same");
}

#[tokio::test]
async fn a_refusal_uses_up_no_reply_and_strictness_can_be_switched_off() {
    let server = ModelServer::start().await;
    server.push(Reply::text("still here"));
    let wrong = conversation(&[user("a"), user("a")]);
    assert_eq!(post(&server.base_url(), &wrong).await.status(), 400);
    server.accept_anything();
    let body: Value = post(&server.base_url(), &wrong).await.json().await.unwrap();
    assert_eq!(body["choices"][0]["message"]["content"], "still here");
}

#[tokio::test]
async fn an_answer_can_call_several_tools_and_get_arguments_wrong() {
    let server = ModelServer::start().await;
    server
        .push(Reply::tool_calls([ToolCall::new("a", "one", json!({ "n": 1 })), ToolCall::new("b", "two", "{broken")]));
    let body: Value = post(&server.base_url(), &conversation(&[user("go")])).await.json().await.unwrap();
    let calls = &body["choices"][0]["message"]["tool_calls"];
    assert_eq!(calls[0]["id"], "a");
    assert_eq!(calls[0]["function"]["arguments"], "{\"n\":1}");
    assert_eq!(calls[1]["function"], json!({ "name": "two", "arguments": "{broken" }));
}
