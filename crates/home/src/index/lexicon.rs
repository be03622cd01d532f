//! All words by which a home's entities are found, with the entities that have them.
//!
//! A word of a query is compared only with similar words: those with the same beginning, and those
//! that differ by one letter, which share a spelling with one letter left out. So the cost grows
//! with the query and not with the home.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
};

use super::words::EntityWords;
use crate::port::EntityId;

/// Longer words are ignored.
pub(super) const WORD_CHARS_MAX: usize = 48;
/// The minimum common prefix of two similar words.
const PREFIX_CHARS_MIN: usize = 4;
/// The minimum length of words that may differ by one letter.
const SLIP_CHARS_MIN: usize = 5;

/// An entity, by its index in the lexicon.
pub(super) type EntityNo = u32;
/// A word, by its index in the lexicon, which is sorted alphabetically.
pub(super) type WordNo = u32;

/// The role of a word for an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordRole {
    /// A word of its names.
    Own,
    /// A word of its area or its floor.
    Place,
    /// A word of its kind.
    Kind,
}

/// All words of a home.
#[derive(Default)]
pub(super) struct EntityLexicon {
    entities: Vec<EntityId>,
    /// Sorted, without duplicates.
    words: Vec<String>,
    /// The entities that have each word.
    holders: Vec<Vec<(EntityNo, WordRole)>>,
    /// The words by each of their spellings with one letter left out, and by themselves.
    near: HashMap<String, Vec<WordNo>>,
    /// The entities by each of their full names.
    names: HashMap<String, Vec<EntityNo>>,
    /// The number of words of the longest name.
    name_words_max: usize,
}

impl EntityLexicon {
    /// The words of these entities.
    pub(super) fn of<'a>(entities: impl Iterator<Item = (&'a EntityId, &'a EntityWords)>) -> Self {
        let mut lexicon = Self::default();
        let mut held: BTreeMap<&str, Vec<(EntityNo, WordRole)>> = BTreeMap::new();
        for (number, (id, words)) in (0..).zip(entities) {
            lexicon.entities.push(id.clone());
            for (all, role) in
                [(&words.own, WordRole::Own), (&words.place, WordRole::Place), (&words.kind, WordRole::Kind)]
            {
                all.iter().for_each(|word| held.entry(word).or_default().push((number, role)));
            }
            for name in words.names.iter().filter(|name| !name.is_empty()) {
                lexicon.name_words_max = lexicon.name_words_max.max(name.split(' ').count());
                lexicon.names.entry(name.clone()).or_default().push(number);
            }
        }
        for (number, (word, holders)) in (0..).zip(held) {
            for spelling in spellings(word) {
                lexicon.near.entry(spelling).or_default().push(number);
            }
            lexicon.words.push(word.to_owned());
            lexicon.holders.push(holders);
        }
        lexicon
    }

    /// The entity of that number.
    pub(super) fn entity(&self, number: EntityNo) -> Option<&EntityId> {
        self.entities.get(number as usize)
    }

    /// The word of that number.
    pub(super) fn word(&self, number: WordNo) -> &str {
        self.words.get(number as usize).map_or("", String::as_str)
    }

    /// The entities that have a word.
    pub(super) fn holders(&self, number: WordNo) -> &[(EntityNo, WordRole)] {
        self.holders.get(number as usize).map_or(&[], Vec::as_slice)
    }

    /// The entities with exactly that name.
    pub(super) fn named(&self, name: &str) -> &[EntityNo] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    /// The entities whose full names occur in a plain text.
    pub(super) fn named_in(&self, text: &str) -> BTreeSet<EntityNo> {
        let places: Vec<Range<usize>> = word_places(text).collect();
        let mut found = BTreeSet::new();
        for (at, first) in places.iter().enumerate() {
            for last in places.iter().skip(at).take(self.name_words_max) {
                found.extend(self.named(&text[first.start..last.end]));
            }
        }
        found
    }

    /// The words that may be similar to a query word, in alphabetical order.
    pub(super) fn candidates(&self, asked: &str) -> BTreeSet<WordNo> {
        let mut found = BTreeSet::new();
        let length = asked.chars().count();
        if length > WORD_CHARS_MAX {
            return found;
        }
        found.extend(self.find(asked));
        for ending in ["s", "es"] {
            found.extend(self.find(&format!("{asked}{ending}")));
            found.extend(asked.strip_suffix(ending).and_then(|bare| self.find(bare)));
        }
        if length >= PREFIX_CHARS_MIN {
            let from = self.words.partition_point(|word| word.as_str() < asked);
            let alike = self.words[from..].iter().take_while(|word| word.starts_with(asked)).count();
            found.extend((from..from + alike).filter_map(|at| WordNo::try_from(at).ok()));
        }
        let begins = asked.char_indices().map(|(at, _)| at).skip(PREFIX_CHARS_MIN);
        found.extend(begins.filter_map(|end| self.find(&asked[..end])));
        for spelling in spellings(asked) {
            found.extend(self.near.get(&spelling).into_iter().flatten());
        }
        found
    }

    fn find(&self, word: &str) -> Option<WordNo> {
        self.words.binary_search_by(|known| known.as_str().cmp(word)).ok().and_then(|at| WordNo::try_from(at).ok())
    }
}

/// A word as it is, and with each letter left out. Two words that differ by one letter or by two
/// swapped ones have one of these in common.
fn spellings(word: &str) -> Vec<String> {
    let length = word.chars().count();
    // The other one may be a letter longer.
    if !(SLIP_CHARS_MIN..=WORD_CHARS_MAX).contains(&length) {
        return Vec::new();
    }
    let without = |(at, letter): (usize, char)| format!("{}{}", &word[..at], &word[at + letter.len_utf8()..]);
    std::iter::once(word.to_owned()).chain(word.char_indices().map(without)).collect()
}

/// The positions of the words of a plain text.
fn word_places(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    text.split(' ').filter_map(move |word| {
        let place = start..start + word.len();
        start = place.end + 1;
        (!word.is_empty()).then_some(place)
    })
}
