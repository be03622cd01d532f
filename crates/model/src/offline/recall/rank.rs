//! How much of a question each candidate covers.

use std::collections::{BTreeMap, BTreeSet};

use super::{Candidate, Kind, kind};
use crate::offline::{
    analyser::{Term, terms},
    words::Clause,
};

/// More words than this no question has; the rest is left out, so that a candidate's share fits one number.
const TERMS_MAX: usize = 64;
/// How much more a name or a number counts than another word.
const SPECIAL: f64 = 2.0;
/// What an answer of the wanted kind is worth beside the words.
const KIND_BONUS: f64 = 0.04;

/// A question as its words.
pub struct Query {
    terms: Vec<Term>,
    kind: Kind,
}

impl Query {
    /// A text that others are compared with.
    pub fn new(text: &str) -> Self {
        let mut seen = BTreeSet::new();
        let unique = terms(text).filter(|term| seen.insert(term.stem.clone())).take(TERMS_MAX);
        Self { terms: unique.collect(), kind: Kind::Any }
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
pub struct Ranked {
    /// Which candidate.
    pub index: usize,
    /// How much of the question it covers.
    pub score: f64,
    /// Whether it has the kind of answer that the question wants.
    pub is_wanted_kind: bool,
}

/// Which word of the question a stem is.
type Places<'a> = BTreeMap<&'a str, usize>;

/// What a candidate shares with the question.
struct Share {
    /// Bit by bit, which words of the question it has.
    has: u64,
    /// Which of them are written like names in it.
    names: u64,
    is_wanted_kind: bool,
}

/// The candidates that share words with the question, best first; the newest first among equals.
pub fn rank(query: &Query, candidates: &[Candidate<'_>]) -> Vec<Ranked> {
    let places: Places<'_> = query.terms.iter().enumerate().map(|(at, term)| (term.stem.as_str(), at)).collect();
    let shares: Vec<Share> = candidates.iter().map(|candidate| share(query.kind, &places, candidate.text)).collect();
    let weights = weights(query, &shares);
    let all: f64 = weights.iter().sum();
    let covered = |share: &Share| {
        let sum: f64 =
            weights.iter().enumerate().filter(|(bit, _)| share.has >> bit & 1 == 1).map(|(_, weight)| weight).sum();
        sum / all
    };
    let mut ranked: Vec<Ranked> = shares
        .iter()
        .enumerate()
        .filter(|(_, share)| share.has != 0)
        .map(|(index, share)| {
            let bonus = if share.is_wanted_kind { KIND_BONUS } else { 0.0 };
            Ranked { index, score: covered(share) + bonus, is_wanted_kind: share.is_wanted_kind }
        })
        .collect();
    ranked.sort_by(|one, two| two.score.total_cmp(&one.score).then(two.index.cmp(&one.index)));
    newest_first(&mut ranked, candidates);
    ranked
}

/// Among the first, those that are as good as the best go by their age.
fn newest_first(ranked: &mut [Ranked], candidates: &[Candidate<'_>]) {
    let Some(best) = ranked.first().map(|best| best.score) else {
        return;
    };
    // The kind of answer decides before age does: its bonus parts those that share the same words.
    let equal = ranked.iter().take_while(|one| one.score > best - KIND_BONUS / 2.0).count();
    // What no longer holds comes after what does.
    let age = |one: &Ranked| candidates.get(one.index).map(|candidate| (candidate.until.is_none(), candidate.at));
    ranked[..equal].sort_by(|one, two| age(two).cmp(&age(one)).then(two.index.cmp(&one.index)));
}

fn share(kind: Kind, places: &Places<'_>, text: &str) -> Share {
    let mut share = Share { has: 0, names: 0, is_wanted_kind: false };
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

fn is_kind(kind: Kind, term: &Term) -> bool {
    const TIMES: &[&str] =
        &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "noon", "midnight"];
    let has_digit = term.stem.contains(|char: char| char.is_ascii_digit());
    match kind {
        Kind::Any => false,
        Kind::Number => has_digit || TIMES.contains(&term.stem.as_str()),
        Kind::Name => term.is_special && !has_digit,
    }
}

/// Rare words count more, names and numbers more still.
fn weights(query: &Query, shares: &[Share]) -> Vec<f64> {
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
