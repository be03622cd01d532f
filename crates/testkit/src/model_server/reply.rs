//! A scripted reply: one answer of the model, or one kind of failure.

use std::time::Duration;

use serde::Serialize;

use super::Request;

/// Usage reported by a reply that does not set its own.
const USAGE: Usage = Usage::new(10, 5);

/// One scripted answer to one request.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) kind: ResponseKind,
    pub(super) reasoning: Vec<String>,
    pub(super) text: Vec<String>,
    pub(super) calls: Vec<ToolCall>,
    pub(super) usage: Usage,
    pub(super) after: Duration,
    pub(super) every: Duration,
    pub(super) ending: CompletionEnd,
    pub(super) finish: Option<&'static str>,
}

/// The shape of the response.
#[derive(Clone, Debug)]
pub(super) enum ResponseKind {
    Completion,
    Error { status: u16, message: Option<String>, retry_after_s: Option<u64> },
    Malformed,
    Hang,
}

/// How far a completion goes; the numbers count deltas after the role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompletionEnd {
    Complete,
    /// The connection breaks.
    Cut(usize),
    /// The HTTP body ends well, the completion does not.
    Early(usize),
    /// Nothing more comes, and the connection stays open.
    Stall(usize),
}

/// A call of a tool, as the model asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The id that the tool's result refers to.
    pub id: String,
    /// The name of the function.
    pub name: String,
    /// The arguments as the model wrote them, which need not be valid JSON.
    pub arguments: String,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Usage {
    prompt_tokens: u32,
    completion_tokens: u32,
    total_tokens: u32,
}

impl Usage {
    const fn new(prompt: u32, completion: u32) -> Self {
        Self { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
    }
}

impl ToolCall {
    /// A call with arguments given as text or as a JSON value.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl ToString) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.to_string() }
    }
}

impl Reply {
    /// A text, in one chunk for each word.
    pub fn text(text: impl AsRef<str>) -> Self {
        Self::new(ResponseKind::Completion).then_text(text)
    }

    /// Calls of tools, the arguments of each in two fragments.
    pub fn tool_calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self::new(ResponseKind::Completion).then_tool_calls(calls)
    }

    /// Reasoning, in one `reasoning_content` chunk for each word.
    pub fn reasoning(text: impl AsRef<str>) -> Self {
        let mut reply = Self::new(ResponseKind::Completion);
        reply.reasoning = words(text.as_ref());
        reply
    }

    /// An HTTP error with an OpenAI-shaped body.
    pub fn status(status: u16) -> Self {
        Self::new(ResponseKind::Error { status, message: None, retry_after_s: None })
    }

    /// A stream with one line that is not JSON and otherwise complete, so that only a client that
    /// checks the line fails; not streamed, a broken body.
    pub fn malformed() -> Self {
        Self::new(ResponseKind::Malformed)
    }

    /// Accepts the request and never answers.
    pub fn hang() -> Self {
        Self::new(ResponseKind::Hang)
    }

    /// `You said: ` and the last message of the user: the default rule.
    pub fn echo(request: &Request) -> Self {
        Self::text(format!("You said: {}", request.last_user()))
    }

    fn new(kind: ResponseKind) -> Self {
        Self {
            kind,
            reasoning: Vec::new(),
            text: Vec::new(),
            calls: Vec::new(),
            usage: USAGE,
            after: Duration::ZERO,
            every: Duration::ZERO,
            ending: CompletionEnd::Complete,
            finish: None,
        }
    }

    /// Adds a text, which comes after the reasoning and before tool calls.
    #[must_use]
    pub fn then_text(mut self, text: impl AsRef<str>) -> Self {
        self.text.extend(words(text.as_ref()));
        self
    }

    /// Adds calls of tools, which come after the reasoning and the text.
    #[must_use]
    pub fn then_tool_calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        self.calls.extend(calls);
        self
    }

    /// Replaces the text by these chunks.
    #[must_use]
    pub fn chunks<C: Into<String>>(mut self, chunks: impl IntoIterator<Item = C>) -> Self {
        self.text = chunks.into_iter().map(Into::into).collect();
        self
    }

    /// Waits before each chunk after the role; not streamed, before the first
    /// byte for as long as all the chunks take.
    #[must_use]
    pub fn every(mut self, delay: Duration) -> Self {
        self.every = delay;
        self
    }

    /// Waits before the first byte of the response.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.after = delay;
        self
    }

    /// Sets the token counts; 10 and 5 unless set.
    #[must_use]
    pub fn usage(mut self, prompt: u32, completion: u32) -> Self {
        self.usage = Usage::new(prompt, completion);
        self
    }

    /// Breaks the connection after the role and `n` chunks; not streamed,
    /// halfway through the body.
    #[must_use]
    pub fn cut_after(mut self, n: usize) -> Self {
        self.ending = CompletionEnd::Cut(n);
        self
    }

    /// Ends the HTTP body cleanly after the role and `n` chunks, with neither
    /// `finish_reason` nor `[DONE]`; not streamed, halfway through the body.
    #[must_use]
    pub fn end_early(mut self, n: usize) -> Self {
        self.ending = CompletionEnd::Early(n);
        self
    }

    /// Sends the role and `n` chunks and then nothing, with the connection
    /// open; not streamed, half of the body.
    #[must_use]
    pub fn stall_after(mut self, n: usize) -> Self {
        self.ending = CompletionEnd::Stall(n);
        self
    }

    /// Adds a `retry-after` header, in seconds, to an error.
    ///
    /// # Panics
    /// When the reply is not an error.
    #[must_use]
    pub fn retry_after_s(mut self, seconds: u64) -> Self {
        match &mut self.kind {
            ResponseKind::Error { retry_after_s, .. } => *retry_after_s = Some(seconds),
            kind => panic!("retry_after_s() is for Reply::status(), not {kind:?}"),
        }
        self
    }

    /// Sets the message in the body of an error.
    ///
    /// # Panics
    /// When the reply is not an error.
    #[must_use]
    pub fn error_message(mut self, text: impl Into<String>) -> Self {
        match &mut self.kind {
            ResponseKind::Error { message, .. } => *message = Some(text.into()),
            kind => panic!("error_message() is for Reply::status(), not {kind:?}"),
        }
        self
    }

    /// Sets the `finish_reason` of a completion; `stop` or `tool_calls` unless set.
    #[must_use]
    pub const fn finishing(mut self, reason: &'static str) -> Self {
        self.finish = Some(reason);
        self
    }

    pub(super) fn finish_reason(&self) -> &'static str {
        if let Some(reason) = self.finish {
            return reason;
        }
        if self.calls.is_empty() { "stop" } else { "tool_calls" }
    }
}

/// Splits after each space, so that the chunks concatenate to the text.
fn words(text: &str) -> Vec<String> {
    text.split_inclusive(char::is_whitespace).map(str::to_owned).collect()
}
