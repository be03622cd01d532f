//! Answers in OpenAI's format, whole or streamed.

use std::convert::Infallible;

use axum::{
    Json,
    response::{IntoResponse, Response, sse::Event as Frame},
};
use futures::Stream;
use protocol::{OwnerId, StopReason, TurnView, Usage};
use serde_json::{Value, json};

use super::super::{
    answer_part::{AnswerPart, next},
    calls::OutgoingCall,
    conversation::StreamedTurn,
    dialect::Dialect,
    outcome::ChatOutcome,
};
use crate::{app::AppState, problem::HttpResult as HttpOutcome, streams::StreamPermit};

/// The fields that all chunks of one answer share.
pub(super) struct CompletionHead {
    pub(super) id: String,
    pub(super) created: i64,
    pub(super) model: String,
    pub(super) with_usage: bool,
}

impl CompletionHead {
    pub(super) async fn whole(
        &self,
        app: &AppState,
        owner: &OwnerId,
        mut streamed: StreamedTurn,
    ) -> HttpOutcome<Response> {
        let (mut said, mut thoughts) = (String::new(), String::new());
        let (settled, turn) = loop {
            match next(app, owner, &mut streamed, &mut said).await {
                AnswerPart::Thought(thought) => thoughts.push_str(&thought),
                AnswerPart::Words(_) => {}
                AnswerPart::End(settled, turn) => break (settled, turn),
                AnswerPart::Broken(why) => return Ok(Dialect::OpenAi.fail(&why)),
            }
        };
        let (mut message, finish) = match settled {
            ChatOutcome::Words { whole, stop, .. } => {
                // Clients that do not know `refusal` still get the text as content.
                let refusal = (stop == StopReason::Refusal).then(|| whole.clone());
                (json!({ "role": "assistant", "content": whole, "refusal": refusal }), finish_reason(stop))
            }
            ChatOutcome::Calls(calls) => {
                let content = Some(said).filter(|said| !said.is_empty());
                let calls: Vec<Value> = calls.iter().map(call).collect();
                let message = json!({ "role": "assistant", "content": content, "refusal": null, "tool_calls": calls });
                (message, "tool_calls")
            }
            ChatOutcome::Failed(why) => return Ok(Dialect::OpenAi.fail(&why)),
        };
        if !thoughts.is_empty() {
            message["reasoning_content"] = json!(thoughts);
        }
        Ok(Json(json!({
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": finish }],
            "usage": usage(&turn, streamed.usage_before),
        }))
        .into_response())
    }

    /// The chunks of a stream: the first carries the role, each call is a chunk, and an empty chunk
    /// ends it.
    pub(super) fn frames(
        self,
        app: AppState,
        owner: OwnerId,
        mut streamed: StreamedTurn,
        permit: StreamPermit,
    ) -> impl Stream<Item = Result<Frame, Infallible>> {
        async_stream::stream! {
            let _permit = permit;
            yield Ok(self.piece(&json!({ "role": "assistant", "content": "" }), None));
            let mut said = String::new();
            loop {
                match next(&app, &owner, &mut streamed, &mut said).await {
                    AnswerPart::Thought(thought) => {
                        yield Ok(self.piece(&json!({ "reasoning_content": thought }), None));
                    }
                    AnswerPart::Words(words) if words.is_empty() => {}
                    AnswerPart::Words(words) => yield Ok(self.piece(&json!({ "content": words }), None)),
                    AnswerPart::End(settled, turn) => {
                        for frame in self.last(settled, &turn, streamed.usage_before) {
                            yield Ok(frame);
                        }
                        return;
                    }
                    AnswerPart::Broken(why) => {
                        yield Ok(data(&Dialect::OpenAi.interjection(&why)));
                        return;
                    }
                }
            }
        }
    }

    /// The chunks after the text of a turn.
    fn last(&self, settled: ChatOutcome, turn: &TurnView, before: Usage) -> Vec<Frame> {
        let mut frames: Vec<Frame> = Vec::new();
        let finish = match settled {
            ChatOutcome::Words { whole, more, stop } => {
                frames.extend((!more.is_empty()).then(|| self.piece(&json!({ "content": more }), None)));
                let is_refused = stop == StopReason::Refusal;
                frames.extend(is_refused.then(|| self.piece(&json!({ "refusal": whole }), None)));
                finish_reason(stop)
            }
            ChatOutcome::Calls(calls) => {
                frames.extend(calls.iter().enumerate().map(|(index, one)| {
                    let mut call = call(one);
                    call["index"] = json!(index);
                    self.piece(&json!({ "tool_calls": [call] }), None)
                }));
                "tool_calls"
            }
            ChatOutcome::Failed(why) => return vec![data(&Dialect::OpenAi.interjection(&why))],
        };
        frames.push(self.piece(&json!({}), Some(finish)));
        if self.with_usage {
            let mut last = self.sheet(json!([]));
            last["usage"] = usage(turn, before);
            frames.push(data(&last));
        }
        frames.push(Frame::default().data("[DONE]"));
        frames
    }

    fn piece(&self, delta: &Value, finish: Option<&str>) -> Frame {
        data(&self.sheet(json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }])))
    }

    fn sheet(&self, choices: Value) -> Value {
        json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "choices": choices,
        })
    }
}

fn call(call: &OutgoingCall) -> Value {
    let function = json!({ "name": call.tool, "arguments": call.arguments_as_text() });
    json!({ "id": call.name, "type": "function", "function": function })
}

fn data(value: &Value) -> Frame {
    Frame::default().data(value.to_string())
}

/// Why an answer ended, in OpenAI's terms.
const fn finish_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Length | StopReason::Budget => "length",
        StopReason::ContentFilter => "content_filter",
        StopReason::Complete | StopReason::Refusal | StopReason::Empty => "stop",
    }
}

/// The part of a turn's usage that belongs to this request.
fn usage(turn: &TurnView, before: Usage) -> Value {
    let usage = turn.stats.usage.since(before);
    json!({
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.tokens(),
        "prompt_tokens_details": { "cached_tokens": usage.cached_tokens },
    })
}
