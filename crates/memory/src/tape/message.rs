//! One message of a tape.

use protocol::{AgentId, Tag, Tags};

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MessageKind {
    /// Instructions.
    System,
    /// Text that every prompt of the session contains.
    Pin,
    /// What the user said.
    User,
    /// What the model said.
    Assistant,
    /// The model's calls with all their results: neither is useful without the other.
    Calls,
}

/// Whose message it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MessageSource {
    /// Dwell's own.
    System,
    /// The user's.
    User,
    /// The model's.
    Assistant,
    /// Of these tools, in the order of their calls.
    Tools(Vec<String>),
    /// Another agent's.
    Agent(AgentId),
}

/// One message of a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TapeMessage<T> {
    /// What it is.
    pub kind: MessageKind,
    /// Whose it is.
    pub source: MessageSource,
    /// Its tags.
    pub tags: Tags,
    /// Its tokens, including the message's overhead.
    pub tokens: u64,
    /// Whether it belongs to the turn that is to be answered.
    pub is_current: bool,
    /// Its content.
    pub content: T,
}

/// The order of eviction, first to last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EvictionPriority {
    /// It is evicted before anything else.
    Ephemeral,
    /// It is evicted by its age.
    Plain,
    /// It is evicted when nothing else is left.
    Important,
    /// It is never evicted.
    Kept,
}

impl<T> TapeMessage<T> {
    /// A message with no tags that belongs to an earlier turn.
    pub const fn new(kind: MessageKind, source: MessageSource, tokens: u64, content: T) -> Self {
        Self { kind, source, tags: Tags::new(), tokens, is_current: false, content }
    }

    /// The same with these tags.
    #[must_use]
    pub fn tagged(mut self, tags: Tags) -> Self {
        self.tags = tags;
        self
    }

    /// The same as part of the turn that is to be answered.
    #[must_use]
    pub fn current(mut self) -> Self {
        self.is_current = true;
        self
    }

    /// Whether it is always in the prompt, whatever the budget and the filter.
    pub const fn is_kept(&self) -> bool {
        self.is_current || matches!(self.kind, MessageKind::System | MessageKind::Pin)
    }

    /// Whether it is evicted last.
    pub fn is_important(&self) -> bool {
        self.tags.iter().any(Tag::is_important)
    }

    pub(super) fn hold(&self) -> EvictionPriority {
        if self.is_kept() {
            EvictionPriority::Kept
        } else if self.is_important() {
            // A message tagged both ways is important.
            EvictionPriority::Important
        } else if self.tags.iter().any(Tag::is_ephemeral) {
            EvictionPriority::Ephemeral
        } else {
            EvictionPriority::Plain
        }
    }
}
