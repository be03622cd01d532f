//! A text that is compared with many others, prepared for that once.

use std::sync::{Arc, OnceLock};

use super::{known::KnownFact, said::SpokenMessage};

type OptionalMessage<'m> = Option<SpokenMessage<'m>>;

self_cell::self_cell!(
    struct SpokenText {
        owner: Arc<str>,
        #[covariant]
        dependent: OptionalMessage,
    }
);

/// A text with what it says, as something known and as what may speak against that. Each is read
/// when it is first asked for.
pub struct PreparedText {
    spoken: OnceLock<SpokenText>,
    known: OnceLock<KnownFact>,
    text: Arc<str>,
}

impl PreparedText {
    /// A text of which nothing was read yet.
    pub fn new(text: &str) -> Self {
        Self { spoken: OnceLock::new(), known: OnceLock::new(), text: text.into() }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it says that could touch something known.
    pub fn said(&self) -> Option<&SpokenMessage<'_>> {
        let read = || SpokenText::new(self.text.clone(), |text| SpokenMessage::of(text));
        self.spoken.get_or_init(read).borrow_dependent().as_ref()
    }

    /// What it offers for comparison with something said later.
    pub fn known(&self) -> &KnownFact {
        self.known.get_or_init(|| KnownFact::of_text(&self.text))
    }
}
