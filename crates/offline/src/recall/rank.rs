//! Ranks candidates by how much of a question they cover.

use std::collections::{BTreeMap, BTreeSet};

use super::{AnswerKind, Candidate, kind};
use crate::{
    analyser::{Term, terms},
    words::Clause,
};

/// The most words of a question; the rest is left out, so that a candidate's overlap fits one
/// integer.
const TERMS_MAX: usize = 64;
/// The weight of a name or a number relative to other words.
const SPECIAL: f64 = 2.0;
/// The share of its score that a statement about another person keeps.
const OF_ANOTHER: f64 = 0.75;
/// The bonus for an answer of the wanted kind.
const KIND_BONUS: f64 = 0.04;

/// A question as its words.
pub struct QuestionTerms {
    terms: Vec<Term>,
    kind: AnswerKind,
}

impl QuestionTerms {
    /// A text that others are compared with.
    pub fn new(text: &str) -> Self {
        let mut seen = BTreeSet::new();
        let unique = terms(text).filter(|term| seen.insert(term.stem.clone())).take(TERMS_MAX);
        Self { terms: unique.collect(), kind: AnswerKind::Any }
    }

    /// A question, without the words that only say what kind of answer is wanted.
    pub fn asked(clause: &Clause<'_>) -> Self {
        let (kind, count) = kind(clause);
        let rest = Self::new(clause.after(count));
        let query = if rest.terms.is_empty() { Self::new(clause.text) } else { rest };
        Self { kind, ..query }
    }
}

/// A candidate with its score, between 0 and a little over 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedCandidate {
    /// Which candidate.
    pub index: usize,
    /// How much of the question it covers.
    pub score: f64,
    /// Whether it has the kind of answer that the question wants.
    pub is_wanted_kind: bool,
    /// Whether it is about a person whom the question does not name.
    pub is_of_another: bool,
}

/// The index of each stem in the question.
type TermPositions<'a> = BTreeMap<&'a str, usize>;

/// The words that a candidate shares with the question.
struct TermOverlap {
    /// A bit for each word of the question that it has.
    has: u64,
    /// Which of them are written like names in it.
    names: u64,
    is_wanted_kind: bool,
}

/// The candidates that share words with the question, best first; the newest first among equals.
pub fn rank(query: &QuestionTerms, candidates: &[Candidate<'_>]) -> Vec<RankedCandidate> {
    let places: TermPositions<'_> = query.terms.iter().enumerate().map(|(at, term)| (term.stem.as_str(), at)).collect();
    let shares: Vec<TermOverlap> =
        candidates.iter().map(|candidate| share(query.kind, &places, candidate.text)).collect();
    let weights = weights(query, &shares);
    let all: f64 = weights.iter().sum();
    let covered = |share: &TermOverlap| {
        let sum: f64 =
            weights.iter().enumerate().filter(|(bit, _)| share.has >> bit & 1 == 1).map(|(_, weight)| weight).sum();
        sum / all
    };
    let mut ranked: Vec<RankedCandidate> = shares
        .iter()
        .enumerate()
        .filter(|(_, share)| share.has != 0)
        .map(|(index, share)| {
            let bonus = if share.is_wanted_kind { KIND_BONUS } else { 0.0 };
            let is_of_another = is_of_another(query, &candidates[index]);
            let own = if is_of_another { OF_ANOTHER } else { 1.0 };
            let score = (covered(share) + bonus) * own;
            RankedCandidate { index, score, is_wanted_kind: share.is_wanted_kind, is_of_another }
        })
        .collect();
    ranked.sort_by(|one, two| two.score.total_cmp(&one.score).then(two.index.cmp(&one.index)));
    newest_first(&mut ranked, candidates);
    ranked
}

/// Whether a candidate is about a person whom the question does not name: "sister's name: Mia" does
/// not answer "What is my name?" where one's own is known.
fn is_of_another(query: &QuestionTerms, candidate: &Candidate<'_>) -> bool {
    let key = candidate.text.split_once(':').map_or("", |(key, _)| key);
    let Some((person, _)) = key.split_once("'s ") else { return false };
    let mut named = terms(person);
    !named.any(|person| query.terms.iter().any(|term| term.stem == person.stem))
}

/// Sorts candidates that are as good as the best by age, the newest first.
fn newest_first(ranked: &mut [RankedCandidate], candidates: &[Candidate<'_>]) {
    let Some(best) = ranked.first().map(|best| best.score) else {
        return;
    };
    // The kind of answer decides before age: its bonus separates candidates with the same words.
    let equal = ranked.iter().take_while(|one| one.score > best - KIND_BONUS / 2.0).count();
    // Ended items come after current ones.
    let age =
        |one: &RankedCandidate| candidates.get(one.index).map(|candidate| (candidate.until.is_none(), candidate.at));
    ranked[..equal].sort_by(|one, two| age(two).cmp(&age(one)).then(two.index.cmp(&one.index)));
}

fn share(kind: AnswerKind, places: &TermPositions<'_>, text: &str) -> TermOverlap {
    let mut share = TermOverlap { has: 0, names: 0, is_wanted_kind: false };
    for term in terms(text) {
        match places.get(term.stem.as_str()) {
            Some(at) => {
                share.has |= 1 << at;
                share.names |= u64::from(term.is_special) << at;
            }
            None => share.is_wanted_kind |= is_kind(kind, &term),
        }
    }
    share
}

fn is_kind(kind: AnswerKind, term: &Term) -> bool {
    const TIMES: &[&str] =
        &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "noon", "midnight"];
    let has_digit = term.stem.contains(|char: char| char.is_ascii_digit());
    match kind {
        AnswerKind::Any => false,
        AnswerKind::Number => has_digit || TIMES.contains(&term.stem.as_str()),
        AnswerKind::Name => term.is_special && !has_digit,
    }
}

/// The weights of words: rare words count more, names and numbers more still.
fn weights(query: &QuestionTerms, shares: &[TermOverlap]) -> Vec<f64> {
    let weight = |(bit, term): (usize, &Term)| {
        let having = shares.iter().filter(|share| share.has >> bit & 1 == 1).count();
        let is_special = term.is_special || shares.iter().any(|share| share.names >> bit & 1 == 1);
        let rarity = (1.0 + shares.len() as f64 / (having as f64).max(0.5)).ln();
        rarity * if is_special { SPECIAL } else { 1.0 }
    };
    query.terms.iter().enumerate().map(weight).collect()
}

/// Whether two texts say the same in the same words.
pub fn is_same(one: &str, two: &str) -> bool {
    stems(one) == stems(two)
}

/// Whether two texts are about the same thing: they share half of their words.
pub fn is_same_subject(one: &str, two: &str) -> bool {
    let (one, two) = (stems(one), stems(two));
    let shared = one.intersection(&two).count();
    shared > 0 && shared * 2 >= one.len().min(two.len())
}

fn stems(text: &str) -> BTreeSet<String> {
    terms(text).map(|term| term.stem).collect()
}
