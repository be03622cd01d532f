//! What is asked of a model, and what comes back.

use async_trait::async_trait;
use futures::stream::BoxStream;
use protocol::Usage;

use crate::Error;

/// Who said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub text: String,
}

/// All that a model is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The model by its provider's name; none means the default.
    pub model: Option<String>,
    /// Instructions.
    pub system: String,
    /// The conversation, the current message last.
    pub messages: Vec<Message>,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunk {
    /// More text.
    Text(String),
    /// The answer is whole.
    End {
        /// What it took, where the provider counted.
        usage: Option<Usage>,
    },
}

/// An answer on its way. Dropping it cancels the call.
pub type Chunks = BoxStream<'static, Result<Chunk, Error>>;

/// Something that answers.
#[async_trait]
pub trait Model: Send + Sync + 'static {
    /// The name of the model that answers a prompt which asks for this one, or for none.
    fn name(&self, asked: Option<&str>) -> String;

    /// Starts an answer.
    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error>;
}
