//! The prompt section about the home: a list of entities that stays the same, and what has changed
//! since it was made. The list comes early in the prompt and does not change, so that providers can
//! cache it.

use protocol::EntityBase;

/// The section about the home for one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct HomeSection {
    /// The list of entities: the session's earlier one, unless it is better to make a new one.
    pub base: EntityBase,
    /// The changes since then, and what this message needs beyond the list; empty if there is
    /// nothing.
    pub news: String,
}

/// Describes the home to a model.
pub trait HomeContext: Send + Sync + 'static {
    /// The section for a turn that answers this message, given the session's earlier list. `None`
    /// if there is no home.
    fn section(&self, message: &str, told: Option<&EntityBase>) -> Option<HomeSection>;
}
