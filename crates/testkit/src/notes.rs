//! The notes that Dwell puts below a message, which are not the user's words.

/// The words of a message without the notes below them.
pub(crate) fn without_notes(text: &str) -> &str {
    text.split_once("\n\n<notes>\n").map_or(text, |(words, _)| words)
}
