//! Ollama's wire format: one JSON document a line.

use serde_json::{Value, json};

use super::{ProviderReply, StreamScript, USAGE, arguments};

/// Fixed, so that tests can compare whole responses.
const CREATED_AT: &str = "2023-11-14T22:13:20Z";

pub(super) fn line(document: &Value) -> String {
    format!("{document}\n")
}

pub(super) fn error(message: &str) -> Value {
    json!({ "error": message })
}

pub(super) fn script(reply: &ProviderReply, model: &str) -> StreamScript {
    let texts = reply.text.iter().map(|text| json!({ "role": "assistant", "content": text }));
    let calls = reply.calls.iter().map(|call| {
        let function = json!({ "name": call.name, "arguments": arguments(&call.arguments) });
        json!({ "role": "assistant", "content": "", "tool_calls": [{ "id": call.id, "function": function }] })
    });
    let document =
        |message: Value| json!({ "model": model, "created_at": CREATED_AT, "message": message, "done": false });
    let pieces = texts.chain(calls).map(|message| line(&document(message))).collect();
    let mut end = document(json!({ "role": "assistant", "content": "" }));
    end["done"] = true.into();
    end["done_reason"] = "stop".into();
    end["prompt_eval_count"] = USAGE.0.into();
    end["eval_count"] = USAGE.1.into();
    StreamScript { opening: Vec::new(), pieces, closing: vec![line(&end)] }
}
