//! Anthropic's wire format: named events, and blocks that open and close.

use serde_json::{Value, json};

use super::{ProviderReply, StreamScript, USAGE};

pub(super) fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}

pub(super) fn script(reply: &ProviderReply, model: &str) -> StreamScript {
    let message = json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": { "input_tokens": USAGE.0, "output_tokens": 1 },
    });
    let opening = vec![
        event("message_start", &json!({ "type": "message_start", "message": message })),
        event("ping", &json!({ "type": "ping" })),
    ];
    let mut pieces = Vec::new();
    let mut index = 0;
    if !reply.text.is_empty() {
        let deltas = reply.text.iter().map(|text| json!({ "type": "text_delta", "text": text }));
        pieces.extend(block(index, &json!({ "type": "text", "text": "" }), deltas));
        index += 1;
    }
    for call in &reply.calls {
        let (first, second) = call.arguments.split_at(call.arguments.floor_char_boundary(call.arguments.len() / 2));
        let deltas = [first, second].map(|part| json!({ "type": "input_json_delta", "partial_json": part }));
        let opened = json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": {} });
        pieces.extend(block(index, &opened, deltas.into_iter()));
        index += 1;
    }
    let stop_reason = if reply.calls.is_empty() { "end_turn" } else { "tool_use" };
    let delta = json!({
        "type": "message_delta", "delta": { "stop_reason": stop_reason, "stop_sequence": null },
        "usage": { "output_tokens": USAGE.1 },
    });
    let closing = vec![event("message_delta", &delta), event("message_stop", &json!({ "type": "message_stop" }))];
    StreamScript { opening, pieces, closing }
}

/// A block as one frame for each delta; the first opens it and the last closes it.
fn block(index: usize, opened: &Value, deltas: impl Iterator<Item = Value>) -> Vec<String> {
    let start = json!({ "type": "content_block_start", "index": index, "content_block": opened });
    let stop = json!({ "type": "content_block_stop", "index": index });
    let mut frames: Vec<String> = deltas
        .map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta }))
        .map(|delta| event("content_block_delta", &delta))
        .collect();
    if let Some(first) = frames.first_mut() {
        first.insert_str(0, &event("content_block_start", &start));
    }
    if let Some(last) = frames.last_mut() {
        last.push_str(&event("content_block_stop", &stop));
    }
    frames
}
