//! Words with a similar meaning, so that a question for a "job" also finds a "career" where there
//! is no embedding of either.

use std::{collections::HashMap, sync::LazyLock};

/// A stem and its related stems with their similarity in percent per line, computed from the
/// embeddings of frequent English words: `cargo run --release -p bench -- related-words`.
const TABLE: &str = include_str!("../../data/related_words.txt");

/// Stems of words related to a stem, and how similar they are: 0 to 1.
pub(super) fn words(stem: &str) -> Vec<(&'static str, f32)> {
    static LINES: LazyLock<HashMap<&'static str, &'static str>> =
        LazyLock::new(|| TABLE.lines().filter_map(|line| line.split_once(' ')).collect());
    let pair = |text: &'static str| {
        let (word, percent) = text.split_once(':')?;
        Some((word, percent.parse::<f32>().ok()? / 100.0))
    };
    LINES.get(stem).into_iter().flat_map(|line| line.split(' ')).filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_related_word_is_known_with_its_similarity() {
        let related = words("job");
        assert!(related.iter().any(|(word, share)| *word == "career" && (0.5..1.0).contains(share)), "{related:?}");
        assert!(words("qwrtz").is_empty());
    }
}
