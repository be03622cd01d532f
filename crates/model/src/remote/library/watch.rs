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
    /// What the model says when it declines, on OpenAI's wire.
    pub(super) refusal: String,
    /// OpenRouter's blocks of reasoning, each whole, which it wants to see again.
    pub(super) details: Vec<Value>,
    /// Cached tokens, as DeepSeek counts them.
    pub(super) cached_tokens: Option<u64>,
}

/// What a frame has to contain to be read here as well: most frames are text and need not be read twice.
const TELLING: [&str; 5] =
    ["\"tool_calls\"", "\"blockReason\"", "\"refusal\":\"", "\"refusal\": \"", "\"reasoning_details\""];
/// The fields of a block of reasoning that come in pieces.
const GROWING: [&str; 4] = ["text", "summary", "data", "signature"];
/// The same of counts.
const COUNTING: &str = "\"prompt_cache_hit_tokens\"";

impl Watch {
    /// What was seen so far. The lock is never held across an await.
    pub(super) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChatFrameSink for Watch {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        let telling = TELLING.iter().any(|sign| frame.data.contains(sign)) || frame.data.contains(COUNTING);
        if let Some(json) = telling.then(|| frame.json()).flatten() {
            self.seen().note(&json);
        }
    }
}

impl Seen {
    fn note(&mut self, frame: &Value) {
        self.blocked |= frame["promptFeedback"]["blockReason"].is_string();
        self.cached_tokens = frame["usage"]["prompt_cache_hit_tokens"].as_u64().or(self.cached_tokens);
        let delta = &frame["choices"][0]["delta"];
        self.refusal.push_str(delta["refusal"].as_str().unwrap_or_default());
        for detail in delta["reasoning_details"].as_array().into_iter().flatten() {
            self.note_detail(detail);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            match call["index"].as_u64().and_then(|index| usize::try_from(index).ok()) {
                Some(index) if self.indices.contains(&index) => {}
                Some(index) => self.indices.push(index),
                None => self.unnumbered.extend(whole(call)),
            }
        }
    }
}

impl Seen {
    /// Blocks come in pieces that name the same place.
    fn note_detail(&mut self, piece: &Value) {
        let is_same = |block: &&mut Value| block["type"] == piece["type"] && block["index"] == piece["index"];
        match self.details.iter_mut().rfind(is_same).filter(|_| !piece["index"].is_null()) {
            Some(Value::Object(block)) => {
                for (name, value) in piece.as_object().into_iter().flatten() {
                    match (block.get_mut(name), value.as_str()) {
                        (Some(Value::String(text)), Some(more)) if GROWING.contains(&name.as_str()) => {
                            text.push_str(more);
                        }
                        _ if value.is_null() => {}
                        _ => {
                            block.insert(name.clone(), value.clone());
                        }
                    }
                }
            }
            _ => self.details.push(piece.clone()),
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
