//! A scripted reply for any of the wire formats.

use crate::ToolCall;

/// One scripted answer of a provider.
#[derive(Clone, Debug, Default)]
pub struct ProviderReply {
    pub(super) text: Vec<String>,
    pub(super) calls: Vec<ToolCall>,
    pub(super) failure: Option<ErrorReply>,
    pub(super) ending: ReplyEnd,
}

/// An answer that is an error.
#[derive(Clone, Debug)]
pub(super) struct ErrorReply {
    pub(super) status: u16,
    pub(super) body: Option<String>,
    pub(super) headers: Vec<(String, String)>,
}

/// Where an answer ends; the numbers count its pieces.
#[derive(Clone, Debug, Default)]
pub(super) enum ReplyEnd {
    #[default]
    Complete,
    /// The connection breaks.
    Cut(usize),
    /// The stream itself reports an error.
    Error(usize, String),
}

impl ProviderReply {
    /// A text, in one piece for each word.
    pub fn text(text: impl AsRef<str>) -> Self {
        let words = text.as_ref().split_inclusive(char::is_whitespace).map(str::to_owned);
        Self { text: words.collect(), ..Self::default() }
    }

    /// Calls of tools.
    pub fn tool_calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self::default().then_tool_calls(calls)
    }

    /// An HTTP error, with the body that this provider gives unless one is set.
    pub fn status(status: u16) -> Self {
        Self { failure: Some(ErrorReply { status, body: None, headers: Vec::new() }), ..Self::default() }
    }

    /// Adds calls of tools, which come after the text.
    #[must_use]
    pub fn then_tool_calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        self.calls.extend(calls);
        self
    }

    /// Sets the body of an error.
    ///
    /// # Panics
    /// When the reply is not an error.
    #[must_use]
    pub fn body(mut self, body: impl ToString) -> Self {
        self.failure.as_mut().expect("body() is for ProviderReply::status()").body = Some(body.to_string());
        self
    }

    /// Adds a header to an error, such as `retry-after`.
    ///
    /// # Panics
    /// When the reply is not an error.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        let failure = self.failure.as_mut().expect("header() is for ProviderReply::status()");
        failure.headers.push((name.into(), value.to_string()));
        self
    }

    /// Breaks the connection after `n` pieces.
    #[must_use]
    pub fn cut_after(mut self, n: usize) -> Self {
        self.ending = ReplyEnd::Cut(n);
        self
    }

    /// Puts an error with this message into the stream after `n` pieces, and ends it there.
    #[must_use]
    pub fn error_after(mut self, n: usize, message: impl Into<String>) -> Self {
        self.ending = ReplyEnd::Error(n, message.into());
        self
    }
}
