//! Makes and brands.

use crate::language::rule_words::ENGLISH;

/// The sort of thing a make belongs to.
pub(super) fn sort_of(value: &str) -> Option<&'static str> {
    let lower = value.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.find_map(|word| ENGLISH.nouns.makes.iter().find(|(_, makes)| makes.contains(&word)).map(|(sort, _)| *sort))
}
