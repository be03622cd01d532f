//! The other wire formats, as a streaming client reads them.

use serde_json::{Value, json};
use testkit::{ProviderReply, ProviderServer, ProviderWire, ToolCall};

use crate::client::read;

const ALL: [ProviderWire; 3] = [ProviderWire::Anthropic, ProviderWire::Gemini, ProviderWire::Ollama];

async fn ask(server: &ProviderServer, wire: ProviderWire) -> reqwest::Response {
    let (path, body) = match wire {
        ProviderWire::Gemini => (
            "/v1beta/models/m:streamGenerateContent?alt=sse",
            json!({ "contents": [{ "role": "user", "parts": [{ "text": "hi there" }] }] }),
        ),
        ProviderWire::Anthropic => ("/v1/messages", messages()),
        ProviderWire::Ollama => ("/api/chat", messages()),
    };
    let request = reqwest::Client::new().post(format!("{}{path}", server.base_url())).header("x-api-key", "secret");
    request.json(&body).send().await.unwrap()
}

fn messages() -> Value {
    json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": "hi there" }] })
}

/// The JSON documents of a stream, without their framing.
fn documents(body: &str) -> Vec<Value> {
    let lines = body.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
    lines.filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The text of a stream, as a client of this wire format assembles it.
fn text(wire: ProviderWire, documents: &[Value]) -> String {
    let place = match wire {
        ProviderWire::Anthropic => "/delta/text",
        ProviderWire::Gemini => "/candidates/0/content/parts/0/text",
        ProviderWire::Ollama => "/message/content",
    };
    documents.iter().filter_map(|document| document.pointer(place)?.as_str()).collect()
}

#[tokio::test]
async fn texts_come_word_by_word_and_by_default_echo() {
    for wire in ALL {
        let server = ProviderServer::start(wire).await;
        server.push(ProviderReply::text("one two three"));
        let (first, end) = read(ask(&server, wire).await).await;
        end.unwrap();
        assert_eq!(text(wire, &documents(&first)), "one two three", "{first}");
        let (second, _) = read(ask(&server, wire).await).await;
        assert_eq!(text(wire, &documents(&second)), "You said: hi there", "{second}");
        let requests = server.requests();
        assert_eq!((requests.len(), requests[0].header("x-api-key")), (2, Some("secret")));
        assert!(!format!("{requests:?}").contains("secret"));
    }
}

#[tokio::test]
async fn an_anthropic_stream_opens_and_closes_blocks() {
    let server = ProviderServer::start(ProviderWire::Anthropic).await;
    server.push(ProviderReply::text("hm").then_tool_calls([ToolCall::new("c1", "look", json!({ "a": 1 }))]));
    let (body, _) = read(ask(&server, ProviderWire::Anthropic).await).await;
    let events: Vec<&str> = body.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    let (start, delta, stop) = ("content_block_start", "content_block_delta", "content_block_stop");
    let expected =
        ["message_start", "ping", start, delta, stop, start, delta, delta, stop, "message_delta", "message_stop"];
    assert_eq!(events, expected);
    let documents = documents(&body);
    assert_eq!(documents[5]["content_block"]["id"], "c1");
    let json: String = documents.iter().filter_map(|document| document["delta"]["partial_json"].as_str()).collect();
    assert_eq!(json, "{\"a\":1}");
    assert_eq!(documents[9]["delta"]["stop_reason"], "tool_use");
}

#[tokio::test]
async fn gemini_and_ollama_give_arguments_as_documents() {
    for (wire, place) in [
        (ProviderWire::Gemini, "/candidates/0/content/parts/0/functionCall"),
        (ProviderWire::Ollama, "/message/tool_calls/0/function"),
    ] {
        let server = ProviderServer::start(wire).await;
        server.push(ProviderReply::tool_calls([ToolCall::new("c1", "look", json!({ "a": 1 }))]));
        let (body, _) = read(ask(&server, wire).await).await;
        let documents = documents(&body);
        let call = documents[0].pointer(place).unwrap();
        assert_eq!(call["name"], "look");
        assert_eq!(call.get("args").or_else(|| call.get("arguments")), Some(&json!({ "a": 1 })));
    }
}

#[tokio::test]
async fn errors_have_the_shape_of_their_wire() {
    for (wire, place) in [
        (ProviderWire::Anthropic, "/error/type"),
        (ProviderWire::Gemini, "/error/status"),
        (ProviderWire::Ollama, "/error"),
    ] {
        let server = ProviderServer::start(wire).await;
        server.push(ProviderReply::status(429).header("retry-after", 7));
        let response = ask(&server, wire).await;
        assert_eq!((response.status().as_u16(), &response.headers()["retry-after"]), (429, &"7".parse().unwrap()));
        let body: Value = response.json().await.unwrap();
        assert!(body.pointer(place).is_some_and(Value::is_string), "{body}");
        server.push(ProviderReply::status(500).body("<html>"));
        assert_eq!(ask(&server, wire).await.text().await.unwrap(), "<html>");
    }
}

#[tokio::test]
async fn streams_break_and_say_that_they_failed() {
    for wire in ALL {
        let server = ProviderServer::start(wire).await;
        server.push(ProviderReply::text("one two three").cut_after(2));
        let (body, end) = read(ask(&server, wire).await).await;
        assert_eq!(text(wire, &documents(&body)), "one two ");
        assert!(end.is_err(), "the body must not end cleanly");

        server.push(ProviderReply::text("one two three").error_after(1, "overloaded"));
        let (body, end) = read(ask(&server, wire).await).await;
        end.unwrap();
        assert_eq!(text(wire, &documents(&body)), "one ");
        assert!(documents(&body).last().unwrap().to_string().contains("overloaded"));
    }
}

#[tokio::test]
async fn what_the_wire_has_not_is_refused() {
    let server = ProviderServer::start(ProviderWire::Anthropic).await;
    let url = format!("{}/v1/nothing", server.base_url());
    assert_eq!(reqwest::Client::new().post(url).json(&messages()).send().await.unwrap().status(), 404);
    let mut whole = messages();
    whole["stream"] = false.into();
    let url = format!("{}/v1/messages", server.base_url());
    assert_eq!(reqwest::Client::new().post(url).json(&whole).send().await.unwrap().status(), 400);
    assert!(server.requests().is_empty());
}
