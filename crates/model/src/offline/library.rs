//! A look into the library, for what is not understood otherwise: the documents may have the answer in their own words.

use serde_json::json;

use super::{reply::NOTHING_FOUND, tools};
use crate::{Call, Prompt};

/// Fewer words ask for nothing that could be looked up.
const WORDS_MIN: usize = 3;
/// Longer messages are texts rather than questions.
const CHARS_MAX: usize = 500;

/// A look into the library for a message that nothing else is known to do with.
pub fn look(prompt: &Prompt, message: &str) -> Option<Call> {
    let is_question = message.split_whitespace().count() >= WORDS_MIN && message.chars().count() <= CHARS_MAX;
    tools::offered(prompt, tools::LIBRARY_SEARCH).filter(|_| is_question)?;
    let id = format!("offline-{}-1", prompt.messages.len());
    let (tool, arguments) = (tools::LIBRARY_SEARCH.to_owned(), json!({ "query": message.trim() }));
    Some(Call { id, tool, arguments, signatures: Vec::new() })
}

/// Whether a look was all that was done, and in vain.
pub fn found_nothing(calls: &[Call], lines: &[String]) -> bool {
    let is_look = matches!(calls, [call] if call.tool == tools::LIBRARY_SEARCH);
    is_look && matches!(lines, [line] if line.starts_with(NOTHING_FOUND))
}
