//! A sentence that was understood with words of any kind in it: they may have taken what was not meant for them.

use super::guard;
use super::search::{COMMAND, Search, joined};
use super::settle::{Candidate, is_same, settle};
use super::token::Token;
use super::{Forgiven, Forgiveness};
use crate::understood::Understood;

/// How many characters fewer have to be in words of any kind before a slip is believed.
const FEWER: u32 = 2;

/// What a swap costs among words of any kind.
const SWAPPED: u32 = 14;

/// The same without politeness and slips in words of any kind; as it is where there are none.
pub(super) fn reconsider(search: &mut Search<'_>, understood: Understood) -> Forgiven {
    let edges = search.edges(false);
    let (front, back) = search.furthest(&edges, 0, 0).unwrap_or((0, 0));
    let trimmed = search.reads(front, back);
    let candidate = trimmed.map(|trimmed| search.candidate(0, front, back, &[], trimmed, Forgiveness::default()));
    let candidate = candidate.filter(|candidate| candidate.is_allowed || (front, back) == (0, 0));
    let (front, back) = if candidate.is_some() { (front, back) } else { (0, 0) };
    let trimmed = candidate.map_or(understood, |candidate| candidate.understood);
    let end = search.tokens.len().saturating_sub(back);
    let tokens: Vec<Token> = search.tokens.get(front..end).unwrap_or_default().to_vec();
    let outer =
        search.tokens.get(..front).unwrap_or_default().iter().chain(search.tokens.get(end..).unwrap_or_default());
    let left_out: Vec<String> = outer.map(|token| token.said.clone()).collect();
    if let Some((understood, mut forgiveness)) = slipped(search, &tokens, &trimmed) {
        forgiveness.left_out.extend(left_out);
        return Forgiven::Understood(Box::new(understood), forgiveness);
    }
    let mut forgiveness = Forgiveness { left_out, ..Forgiveness::default() };
    let understood = with_command(search, trimmed, &mut forgiveness);
    Forgiven::Understood(Box::new(understood), forgiveness)
}

/// Another reading in which a word without its slip, or with an article before it, is no longer one of any kind.
fn slipped(search: &mut Search<'_>, tokens: &[Token], known: &Understood) -> Option<(Understood, Forgiveness)> {
    let mut found: Vec<Candidate> = Vec::new();
    for (at, meant, cost) in search.slips(tokens) {
        let mut words: Vec<String> = tokens.iter().map(|token| token.said.clone()).collect();
        let Some(word) = words.get_mut(at) else { continue };
        let corrected = vec![(std::mem::replace(word, meant.clone()), meant)];
        let forgiveness = Forgiveness { corrected, ..Forgiveness::default() };
        search.take(cost, 0, 0, words, forgiveness, &mut found);
    }
    let said: Vec<String> = tokens.iter().map(|token| token.said.clone()).collect();
    for (cost, words, forgiveness) in search.with_articles(&said) {
        search.take(cost, 0, 0, words, forgiveness, &mut found);
    }
    let is_clearer = |candidate: &Candidate| {
        let (now, before) = (&candidate.understood.score, &known.score);
        let is_less = now.wildcard_chars + FEWER <= before.wildcard_chars && now.wildcards <= before.wildcards;
        let is_explained = is_less && (now.wildcards < before.wildcards || !candidate.forgiveness.corrected.is_empty());
        // A word that we know with two letters swapped is that word, even among words of any kind.
        let mut corrected = candidate.forgiveness.corrected.iter();
        let is_swap = corrected.any(|(said, meant)| said.chars().count() == meant.chars().count());
        let is_likely = is_swap && candidate.cost <= SWAPPED && candidate.understood.intent == known.intent;
        is_explained || is_likely && now.wildcards == before.wildcards
    };
    found.retain(is_clearer);
    match settle(found) {
        Forgiven::Understood(understood, forgiveness) => Some((*understood, forgiveness)),
        Forgiven::Ambiguous(_) | Forgiven::Nothing => None,
    }
}

/// A command for later is put right now, while somebody is there to be understood.
fn with_command(search: &Search<'_>, mut understood: Understood, forgiveness: &mut Forgiveness) -> Understood {
    let Some(slot) = understood.slots.get_mut(COMMAND) else { return understood };
    let text = slot.text.clone();
    let mut inner = Search::new(search.grammar, search.vocabulary, &text, search.circumstances);
    if let Some(meant) = inner.reads_text(&text) {
        if let Some(whole) = whole(&mut inner, &meant) {
            slot.value = whole.clone().into();
            slot.text = whole;
        }
        return understood;
    }
    let Forgiven::Understood(meant, inner_forgiveness) = inner.forgive() else { return understood };
    if guard::is_sensitive(&meant, search.vocabulary, search.phrases) {
        return understood;
    }
    let words = Token::all(&text).into_iter().filter(|token| !inner_forgiveness.left_out.contains(&token.said));
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
        forgiveness.left_out.extend(inner_forgiveness.left_out);
        forgiveness.corrected.extend(inner_forgiveness.corrected);
    }
    understood
}

/// A command without any article with the first one that leaves what it means: it is kept, and told, in whole sentences.
fn whole(search: &mut Search<'_>, meant: &Understood) -> Option<String> {
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
