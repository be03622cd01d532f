//! A response as a stream of events.
//!
//! The number of an event is the number of the event before it plus one; the number of a piece of
//! text grows by its characters. So the numbers do not depend on how the text was divided, and a
//! stream can be continued after any of them without that the events are stored.

use std::convert::Infallible;

use axum::response::sse::Event as Frame;
use futures::Stream;
use protocol::{OwnerId, SessionId, StopReason, TurnView, Usage};
use serde_json::{Value, json};

use super::{
    super::{
        answer_part::{AnswerPart, next},
        calls::OutgoingCall,
        conversation::StreamedTurn,
        error::ChatError,
        outcome::ChatOutcome,
    },
    ids::ItemId,
    object::{ResponseContent, ResponseHead, annotations, call_item, message_item, output_text},
    target::remove,
};
use crate::{app::AppState, streams::StreamPermit};

/// Writes the events of a response.
pub(super) struct ResponseEvents {
    head: ResponseHead,
    /// The number of the next event.
    number: u64,
    /// The client has the events up to this one.
    after: Option<u64>,
    /// Events that were not taken yet.
    frames: Vec<Frame>,
    /// The text so far.
    said: String,
    is_begun: bool,
}

impl ResponseEvents {
    pub(super) const fn new(head: ResponseHead, after: Option<u64>) -> Self {
        Self { head, number: 0, after, frames: Vec::new(), said: String::new(), is_begun: false }
    }

    /// The events that were written since the last call.
    pub(super) fn take(&mut self) -> Vec<Frame> {
        std::mem::take(&mut self.frames)
    }

    /// The first events. A response in the background may have to wait for its turn.
    pub(super) fn start(&mut self, status: &str) {
        for kind in ["response.created", "response.in_progress"] {
            let object = self.head.open(if kind == "response.created" { status } else { "in_progress" });
            self.write(kind, json!({ "response": object }));
        }
    }

    /// More of the text.
    pub(super) fn words(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        self.begin_message();
        self.said.push_str(words);
        let (from, chars) = (self.number, words.chars().count() as u64);
        self.number = from + chars;
        // The client may have the beginning of it.
        let known = self.after.map_or(0, |after| (after + 1).saturating_sub(from)).min(chars);
        if known < chars {
            let delta: String = words.chars().skip(usize::try_from(known).unwrap_or(usize::MAX)).collect();
            let data = json!({ "delta": delta, "logprobs": [] });
            self.push("response.output_text.delta", self.number - 1, self.about_text(data));
        }
    }

    /// The last events of a response that has an answer or calls.
    pub(super) fn end(&mut self, content: &ResponseContent) {
        let mut index = 0;
        if content.has_message() || self.is_begun {
            self.end_message(content);
            index = 1;
        }
        for (place, call) in content.calls.iter().enumerate() {
            self.call(call, index + place);
        }
        let object = self.head.ended(content);
        let kind = if object["status"] == "incomplete" { "response.incomplete" } else { "response.completed" };
        self.write(kind, json!({ "response": object }));
    }

    /// The last event of a response without an answer.
    pub(super) fn fail(&mut self, error: &ChatError, usage: Usage) {
        let object = self.head.failed(error, &self.said, usage);
        self.write("response.failed", json!({ "response": object }));
    }

    /// The last event of a stream that breaks, though the response may go on.
    pub(super) fn stop(&mut self, error: &ChatError) {
        self.write("error", json!({ "code": error.code, "message": error.message, "param": null }));
    }

    fn begin_message(&mut self) {
        if std::mem::replace(&mut self.is_begun, true) {
            return;
        }
        let item = message_item(self.head.id, "in_progress", Vec::new());
        self.write("response.output_item.added", json!({ "output_index": 0, "item": item }));
        let part = self.about_text(json!({ "part": output_text("", &[]) }));
        self.write("response.content_part.added", part);
    }

    fn end_message(&mut self, content: &ResponseContent) {
        self.begin_message();
        for (index, annotation) in annotations(&content.text, &content.citations).into_iter().enumerate() {
            let data = self.about_text(json!({ "annotation_index": index, "annotation": annotation }));
            self.write("response.output_text.annotation.added", data);
        }
        let done = self.about_text(json!({ "text": content.text, "logprobs": [] }));
        self.write("response.output_text.done", done);
        let part = self.about_text(json!({ "part": content.text_part() }));
        self.write("response.content_part.done", part);
        if content.stop == StopReason::Refusal {
            self.refuse(&content.text);
        }
        let item = message_item(self.head.id, content.status(), content.message_parts());
        self.write("response.output_item.done", json!({ "output_index": 0, "item": item }));
    }

