//! Writes the table of related words that search by words expands a query with: for each frequent
//! English word those whose embeddings are most similar.

use std::{collections::HashMap, fmt, path::PathBuf};

use anyhow::{Context, Result};
use memory::search::stems;
use serde::Serialize;

use super::{sets, vectors::CachedEmbedder};

/// Words of the embedding model's vocabulary, which begins with the frequent ones.
const WORDS_MAX: usize = 8_000;
/// Shorter words have too many meanings.
const LETTERS_MIN: usize = 3;
/// The least similarity of two related words.
const SIMILARITY_MIN: f32 = 0.55;
/// Related words of a word.
const RELATED_MAX: usize = 6;

/// What was written.
#[derive(Debug, Serialize)]
pub(crate) struct RelatedWords {
    path: PathBuf,
    words: usize,
}

/// Computes and writes the table.
pub(crate) fn run() -> Result<RelatedWords> {
    let mut vectors = CachedEmbedder::open()?
        .with_context(|| format!("there is no embedding model in {}", CachedEmbedder::folder().display()))?;
    let vocabulary = std::fs::read_to_string(CachedEmbedder::folder().join("vocab.txt"))?;
    let is_word = |word: &&str| word.len() >= LETTERS_MIN && word.bytes().all(|byte| byte.is_ascii_lowercase());
    let stemmed = |word: &'_ str| Some((word.to_owned(), stems(word).next()?));
    let words: Vec<(String, String)> = vocabulary.lines().filter(is_word).filter_map(stemmed).take(WORDS_MAX).collect();
    let numbers = words.iter().map(|(word, _)| vectors.of(word)).collect::<Result<Vec<_>>>()?;
    let mut order = Vec::new();
    let mut related: HashMap<&str, HashMap<&str, f32>> = HashMap::new();
    for ((_, stem), vector) in words.iter().zip(&numbers) {
        let near = related.entry(stem).or_insert_with(|| {
            order.push(stem.as_str());
            HashMap::new()
        });
        for ((_, other), other_vector) in words.iter().zip(&numbers).filter(|((_, other), _)| other != stem) {
            let similarity: f32 = vector.iter().zip(other_vector).map(|(one, two)| one * two).sum();
            if similarity >= SIMILARITY_MIN {
                let best = near.entry(other).or_insert(similarity);
                *best = best.max(similarity);
            }
        }
    }
    let lines: Vec<String> = order.iter().filter_map(|stem| line(stem, related.get(stem)?)).collect();
    let path = sets::root().join("crates/memory/data/related_words.txt");
    std::fs::write(&path, lines.join("\n") + "\n")?;
    Ok(RelatedWords { path, words: lines.len() })
}

/// `job career:80 employ:77`: a stem and the stems related to it, with their similarity in percent.
fn line(stem: &str, related: &HashMap<&str, f32>) -> Option<String> {
    let mut related: Vec<(&str, f32)> = related.iter().map(|(word, similarity)| (*word, *similarity)).collect();
    related.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    related.truncate(RELATED_MAX);
    let pairs: Vec<String> =
        related.iter().map(|(word, similarity)| format!("{word}:{}", (similarity * 100.0) as u8)).collect();
    (!pairs.is_empty()).then(|| format!("{stem} {}", pairs.join(" ")))
}

impl fmt::Display for RelatedWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} words were written to {}.", self.words, self.path.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_most_similar_first() {
        let related = HashMap::from([("work", 0.751), ("career", 0.8), ("hire", 0.76)]);
        assert_eq!(line("job", &related).as_deref(), Some("job career:80 hire:76 work:75"));
        assert_eq!(line("job", &HashMap::new()), None);
    }
}
