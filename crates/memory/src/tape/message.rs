//! One message of a tape.

use protocol::{AgentId, Tag, Tags};

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Instructions.
    System,
    /// Text that every turn of the session is told.
    Pin,
    /// What the user said.
    User,
    /// What the model said.
    Assistant,
    /// What the model called, with all results: neither is worth anything without the other.
    Calls,
}

/// Whose message it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The house's own.
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
pub struct Message<T> {
    /// What it is.
    pub kind: Kind,
    /// Whose it is.
    pub source: Source,
    /// Its tags.
    pub tags: Tags,
    /// The tokens it takes, with all that surrounds it.
    pub tokens: u64,
    /// Whether it belongs to the turn that is to be answered.
    pub is_current: bool,
    /// What it holds.
    pub content: T,
}

/// How firmly a message stays: what goes first comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hold {
    /// It goes before anything else.
    Ephemeral,
    /// It goes by its age.
    Plain,
    /// It goes when nothing else is left to go.
    Important,
    /// It never goes.
    Kept,
}

impl<T> Message<T> {
    /// A message with no tags that belongs to an earlier turn.
    pub const fn new(kind: Kind, source: Source, tokens: u64, content: T) -> Self {
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

    /// Whether it is told whatever the budget and whatever the filter.
    pub const fn is_kept(&self) -> bool {
        self.is_current || matches!(self.kind, Kind::System | Kind::Pin)
    }

    /// Whether it leaves last.
    pub fn is_important(&self) -> bool {
        self.tags.iter().any(Tag::is_important)
    }

    pub(super) fn hold(&self) -> Hold {
        if self.is_kept() {
            Hold::Kept
        } else if self.is_important() {
            // Whoever says both has said that it matters.
            Hold::Important
        } else if self.tags.iter().any(Tag::is_ephemeral) {
            Hold::Ephemeral
        } else {
            Hold::Plain
        }
    }
}
