//! Streamed replies, byte for byte.

use std::time::Duration;

use serde_json::json;
use testkit::{ModelServer, Reply, ToolCall};

use crate::client::{ROLE, content, delta, event, finish, post, streamed};

async fn stream_of(reply: Reply) -> String {
    let server = ModelServer::start().await;
    server.push(reply);
    let response = post(&server.base_url(), &streamed("hi")).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    response.text().await.unwrap()
}

#[tokio::test]
async fn a_text_comes_word_by_word() {
    let body = stream_of(Reply::text("The sky is blue.")).await;
    let expected = [delta(ROLE), content("The "), content("sky "), content("is "), content("blue."), finish("stop")];
    assert_eq!(body, expected.concat());
}

#[tokio::test]
async fn explicit_chunks_are_sent_as_given() {
    let body = stream_of(Reply::text("x").chunks(["a\n", "\"b\" ☂"])).await;
    let expected = [delta(ROLE), content("a\n"), content("\"b\" ☂"), finish("stop")];
    assert_eq!(body, expected.concat());
}

#[tokio::test]
async fn delays_do_not_change_the_bytes() {
    let tick = Duration::from_millis(1);
    let body = stream_of(Reply::text("a b").every(tick).after(tick)).await;
    let expected = [delta(ROLE), content("a "), content("b"), finish("stop")];
    assert_eq!(body, expected.concat());
}

#[tokio::test]
async fn an_empty_text_still_finishes() {
    let body = stream_of(Reply::text("")).await;
    assert_eq!(body, [delta(ROLE), finish("stop")].concat());
}

#[tokio::test]
async fn usage_comes_in_a_chunk_without_choices_when_asked_for() {
    let server = ModelServer::start().await;
    server.push(Reply::text("hello").usage(7, 3));
    let mut request = streamed("hi");
    request["stream_options"] = json!({ "include_usage": true });
    let body = post(&server.base_url(), &request).await.text().await;

    let null = ",\"usage\":null";
    let usage = "data: {\"id\":\"chatcmpl-scripted\",\"object\":\"chat.completion.chunk\",\
        \"created\":1700000000,\"model\":\"m\",\"choices\":[],\
        \"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,\"total_tokens\":10}}\n\n";
    let expected = [
        &event(ROLE, "null", null),
        &event(r#"{"content":"hello"}"#, "null", null),
        &event("{}", "\"stop\"", null),
        usage,
        "data: [DONE]\n\n",
    ];
    assert_eq!(body.unwrap(), expected.concat());
}

#[tokio::test]
async fn parallel_tool_calls_come_in_fragments() {
    let body = stream_of(Reply::tool_calls([
        ToolCall::new("c1", "lookup", json!({ "key": "k" })),
        ToolCall::new("c2", "say", "é"),
    ]))
    .await;
    let expected = [
        r#"{"role":"assistant","content":null}"#,
        r#"{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"lookup","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"key"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"\":\"k\"}"}}]}"#,
        r#"{"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"say","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":1,"function":{"arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":1,"function":{"arguments":"é"}}]}"#,
    ];
    let expected = expected.map(delta).concat() + &finish("tool_calls");
    assert_eq!(body, expected);
}

#[tokio::test]
async fn reasoning_comes_before_text_and_text_before_calls() {
    let body =
        stream_of(Reply::reasoning("hm well").then_text("ok").then_tool_calls([ToolCall::new("c1", "f", "{}")])).await;
    let expected = [
        ROLE,
        r#"{"reasoning_content":"hm "}"#,
        r#"{"reasoning_content":"well"}"#,
        r#"{"content":"ok"}"#,
        r#"{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}"#,
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}"#,
    ];
    let expected = expected.map(delta).concat() + &finish("tool_calls");
    assert_eq!(body, expected);
}
