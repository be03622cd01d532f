//! Counts the tokens of a prompt as OpenAI's newer models do (`o200k_base`). Other providers have
//! other tokenizers: for theirs the count is an estimate that is rarely off by more than a fifth.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{LazyLock, Mutex, PoisonError},
};

use serde_json::Value;

use crate::{Call, Image, Message, Prompt, ToolSpec};

/// The overhead of each message: its start, its role and its end.
const PER_MESSAGE: u64 = 3;
/// The overhead of each call within a message, and of each tool.
const PER_CALL: u64 = 8;
/// The blank line before notes.
const PER_NOTES: u64 = 1;
/// The tokens that open the answer.
const PER_ANSWER: u64 = 3;
/// A picture of the usual size at full detail takes between 258 (Gemini) and about 1600 (Anthropic)
/// tokens; the largest counts.
const PER_IMAGE: u64 = 1_600;

/// The tokens of the parts of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptTokens {
    /// The instructions, which include what is known from before.
    pub system: u64,
    /// The tools with their schemas.
    pub tools: u64,
    /// The messages, one by one.
    pub messages: Vec<u64>,
    /// All of it, with the opening of the answer.
    pub total: u64,
}

/// The shortest text, in bytes, whose count is cached.
const REMEMBERED_BYTES_MIN: usize = 64;
/// The most cached counts; beyond that the cache is cleared.
const REMEMBERED_MAX: usize = 64 * 1024;

/// A cache of counts by the digest of the text: instructions, lists and messages are counted again
/// with every turn.
static REMEMBERED: LazyLock<Mutex<HashMap<(u64, usize), u64>>> = LazyLock::new(Mutex::default);
/// The seed of the digests; random in every process, so that a client cannot construct two texts
/// with the same digest.
static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// Tokens in a text.
pub fn count(text: &str) -> u64 {
    if text.len() < REMEMBERED_BYTES_MIN {
        return ::tokens::count(text) as u64;
    }
    let key = (SEED.hash_one(text), text.len());
    let remembered = || REMEMBERED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = remembered().get(&key) {
        return *known;
    }
    let tokens = ::tokens::count(text) as u64;
    let mut remembered = remembered();
    if remembered.len() >= REMEMBERED_MAX {
        remembered.clear();
    }
    remembered.insert(key, tokens);
    tokens
}

/// Tokens in a message, including its overhead.
pub fn count_message(message: &Message) -> u64 {
    let content = match message {
        Message::User { text, images, notes } => count(text) + count_images(images) + count_notes(notes),
        Message::Assistant { text, calls } => count(text) + calls.iter().map(count_call).sum::<u64>(),
        Message::Result { call_id, text, .. } => count(call_id) + count(text),
    };
    content + PER_MESSAGE
}

/// Tokens in a tool's name, description and schema.
pub(crate) fn count_schema(name: &str, description: &str, input: &Value) -> u64 {
    count(name) + count(description) + count(&input.to_string()) + PER_CALL
}

/// Tokens in a whole prompt.
pub fn count_prompt(prompt: &Prompt) -> PromptTokens {
    let system = if prompt.system.is_empty() { 0 } else { count(&prompt.system) + PER_MESSAGE };
    let tools = prompt.tools.iter().map(ToolSpec::tokens).sum();
    let messages: Vec<u64> = prompt.messages.iter().map(count_message).collect();
    let total = system + tools + messages.iter().sum::<u64>() + PER_ANSWER;
    PromptTokens { system, tools, messages, total }
}

fn count_call(call: &Call) -> u64 {
    count(&call.id) + count(&call.tool) + count(&call.arguments.to_string()) + PER_CALL
}

/// Tokens in notes, with the blank line before them.
pub fn count_notes(notes: &str) -> u64 {
    if notes.is_empty() { 0 } else { count(notes) + PER_NOTES }
}

fn count_images(images: &[Image]) -> u64 {
    images.len() as u64 * PER_IMAGE
}
