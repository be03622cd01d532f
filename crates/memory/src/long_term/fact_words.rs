//! Which facts a message could be about: the words of every current fact, so that a message is
//! compared with a few of them and not with all.

use std::collections::{BTreeSet, HashMap};

use protocol::{Fact, ItemId};

use crate::statements::{KnownFact, SpokenMessage};

/// The words of facts.
#[derive(Debug, Default)]
pub(super) struct FactWords {
    facts: HashMap<ItemId, KnownFact>,
    by_term: HashMap<String, BTreeSet<ItemId>>,
    /// Facts that name a person.
    names: BTreeSet<ItemId>,
}

impl FactWords {
    /// The words of these facts, as far as they hold.
    pub(super) fn of<'f>(facts: impl Iterator<Item = &'f Fact>) -> Self {
        let mut words = Self::default();
        facts.for_each(|fact| words.put(fact));
        words
    }

    /// Adds a fact, or takes it out if it no longer holds.
    pub(super) fn put(&mut self, fact: &Fact) {
        self.remove(fact.fact_id);
        if !fact.is_current() {
            return;
        }
        let known = KnownFact::of(fact);
        for term in known.terms() {
            self.by_term.entry(term.to_owned()).or_default().insert(fact.fact_id);
        }
        if fact.key.ends_with("'s name") {
            self.names.insert(fact.fact_id);
        }
        self.facts.insert(fact.fact_id, known);
    }

    /// Takes a fact out.
    pub(super) fn remove(&mut self, id: ItemId) {
        let Some(known) = self.facts.remove(&id) else { return };
        for term in known.terms() {
            if let Some(ids) = self.by_term.get_mut(term) {
                ids.remove(&id);
                if ids.is_empty() {
                    self.by_term.remove(term);
                }
            }
        }
        self.names.remove(&id);
    }

    /// The facts that share a word, a topic or a person with a message.
    pub(super) fn near(&self, said: &SpokenMessage<'_>) -> BTreeSet<ItemId> {
        let words = said.specific.iter().chain(&said.people).map(String::as_str);
        let lower = said.tokens.iter().map(|token| token.lower.as_str());
        let terms = words.chain(said.topics.iter().map(|topic| topic.name)).chain(lower);
        terms.filter_map(|term| self.by_term.get(term)).flatten().copied().collect()
    }

    /// The facts of these topics.
    pub(super) fn about(&self, topics: &[&'static str]) -> BTreeSet<ItemId> {
        let by_topic = |id: &&ItemId| {
            self.facts.get(*id).is_some_and(|known| topics.iter().any(|topic| known.topics.contains(topic)))
        };
        topics.iter().filter_map(|topic| self.by_term.get(*topic)).flatten().filter(by_topic).copied().collect()
    }

    /// A fact, prepared for comparisons.
    pub(super) fn known(&self, id: ItemId) -> Option<&KnownFact> {
        self.facts.get(&id)
    }

    /// Facts that name a person.
    pub(super) fn names(&self) -> impl Iterator<Item = ItemId> {
        self.names.iter().copied()
    }
}
