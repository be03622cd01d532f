//! Similarity of texts, by the sequences of words (shingles) that both contain.

use std::{
    collections::HashSet,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
};

/// Words per shingle.
const RUN: usize = 4;
/// Texts are the same if the longer one has at least this share of the shorter one's shingles.
const SAME: f32 = 0.75;

/// The shingles of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Shingles(HashSet<u64>);

impl Shingles {
    pub(super) fn of(text: &str) -> Self {
        let plain = |word: &str| word.chars().filter(|char| char.is_alphanumeric()).collect::<String>().to_lowercase();
        let words: Vec<String> = text.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
        // The hash is the same in every run of the program.
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let length = RUN.min(words.len().max(1));
        Self(words.windows(length).map(|run| hasher.hash_one(run)).collect())
    }

    /// Whether one of the two adds nothing to the other.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (short, long) = if self.0.len() <= other.0.len() { (self, other) } else { (other, self) };
        if short.0.is_empty() {
            return false;
        }
        let common = short.0.intersection(&long.0).count();
        common as f32 >= SAME * short.0.len() as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_in_another_dress_are_the_same() {
        let runs = Shingles::of("The kiln reaches 1,280 degrees after nine hours of firing.");
        assert!(runs.is_same(&Shingles::of("the kiln reaches 1280 degrees, after nine hours of firing")));
        assert!(runs.is_same(&Shingles::of(
            "As the maker says: the kiln reaches 1,280 degrees after nine hours of firing. It is then switched off."
        )));
        assert!(!runs.is_same(&Shingles::of("The kiln reaches 900 degrees within an hour.")));
        assert!(!runs.is_same(&Shingles::of("")));
    }
}
