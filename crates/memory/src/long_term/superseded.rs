//! Statements that a later one supersedes without any rule having matched: nearly the same text
//! with a word of change.
//!
//! They are only searched for among the results of a search, and only marked there: similarity
//! alone ends no fact.

use std::collections::BTreeSet;

use protocol::{ItemId, Level, MemoryHit, MemoryItem};

use super::owner_records::OwnerRecords;

/// The least similarity of two statements of which one supersedes the other.
const ALIKE_MIN: f32 = 0.5;
/// The least share of common words, where there are no vectors.
const SHARED_MIN: f32 = 0.34;
/// Words with a common prefix of so many letters count as forms of one word.
const STEM_CHARS: usize = 6;
/// The longest statement, in bytes; longer texts supersede nothing.
const STATEMENT_BYTES_MAX: usize = 2 * 1024;
/// The longest chain of successors that is followed.
const CHAIN_MAX: usize = 1_000;
/// The penalty on the score of a superseded statement.
const HELD_BACK: f32 = 0.25;

/// Words that say that something is no longer as it was.
#[rustfmt::skip]
const CHANGE: &[&str] = &[
    "now", "anymore", "longer", "instead", "changed", "changing", "switched", "switching", "moved", "moving", "updated",
    "update", "actually", "currently", "nowadays", "became", "become", "becomes", "replaced", "swapped", "rescheduled",
    "postponed", "pushed", "upgraded", "downgraded", "raised", "lowered", "dropped", "increased", "decreased", "new",
    "turned", "promoted", "transferred", "renamed", "relocated", "quit", "stopped", "gave", "traded", "shifted", "bumped",
    "correction", "went", "grew", "shrank", "cut", "extended", "shortened", "brought", "finally", "since", "meanwhile",
    "latest", "improved", "beat", "broke", "sold", "left", "ended", "started", "got", "back", "upped",
    "finished", "these", "cancelled", "joined",
];

/// Adds the successors of superseded items that were found: a user who asks for the old value wants
/// the new one, though its text may differ.
pub(super) fn bring_successors(owner_records: &OwnerRecords, found: &mut Vec<MemoryHit>, limit: usize) {
    let mut brought: Vec<MemoryHit> = Vec::new();
    for old in found.iter().filter(|old| old.item.valid_until.is_some()) {
        let Some(by) = newest(owner_records, old.item.superseded_by) else { continue };
        if found.iter().chain(&brought).any(|known| known.item.id == by.id) {
            continue;
        }
        let mut score = old.score;
        score.time = score.time.max(0.0);
        score.total = score.relevance + score.recency + score.pinned + score.conversation + score.entity + score.time;
        brought.push(MemoryHit { item: by, score });
    }
    if !brought.is_empty() {
        found.extend(brought);
        found.sort_by(|a, b| b.score.total.total_cmp(&a.score.total));
        found.truncate(limit);
    }
}

/// The current item at the end of the chain of successors.
fn newest(owner_records: &OwnerRecords, by: Option<ItemId>) -> Option<MemoryItem> {
    let mut item = owner_records.item(by?)?;
    // A chain has one link for each change of the key. It has no cycles; the limit ends the loop
    // even if it had.
    for _ in 0..CHAIN_MAX {
        match item.superseded_by.and_then(|by| owner_records.item(by)) {
            Some(next) => item = next,
            None => break,
        }
    }
    Some(item)
}

/// Marks results that a later statement among them supersedes, and ranks the later one first.
pub(super) fn mark(owner_records: &OwnerRecords, found: &mut [MemoryHit]) {
    let mut is_marked = false;
    let said: Vec<Option<StatementWords>> = found.iter().map(|found| StatementWords::of(&found.item)).collect();
    for older in 0..found.len() {
        let by = (0..found.len())
            .filter(|newer| *newer != older)
            .filter(|newer| {
                overtakes(owner_records, (&found[*newer].item, &said[*newer]), (&found[older].item, &said[older]))
            })
            .max_by_key(|newer| found[*newer].item.at);
        if let Some(newer) = by {
            let (at, id) = (found[newer].item.at, found[newer].item.id);
            let old = &mut found[older];
            old.item.valid_until = Some(at);
            old.item.superseded_by = Some(id);
            old.score.time -= HELD_BACK;
            old.score.total -= HELD_BACK;
            is_marked = true;
        }
    }
    if is_marked {
        found.sort_by(|a, b| b.score.total.total_cmp(&a.score.total));
    }
}

fn overtakes(
    owner_records: &OwnerRecords,
    (newer, new): (&MemoryItem, &Option<StatementWords>),
    (older, old): (&MemoryItem, &Option<StatementWords>),
) -> bool {
    let (Some(new), Some(old)) = (new, old) else { return false };
    if newer.at <= older.at || older.valid_until.is_some() || !new.says_change {
        return false;
    }
    let shared = old.stems.iter().filter(|stem| new.stem_set.contains(*stem)).count();
    let is_same_topic = shared > 0;
    match owner_records.index.alike(newer.id, older.id) {
        Some(alike) => is_same_topic && alike >= ALIKE_MIN,
        None => shared as f32 >= SHARED_MIN * old.stems.len() as f32,
    }
}

/// The words of a statement, computed once for all comparisons.
struct StatementWords {
    /// The stem of each of its words.
    stems: Vec<String>,
    stem_set: BTreeSet<String>,
    /// Whether it says that something is no longer as it was.
    says_change: bool,
}

impl StatementWords {
    /// None if the item states nothing.
    fn of(item: &MemoryItem) -> Option<Self> {
        let is_statement = match item.level {
            Level::Entry => item.role.as_deref() == Some("user") && !item.text.trim_end().ends_with('?'),
            Level::Profile | Level::Fact => true,
            Level::Pin | Level::Context => false,
        };
        if !is_statement || item.text.len() > STATEMENT_BYTES_MAX {
            return None;
        }
        let words = words(&item.text);
        let says_change = words.iter().any(|word| CHANGE.contains(&word.as_str()));
        let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
        Some(Self { stem_set: stems.iter().cloned().collect(), stems, says_change })
    }
}

/// The common prefix of the forms of a word.
fn stem(word: &str) -> String {
    word.trim_end_matches("'s").chars().take(STEM_CHARS).collect()
}

/// The words without stop words.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').map(|word| word.trim_matches('\''));
    let mut words: Vec<String> = words.map(str::to_lowercase).filter(|word| !is_common(word)).collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn is_common(word: &str) -> bool {
    #[rustfmt::skip]
    const COMMON: &[&str] = &[
        "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "do", "for", "from", "had", "has", "have", "i", "i'm",
        "i've", "in", "is", "it", "it's", "its", "me", "my", "of", "on", "or", "our", "so", "that", "the", "their", "them",
        "there", "they", "this", "to", "us", "was", "we", "we're", "we've", "were", "will", "with", "you", "your", "just",
        "every", "about", "all", "not", "no", "very",
    ];
    word.chars().count() < 2 || COMMON.contains(&word)
}
