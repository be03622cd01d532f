//! Answers in Anthropic's format, whole or streamed.

use std::convert::Infallible;

use axum::{
    Json,
    response::{IntoResponse, Response, sse::Event as Frame},
};
use futures::Stream;
use protocol::{OwnerId, TurnView, Usage};
use serde_json::{Value, json};

use super::{
    super::{
        answer_part::{AnswerPart, next},
        conversation::StreamedTurn,
        dialect::Dialect,
        error::ChatError,
        outcome::ChatOutcome,
    },
    error::body,
    events::{BlockWriter, stop_reason, text, thinking, tool_use},
};
use crate::{app::AppState, streams::StreamPermit};

/// The fields that all events of one answer share.
pub(super) struct MessageHead {
    pub(super) id: String,
    pub(super) model: String,
    pub(super) request_id: String,
}

/// Whether a turn without an answer was declined by the model or its provider: to these clients
/// that is a message with a stop reason, and no error.
pub(super) fn is_declined(fault: &ChatError) -> bool {
    matches!(fault.code.as_str(), "refusal" | "content_filter")
}

impl MessageHead {
    pub(super) async fn whole(&self, app: &AppState, owner: &OwnerId, mut streamed: StreamedTurn) -> Response {
        let (mut said, mut thoughts) = (String::new(), String::new());
        let (settled, turn) = loop {
            match next(app, owner, &mut streamed, &mut said).await {
                AnswerPart::Thought(thought) => thoughts.push_str(&thought),
                AnswerPart::Words(_) => {}
                AnswerPart::End(settled, turn) => break (settled, turn),
                AnswerPart::Broken(why) => return Dialect::Anthropic.fail(&why),
            }
        };
        let mut content: Vec<Value> = (!thoughts.is_empty()).then(|| thinking(&thoughts)).into_iter().collect();
        let mut push_text = |whole: &str| content.extend((!whole.is_empty()).then(|| text(whole)));
        let end = match settled {
            ChatOutcome::Words { whole, stop, .. } => {
                push_text(&whole);
                end(stop_reason(stop), None)
            }
            ChatOutcome::Calls(calls) => {
                push_text(&said);
                content.extend(calls.iter().map(tool_use));
                end("tool_use", None)
            }
            ChatOutcome::Failed(why) if is_declined(&why) => end("refusal", Some(&why)),
            ChatOutcome::Failed(why) => return Dialect::Anthropic.fail(&why),
        };
        let mut message = self.message(usage(&turn, streamed.usage_before));
        message["content"] = json!(content);
        if let (Some(message), Value::Object(end)) = (message.as_object_mut(), end) {
            message.extend(end);
        }
        Json(message).into_response()
    }

    /// The events of a stream.
    pub(super) fn frames(
        self,
        app: AppState,
        owner: OwnerId,
        mut streamed: StreamedTurn,
        permit: StreamPermit,
    ) -> impl Stream<Item = Result<Frame, Infallible>> {
        async_stream::stream! {
            let _permit = permit;
            // The tokens of the prompt are known at the end only.
            yield Ok(frame(&json!({ "type": "message_start", "message": self.message(tokens(Usage::default())) })));
            yield Ok(ping());
            let (mut said, mut blocks) = (String::new(), BlockWriter::default());
            loop {
                let (events, is_over) = match next(&app, &owner, &mut streamed, &mut said).await {
                    AnswerPart::Thought(thought) => (blocks.thought(&thought), false),
                    AnswerPart::Words(words) if words.is_empty() => (Vec::new(), false),
                    AnswerPart::Words(words) => (blocks.text(&words), false),
                    AnswerPart::End(settled, turn) => (self.last(settled, &turn, streamed.usage_before, &mut blocks), true),
                    AnswerPart::Broken(why) => (vec![self.error(&why)], true),
                };
                for event in &events {
                    yield Ok(frame(event));
                }
                if is_over {
                    return;
                }
            }
        }
    }

    /// The events after the text of a turn.
    fn last(&self, settled: ChatOutcome, turn: &TurnView, before: Usage, blocks: &mut BlockWriter) -> Vec<Value> {
        let mut events: Vec<Value> = Vec::new();
        let delta = match settled {
            ChatOutcome::Words { more, stop, .. } => {
                if !more.is_empty() {
                    events.extend(blocks.text(&more));
                }
                end(stop_reason(stop), None)
            }
            ChatOutcome::Calls(calls) => {
                events.extend(calls.iter().flat_map(|call| blocks.call(call)));
                end("tool_use", None)
            }
            ChatOutcome::Failed(why) if is_declined(&why) => end("refusal", Some(&why)),
            ChatOutcome::Failed(why) => return vec![self.error(&why)],
        };
        events.extend(blocks.close());
        events.push(json!({ "type": "message_delta", "delta": delta, "usage": usage(turn, before) }));
        events.push(json!({ "type": "message_stop" }));
        events
    }

    /// The message before its content.
    fn message(&self, usage: Value) -> Value {
        json!({
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": usage,
        })
    }

    /// A failure in the middle of a stream.
    fn error(&self, why: &ChatError) -> Value {
        let mut event = body(&why.message, why.status);
        event["request_id"] = json!(self.request_id);
        event
    }
}

/// Why an answer ended.
fn end(reason: &str, declined: Option<&ChatError>) -> Value {
    let mut end = json!({ "stop_reason": reason, "stop_sequence": null });
    if let Some(why) = declined {
        end["stop_details"] = json!({ "type": "refusal", "category": null, "explanation": why.message });
    }
    end
}

/// The part of a turn's usage that belongs to this request.
fn usage(turn: &TurnView, before: Usage) -> Value {
    tokens(turn.stats.usage.since(before))
}

/// In this API, the input does not include the tokens of the provider's cache.
fn tokens(usage: Usage) -> Value {
    let Usage { input_tokens, output_tokens, cached_tokens, cache_write_tokens, .. } = usage;
    json!({
        "input_tokens": input_tokens.saturating_sub(cached_tokens).saturating_sub(cache_write_tokens),
        "cache_creation_input_tokens": cache_write_tokens,
        "cache_read_input_tokens": cached_tokens,
        "output_tokens": output_tokens,
    })
}

/// An event that says nothing, which keeps the connection open.
pub(super) fn ping() -> Frame {
    frame(&json!({ "type": "ping" }))
}

fn frame(event: &Value) -> Frame {
    Frame::default().event(event["type"].as_str().unwrap_or_default()).data(event.to_string())
}
