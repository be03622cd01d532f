//! Tools for models without tool calls: described as text, called as text.
//!
//! [`TextualTools`] wraps any [`Model`]. Where the model calls tools itself, prompts and answers
//! pass unchanged. Where it does not, or its server refuses tools, they are described in the system
//! text ([`describe`]), the model calls one by writing a fenced block, the block is parsed out of
//! the stream ([`fence`], [`read`]), and the results are sent back as the user's text. So the rest
//! of Dwell need not know the difference.

mod describe;
mod fence;
mod read;

use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;

use self::{
    fence::{AnswerPiece, Scanner},
    read::calls,
};
use protocol::{ModelSettings, ResponseSchema};

use crate::{
    Chunk, Chunks, Error, Message, Model, Prompt, ToolRequirement, Traits, UnsupportedSetting, facts::DiscoveryCache,
};

/// A model that can use tools, whether it calls them itself or as text.
pub(crate) struct TextualTools {
    inner: Arc<dyn Model>,
    kept: Arc<DiscoveryCache>,
}

impl TextualTools {
    pub(crate) fn new(inner: Arc<dyn Model>, kept: Arc<DiscoveryCache>) -> Self {
        Self { inner, kept }
    }

    fn is_textual(&self) -> bool {
        !self.inner.traits().calls_tools || self.kept.refuses_tools(self.inner.name())
    }

    async fn in_words(&self, prompt: Prompt) -> Result<Chunks, Error> {
        Ok(read_calls(self.inner.stream(textual(prompt)).await?))
    }
}

#[async_trait]
impl Model for TextualTools {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn traits(&self) -> Traits {
        Traits { calls_tools: !self.is_textual(), ..self.inner.traits() }
    }

    fn takes_choice(&self) -> bool {
        self.inner.takes_choice() && !self.is_textual()
    }

    fn takes_schema(&self, schema: &ResponseSchema, has_tools: bool) -> bool {
        // A model that must write JSON cannot write the block that calls a tool.
        self.inner.takes_schema(schema, has_tools) && !(has_tools && self.is_textual())
    }

    fn unsupported(&self, settings: &ModelSettings) -> Vec<UnsupportedSetting> {
        self.inner.unsupported(settings)
    }

    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error> {
        if self.is_textual() {
            return self.in_words(prompt).await;
        }
        if prompt.tools.is_empty() || prompt.choice != ToolRequirement::Free {
            return self.inner.stream(prompt).await;
        }
        match self.inner.stream(prompt.clone()).await {
            Err(error) if error.is_about_tools() => {
                self.kept.set_refuses_tools(self.name(), true);
                let answer = self.in_words(prompt).await;
                // The tools were not the reason.
                answer.map_err(|_| {
                    self.kept.set_refuses_tools(self.name(), false);
                    error
                })
            }
            answer => answer,
        }
    }

    async fn warm(&self) {
        self.inner.warm().await;
    }
}

/// The same prompt with tools, calls and results as text.
fn textual(prompt: Prompt) -> Prompt {
    let mut system = prompt.system;
    if !prompt.tools.is_empty() {
        if !system.is_empty() {
            system.push_str("\n\n");
        }
        system.push_str(&describe::tools(&prompt.tools));
        match &prompt.choice {
            ToolRequirement::Free => {}
            ToolRequirement::Some => system.push_str("\nUse one of these tools now."),
            ToolRequirement::Tool(name) => system.push_str(&format!("\nUse the tool `{name}` now.")),
        }
    }
    let messages = prompt.messages.into_iter().map(|message| match message {
        Message::Assistant { text, calls } => {
            let blocks = calls.iter().map(describe::call);
            let parts: Vec<String> = Some(text).filter(|text| !text.is_empty()).into_iter().chain(blocks).collect();
            Message::Assistant { text: parts.join("\n\n"), calls: Vec::new() }
        }
        Message::Result { tool, text, .. } => Message::user(describe::result(&tool, &text)),
        user @ Message::User { .. } => user,
    });
    Prompt { system, messages: messages.collect(), tools: Vec::new(), choice: ToolRequirement::Free, ..prompt }
}

/// Turns the blocks in the text into calls.
fn read_calls(mut chunks: Chunks) -> Chunks {
    async_stream::try_stream! {
        let (mut scanner, mut made) = (Scanner::default(), 0);
        while let Some(chunk) = chunks.next().await {
            let (pieces, last) = match chunk? {
                Chunk::Text(text) => (scanner.take(&text), None),
                end @ Chunk::End { .. } => (scanner.finish(), Some(end)),
                other => {
                    yield other;
                    continue;
                }
            };
            for piece in pieces {
                match piece {
                    AnswerPiece::Text(text) => yield Chunk::Text(text),
                    AnswerPiece::Block(block) => {
                        for call in calls(&block, &mut made) {
                            yield Chunk::Call(call);
                        }
                    }
                }
            }
            if let Some(end) = last {
                yield end;
            }
        }
    }
    .boxed()
}

#[cfg(test)]
mod tests;
