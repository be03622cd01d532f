//! Shortening of texts.

use std::borrow::Cow;

/// The beginning and the end of a text that is longer than `bytes_max`, cut between words if
/// possible.
pub fn ends(text: &str, bytes_max: usize) -> Cow<'_, str> {
    if text.len() <= bytes_max {
        return Cow::Borrowed(text);
    }
    let half = bytes_max / 2;
    let head = &text[..text.floor_char_boundary(half)];
    let tail = &text[text.ceil_char_boundary(text.len() - half)..];
    // Drop the words that were cut in two.
    let head = head.rfind(char::is_whitespace).map_or(head, |end| &head[..end]);
    let tail = tail.find(char::is_whitespace).map_or(tail, |start| &tail[start..]);
    Cow::Owned(format!("{head}\n{tail}"))
}
