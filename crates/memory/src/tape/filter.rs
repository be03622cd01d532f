//! Which earlier messages are told, by their tags.

use protocol::Tags;

use super::Message;

/// Which earlier messages are told, by their tags.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    any_of: Tags,
}

impl Filter {
    /// Only what has one of these tags; none means all.
    pub const fn any_of(tags: Tags) -> Self {
        Self { any_of: tags }
    }

    /// Whether a message is told. Instructions, pins and the current turn always are.
    pub fn takes<T>(&self, message: &Message<T>) -> bool {
        message.is_kept() || self.takes_tags(&message.tags)
    }

    /// Whether something with these tags is told.
    pub fn takes_tags(&self, tags: &Tags) -> bool {
        self.any_of.is_empty() || !self.any_of.is_disjoint(tags)
    }
}
