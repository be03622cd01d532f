//! The port by which research calls report their progress and use the turn's language model.

use async_trait::async_trait;
use protocol::{ResearchEvent, Usage};

use crate::tool_failure::ToolFailure;

/// A request to the language model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionRequest {
    /// The task, in Dwell's own words.
    pub instructions: String,
    /// The text to work on. It may come from an untrusted source.
    pub text: String,
    /// The maximum number of tokens of the answer.
    pub tokens_max: u64,
}

/// What a research call can use of its turn.
#[async_trait]
pub trait ResearchPort: Send + Sync + 'static {
    /// Reports progress. Reports are recorded in this order.
    async fn report(&self, told: ResearchEvent);

    /// Whether a language model is available.
    fn has_model(&self) -> bool;

    /// Asks the turn's language model. It sees no tools and nothing of the conversation.
    async fn complete(&self, thought: CompletionRequest) -> Result<String, ToolFailure>;

    /// The tokens used so far.
    fn usage(&self) -> Usage;
}
