//! Memories, printed on one line each.

use protocol::{Fact, MemoryItem, Score, Timestamp};

use crate::commands::sessions::one_line;

/// Characters of an item's text that a list shows.
const TEXT_CHARS_MAX: usize = 160;

/// An item on one line.
pub(super) fn item(item: &MemoryItem) -> String {
    let level = item.level.as_str();
    let who = item.speaker.as_deref().or(item.role.as_deref()).map(|who| format!("{who}: ")).unwrap_or_default();
    let text = short(&one_line(&item.text));
    format!("{}  {}  {level:7}  {who}{text}{}", item.id, day(item.at), validity(item.valid_until, item.expires_at))
}

/// A fact on one line.
pub(super) fn fact(fact: &Fact) -> String {
    let value = short(&one_line(&fact.value));
    let until = validity(fact.valid_until, fact.expires_at);
    format!("{}  {}  {:3}  {}: {value}{until}", fact.fact_id, day(fact.valid_from), fact.priority, fact.key)
}

/// The parts of a score; parts that add nothing are left out.
pub(super) fn parts(score: &Score) -> String {
    let parts = [
        ("relevance", score.relevance),
        ("recency", score.recency),
        ("pinned", score.pinned),
        ("conversation", score.conversation),
        ("entity", score.entity),
        ("time", score.time),
    ];
    let sum: Vec<String> = parts
        .iter()
        .filter(|(_, value)| value.abs() >= 0.0005)
        .map(|(name, value)| format!("{name} {value:.3}"))
        .collect();
    format!("{} (lexical {:.2}, semantic {:.2})", sum.join(" + "), score.lexical, score.semantic)
}

/// Until when it was valid, or is kept.
fn validity(until: Option<Timestamp>, expires: Option<Timestamp>) -> String {
    let until = until.map(|at| format!("until {}", day(at)));
    let expires = expires.map(|at| format!("kept until {}", day(at)));
    let notes: Vec<String> = until.into_iter().chain(expires).collect();
    if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) }
}

/// The day of a timestamp.
pub(super) fn day(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}

pub(super) fn short(text: &str) -> String {
    let mut short: String = text.chars().take(TEXT_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_longer_holds_says_until_when_it_did() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        assert_eq!(validity(Some(at("2026-05-03T10:00:00Z")), None), "  (until 2026-05-03)");
        assert_eq!(validity(None, Some(at("2026-06-01T00:00:00Z"))), "  (kept until 2026-06-01)");
        assert_eq!(validity(None, None), "");
    }

    #[test]
    fn a_score_names_only_what_it_is_made_of() {
        let score = Score { total: 0.5, relevance: 0.6, time: -0.1, lexical: 1.0, ..Score::default() };
        assert_eq!(parts(&score), "relevance 0.600 + time -0.100 (lexical 1.00, semantic 0.00)");
    }
}
