//! Repetitions and contradictions among stored items.

use crate::language::rule_words::ENGLISH;
use std::collections::BTreeSet;

use protocol::Fact;

use super::{
    key::{Cardinality, cardinality, same_key},
    value::{is_figure, other_number, refines, same_value, words},
};

/// A text reduced to its normalized words, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextFingerprint(String);

impl TextFingerprint {
    /// The words, one space apart.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The least overlap of near-duplicates, as a share of all their pairs of words, in thousandths.
const ALIKE_MIN: usize = 600;

/// The fingerprint of a text, independent of capitals, articles and full stops.
pub fn fingerprint(text: &str) -> TextFingerprint {
    TextFingerprint(words(text).join(" "))
}

/// Whether two texts say the same in nearly the same words. Numbers, names and negations must be
/// equal, so that "27:12" and "25:50" are two things.
pub fn is_near_duplicate(a: &str, b: &str) -> bool {
    let (words_a, words_b) = (words(a), words(b));
    if words_a.is_empty() || words_b.is_empty() {
        return words_a == words_b && a.trim() == b.trim();
    }
    if words_a == words_b {
        return true;
    }
    let marked = |words: &[String]| -> BTreeSet<String> {
        words
            .iter()
            .filter(|word| is_figure(word) || ENGLISH.duplicates.turning.contains(&word.as_str()))
            .cloned()
            .collect()
    };
    if marked(&words_a) != marked(&words_b) || names(a) != names(b) {
        return false;
    }
    let (pairs_a, pairs_b) = (shingles(&words_a), shingles(&words_b));
    let common = pairs_a.intersection(&pairs_b).count();
    let union = pairs_a.len() + pairs_b.len() - common;
    let bag = |words: &[String]| words.iter().cloned().collect::<BTreeSet<_>>();
    common * 1000 >= union * ALIKE_MIN || bag(&words_a) == bag(&words_b)
}

/// Single words and pairs of neighbouring words.
fn shingles(words: &[String]) -> BTreeSet<String> {
    let pairs = words.windows(2).map(|pair| pair.join(" "));
    words.iter().cloned().chain(pairs).collect()
}

/// Capitalised words that do not begin a sentence.
fn names(text: &str) -> BTreeSet<String> {
    let mut begins = true;
    let mut names = BTreeSet::new();
    for word in text.split_whitespace() {
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
        if !begins && plain.starts_with(char::is_uppercase) && !ENGLISH.duplicates.no_names.contains(&plain) {
            names.insert(plain.to_lowercase());
        }
        begins = word.ends_with(['.', '!', '?', ':']);
    }
    names
}

/// Whether two facts both hold at the same time and cannot both be true.
pub fn contradicts(a: &Fact, b: &Fact) -> bool {
    let apart = a.valid_until.is_some_and(|until| until <= b.valid_from)
        || b.valid_until.is_some_and(|until| until <= a.valid_from);
    if apart || a.fact_id == b.fact_id || !same_key(&a.key, &b.key) || same_value(&a.value, &b.value) {
        return false;
    }
    match cardinality(&a.key) {
        Cardinality::One => !refines(&a.value, &b.value),
        Cardinality::Loose => other_number(&a.value, &b.value),
        Cardinality::Many => false,
    }
}
