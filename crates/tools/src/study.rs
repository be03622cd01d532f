//! The turn as a call reaches it that looks for sources: what is told on the way, and a language model to think with.

use async_trait::async_trait;
use protocol::{Research, Usage};

use crate::tool::Failure;

/// Something to be thought about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thought {
    /// What is to be done, in the house's own words.
    pub instructions: String,
    /// What it is to be done with; it may be anybody's words.
    pub text: String,
    /// Tokens that the answer may have.
    pub tokens_max: u64,
}

/// What a call that looks for sources is given.
#[async_trait]
pub trait Study: Send + Sync + 'static {
    /// Tells how far it is; it is written down in this order.
    async fn tell(&self, told: Research);

    /// Whether there is a language model to be asked.
    fn can_think(&self) -> bool;

    /// Asks the turn's language model, which is shown no tools and nothing of the conversation.
    async fn think(&self, thought: Thought) -> Result<String, Failure>;

    /// What thinking took so far.
    fn spent(&self) -> Usage;
}
