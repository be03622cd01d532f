//! Embeddings and token counts of texts that clients send. Nothing of them is stored.

use ::memory::long_term::{EmbeddedTexts, EmbeddingFault, EmbeddingModel};
use model::{Image, Message, ToolSpec, count_message, workers};
use protocol::ClientTool;

use super::Hub;
use crate::Error;

/// A prompt whose tokens are counted.
#[derive(Debug, Clone, Default)]
pub struct CountedPrompt {
    /// The instructions.
    pub system: String,
    /// The messages.
    pub messages: Vec<CountedMessage>,
    /// The tools.
    pub tools: Vec<ClientTool>,
}

/// A message whose tokens are counted.
#[derive(Debug, Clone, Default)]
pub struct CountedMessage {
    /// Its text.
    pub text: String,
    /// How many images it has.
    pub images: usize,
}

impl CountedPrompt {
    fn bytes(&self) -> usize {
        let messages: usize = self.messages.iter().map(|message| message.text.len()).sum();
        // A tool is mostly its schema, whose length is not known yet.
        self.system.len() + messages + self.tools.len() * 512
    }

    fn count(self) -> u64 {
        let system = if self.system.is_empty() { 0 } else { count_message(&Message::user(self.system)) };
        let messages = self.messages.into_iter().map(|CountedMessage { text, images }| {
            // Of an image only its number counts.
            let image = Image { media_type: String::new(), data: String::new() };
            count_message(&Message::User { text, images: vec![image; images], notes: String::new() })
        });
        let tool = |tool: ClientTool| ToolSpec::new(tool.name, tool.description, tool.input_schema).tokens();
        system + messages.sum::<u64>() + self.tools.into_iter().map(tool).sum::<u64>()
    }
}

impl Hub {
    /// The embedding model, if there is one.
    pub fn embedding_model(&self) -> Option<EmbeddingModel> {
        self.long_term().embedding_model()
    }

    /// Embeds texts. A text with more tokens than the model reads is cut if `is_cut`, otherwise
    /// refused.
    pub async fn embed(&self, texts: Vec<String>, is_cut: bool) -> Result<EmbeddedTexts, Error> {
        self.long_term().embed(texts, is_cut).await.map_err(|fault| {
            let message = fault.to_string();
            match fault {
                EmbeddingFault::Absent(_) => Error::NoEmbeddingModel(message),
                EmbeddingFault::TooLong { .. } => Error::Invalid(format!("{message}; divide it into shorter ones")),
                EmbeddingFault::Failed(_) => Error::Embedding(message),
            }
        })
    }

    /// The tokens of a prompt, as OpenAI's newer models count them.
    pub async fn count_tokens(&self, prompt: CountedPrompt) -> u64 {
        workers::offload(prompt.bytes(), move || prompt.count()).await
    }
}
