//! A reply as the events of a stream.

use std::time::Duration;

use serde::Serialize;

use super::json::{CREATED, ID};
use super::playback::PacedFrames;
use super::reply::{CompletionEnd, ResponseKind, Usage};
use super::{Reply, Request, ToolCall};

pub(super) const CONTENT_TYPE: &str = "text/event-stream";

#[derive(Serialize)]
struct Chunk<'a> {
    id: &'static str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: &'a [Choice<'a>],
    /// Absent unless the client asked; then null in all chunks but the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<Usage>>,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u32,
    delta: Delta<'a>,
    finish_reason: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Delta<'a> {
    /// A text starts as an empty string, tool calls come with a null.
    Role {
        role: &'static str,
        content: Option<&'static str>,
    },
    Reasoning {
        reasoning_content: &'a str,
    },
    Content {
        content: &'a str,
    },
    Calls {
        tool_calls: [Call<'a>; 1],
    },
    Finish {},
}

#[derive(Serialize)]
struct Call<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    arguments: &'a str,
}

/// The events of the reply, each with the pause that comes before it.
pub(super) fn events(reply: &Reply, request: &Request) -> PacedFrames {
    let mut out = Writer {
        frames: PacedFrames::default(),
        model: request.model(),
        usage: request.include_usage().then_some(None),
    };
    out.role(reply);
    out.frames.end_frame();

    let sent = match reply.ending {
        CompletionEnd::Complete => usize::MAX,
        CompletionEnd::Cut(n) | CompletionEnd::Early(n) | CompletionEnd::Stall(n) => n,
    };
    for delta in deltas(reply).take(sent) {
        out.delta(delta, None);
        out.frames.end_frame_after(reply.every);
    }
    if matches!(reply.kind, ResponseKind::Malformed) {
        out.frames.buffer().extend(b"data: {not json\n\n");
        out.frames.end_frame();
    }
    if reply.ending == CompletionEnd::Complete {
        // One frame, so that a client that leaves at the finish reason or at
        // [DONE] is never taken for one that left before the end.
        out.delta(Delta::Finish {}, Some(reply.finish_reason()));
        out.usage(reply.usage);
        out.frames.buffer().extend(b"data: [DONE]\n\n");
        out.frames.end_frame();
    }
    out.frames
}

/// How long all the chunks take together.
pub(super) fn duration(reply: &Reply) -> Duration {
    let chunks = u32::try_from(deltas(reply).count()).unwrap_or(u32::MAX);
    reply.every.saturating_mul(chunks)
}

fn deltas(reply: &Reply) -> impl Iterator<Item = Delta<'_>> {
    let reasoning = reply.reasoning.iter().map(|text| Delta::Reasoning { reasoning_content: text });
    let text = reply.text.iter().map(|text| Delta::Content { content: text });
    let calls = reply.calls.iter().enumerate();
    reasoning.chain(text).chain(calls.flat_map(call_deltas))
}

fn call_deltas((index, call): (usize, &ToolCall)) -> [Delta<'_>; 3] {
    let middle = call.arguments.floor_char_boundary(call.arguments.len() / 2);
    let (first, second) = call.arguments.split_at(middle);
    let fragment = |arguments| Call { index, id: None, kind: None, function: Function { name: None, arguments } };
    let announced = Call {
        index,
        id: Some(&call.id),
        kind: Some("function"),
        function: Function { name: Some(&call.name), arguments: "" },
    };
    [announced, fragment(first), fragment(second)].map(|call| Delta::Calls { tool_calls: [call] })
}

struct Writer<'a> {
    frames: PacedFrames,
    model: &'a str,
    /// The usage field of the chunks that do not report it.
    usage: Option<Option<Usage>>,
}

impl Writer<'_> {
    fn role(&mut self, reply: &Reply) {
        let content = (reply.calls.is_empty() || !reply.text.is_empty()).then_some("");
        let role = "assistant";
        self.delta(Delta::Role { role, content }, None);
    }

    fn delta(&mut self, delta: Delta<'_>, finish_reason: Option<&'static str>) {
        let choice = Choice { index: 0, delta, finish_reason };
        self.event(&[choice], self.usage);
    }

    fn usage(&mut self, usage: Usage) {
        if self.usage.is_some() {
            self.event(&[], Some(Some(usage)));
        }
    }

    fn event(&mut self, choices: &[Choice<'_>], usage: Option<Option<Usage>>) {
        let chunk =
            Chunk { id: ID, object: "chat.completion.chunk", created: CREATED, model: self.model, choices, usage };
        let out = self.frames.buffer();
        out.extend(b"data: ");
        serde_json::to_writer(&mut *out, &chunk).expect("a chunk is plain data");
        out.extend(b"\n\n");
    }
}
