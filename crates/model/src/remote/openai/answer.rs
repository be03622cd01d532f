//! Assembles an answer from the frames of OpenAI's API.

use std::{collections::BTreeMap, sync::Arc};

use protocol::Usage;
use serde_json::{Value, json};

use super::{
    super::{ProviderClient, error_body::in_stream, failure, ids::CallIds, reasoning::ReasoningRecord, usage::priced},
    frame::{Delta, StreamFrame},
};
use crate::{Call, Chunk, Error, Price, ProviderKind, Stop};

/// The fields of a reasoning block that come in pieces.
const GROWING: [&str; 4] = ["text", "summary", "data", "signature"];

/// The answer so far.
pub(super) struct AnswerBuilder {
    at: Arc<ProviderClient>,
    price: Option<Price>,
    /// The model's reasoning, which is sent back with the calls that follow.
    thought: String,
    /// Calls by their index.
    calls: BTreeMap<u64, CallParts>,
    /// Complete calls that came without an index.
    unnumbered: Vec<CallParts>,
    /// The model's refusal.
    refusal: String,
    /// OpenRouter's reasoning blocks, which it wants back.
    details: Vec<Value>,
    usage: Option<Usage>,
    stop: Option<Stop>,
}

/// The part of a call that has come so far.
#[derive(Debug, Default)]
struct CallParts {
    id: String,
    name: String,
    arguments: String,
}

impl AnswerBuilder {
    pub(super) fn new(at: Arc<ProviderClient>, price: Option<Price>) -> Self {
        Self {
            at,
            price,
            thought: String::new(),
            calls: BTreeMap::new(),
            unnumbered: Vec::new(),
            refusal: String::new(),
            details: Vec::new(),
            usage: None,
            stop: None,
        }
    }

    /// Reads a frame; returns what can be passed on at once: reasoning, then text.
    pub(super) fn read(&mut self, frame: &[u8]) -> Result<[Option<Chunk>; 2], Error> {
        let frame: StreamFrame<'_> =
            serde_json::from_slice(frame).map_err(|error| failure::malformed(&error.to_string(), &self.at))?;
        if let Some(error) = frame.error.filter(|error| !error.is_null()) {
            return Err(in_stream(error, &self.at));
        }
        if let Some(usage) = frame.usage.as_ref().and_then(count) {
            self.usage = Some(priced(usage, self.price));
        }
        let Some(choice) = frame.choices.into_iter().flatten().next() else { return Ok([None, None]) };
        if !choice.finish_reason.0.is_empty() {
            self.stop = Some(stop(&choice.finish_reason.0));
        }
        Ok(choice.delta.map_or([None, None], |delta| self.take(delta)))
    }

    fn take(&mut self, delta: Delta<'_>) -> [Option<Chunk>; 2] {
        self.refusal.push_str(&delta.refusal.0);
        for piece in delta.reasoning_details.iter().filter_map(Value::as_array).flatten() {
            self.take_detail(piece);
        }
        for piece in delta.tool_calls.iter().filter_map(Value::as_array).flatten() {
            self.take_call(piece);
        }
        let reasonings =
            [delta.content.reasoning, delta.reasoning_content.0.into_owned(), delta.reasoning.0.into_owned()];
        let reasoning = reasonings.into_iter().find(|text| !text.is_empty());
        self.thought.push_str(reasoning.as_deref().unwrap_or_default());
        let text = Some(delta.content.text.into_owned()).filter(|text| !text.is_empty());
        [reasoning.map(Chunk::Thinking), text.map(Chunk::Text)]
    }

    fn take_call(&mut self, piece: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let function = &piece["function"];
        let arguments = match &function["arguments"] {
            Value::Object(members) => Value::Object(members.clone()).to_string(),
            other => text(other),
        };
        let (id, name) = (text(&piece["id"]), text(&function["name"]));
        match piece["index"].as_u64() {
            Some(index) => {
                let call = self.calls.entry(index).or_default();
                call.arguments.push_str(&arguments);
                if !id.is_empty() {
                    call.id = id;
                }
                if !name.is_empty() {
                    call.name = name;
                }
            }
            None if !name.is_empty() => self.unnumbered.push(CallParts { id, name, arguments }),
            None => {}
        }
    }

    /// Blocks come in pieces with the same index.
    fn take_detail(&mut self, piece: &Value) {
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

    /// What is complete only now: the refusal, the calls, and the end itself.
    pub(super) fn end(mut self) -> Vec<Chunk> {
        let stop = if self.refusal.is_empty() { self.stop.unwrap_or(Stop::Complete) } else { Stop::Refused };
        let refusal = (!self.refusal.is_empty()).then(|| Chunk::Text(std::mem::take(&mut self.refusal)));
        let usage = self.usage.take();
        let calls = self.calls().into_iter().map(Chunk::Call);
        refusal.into_iter().chain(calls).chain([Chunk::End { usage, stop }]).collect()
    }

    fn calls(self) -> Vec<Call> {
        let mut ids = CallIds::default();
        let all = self.calls.into_values().chain(self.unnumbered);
        let mut calls: Vec<Call> = all
            .map(|call| {
                let arguments = match call.arguments.trim() {
                    "" => json!({}),
                    _ => serde_json::from_str(&call.arguments).unwrap_or(Value::String(call.arguments)),
                };
                let arguments = if arguments.is_null() { json!({}) } else { arguments };
                Call { id: ids.of_call(&call.id), tool: call.name, arguments, signatures: Vec::new() }
            })
            .collect();
        // All reasoning belongs before the first call.
        if let Some(first) = calls.first_mut().filter(|_| self.at.provider.kind == ProviderKind::OpenAi) {
            let details: Vec<String> = self.details.iter().map(Value::to_string).collect();
            // The blocks contain the plain reasoning too.
            let plain = ReasoningRecord::reasoning(&self.thought).filter(|_| details.is_empty());
            first.signatures = details.into_iter().chain(plain).collect();
        }
        calls
    }
}

/// Why an answer ended. An unknown reason counts as complete.
fn stop(reason: &str) -> Stop {
    match reason {
        "refusal" => Stop::Refused,
        // The last two ask the client to continue.
        "length"
        | "max_tokens"
        | "MAX_TOKENS"
        | "incomplete"
        | "model_length"
        | "model_context_window_exceeded"
        | "pause_turn"
        | "insufficient_system_resource" => Stop::Length,
        "content_filter" | "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => Stop::Filtered,
        _ => Stop::Complete,
    }
}

/// The usage, where it is reported. DeepSeek counts cached tokens in a field of its own.
fn count(usage: &Value) -> Option<Usage> {
    let (input, output) = (usage["prompt_tokens"].as_u64(), usage["completion_tokens"].as_u64());
    let details = &usage["prompt_tokens_details"];
    let cached = details["cached_tokens"].as_u64().or(usage["prompt_cache_hit_tokens"].as_u64());
    let count = Usage {
        cached_tokens: cached.unwrap_or(0),
        cache_write_tokens: details["cache_creation_tokens"].as_u64().unwrap_or(0),
        ..Usage::of(input.unwrap_or(0), output.unwrap_or(0))
    };
    (input.is_some() || output.is_some()).then_some(count)
}
