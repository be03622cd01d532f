//! The notes that Dwell adds below a user message.

/// The text of a message without the notes below it.
pub(crate) fn without_notes(text: &str) -> &str {
    text.split_once("\n\n<notes>\n").map_or(text, |(words, _)| words)
}
