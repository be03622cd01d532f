//! OpenAI's Responses API: responses are turns, and everything that is retrieved comes from the
//! journal.

mod conversations;
mod create;
mod functions;
mod sdk;
mod streams;

use reqwest::{Response, header::HeaderMap};
use serde_json::{Value, json};
use testkit::{RestClient, RunningServer, ToolCall};

pub(crate) const PATH: &str = "/v1/responses";

/// A complete response to this input.
async fn respond(rest: &RestClient, body: Value) -> Value {
    let response = rest.post(PATH, body).await.ok();
    assert_eq!(response["object"], "response");
    response
}

/// The text of a response.
fn text(response: &Value) -> String {
    let parts = response["output"].as_array().unwrap().iter().flat_map(|item| item["content"].as_array()).flatten();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

fn id(response: &Value) -> String {
    response["id"].as_str().unwrap().to_owned()
}

/// A request with a body, or a GET without one, as clients of this API send it.
async fn send(server: &RunningServer, path: &str, body: Option<Value>) -> Response {
    let (client, url) = (reqwest::Client::new(), format!("{}{path}", server.url()));
    let request = match body {
        Some(body) => client.post(url).json(&body),
        None => client.get(url),
    };
    request.bearer_auth("test-token-0123456789").send().await.unwrap()
}

/// The events of a stream. Each is checked to have its own name and a number above the last one.
async fn events(server: &RunningServer, path: &str, body: Option<Value>) -> (HeaderMap, Vec<Value>) {
    let response = send(server, path, body).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream", "{:?}", response.status());
    let headers = response.headers().clone();
    (headers, read_events(&response.text().await.unwrap()))
}

fn read_events(text: &str) -> Vec<Value> {
    let mut number = -1;
    let event = |frame: &str| {
        let (name, data) = frame.strip_prefix("event: ")?.split_once("\ndata: ")?;
        let event: Value = serde_json::from_str(data).unwrap();
        assert_eq!(event["type"], name);
        assert!(event["sequence_number"].as_i64().unwrap() > number, "{event}");
        number = event["sequence_number"].as_i64().unwrap();
        Some(event)
    };
    text.split("\n\n").filter_map(event).collect()
}

/// The kinds of events without their common prefix; repeated ones once.
fn kinds(events: &[Value]) -> Vec<&str> {
    let mut kinds: Vec<&str> =
        events.iter().map(|event| event["type"].as_str().unwrap().trim_start_matches("response.")).collect();
    kinds.dedup();
    kinds
}

/// A function of the client.
fn function(name: &str) -> Value {
    let parameters = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    json!({ "type": "function", "name": name, "description": "Of the client.", "parameters": parameters, "strict": true })
}

fn weather(id: &str, city: &str) -> ToolCall {
    ToolCall::new(id, "get_weather", json!({ "city": city }))
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn output_of(call: &Value, output: &str) -> Value {
    json!({ "type": "function_call_output", "call_id": call["call_id"], "output": output })
}
