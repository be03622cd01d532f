//! Statements that a later one has overtaken in a way no rule has read: nearly the same said again with a word of change.
//!
//! It is looked at among what a search has found, and only told there: nothing is ended by a mere likeness.

use std::collections::BTreeSet;

use protocol::{Found, Item, ItemId, Level};

use super::shelf::Shelf;

/// How alike two statements are at least, where one is to have overtaken the other.
const ALIKE_MIN: f32 = 0.5;
/// How many of the words they share, where what they mean is not known.
const SHARED_MIN: f32 = 0.34;
/// Words that begin alike for so many letters are forms of one.
const STEM_CHARS: usize = 6;
/// The longest statement, in bytes; what is longer is a text, and overtakes nothing.
const STATEMENT_BYTES_MAX: usize = 2 * 1024;
/// Changes of one thing that are followed.
const CHAIN_MAX: usize = 1_000;
/// What was overtaken is held back by this much.
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

/// Brings what took the place of something that was found: whoever asks for the one means the other, though it may be said
/// in other words.
pub(super) fn bring_successors(shelf: &Shelf, found: &mut Vec<Found>, limit: usize) {
    let mut brought: Vec<Found> = Vec::new();
    for old in found.iter().filter(|old| old.item.valid_until.is_some()) {
        let Some(by) = newest(shelf, old.item.superseded_by) else { continue };
        if found.iter().chain(&brought).any(|known| known.item.id == by.id) {
            continue;
        }
        let mut score = old.score;
        score.time = score.time.max(0.0);
        score.total = score.relevance + score.recency + score.pinned + score.conversation + score.entity + score.time;
        brought.push(Found { item: by, score });
    }
    if !brought.is_empty() {
        found.extend(brought);
        found.sort_by(|a, b| b.score.total.total_cmp(&a.score.total));
        found.truncate(limit);
    }
}

/// What holds instead, at the end of the chain.
fn newest(shelf: &Shelf, by: Option<ItemId>) -> Option<Item> {
    let mut item = shelf.item(by?)?;
    // A chain is as long as its key was changed; it has no circles, and if it had, this would still end.
    for _ in 0..CHAIN_MAX {
        match item.superseded_by.and_then(|by| shelf.item(by)) {
            Some(next) => item = next,
            None => break,
        }
    }
    Some(item)
}

/// Marks what a later statement among the results has overtaken, and lets the later one come first.
pub(super) fn mark(shelf: &Shelf, found: &mut [Found]) {
    let mut is_marked = false;
    let said: Vec<Option<Words>> = found.iter().map(|found| Words::of(&found.item)).collect();
    for older in 0..found.len() {
        let by = (0..found.len())
            .filter(|newer| *newer != older)
            .filter(|newer| overtakes(shelf, (&found[*newer].item, &said[*newer]), (&found[older].item, &said[older])))
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

fn overtakes(shelf: &Shelf, (newer, new): (&Item, &Option<Words>), (older, old): (&Item, &Option<Words>)) -> bool {
    let (Some(new), Some(old)) = (new, old) else { return false };
    if newer.at <= older.at || older.valid_until.is_some() || !new.says_change {
        return false;
    }
    let shared = old.stems.iter().filter(|stem| new.stem_set.contains(*stem)).count();
    let is_same_topic = shared > 0;
    match shelf.index.alike(newer.id, older.id) {
        Some(alike) => is_same_topic && alike >= ALIKE_MIN,
        None => shared as f32 >= SHARED_MIN * old.stems.len() as f32,
    }
}

/// The words of a statement, read once however many others it is held against.
struct Words {
    /// The stem of each of its words.
    stems: Vec<String>,
    stem_set: BTreeSet<String>,
    /// Whether it says that something is no longer as it was.
    says_change: bool,
}

impl Words {
    /// None if the item states nothing.
    fn of(item: &Item) -> Option<Self> {
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

/// What forms of one word begin with.
fn stem(word: &str) -> String {
    word.trim_end_matches("'s").chars().take(STEM_CHARS).collect()
}

/// The words that carry something.
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
