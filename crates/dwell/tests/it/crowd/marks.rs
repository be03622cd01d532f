//! Marks like `S17-m23`: the session's number and the message's.

use std::collections::BTreeSet;

/// The mark of a message.
pub(super) fn mark(session: u64, message: u64) -> String {
    format!("S{session}-m{message}")
}

/// All marks in a text.
pub(super) fn marks(text: &str) -> Vec<(u64, u64)> {
    text.match_indices('S').filter_map(|(at, _)| read(&text[at + 1..])).collect()
}

/// The sessions of the marks in a text.
pub(super) fn sessions_marked(text: &str) -> BTreeSet<u64> {
    marks(text).into_iter().map(|(session, _)| session).collect()
}

fn read(text: &str) -> Option<(u64, u64)> {
    let (session, rest) = number(text)?;
    let (message, _) = number(rest.strip_prefix("-m")?)?;
    Some((session, message))
}

fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[test]
fn marks_are_found_wherever_they_stand() {
    let text = format!("Say {} or \"{}\", So S-m1, S1-x, Sé", mark(17, 23), mark(4, 0));
    assert_eq!(marks(&text), [(17, 23), (4, 0)]);
    assert_eq!(sessions_marked(&text), [4, 17].into());
}
