//! Writes context documents and summaries: with a language model where one is configured, else by
//! extracting sentences.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use model::{Chunk, Message, Model, Prompt, ToolRequirement, count, count_prompt};
use protocol::{Entry, Fact, ModelSettings, Timestamp, Usage};

use crate::summary;

/// Rules for capturing a message as an entry.
pub const ENTRY_CAPTURE: &str = include_str!("../../prompts/entry_capture.md");
/// Rules for summarizing an entry.
pub const SUMMARY: &str = include_str!("../../prompts/summary.md");
/// Rules for maintaining a context document.
pub const CONTEXT: &str = include_str!("../../prompts/context.md");

/// How long a model may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// Messages longer than this are summarized by a model; a shorter one is its own summary.
const LONG_CHARS_MIN: usize = 600;
/// The largest context document and the largest summary, in tokens.
const CONTEXT_TOKENS_MAX: u64 = 1_500;
const SUMMARY_TOKENS_MAX: u64 = 200;
/// The most bytes of entries that a model is given; of more, the older ones are summarized by
/// extracting sentences first.
const ENTRIES_BYTES_MAX: usize = 64 * 1024;

/// The input for a context document.
#[derive(Clone, Copy)]
pub struct SummaryInput<'a> {
    /// The previous document.
    pub previous: Option<&'a str>,
    /// Entries since then.
    pub entries: &'a [&'a Entry],
    /// Facts stated in this conversation, including ended ones.
    pub facts: &'a [&'a Fact],
    /// The present moment.
    pub now: Timestamp,
}

/// A text and its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryText {
    /// The text.
    pub text: String,
    /// A model's name, or `extract`.
    pub by: String,
}

/// Summarizes messages and conversations.
#[async_trait]
pub trait Summarizer: Send + Sync + 'static {
    /// The summary of a message; with none, the store makes its own.
    async fn summary(&self, message: &str, now: Timestamp) -> Option<String>;

    /// The context document of a conversation.
    async fn context(&self, material: SummaryInput<'_>) -> SummaryText;
}

/// Summarizes by extracting sentences.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExtractiveSummarizer;

#[async_trait]
impl Summarizer for ExtractiveSummarizer {
    async fn summary(&self, _message: &str, _now: Timestamp) -> Option<String> {
        None
    }

    async fn context(&self, material: SummaryInput<'_>) -> SummaryText {
        let text = summary::context(material.previous, material.entries, material.facts);
        SummaryText { text, by: "extract".to_owned() }
    }
}

/// Summarizes with a model; where it fails, by extracting sentences.
pub struct ModelSummarizer {
    model: Arc<dyn Model>,
    meter: UsageMeter,
}

/// Records the usage of each model call: its purpose, the model, and tokens; no tokens if it
/// failed.
pub type UsageMeter = Arc<dyn Fn(&str, &str, Option<Usage>) + Send + Sync>;

/// The purposes of model calls: a context document, and the gist of a long message.
const FOR_CONTEXT: &str = "memory";
const FOR_SUMMARY: &str = "summary";

impl ModelSummarizer {
    /// A summarizer with this model.
    pub fn new(model: Arc<dyn Model>, meter: UsageMeter) -> Self {
        Self { model, meter }
    }

    async fn ask(&self, purpose: &str, system: &str, text: String, now: Timestamp, tokens_max: u64) -> Option<String> {
        let prompt = Prompt {
            system: system.trim().to_owned(),
            messages: vec![Message::User { text, images: Vec::new(), notes: String::new() }],
            tools: Vec::new(),
            choice: ToolRequirement::Free,
            known: Vec::new(),
            now,
            output_tokens_max: Some(tokens_max),
            settings: ModelSettings::default(),
            response_schema: None,
            is_temporary: false,
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
                tracing::warn!(model = self.model.name(), %error, "the model wrote no summary; extracting sentences instead");
                None
            }
            Err(_) => {
                tracing::warn!(model = self.model.name(), "the model did not summarize in time");
                None
            }
        }
    }
}

#[async_trait]
impl Summarizer for ModelSummarizer {
    async fn summary(&self, message: &str, now: Timestamp) -> Option<String> {
        if message.chars().count() < LONG_CHARS_MIN {
            return None;
        }
        self.ask(FOR_SUMMARY, SUMMARY, message.to_owned(), now, SUMMARY_TOKENS_MAX).await
    }

    async fn context(&self, material: SummaryInput<'_>) -> SummaryText {
        let (older, newer) = material.entries.split_at(first_told(material.entries));
        let extract = (!older.is_empty()).then(|| summary::context(material.previous, older, material.facts));
        let previous = extract.as_deref().or(material.previous);
        let text = told(&SummaryInput { previous, entries: newer, ..material });
        match self.ask(FOR_CONTEXT, CONTEXT, text, material.now, CONTEXT_TOKENS_MAX).await {
            Some(text) => SummaryText { text, by: self.model.name().to_owned() },
            None => ExtractiveSummarizer.context(material).await,
        }
    }
}

/// The first of the newest entries that a model is given. An import may have thousands.
fn first_told(entries: &[&Entry]) -> usize {
    let mut bytes = 0;
    let fitting = entries.iter().rev().take_while(|entry| {
        bytes += entry.raw_entry.len();
        bytes <= ENTRIES_BYTES_MAX
    });
    // The newest is always told.
    entries.len() - fitting.count().max(1).min(entries.len())
}

/// The prompt after the rules: the previous document, then the new entries, so that the newest come
/// last.
fn told(material: &SummaryInput<'_>) -> String {
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
