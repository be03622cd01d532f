//! Who puts into words what a conversation comes to: a language model where one is set, else the conversation itself.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use model::{Choice, Chunk, Message, Model, Prompt, count, count_prompt};
use protocol::{Entry, Fact, ModelSettings, Timestamp, Usage};

use crate::summary;

/// Rules for capturing a message as an entry.
pub const ENTRY_CAPTURE: &str = include_str!("../../prompts/entry_capture.md");
/// Rules for summing up an entry.
pub const SUMMARY: &str = include_str!("../../prompts/summary.md");
/// Rules for keeping a context document.
pub const CONTEXT: &str = include_str!("../../prompts/context.md");

/// How long a model may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Messages longer than this are worth a model's summary; a shorter one is its own.
const LONG_CHARS_MIN: usize = 600;
/// Tokens of a document, and of a summary, at most.
const CONTEXT_TOKENS_MAX: u64 = 1_500;
const SUMMARY_TOKENS_MAX: u64 = 200;

/// What a context document is made of.
pub struct Material<'a> {
    /// The document before.
    pub previous: Option<&'a str>,
    /// What was said since then.
    pub entries: &'a [&'a Entry],
    /// What was stated in this conversation, also what no longer holds.
    pub facts: &'a [&'a Fact],
    /// The present moment.
    pub now: Timestamp,
}

/// Words, and who found them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worded {
    /// The words.
    pub text: String,
    /// A model's name, or `extract`.
    pub by: String,
}

/// Puts things into words.
#[async_trait]
pub trait Words: Send + Sync + 'static {
    /// What a message comes to; none leaves it to the room.
    async fn summary(&self, message: &str, now: Timestamp) -> Option<String>;

    /// What a conversation comes to.
    async fn context(&self, material: Material<'_>) -> Worded;
}

/// The conversation's own words.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extract;

#[async_trait]
impl Words for Extract {
    async fn summary(&self, _message: &str, _now: Timestamp) -> Option<String> {
        None
    }

    async fn context(&self, material: Material<'_>) -> Worded {
        let text = summary::context(material.previous, material.entries, material.facts);
        Worded { text, by: "extract".to_owned() }
    }
}

/// A model's words. Where it fails, the conversation's own.
pub struct Composed {
    model: Arc<dyn Model>,
    meter: Meter,
}

/// Is told what each question to a model took: its purpose, the model, and tokens; no tokens if it failed.
pub type Meter = Arc<dyn Fn(&str, &str, Option<Usage>) + Send + Sync>;

/// What a model is asked for: the document of what a conversation comes to, and the gist of a long message.
const FOR_CONTEXT: &str = "memory";
const FOR_SUMMARY: &str = "summary";

impl Composed {
    /// Words of this model.
    pub fn new(model: Arc<dyn Model>, meter: Meter) -> Self {
        Self { model, meter }
    }

    async fn ask(&self, purpose: &str, system: &str, text: String, now: Timestamp, tokens_max: u64) -> Option<String> {
        let prompt = Prompt {
            system: system.trim().to_owned(),
            messages: vec![Message::User { text, images: Vec::new(), notes: String::new() }],
            tools: Vec::new(),
            choice: Choice::Free,
            known: Vec::new(),
            now,
            output_tokens_max: Some(tokens_max),
            settings: ModelSettings::default(),
        };
        let sent = count_prompt(&prompt).total;
        let asked = tokio::time::timeout(PATIENCE, collect(self.model.as_ref(), prompt)).await;
        let took = asked.as_ref().ok().and_then(|collected| collected.as_ref().ok());
        let took = took.map(|(text, usage)| usage.unwrap_or_else(|| Usage::of(sent, count(text))));
        (self.meter)(purpose, self.model.name(), took);
        match asked {
            Ok(Ok((text, _))) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Ok(Ok(_)) => None,
            Ok(Err(error)) => {
                tracing::warn!(model = self.model.name(), %error, "no words from the model; using the conversation's own");
                None
            }
            Err(_) => {
                tracing::warn!(model = self.model.name(), "no words from the model in time");
                None
            }
        }
    }
}

#[async_trait]
impl Words for Composed {
    async fn summary(&self, message: &str, now: Timestamp) -> Option<String> {
        if message.chars().count() < LONG_CHARS_MIN {
            return None;
        }
        self.ask(FOR_SUMMARY, SUMMARY, message.to_owned(), now, SUMMARY_TOKENS_MAX).await
    }

    async fn context(&self, material: Material<'_>) -> Worded {
        let text = told(&material);
        match self.ask(FOR_CONTEXT, CONTEXT, text, material.now, CONTEXT_TOKENS_MAX).await {
            Some(text) => Worded { text, by: self.model.name().to_owned() },
            None => Extract.context(material).await,
        }
    }
}

/// What the model is told after the rules: the document before, then what is new, so that the newest stands last.
fn told(material: &Material<'_>) -> String {
    let previous = material.previous.unwrap_or("(none)");
    let mut text = format!("PREVIOUS CONTEXT:\n{previous}\n\nCURRENT SESSION (newer than the previous context):\n");
    for entry in material.entries {
        let who = entry.speaker.as_deref().unwrap_or(&entry.role);
        text.push_str(&format!("[{}] {who}: {}\n", entry.conversation_time, entry.raw_entry));
    }
    text
}

async fn collect(model: &dyn Model, prompt: Prompt) -> Result<(String, Option<Usage>), model::Error> {
    use futures::StreamExt;
    let mut chunks = model.stream(prompt).await?;
    let mut text = String::new();
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            Chunk::Text(delta) => text.push_str(&delta),
            Chunk::End { usage, .. } => return Ok((text, usage)),
            Chunk::Thinking(_) | Chunk::Call(_) => {}
        }
    }
    Ok((text, None))
}
