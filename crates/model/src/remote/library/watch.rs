//! What the library does not tell, read from the frames themselves.

use std::sync::{Mutex, MutexGuard, PoisonError};

use genai::chat::{ChatFrameSink, FrameCtx, RawFrameRef, ToolCall};
use serde_json::Value;

/// Looks at the frames of one answer as they pass.
#[derive(Debug, Default)]
pub(super) struct Watch(Mutex<Seen>);

/// What was seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Numbers of the calls on OpenAI's wire. The library fills gaps between them with copies.
    pub(super) indices: Vec<usize>,
    /// Whole calls that came without a number, which the library drops.
    pub(super) unnumbered: Vec<ToolCall>,
    /// Whether Gemini refused the question itself, which the library reports like any other empty frame.
    pub(super) blocked: bool,
}

impl Watch {
    /// What was seen so far. The lock is never held across an await.
    pub(super) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChatFrameSink for Watch {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        // Most frames are text and need not be read twice.
        let telling = frame.data.contains("\"tool_calls\"") || frame.data.contains("\"blockReason\"");
        if let Some(json) = telling.then(|| frame.json()).flatten() {
            self.seen().note(&json);
        }
    }
}

impl Seen {
    fn note(&mut self, frame: &Value) {
        self.blocked |= frame["promptFeedback"]["blockReason"].is_string();
        for call in frame["choices"][0]["delta"]["tool_calls"].as_array().into_iter().flatten() {
            match call["index"].as_u64().and_then(|index| usize::try_from(index).ok()) {
                Some(index) if self.indices.contains(&index) => {}
                Some(index) => self.indices.push(index),
                None => self.unnumbered.extend(whole(call)),
            }
        }
    }
}

fn whole(call: &Value) -> Option<ToolCall> {
    Some(ToolCall {
        call_id: call["id"].as_str().unwrap_or_default().to_owned(),
        fn_name: call["function"]["name"].as_str()?.to_owned(),
        fn_arguments: call["function"]["arguments"].clone(),
        thought_signatures: None,
    })
}
