//! Chooses among the candidates, or reports that the text is ambiguous.

use super::guard::acts;
use super::{Corrections, FuzzyResult};
use crate::recognized_intent::RecognizedIntent;

/// Costs that differ by no more than this count as equal.
const ABOUT: u32 = 3;

/// One candidate meaning.
#[derive(Debug, Clone)]
pub(super) struct FuzzyCandidate {
    pub cost: u32,
    pub recognized: RecognizedIntent,
    pub corrections: Corrections,
    pub is_allowed: bool,
}

/// The cheapest candidate, if no other is about as likely. A sensitive candidate makes all others
/// uncertain.
pub(super) fn choose(mut candidates: Vec<FuzzyCandidate>) -> FuzzyResult {
    candidates.sort_by_key(|candidate| candidate.cost);
    let mut candidates = candidates.into_iter();
    let Some(best) = candidates.next() else { return FuzzyResult::Nothing };
    let others: Vec<FuzzyCandidate> =
        candidates.filter(|other| !is_same(&other.recognized, &best.recognized)).collect();
    let is_rival = |other: &&FuzzyCandidate| {
        // Two different actions are never distinguished by a letter.
        let are_opposed = other.recognized.intent != best.recognized.intent && acts(&best.recognized.intent);
        are_opposed || other.cost <= best.cost + ABOUT
    };
    if !best.is_allowed || others.iter().any(|other| !other.is_allowed) {
        return FuzzyResult::Nothing;
    }
    let rivals: Vec<RecognizedIntent> = others.iter().filter(is_rival).map(|other| other.recognized.clone()).collect();
    if rivals.is_empty() {
        return FuzzyResult::Recognized(Box::new(best.recognized), best.corrections);
    }
    FuzzyResult::Ambiguous(std::iter::once(best.recognized).chain(rivals).collect())
}

/// Whether two matches have the same meaning.
pub(super) fn is_same(one: &RecognizedIntent, other: &RecognizedIntent) -> bool {
    one.intent == other.intent
        && one.slots.len() == other.slots.len()
        && one.slots.iter().zip(&other.slots).all(|((name, slot), (other_name, other))| {
            name == other_name && slot.value == other.value && slot.ids == other.ids
        })
}
