//! Whether two texts say the same: by the words that follow one another in both.

use std::{
    collections::HashSet,
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
};

/// Words in a row that are compared.
const RUN: usize = 4;
/// The share of the shorter text's runs that the longer one has, from which on they are the same.
const SAME: f32 = 0.75;

/// The runs of words of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs(HashSet<u64>);

impl Runs {
    pub(super) fn of(text: &str) -> Self {
        let plain = |word: &str| word.chars().filter(|char| char.is_alphanumeric()).collect::<String>().to_lowercase();
        let words: Vec<String> = text.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect();
        // The same on every run of the program.
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let length = RUN.min(words.len().max(1));
        Self(words.windows(length).map(|run| hasher.hash_one(run)).collect())
    }

    /// Whether one of the two says nothing that the other does not.
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
        let runs = Runs::of("The kiln reaches 1,280 degrees after nine hours of firing.");
        assert!(runs.is_same(&Runs::of("the kiln reaches 1280 degrees, after nine hours of firing")));
        assert!(runs.is_same(&Runs::of(
            "As the maker says: the kiln reaches 1,280 degrees after nine hours of firing. It is then switched off."
        )));
        assert!(!runs.is_same(&Runs::of("The kiln reaches 900 degrees within an hour.")));
        assert!(!runs.is_same(&Runs::of("")));
    }
}
