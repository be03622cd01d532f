//! Replies as one JSON document: a completion, an error, or an empty list of models.

use serde_json::{Value, json};

use super::reply::ResponseKind;
use super::{Reply, Request, ToolCall};

pub(super) const CONTENT_TYPE: &str = "application/json";

/// Fixed, so that tests can compare whole responses.
pub(super) const ID: &str = "chatcmpl-scripted";
pub(super) const CREATED: u64 = 1_700_000_000;

/// The completion as one document; broken when the reply is malformed.
pub(super) fn completion(reply: &Reply, request: &Request) -> Vec<u8> {
    if matches!(reply.kind, ResponseKind::Malformed) {
        return b"{not json".to_vec();
    }
    let completion = json!({
        "id": ID,
        "object": "chat.completion",
        "created": CREATED,
        "model": request.model(),
        "choices": [{
            "index": 0,
            "message": message(reply),
            "finish_reason": reply.finish_reason(),
        }],
        "usage": reply.usage,
    });
    completion.to_string().into_bytes()
}

fn message(reply: &Reply) -> Value {
    let mut message = json!({ "role": "assistant", "content": reply.text.concat() });
    if !reply.reasoning.is_empty() {
        message["reasoning_content"] = reply.reasoning.concat().into();
    }
    if !reply.calls.is_empty() {
        message["tool_calls"] = reply.calls.iter().map(call).collect();
        if reply.text.is_empty() {
            message["content"] = Value::Null;
        }
    }
    message
}

fn call(call: &ToolCall) -> Value {
    json!({
        "id": call.id,
        "type": "function",
        "function": { "name": call.name, "arguments": call.arguments },
    })
}

/// An error body with the type and code that OpenAI gives for the status.
pub(super) fn error(status: u16, message: Option<&str>) -> Vec<u8> {
    let (kind, code, default) = match status {
        401 => ("invalid_request_error", Some("invalid_api_key"), "Incorrect API key provided."),
        429 => ("requests", Some("rate_limit_exceeded"), "Rate limit reached for requests."),
        400..=499 => ("invalid_request_error", None, "The request is not valid."),
        _ => ("server_error", None, "The server had an error while processing your request."),
    };
    let error = json!({
        "error": {
            "message": message.unwrap_or(default),
            "type": kind,
            "param": null,
            "code": code,
        },
    });
    error.to_string().into_bytes()
}

/// A server that accepts any model name lists none.
pub(super) fn no_models() -> Value {
    json!({ "object": "list", "data": [] })
}
