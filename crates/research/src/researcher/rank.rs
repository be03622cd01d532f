//! Ranking of passages by words and by embeddings, with the search index of memory.

use std::{collections::HashMap, sync::Arc};

use memory::{
    embedding::Embedder,
    search::{Document, DocumentIndex, Query},
};
use protocol::{ItemId, Level, SearchMode, Timestamp};

use super::similarity::Shingles;

/// Number of passages that are compared by embeddings: those whose words match best.
const COMPARED_MAX: usize = 48;
/// Number of passages that are considered for each question.
const CONSIDERED_MAX: usize = 24;
/// Below both values a passage does not match the question.
const WORDS_MIN: f32 = 0.18;
const MEANING_MIN: f32 = 0.38;
/// Weight of a match with a part of the question.
const PART: f32 = 0.9;

/// A piece of text, and the index of its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) source: usize,
    pub(super) text: String,
}

/// The candidates that match one of the questions, best first.
pub(super) async fn best(
    candidates: Vec<Candidate>,
    questions: Vec<String>,
    embedder: Option<Arc<dyn Embedder>>,
    now: Timestamp,
) -> Vec<Candidate> {
    // Embeddings take CPU time, so they run on a blocking thread.
    let ranked = tokio::task::spawn_blocking(move || rank(&candidates, &questions, embedder.as_deref(), now));
    ranked.await.unwrap_or_default()
}

fn rank(
    candidates: &[Candidate],
    questions: &[String],
    embedder: Option<&dyn Embedder>,
    now: Timestamp,
) -> Vec<Candidate> {
    let mut index = DocumentIndex::new();
    for (number, candidate) in candidates.iter().enumerate() {
        index.insert(Document::new(id(number), Level::Context, candidate.text.clone(), now));
    }
    let vectors = embedder.and_then(|embedder| compare(&mut index, questions, embedder, now));
    let mut scores: HashMap<ItemId, f32> = HashMap::new();
    for (place, question) in questions.iter().enumerate() {
        let mut query = Query::new(question.as_str(), CONSIDERED_MAX);
        query.vector = vectors.as_ref().and_then(|vectors| vectors.get(place).cloned());
        if query.vector.is_none() {
            query.mode = SearchMode::Lexical;
        }
        let weight = if place == 0 { 1.0 } else { PART };
        for hit in index.search(&query, now) {
            if hit.score.lexical >= WORDS_MIN || hit.score.semantic >= MEANING_MIN {
                let score = scores.entry(hit.id).or_default();
                *score = score.max(weight * hit.score.total);
            }
        }
    }
    let mut ranked: Vec<(usize, f32)> =
        (0..candidates.len()).filter_map(|number| Some((number, *scores.get(&id(number))?))).collect();
    // Equal ones stay in the order in which they were read.
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked.into_iter().map(|(number, _)| candidates[number].clone()).collect()
}

/// Computes embeddings of the questions and of the passages whose words match best. `None` on
/// failure.
fn compare(
    index: &mut DocumentIndex,
    questions: &[String],
    embedder: &dyn Embedder,
    now: Timestamp,
) -> Option<Vec<Vec<f32>>> {
    let mut wanted = index.wanting(usize::MAX);
    if wanted.len() > COMPARED_MAX {
        let by_words = |question: &String| {
            let query = Query { mode: SearchMode::Lexical, ..Query::new(question.as_str(), COMPARED_MAX) };
            index.search(&query, now).into_iter().map(|hit| hit.id)
        };
        let fitting: Vec<ItemId> = questions.iter().flat_map(by_words).collect();
        wanted.retain(|text| fitting.contains(&text.id));
        wanted.truncate(2 * COMPARED_MAX);
    }
    let texts: Vec<&str> = wanted.iter().map(|wanted| wanted.text.as_str()).collect();
    let numbers = embedder.embed(&texts).ok()?;
    for (wanted, numbers) in wanted.iter().zip(&numbers) {
        index.set_vector(wanted, numbers);
    }
    let questions: Vec<&str> = questions.iter().map(String::as_str).collect();
    embedder.embed(&questions).ok()
}

fn id(number: usize) -> ItemId {
    let mut bytes = [0; 16];
    bytes[8..].copy_from_slice(&(number as u64).to_be_bytes());
    ItemId::from_bytes(bytes)
}

/// The best candidates without duplicates, and with a limit for each source.
pub(super) fn pick(ranked: Vec<Candidate>, sources: usize, count: usize) -> Vec<Candidate> {
    let per_source = if sources <= 1 { count } else { (count / sources.min(count)).max(3) };
    let mut picked: Vec<(Candidate, Shingles)> = Vec::new();
    let mut of_source: HashMap<usize, usize> = HashMap::new();
    for candidate in ranked {
        if picked.len() == count {
            break;
        }
        let taken = of_source.entry(candidate.source).or_default();
        let runs = Shingles::of(&candidate.text);
        if *taken >= per_source || picked.iter().any(|(_, other)| other.is_same(&runs)) {
            continue;
        }
        *taken += 1;
        picked.push((candidate, runs));
    }
    picked.into_iter().map(|(candidate, _)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(source: usize, text: &str) -> Candidate {
        Candidate { source, text: text.to_owned() }
    }

    fn ranked(texts: &[&str], question: &str) -> Vec<String> {
        let candidates: Vec<Candidate> = texts.iter().map(|text| candidate(0, text)).collect();
        let ranked = rank(&candidates, &[question.to_owned()], None, Timestamp::from_millis(0));
        ranked.into_iter().map(|candidate| candidate.text).collect()
    }

    #[test]
    fn what_fits_comes_first_and_what_does_not_is_left_out() {
        let texts = [
            "Bread rises for two hours before it is baked.",
            "The kiln is fired with gas and reaches 1,280 degrees.",
            "A kiln needs a chimney.",
            "Glaze is mixed with water.",
        ];
        let found = ranked(&texts, "How many degrees does the kiln reach?");
        assert_eq!(found.first().map(String::as_str), Some(texts[1]));
        assert!(!found.contains(&texts[0].to_owned()) && !found.contains(&texts[3].to_owned()), "{found:?}");
    }

    #[test]
    fn nothing_is_told_twice_and_no_source_alone() {
        let same = "The kiln reaches 1,280 degrees after nine hours of firing with gas.";
        let mut all = vec![candidate(0, same), candidate(1, &format!("{same} It is then switched off."))];
        all.extend((0..9).map(|n| candidate(0, &format!("Number {n} is about something else entirely, namely {n}."))));
        all.push(candidate(1, "Another source says that it reaches 1,300."));
        let picked = pick(all, 2, 6);
        assert_eq!(picked.iter().filter(|candidate| candidate.source == 0).count(), 3);
        assert_eq!(picked.iter().filter(|candidate| candidate.text.starts_with("The kiln")).count(), 1);
        assert!(picked.iter().any(|candidate| candidate.source == 1));
    }
}
