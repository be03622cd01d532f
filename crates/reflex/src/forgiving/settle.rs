//! Chooses among what a text may have been, or says that nobody can.

use super::guard::acts;
use super::{Forgiven, Forgiveness};
use crate::understood::Understood;

/// Costs that differ by no more than this are about equal.
const ABOUT: u32 = 3;

/// One thing that a text may have been.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub cost: u32,
    pub understood: Understood,
    pub forgiveness: Forgiveness,
    pub is_allowed: bool,
}

/// The cheapest, if nothing else is about as likely. What must not be forgiven makes everything beside it doubtful.
pub(super) fn settle(mut candidates: Vec<Candidate>) -> Forgiven {
    candidates.sort_by_key(|candidate| candidate.cost);
    let mut candidates = candidates.into_iter();
    let Some(best) = candidates.next() else { return Forgiven::Nothing };
    let others: Vec<Candidate> = candidates.filter(|other| !is_same(&other.understood, &best.understood)).collect();
    let is_rival = |other: &&Candidate| {
        // Two different actions are never told apart by a letter.
        let are_opposed = other.understood.intent != best.understood.intent && acts(&best.understood.intent);
        are_opposed || other.cost <= best.cost + ABOUT
    };
    if !best.is_allowed || others.iter().any(|other| !other.is_allowed) {
        return Forgiven::Nothing;
    }
    let rivals: Vec<Understood> = others.iter().filter(is_rival).map(|other| other.understood.clone()).collect();
    if rivals.is_empty() {
        return Forgiven::Understood(Box::new(best.understood), best.forgiveness);
    }
    Forgiven::Ambiguous(std::iter::once(best.understood).chain(rivals).collect())
}

/// Whether two readings mean the same.
pub(super) fn is_same(one: &Understood, other: &Understood) -> bool {
    one.intent == other.intent
        && one.slots.len() == other.slots.len()
        && one.slots.iter().zip(&other.slots).all(|((name, slot), (other_name, other))| {
            name == other_name && slot.value == other.value && slot.ids == other.ids
        })
}
