//! What is answered over OpenAI's wire, whole or in pieces.

use std::convert::Infallible;

use axum::{
    Json,
    response::{IntoResponse, Response, sse::Event as Frame},
};
use futures::Stream;
use protocol::{OwnerId, StopReason, TurnView, Usage};
use serde_json::{Value, json};

use super::super::{
    calls::Call,
    conversation::Begun,
    dialect::Dialect,
    fault::Fault,
    settled::{Settled, settled, words_of},
};
use crate::{app::App, problem::Outcome as HttpOutcome, streams::StreamPermit, telling::Told as Next};

/// What stands on every sheet of one answer.
pub(super) struct Sheet {
    pub(super) id: String,
    pub(super) created: i64,
    pub(super) model: String,
    pub(super) with_usage: bool,
}

/// Something of an answer that is told next.
enum Told {
    Words(String),
    End(Settled, Box<TurnView>),
    Broken(Fault),
}

/// Tells the next of an answer, and keeps what was said.
async fn next(app: &App, owner: &OwnerId, begun: &mut Begun, said: &mut String) -> Told {
    let next = tokio::select! {
        next = begun.telling.next() => next,
        () = app.stopping.cancelled() => Err(engine::Error::Stopping),
    };
    match next {
        Ok(Next::Words(words)) => {
            let words = words_of(begun, said, words);
            said.push_str(&words);
            Told::Words(words)
        }
        Ok(Next::Settled(turn)) => match settled(&app.hub, owner, begun, &turn, said).await {
            Ok(settled) => Told::End(settled, turn),
            Err(error) => Told::Broken(Fault::of_error(error)),
        },
        Err(error) => Told::Broken(Fault::of_error(error)),
    }
}

impl Sheet {
    pub(super) async fn whole(&self, app: &App, owner: &OwnerId, mut begun: Begun) -> HttpOutcome<Response> {
        let mut said = String::new();
        let (settled, turn) = loop {
            match next(app, owner, &mut begun, &mut said).await {
                Told::Words(_) => {}
                Told::End(settled, turn) => break (settled, turn),
                Told::Broken(why) => return Ok(Dialect::OpenAi.fail(&why)),
            }
        };
        let (message, finish) = match settled {
            Settled::Words { whole, stop, .. } => {
                // Who knows nothing of refusals still reads what was said.
                let refusal = (stop == StopReason::Refusal).then(|| whole.clone());
                (json!({ "role": "assistant", "content": whole, "refusal": refusal }), finish_reason(stop))
            }
            Settled::Calls(calls) => {
                let content = Some(said).filter(|said| !said.is_empty());
                let calls: Vec<Value> = calls.iter().map(call).collect();
                let message = json!({ "role": "assistant", "content": content, "refusal": null, "tool_calls": calls });
                (message, "tool_calls")
            }
            Settled::Failed(why) => return Ok(Dialect::OpenAi.fail(&why)),
        };
        Ok(Json(json!({
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": finish }],
            "usage": usage(&turn, begun.usage_before),
        }))
        .into_response())
    }

    /// The pieces: the first carries the role, each call is one, the last is empty, and then it is done.
    pub(super) fn frames(
        self,
        app: App,
        owner: OwnerId,
        mut begun: Begun,
        permit: StreamPermit,
    ) -> impl Stream<Item = Result<Frame, Infallible>> {
        async_stream::stream! {
            let _permit = permit;
            yield Ok(self.piece(&json!({ "role": "assistant", "content": "" }), None));
            let mut said = String::new();
            loop {
                match next(&app, &owner, &mut begun, &mut said).await {
                    Told::Words(words) if words.is_empty() => {}
                    Told::Words(words) => yield Ok(self.piece(&json!({ "content": words }), None)),
                    Told::End(settled, turn) => {
                        for frame in self.last(settled, &turn, begun.usage_before) {
                            yield Ok(frame);
                        }
                        return;
                    }
                    Told::Broken(why) => {
                        yield Ok(data(&Dialect::OpenAi.interjection(&why)));
                        return;
                    }
                }
            }
        }
    }

    /// What comes after the words of a turn.
    fn last(&self, settled: Settled, turn: &TurnView, before: Usage) -> Vec<Frame> {
        let mut frames: Vec<Frame> = Vec::new();
        let finish = match settled {
            Settled::Words { whole, more, stop } => {
                frames.extend((!more.is_empty()).then(|| self.piece(&json!({ "content": more }), None)));
                let is_refused = stop == StopReason::Refusal;
                frames.extend(is_refused.then(|| self.piece(&json!({ "refusal": whole }), None)));
                finish_reason(stop)
            }
            Settled::Calls(calls) => {
                frames.extend(calls.iter().enumerate().map(|(index, one)| {
                    let mut call = call(one);
                    call["index"] = json!(index);
                    self.piece(&json!({ "tool_calls": [call] }), None)
                }));
                "tool_calls"
            }
            Settled::Failed(why) => return vec![data(&Dialect::OpenAi.interjection(&why))],
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

fn call(call: &Call) -> Value {
    let function = json!({ "name": call.tool, "arguments": call.arguments_as_text() });
    json!({ "id": call.name, "type": "function", "function": function })
}

fn data(value: &Value) -> Frame {
    Frame::default().data(value.to_string())
}

/// Why an answer ended, as OpenAI says it.
const fn finish_reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Length | StopReason::Budget => "length",
        StopReason::ContentFilter => "content_filter",
        StopReason::Complete | StopReason::Refusal | StopReason::Empty => "stop",
    }
}

/// What a request took of a turn.
fn usage(turn: &TurnView, before: Usage) -> Value {
    let usage = turn.stats.usage.since(before);
    json!({
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.tokens(),
        "prompt_tokens_details": { "cached_tokens": usage.cached_tokens },
    })
}
