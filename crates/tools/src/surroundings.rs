//! What a model is told of the world around: a list that stays, and what has changed since it was made. The list stands
//! early in the prompt and does not change, so that providers can keep it.

use protocol::EntityBase;

/// What a turn is told of the world around.
#[derive(Debug, Clone, PartialEq)]
pub struct Surroundings {
    /// The list; the one that the session has, unless it is better made anew.
    pub base: EntityBase,
    /// What has changed since, and what this message needs beyond it; empty if there is nothing.
    pub news: String,
}

/// Whoever knows of the world around.
pub trait Senses: Send + Sync + 'static {
    /// What somebody should know who answers this message, given what the session was told before. None if there is nothing
    /// around.
    fn sense(&self, message: &str, told: Option<&EntityBase>) -> Option<Surroundings>;
}
