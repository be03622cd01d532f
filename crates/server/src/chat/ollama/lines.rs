//! Answers in Ollama's format: one JSON value per line, or whole.

use std::convert::Infallible;

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use futures::Stream;
use protocol::{OwnerId, StopReason, TurnView, Usage};
use serde_json::{Value, json};

use super::{
    super::{
        answer_part::{AnswerPart, next},
        calls::OutgoingCall,
        conversation::StreamedTurn,
        dialect::Dialect,
        outcome::ChatOutcome,
    },
    OllamaEndpoint,
};
use crate::{app::AppState, streams::StreamPermit};

/// The lines of one answer.
pub(super) struct AnswerLines {
    pub(super) app: AppState,
    pub(super) owner: OwnerId,
    pub(super) model: String,
    pub(super) form: OllamaEndpoint,
}

impl AnswerLines {
    pub(super) async fn whole(self, mut streamed: StreamedTurn) -> Response {
        let (mut said, mut thoughts) = (String::new(), String::new());
        let (settled, turn) = loop {
            match next(&self.app, &self.owner, &mut streamed, &mut said).await {
                AnswerPart::Thought(thought) => thoughts.push_str(&thought),
                AnswerPart::Words(_) => {}
                AnswerPart::End(settled, turn) => break (settled, turn),
                AnswerPart::Broken(why) => return Dialect::Ollama.fail(&why),
            }
        };
        let mut line = match settled {
            ChatOutcome::Words { whole, stop, .. } => self.last(&whole, stop, &turn, streamed.usage_before),
            ChatOutcome::Calls(calls) => {
                let mut line = self.last(&said, StopReason::Complete, &turn, streamed.usage_before);
                line["message"]["tool_calls"] = calls.iter().map(call).collect();
                line
            }
            ChatOutcome::Failed(fault) => return Dialect::Ollama.fail(&fault),
        };
        if !thoughts.is_empty() {
            self.add_thought(&mut line, &thoughts);
        }
        Json(line).into_response()
    }

    pub(super) fn stream(
        self,
        mut streamed: StreamedTurn,
        permit: StreamPermit,
    ) -> impl Stream<Item = Result<String, Infallible>> {
        async_stream::stream! {
            let _permit = permit;
            let mut said = String::new();
            loop {
                let (lines, is_over) = match next(&self.app, &self.owner, &mut streamed, &mut said).await {
                    AnswerPart::Thought(thought) => {
                        let mut line = self.line("");
                        self.add_thought(&mut line, &thought);
                        (vec![line], false)
                    }
                    AnswerPart::Words(words) if words.is_empty() => (Vec::new(), false),
                    AnswerPart::Words(words) => (vec![self.line(&words)], false),
                    AnswerPart::End(settled, turn) => (self.end(settled, &turn, streamed.usage_before), true),
                    AnswerPart::Broken(why) => (vec![Dialect::Ollama.interjection(&why)], true),
                };
                for line in lines {
                    yield Ok(format!("{line}\n"));
                }
                if is_over {
                    return;
                }
            }
        }
    }

    /// The lines after the text of a turn.
    fn end(&self, settled: ChatOutcome, turn: &TurnView, before: Usage) -> Vec<Value> {
        let mut reason = StopReason::Complete;
        let mut lines: Vec<Value> = match settled {
            ChatOutcome::Words { more, stop, .. } => {
                reason = stop;
                Some(more).filter(|more| !more.is_empty()).map(|more| self.line(&more)).into_iter().collect()
            }
            // A line for each call: some clients read only the first call of a line.
            ChatOutcome::Calls(calls) => calls.iter().map(|one| self.asking(one)).collect(),
            ChatOutcome::Failed(fault) => return vec![Dialect::Ollama.interjection(&fault)],
        };
        lines.push(self.last("", reason, turn, before));
        lines
    }

    fn asking(&self, one: &OutgoingCall) -> Value {
        let mut line = self.line("");
        line["message"]["tool_calls"] = json!([call(one)]);
        line
    }

    pub(super) fn line(&self, words: &str) -> Value {
        let mut line = json!({ "model": self.model, "created_at": self.app.hub.now().to_string(), "done": false });
        match self.form {
            OllamaEndpoint::Chat => line["message"] = json!({ "role": "assistant", "content": words }),
            OllamaEndpoint::Generate => line["response"] = json!(words),
        }
        line
    }

    fn add_thought(&self, line: &mut Value, thought: &str) {
        match self.form {
            OllamaEndpoint::Chat => line["message"]["thinking"] = json!(thought),
            OllamaEndpoint::Generate => line["thinking"] = json!(thought),
        }
    }

    fn last(&self, words: &str, stop: StopReason, turn: &TurnView, before: Usage) -> Value {
        let is_cut = matches!(stop, StopReason::Length | StopReason::Budget);
        let usage = turn.stats.usage.since(before);
        let nanoseconds = |millis: Option<u64>| millis.unwrap_or(0).saturating_mul(1_000_000);
        let (whole, first) = (nanoseconds(turn.stats.duration_ms), nanoseconds(turn.stats.first_word_ms));
        let mut line = self.line(words);
        let end = json!({
            "done": true,
            "done_reason": if is_cut { "length" } else { "stop" },
            "total_duration": whole,
            "load_duration": 0,
            "prompt_eval_count": usage.input_tokens,
            "prompt_eval_duration": first,
            "eval_count": usage.output_tokens,
            "eval_duration": whole.saturating_sub(first),
        });
        if let (Some(line), Value::Object(end)) = (line.as_object_mut(), end) {
            line.extend(end);
        }
        line
    }
}

fn call(call: &OutgoingCall) -> Value {
    json!({ "id": call.name, "function": { "name": call.tool, "arguments": call.arguments_as_object() } })
}
