//! Which reply a request gets, and what is recorded of the request.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, ToolCall};

use crate::client::{ROLE, content, delta, finish, post, streamed, whole};

async fn answer(server: &ModelServer, request: &Value) -> String {
    let response = post(&server.base_url(), request).await;
    let document: Value = response.json().await.unwrap();
    let text = &document["choices"][0]["message"]["content"];
    text.as_str().expect("a text").to_owned()
}

#[tokio::test]
async fn by_default_the_server_echoes_word_by_word() {
    let server = ModelServer::start().await;
    let response = post(&server.base_url(), &streamed("hello there")).await;
    let expected =
        [delta(ROLE), content("You "), content("said: "), content("hello "), content("there"), finish("stop")];
    assert_eq!(response.text().await.unwrap(), expected.concat());
}

#[tokio::test]
async fn queued_replies_come_in_order_and_before_the_rule() {
    let server = ModelServer::start().await;
    server.respond_with(|request| Reply::text(format!("rule for {}", request.last_user())));
    server.push(Reply::text("one"));
    server.push(Reply::text("two"));
    let mut answers = Vec::new();
    for text in ["a", "b", "c"] {
        answers.push(answer(&server, &whole(text)).await);
    }
    assert_eq!(answers, ["one", "two", "rule for c"]);
}

#[tokio::test]
async fn requests_are_kept_as_received() {
    let server = ModelServer::start().await;
    let body = json!({
        "model": "gpt-x",
        "messages": [
            { "role": "user", "content": "first" },
            { "role": "user", "content": [
                { "type": "text", "text": "in " },
                { "type": "image_url", "image_url": { "url": "data:," } },
                { "type": "text", "text": "parts" },
            ] },
            { "role": "assistant", "content": "last" },
        ],
        "tools": [{ "type": "function", "function": { "name": "lookup" } }],
    });
    let request = reqwest::Client::new()
        .post(format!("{}/chat/completions", server.base_url()))
        .bearer_auth("secret")
        .json(&body);
    request.send().await.unwrap().text().await.unwrap();
    answer(&server, &whole("again")).await;

    let [first, second] = &server.requests()[..] else {
        panic!("two requests, not {:?}", server.requests());
    };
    assert_eq!(first.raw(), &body);
    assert_eq!(first.model(), "gpt-x");
    assert_eq!(first.messages().len(), 3);
    assert_eq!(first.tools().len(), 1);
    assert_eq!(first.last_user(), "in parts");
    assert_eq!(first.authorization().as_deref(), Some("Bearer secret"));
    assert!(!first.stream());
    assert!(!format!("{first:?}").contains("secret"));
    assert_eq!(second.authorization(), None);
    assert!(second.tools().is_empty());
}

#[tokio::test]
async fn requests_can_be_forgotten() {
    let server = ModelServer::start().await;
    server.forget_requests();
    answer(&server, &whole("hi")).await;
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_rule_can_script_what_follows() {
    let server = ModelServer::start().await;
    server.respond_with(|request| match request.messages().last() {
        Some(message) if message["role"] == "tool" => Reply::text("done"),
        _ => Reply::tool_calls([ToolCall::new("c1", "lookup", "{}")]),
    });
    let mut conversation = whole("look it up");
    let response = post(&server.base_url(), &conversation).await;
    let document: Value = response.json().await.unwrap();
    let mut message = document["choices"][0]["message"].clone();
    assert_eq!(message["tool_calls"][0]["function"]["name"], "lookup");

    let messages = conversation["messages"].as_array_mut().unwrap();
    messages.push(message.take());
    messages.push(json!({ "role": "tool", "tool_call_id": "c1", "content": "42" }));
    assert_eq!(answer(&server, &conversation).await, "done");
}
