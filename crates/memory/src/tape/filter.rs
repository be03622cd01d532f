//! Selects earlier messages by their tags.

use protocol::Tags;

use super::TapeMessage;

/// Selects the earlier messages of a prompt by their tags.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TagFilter {
    any_of: Tags,
}

impl TagFilter {
    /// Only messages with one of these tags; none means all.
    pub const fn any_of(tags: Tags) -> Self {
        Self { any_of: tags }
    }

    /// Whether it selects a message. Instructions, pins and the current turn always pass.
    pub fn takes<T>(&self, message: &TapeMessage<T>) -> bool {
        message.is_kept() || self.takes_tags(&message.tags)
    }

    /// Whether it selects a message with these tags.
    pub fn takes_tags(&self, tags: &Tags) -> bool {
        self.any_of.is_empty() || !self.any_of.is_disjoint(tags)
    }
}
