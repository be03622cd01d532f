//! The model's output: secrets are redacted before any client sees them.

use tools::redaction::{Redactor, StreamRedactor};

/// The two streams of a model's answer.
pub(super) struct OutputRedactor {
    text: StreamRedactor,
    thinking: StreamRedactor,
}

impl OutputRedactor {
    pub(super) fn new(redactor: &Redactor) -> Self {
        Self { text: redactor.stream(), thinking: redactor.stream() }
    }

    /// The text that can be published now.
    pub(super) fn text(&mut self, delta: &str) -> String {
        self.text.push(delta)
    }

    /// The reasoning that can be published now.
    pub(super) fn thinking(&mut self, delta: &str) -> String {
        self.thinking.push(delta)
    }

    /// The rest of both, text first.
    pub(super) fn finish(&mut self) -> (String, String) {
        (self.text.finish(), self.thinking.finish())
    }
}
