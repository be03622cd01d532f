//! Searches the library for messages that no rule understands: its documents may contain the
//! answer.

use model::{Call, Prompt};
use serde_json::json;

use super::{reply::NOTHING_FOUND, tools};

/// The fewest words that are worth a search.
const WORDS_MIN: usize = 3;
/// Longer messages are texts rather than questions.
const CHARS_MAX: usize = 500;

/// A search of the library for a message that no rule understands.
pub fn look(prompt: &Prompt, message: &str) -> Option<Call> {
    let is_question = message.split_whitespace().count() >= WORDS_MIN && message.chars().count() <= CHARS_MAX;
    tools::offered(prompt, tools::LIBRARY_SEARCH).filter(|_| is_question)?;
    let id = format!("offline-{}-1", prompt.messages.len());
    let (tool, arguments) = (tools::LIBRARY_SEARCH.to_owned(), json!({ "query": message.trim() }));
    Some(Call { id, tool, arguments, signatures: Vec::new() })
}

/// Whether a search of the library was the only call, and found nothing.
pub fn found_nothing(calls: &[Call], lines: &[String]) -> bool {
    let is_look = matches!(calls, [call] if call.tool == tools::LIBRARY_SEARCH);
    is_look && matches!(lines, [line] if line.starts_with(NOTHING_FOUND))
}
