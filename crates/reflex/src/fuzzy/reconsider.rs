//! Reconsiders a match with wildcards: they may contain words that do not belong to them.

use super::choose::{FuzzyCandidate, choose, is_same};
use super::edges::Boldness;
use super::guard;
use super::search::{COMMAND, FuzzySearch, joined};
use super::token::WordToken;
use super::{Corrections, FuzzyResult};
use crate::recognized_intent::RecognizedIntent;

/// The number of characters that a correction has to remove from wildcards.
const FEWER: u32 = 2;

/// The cost of swapped letters within a wildcard.
const SWAPPED: u32 = 14;

/// The match without polite phrases and typos in wildcards; unchanged if there are none.
pub(super) fn reconsider(search: &mut FuzzySearch<'_>, recognized: RecognizedIntent) -> FuzzyResult {
    let edges = search.edges(Boldness::Timid);
    let (front, back) = search.furthest(&edges, 0, 0).unwrap_or((0, 0));
    let trimmed = search.reads(front, back);
    let candidate = trimmed.map(|trimmed| search.candidate(0, front, back, &[], trimmed, Corrections::default()));
    let candidate = candidate.filter(|candidate| candidate.is_allowed || (front, back) == (0, 0));
    let (front, back) = if candidate.is_some() { (front, back) } else { (0, 0) };
    let trimmed = candidate.map_or(recognized, |candidate| candidate.recognized);
    let end = search.tokens.len().saturating_sub(back);
    let tokens: Vec<WordToken> = search.tokens.get(front..end).unwrap_or_default().to_vec();
    let outer =
        search.tokens.get(..front).unwrap_or_default().iter().chain(search.tokens.get(end..).unwrap_or_default());
    let left_out: Vec<String> = outer.map(|token| token.said.clone()).collect();
    if let Some((recognized, mut corrections)) = slipped(search, &tokens, &trimmed) {
        corrections.left_out.extend(left_out);
        return FuzzyResult::Recognized(Box::new(recognized), corrections);
    }
    let mut corrections = Corrections { left_out, ..Corrections::default() };
    let recognized = with_command(search, trimmed, &mut corrections);
    FuzzyResult::Recognized(Box::new(recognized), corrections)
}

/// Another match in which a corrected word, or one with an article added, is no longer part of a
/// wildcard.
fn slipped(
    search: &mut FuzzySearch<'_>,
    tokens: &[WordToken],
    known: &RecognizedIntent,
) -> Option<(RecognizedIntent, Corrections)> {
    let mut found: Vec<FuzzyCandidate> = Vec::new();
    for (at, meant, cost) in search.typos(tokens) {
        let mut words: Vec<String> = tokens.iter().map(|token| token.said.clone()).collect();
        let Some(word) = words.get_mut(at) else { continue };
        let corrected = vec![(std::mem::replace(word, meant.clone()), meant)];
        let corrections = Corrections { corrected, ..Corrections::default() };
        search.take(cost, 0, 0, words, corrections, &mut found);
    }
    let said: Vec<String> = tokens.iter().map(|token| token.said.clone()).collect();
    for (cost, words, corrections) in search.with_articles(&said) {
        search.take(cost, 0, 0, words, corrections, &mut found);
    }
    let is_clearer = |candidate: &FuzzyCandidate| {
        let (now, before) = (&candidate.recognized.score, &known.score);
        let is_less = now.wildcard_chars + FEWER <= before.wildcard_chars && now.wildcards <= before.wildcards;
        let is_explained = is_less && (now.wildcards < before.wildcards || !candidate.corrections.corrected.is_empty());
        // A known word with two letters swapped is that word, even within a wildcard.
        let mut corrected = candidate.corrections.corrected.iter();
        let is_swap = corrected.any(|(said, meant)| said.chars().count() == meant.chars().count());
        let is_likely = is_swap && candidate.cost <= SWAPPED && candidate.recognized.intent == known.intent;
        is_explained || is_likely && now.wildcards == before.wildcards
    };
    found.retain(is_clearer);
    match choose(found) {
        FuzzyResult::Recognized(recognized, corrections) => Some((*recognized, corrections)),
        FuzzyResult::Ambiguous(_) | FuzzyResult::Nothing => None,
    }
}

/// Corrects a delayed command now, while the user can still be asked.
fn with_command(
    search: &FuzzySearch<'_>,
    mut recognized: RecognizedIntent,
    corrections: &mut Corrections,
) -> RecognizedIntent {
    let Some(slot) = recognized.slots.get_mut(COMMAND) else { return recognized };
    let text = slot.text.clone();
    let mut inner = FuzzySearch::new(search.grammar, search.vocabulary, &text, search.intent_context);
    if let Some(meant) = inner.reads_text(&text) {
        if let Some(whole) = whole(&mut inner, &meant) {
            slot.value = whole.clone().into();
            slot.text = whole;
        }
        return recognized;
    }
    let FuzzyResult::Recognized(meant, inner_forgiveness) = inner.run() else { return recognized };
    if guard::is_sensitive(&meant, search.vocabulary) {
        return recognized;
    }
    let words = WordToken::all(&text).into_iter().filter(|token| !inner_forgiveness.left_out.contains(&token.said));
    let words: Vec<String> = words
        .map(|token| {
            let corrected = inner_forgiveness.corrected.iter().find(|(said, _)| *said == token.said);
            corrected.map_or(token.said, |(_, meant)| meant.clone())
        })
        .collect();
    let text = joined(words.iter().map(String::as_str));
    if inner.reads_text(&text).is_some() {
        slot.value = text.clone().into();
        slot.text = text;
        corrections.left_out.extend(inner_forgiveness.left_out);
        corrections.corrected.extend(inner_forgiveness.corrected);
    }
    recognized
}

/// A command without articles, with the first article that keeps its meaning: it is stored and
/// shown as a complete sentence.
fn whole(search: &mut FuzzySearch<'_>, meant: &RecognizedIntent) -> Option<String> {
    let phrases = search.phrases?;
    let words: Vec<String> = search.tokens.iter().map(|token| token.said.clone()).collect();
    let has_article = search.tokens.iter().any(|token| phrases.articles.contains(&token.folded.as_str()));
    let article = phrases.articles.first().filter(|_| !has_article)?;
    (1..words.len()).find_map(|at| {
        let mut words = words.clone();
        words.insert(at, (*article).to_owned());
        let text = joined(words.iter().map(String::as_str));
        let is_it = search.reads_text(&text).is_some_and(|it| is_same(&it, meant) && it.score.wildcards == 0);
        is_it.then_some(text)
    })
}
