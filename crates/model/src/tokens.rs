//! How many tokens a prompt has, counted as OpenAI's newer models do (`o200k_base`). Other houses cut words otherwise:
//! for theirs the count is an estimate that is rarely off by more than a fifth.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{LazyLock, Mutex, PoisonError},
};

use serde_json::Value;

use crate::{Call, Image, Message, Prompt, ToolSpec};

/// What surrounds each message: where it begins, whose it is, where it ends.
const PER_MESSAGE: u64 = 3;
/// What surrounds each call within a message, and each tool.
const PER_CALL: u64 = 8;
/// The blank line before notes.
const PER_NOTES: u64 = 1;
/// The words that open the answer.
const PER_ANSWER: u64 = 3;
/// A picture of the usual size at full detail costs between 258 (Gemini) and about 1600 (Anthropic); the dearest counts.
const PER_IMAGE: u64 = 1_600;

/// What the parts of a prompt take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptTokens {
    /// The instructions, which have in words whatever is known from before.
    pub system: u64,
    /// The tools with their schemas.
    pub tools: u64,
    /// The messages, one by one.
    pub messages: Vec<u64>,
    /// All of it, with what opens the answer.
    pub total: u64,
}

/// Texts from this many bytes on are worth remembering the count of.
const REMEMBERED_BYTES_MIN: usize = 64;
/// Counts that are remembered; past that all are let go of.
const REMEMBERED_MAX: usize = 64 * 1024;

/// Counts by the digest of their texts: instructions, lists and messages are counted again with every turn.
static REMEMBERED: LazyLock<Mutex<HashMap<(u64, usize), u64>>> = LazyLock::new(Mutex::default);
/// What digests begin with; another one in every process, so that nobody can make two texts that are taken for one.
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

/// Tokens in a message, with what surrounds it.
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

/// Tokens in all that is sent.
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

/// Tokens in notes, with what parts them from the words.
pub fn count_notes(notes: &str) -> u64 {
    if notes.is_empty() { 0 } else { count(notes) + PER_NOTES }
}

fn count_images(images: &[Image]) -> u64 {
    images.len() as u64 * PER_IMAGE
}
