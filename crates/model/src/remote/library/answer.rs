//! Converts the library's events to chunks.

use std::sync::Arc;

use futures::{Stream, StreamExt};
use genai::chat::{ChatStream, ChatStreamEvent, ContentPart, StopReason, StreamEnd, ToolCall};
use protocol::Usage;
use serde_json::{Value, json};

use super::{
    super::{ProviderClient, failure, ids::CallIds, linger, usage::priced},
    watch::FrameObserver,
};
use crate::{Call, Chunk, Error, Price, ProviderKind, Stop};

/// Reasons for which Gemini gives up on a call that it could not write.
const BAD_CALLS: [&str; 2] = ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"];

/// Reads one answer.
pub(super) struct AnswerReader {
    pub(super) at: Arc<ProviderClient>,
    pub(super) watch: Arc<FrameObserver>,
    pub(super) price: Option<Price>,
}

impl AnswerReader {
    /// Reads to the end. For Anthropic the library ends an answer that was cut off like a complete
    /// one, except that the end event is missing; for Gemini it makes up an end without a stop
    /// reason.
    pub(super) fn read(self, mut events: ChatStream) -> impl Stream<Item = Result<Chunk, Error>> + Send {
        async_stream::try_stream! {
            while let Some(event) = events.next().await {
                match event {
                    Ok(ChatStreamEvent::Chunk(chunk)) if !chunk.content.is_empty() => yield Chunk::Text(chunk.content),
                    Ok(ChatStreamEvent::ReasoningChunk(chunk)) if !chunk.content.is_empty() => {
                        yield Chunk::Thinking(chunk.content);
                    }
                    Ok(ChatStreamEvent::End(end)) => {
                        linger(events);
                        for chunk in self.end(end)? {
                            yield chunk;
                        }
                        return;
                    }
                    Ok(_) => {}
                    Err(error) if self.is_blocked(&error) => {
                        yield Chunk::End { usage: None, stop: Stop::Filtered };
                        return;
                    }
                    Err(error) if self.is_bare(&error) => {}
                    Err(error) => Err(failure::explain(error, &self.at))?,
                }
            }
            Err(self.cut())?;
        }
    }

    /// The calls, which are complete only now, and the end itself.
    fn end(&self, end: StreamEnd) -> Result<Vec<Chunk>, Error> {
        let reason = end.captured_stop_reason.as_ref();
        if *self.kind() == ProviderKind::Gemini {
            match reason.map(StopReason::raw) {
                None => return Err(self.cut()),
                Some(reason) if BAD_CALLS.contains(&reason) => {
                    return Err(failure::malformed("the model wrote a tool call that makes no sense", &self.at));
                }
                Some(_) => {}
            }
        }
        let stop = reason.map_or(Stop::Complete, stop);
        let usage = end.captured_usage.as_ref().and_then(|usage| self.usage(usage));
        let content = end.captured_content.map(|content| content.into_parts()).unwrap_or_default();
        let calls = self.calls(content).into_iter().map(Chunk::Call);
        Ok(calls.chain([Chunk::End { usage, stop }]).collect())
    }

    fn calls(&self, content: Vec<ContentPart>) -> Vec<Call> {
        let anthropic = *self.kind() == ProviderKind::Anthropic;
        let thoughts = if anthropic { thoughts(&content) } else { Vec::new() };
        let captured = content.into_iter().filter_map(|part| match part {
            ContentPart::ToolCall(call) => Some(call),
            _ => None,
        });
        let mut ids = CallIds::default();
        let mut calls: Vec<Call> = captured.map(|call| call_of(call, anthropic, &mut ids)).collect();
        // All thinking blocks belong before the first call.
        if let Some(first) = calls.first_mut() {
            first.signatures.splice(0..0, thoughts);
        }
        calls
    }

    fn usage(&self, usage: &genai::chat::Usage) -> Option<Usage> {
        let tokens = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok());
        // Gemini counts thinking tokens separately, and nothing else where an answer ended while
        // thinking.
        let thoughts = usage.completion_tokens_details.as_ref().and_then(|details| details.reasoning_tokens);
        let (input, output) = (tokens(usage.prompt_tokens), tokens(usage.completion_tokens.or(thoughts)));
        let details = usage.prompt_tokens_details.as_ref();
        let cached = details.and_then(|details| tokens(details.cached_tokens));
        let written = details.and_then(|details| tokens(details.cache_creation_tokens));
        let count = Usage {
            cached_tokens: cached.unwrap_or(0),
            cache_write_tokens: written.unwrap_or(0),
            ..Usage::of(input.unwrap_or(0), output.unwrap_or(0))
        };
        (input.is_some() || output.is_some()).then(|| priced(count, self.price))
    }

    fn is_blocked(&self, error: &genai::Error) -> bool {
        self.is_bare(error) && self.watch.is_blocked()
    }

    /// A Gemini frame with token counts only, which the library reports as an error.
    fn is_bare(&self, error: &genai::Error) -> bool {
        let genai::Error::ChatResponse { body, .. } = error else { return false };
        *self.kind() == ProviderKind::Gemini
            && body.get("usageMetadata") == Some(&Value::Null)
            && body.get("error").is_none()
    }

    fn kind(&self) -> &ProviderKind {
        &self.at.provider.kind
    }

    fn cut(&self) -> Error {
        Error::Cut { provider: self.at.name() }
    }
}

/// The reason why an answer ended, for both APIs. An unknown reason counts as complete.
fn stop(reason: &StopReason) -> Stop {
    match (reason, reason.raw()) {
        (_, "refusal") => Stop::Refused,
        // Both ask the client to continue.
        (StopReason::MaxTokens(_), _) | (_, "pause_turn" | "insufficient_system_resource") => Stop::Length,
        (StopReason::ContentFilter(_), _) => Stop::Filtered,
        _ => Stop::Complete,
    }
}

fn call_of(call: ToolCall, anthropic: bool, ids: &mut CallIds) -> Call {
    let arguments = match call.fn_arguments {
        Value::Null => json!({}),
        Value::String(text) if text.trim().is_empty() => json!({}),
        Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        other => other,
    };
    // The library copies Anthropic's signatures without the signed text; `thoughts` has both.
    let signatures = call.thought_signatures.filter(|_| !anthropic).unwrap_or_default();
    Call { id: ids.of_call(&call.call_id), tool: call.fn_name, arguments, signatures }
}

/// The signed thinking blocks, as Anthropic wants them back with the calls that follow.
fn thoughts(content: &[ContentPart]) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut parts = content.iter().peekable();
    while let Some(part) = parts.next() {
        match part {
            ContentPart::ThoughtSignature(signature) => {
                if let Some(ContentPart::ReasoningContent(text)) = parts.peek() {
                    blocks.push(json!({"type": "thinking", "thinking": text, "signature": signature}).to_string());
                }
            }
            ContentPart::Custom(custom) => blocks.push(custom.data.to_string()),
            _ => {}
        }
    }
    blocks
}