    fn refuse(&mut self, text: &str) {
        let refusal = |text: &str| json!({ "type": "refusal", "refusal": text });
        for (kind, data) in [
            ("response.content_part.added", json!({ "part": refusal("") })),
            ("response.refusal.delta", json!({ "delta": text })),
            ("response.refusal.done", json!({ "refusal": text })),
            ("response.content_part.done", json!({ "part": refusal(text) })),
        ] {
            let mut data = self.about_text(data);
            data["content_index"] = json!(1);
            self.write(kind, data);
        }
    }

    fn call(&mut self, call: &OutgoingCall, index: usize) {
        let id = ItemId::of_call(&call.name);
        let (arguments, mut begun) = (call.arguments_as_text(), call_item(call, "in_progress"));
        begun["arguments"] = json!("");
        for (kind, mut data) in [
            ("response.output_item.added", json!({ "item": begun })),
            ("response.function_call_arguments.delta", json!({ "item_id": id, "delta": arguments })),
            (
                "response.function_call_arguments.done",
                json!({ "item_id": id, "name": call.tool, "arguments": arguments }),
            ),
            ("response.output_item.done", json!({ "item": call_item(call, "completed") })),
        ] {
            data["output_index"] = json!(index);
            self.write(kind, data);
        }
    }

    /// Data about the text, which is always the first item and its first part.
    fn about_text(&self, mut data: Value) -> Value {
        data["item_id"] = json!(ItemId::Message(self.head.id).to_string());
        data["output_index"] = json!(0);
        data["content_index"] = json!(0);
        data
    }

    fn write(&mut self, kind: &str, data: Value) {
        let number = self.number;
        self.number += 1;
        if self.after.is_none_or(|after| number > after) {
            self.push(kind, number, data);
        }
    }

    fn push(&mut self, kind: &str, number: u64, mut data: Value) {
        data["type"] = json!(kind);
        data["sequence_number"] = json!(number);
        self.frames.push(Frame::default().event(kind).data(data.to_string()));
    }
}

/// The content of a response, from the outcome of its turn and the text that was sent already.
pub(super) fn content_of(
    outcome: ChatOutcome,
    turn: &TurnView,
    said: &str,
    before: Usage,
) -> Result<ResponseContent, ChatError> {
    let usage = turn.stats.usage.since(before);
    let citations = turn.response.as_ref().map(|response| response.citations.clone()).unwrap_or_default();
    match outcome {
        ChatOutcome::Words { whole, more, stop } => {
            let text = if more.is_empty() { whole } else { format!("{said}{more}") };
            Ok(ResponseContent { text, stop, citations, usage, ..ResponseContent::default() })
        }
        ChatOutcome::Calls(calls) => {
            Ok(ResponseContent { text: said.to_owned(), calls, usage, ..ResponseContent::default() })
        }
        ChatOutcome::Failed(error) => Err(error),
    }
}

/// The events of a response while its turn runs. A temporary session is removed afterwards.
pub(super) fn frames(
    mut events: ResponseEvents,
    app: AppState,
    owner: OwnerId,
    mut streamed: StreamedTurn,
    temporary: Option<SessionId>,
    permit: StreamPermit,
) -> impl Stream<Item = Result<Frame, Infallible>> {
    async_stream::stream! {
        let _permit = permit;
        let mut said = String::new();
        loop {
            for frame in events.take() {
                yield Ok(frame);
            }
            match next(&app, &owner, &mut streamed, &mut said).await {
                AnswerPart::Thought(_) => {}
                AnswerPart::Words(words) => events.words(&words),
                AnswerPart::End(outcome, turn) => {
                    end(&mut events, outcome, &turn, &said, streamed.usage_before);
                    if let Some(session_id) = temporary.filter(|_| turn.status.is_final()) {
                        remove(&app.hub, &owner, session_id).await;
                    }
                    break;
                }
                AnswerPart::Broken(error) => {
                    events.stop(&error);
                    break;
                }
            }
        }
        for frame in events.take() {
            yield Ok(frame);
        }
    }
}

fn end(events: &mut ResponseEvents, outcome: ChatOutcome, turn: &TurnView, said: &str, before: Usage) {
    if let ChatOutcome::Words { more, .. } = &outcome {
        events.words(more);
    }
    match content_of(outcome, turn, said, before) {
        Ok(content) => events.end(&content),
        Err(error) => events.fail(&error, turn.stats.usage.since(before)),
    }
}
