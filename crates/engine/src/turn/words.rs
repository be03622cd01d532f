//! Words on their way out of the model: secrets are taken out before anybody sees them.

use tools::redaction::{Redactor, Stream};

/// The two streams of a model's answer.
pub(super) struct Words {
    text: Stream,
    thinking: Stream,
}

impl Words {
    pub(super) fn new(redactor: &Redactor) -> Self {
        Self { text: redactor.stream(), thinking: redactor.stream() }
    }

    /// What of the text may go out now.
    pub(super) fn text(&mut self, delta: &str) -> String {
        self.text.push(delta)
    }

    /// What of the reasoning may go out now.
    pub(super) fn thinking(&mut self, delta: &str) -> String {
        self.thinking.push(delta)
    }

    /// What was held back of both, text first.
    pub(super) fn finish(&mut self) -> (String, String) {
        (self.text.finish(), self.thinking.finish())
    }
}
