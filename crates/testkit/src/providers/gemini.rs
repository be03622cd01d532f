//! Gemini's wire format: events without names, each a whole response with a part of the content.

use serde_json::{Value, json};

use super::{ProviderReply, StreamScript, USAGE, arguments};

pub(super) fn event(data: &Value) -> String {
    format!("data: {data}\r\n\r\n")
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let name = match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        _ => "INTERNAL",
    };
    json!({ "error": { "code": status, "message": message, "status": name } })
}

pub(super) fn script(reply: &ProviderReply, model: &str) -> StreamScript {
    let texts = reply.text.iter().map(|text| json!({ "text": text }));
    let calls = reply.calls.iter().map(
        |call| json!({ "functionCall": { "id": call.id, "name": call.name, "args": arguments(&call.arguments) } }),
    );
    let pieces = texts.chain(calls).map(|part| event(&response(model, &[part], None))).collect();
    let closing = vec![event(&response(model, &[json!({ "text": "" })], Some("STOP")))];
    StreamScript { opening: Vec::new(), pieces, closing }
}

fn response(model: &str, parts: &[Value], finish_reason: Option<&str>) -> Value {
    let mut candidate = json!({ "content": { "parts": parts, "role": "model" }, "index": 0 });
    if let Some(reason) = finish_reason {
        candidate["finishReason"] = reason.into();
    }
    let usage = json!({
        "promptTokenCount": USAGE.0, "candidatesTokenCount": USAGE.1, "totalTokenCount": USAGE.0 + USAGE.1,
    });
    json!({ "candidates": [candidate], "usageMetadata": usage, "modelVersion": model, "responseId": "scripted" })
}
