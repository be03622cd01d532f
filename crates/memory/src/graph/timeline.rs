//! Facts as they were known at one time, and which of them were true at another.

use std::collections::HashMap;

use protocol::{EdgeState, Fact, ItemId, Timestamp};

use super::SaidFact;

/// A fact as it was known at a time: without the end and the doubt that became known later.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FactAsKnown {
    pub(super) fact: Fact,
    pub(super) said_at: Timestamp,
    /// When it became known that it is over or wrong.
    pub(super) known_until: Option<Timestamp>,
    /// Whether it was wrong, and so never true.
    pub(super) is_wrong: bool,
}

impl FactAsKnown {
    /// Its state at a time; none before it began.
    pub(super) fn state(&self, as_of: Timestamp) -> Option<EdgeState> {
        let fact = &self.fact;
        if fact.valid_from > as_of {
            return None;
        }
        Some(match fact.valid_until {
            _ if self.is_wrong => EdgeState::Corrected,
            Some(until) if until <= as_of => EdgeState::Ended,
            // When a doubtful fact ended is not known, so it is doubtful at all times.
            _ if fact.doubt.is_some() => EdgeState::Doubtful,
            _ => EdgeState::Holds,
        })
    }
}

/// The facts that were known at a time, as they were known then, oldest first.
pub(super) fn as_known(facts: &[SaidFact], known_at: Timestamp) -> Vec<FactAsKnown> {
    let by_id: HashMap<ItemId, &Fact> = facts.iter().map(|said| (said.fact.fact_id, &said.fact)).collect();
    let known = facts.iter().filter(|said| said.fact.stored_at <= known_at);
    let mut known: Vec<FactAsKnown> = known
        .map(|SaidFact { fact, said_at }| {
            let successor = fact.superseded_by.and_then(|id| by_id.get(&id).copied());
            let known_until = end_known_at(fact, successor).filter(|at| *at <= known_at);
            let is_over = known_until.is_some();
            let is_wrong = is_over && is_wrong(fact, successor);
            let fact = Fact {
                valid_until: fact.valid_until.filter(|_| is_over),
                superseded_by: fact.superseded_by.filter(|_| is_over),
                doubt: fact.doubt.clone().filter(|doubt| doubt.at <= known_at),
                ..fact.clone()
            };
            FactAsKnown { fact, said_at: *said_at, known_until, is_wrong }
        })
        .collect();
    known.sort_by_key(|known| (known.fact.valid_from, known.fact.fact_id));
    known
}

/// When it became known that a fact is over: when its successor was stored. Without a successor it
/// was said to be over, which is when it ended.
fn end_known_at(fact: &Fact, successor: Option<&Fact>) -> Option<Timestamp> {
    let until = fact.valid_until?;
    // An older statement that arrived late was over from the beginning.
    Some(fact.stored_at.max(successor.map_or(until, |successor| successor.stored_at)))
}

/// Whether a fact was never true: what replaced it is true for as long, or it ended as it began.
fn is_wrong(fact: &Fact, successor: Option<&Fact>) -> bool {
    let is_empty = fact.valid_until.is_some_and(|until| until <= fact.valid_from);
    is_empty || successor.is_some_and(|successor| successor.valid_from <= fact.valid_from)
}
