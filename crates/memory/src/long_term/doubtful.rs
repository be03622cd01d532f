//! Applies to facts what a message says about them without stating them anew: they become doubtful,
//! or get the value that a correction names.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

use journal::Record;
use protocol::{Doubt, Fact, ItemId, ItemSource, Level, MemoryItem, Timestamp};

use super::{LongTermMemory, OwnerRecords, Provenance, facts::FactChanges, prepared_texts::PreparedItem};
use crate::statements::{self, Comparison, KnownFact, Likeness, SpokenMessage, Statement, Touch};

/// What was said longer ago is no longer what a correction takes back.
const RECENT: Duration = Duration::from_secs(60 * 60);
/// The confidence in a value that a correction names.
const CORRECTED: f32 = 0.8;

impl FactChanges<'_> {
    /// Applies what a message says about known facts.
    pub(super) fn doubt(
        &mut self,
        long_term: &LongTermMemory,
        message: &str,
        stated: &[Statement],
        provenance: &Provenance,
        place: Option<Place>,
    ) {
        let Some(said) = SpokenMessage::of(message).filter(|_| provenance.origin.is_trusted()) else { return };
        let mut near: BTreeSet<ItemId> = self.owner_records.fact_words().near(&said);
        near.extend(self.fresh_words.near(&said));
        let recent: BTreeSet<ItemId> = self.recent(place, provenance.at);
        near.extend(&recent);
        let names = self.owner_records.fact_words().names().chain(self.fresh_words.names());
        let aliases = statements::aliases(names.filter_map(|id| self.fact(id)));
        let facts = near.iter().filter_map(|id| {
            let is_in_scope = |fact: &&Fact| self.owner_records.vault_of(fact) == provenance.vault_id;
            let fact = self.fact(*id).filter(|fact| is_before(fact, provenance)).filter(is_in_scope)?;
            Some((fact, self.prepared(*id)?, recent.contains(id)))
        });
        // Embeddings are made in the background and asked when the fact is read.
        let alike = if long_term.embedder_absence().is_some() { Likeness::Absent } else { Likeness::Pending };
        for touched in statements::touched(&said, stated, facts, &aliases, alike) {
            let Some(fact) = self.fact(touched.id).cloned() else { continue };
            match touched.touch {
                Touch::Doubt => {
                    let doubt = Doubt { text: touched.text, at: provenance.at, item_id: provenance.source.item_id };
                    self.replace(Fact { doubt: Some(doubt), ..fact });
                }
                Touch::Corrected(value) => {
                    let new = Fact {
                        fact_id: long_term.item_id(),
                        value,
                        text: touched.text,
                        confidence: CORRECTED,
                        valid_from: provenance.at,
                        stored_at: long_term.now(),
                        source: provenance.source.clone(),
                        origin: provenance.origin,
                        doubt: None,
                        ..fact
                    };
                    self.end(&[touched.id], provenance.at, Some(new.fact_id));
                    self.add(new);
                }
            }
        }
    }

    fn place_of_fact(&self, fact: &Fact) -> Option<Place> {
        let pending = || self.places.get(&fact.source.item_id?).copied();
        self.owner_records.place_of(&fact.source).or_else(pending)
    }

    fn prepared(&self, id: ItemId) -> Option<&KnownFact> {
        self.fresh_words.known(id).or_else(|| self.owner_records.fact_words().known(id))
    }

    /// The facts that were stated just before in the same conversation.
    fn recent(&self, place: Option<Place>, at: Timestamp) -> BTreeSet<ItemId> {
        let Some(place) = place else { return BTreeSet::new() };
        let is_recent = |fact: &&Fact| {
            fact.valid_from <= at && at.since(fact.valid_from) <= RECENT && self.place_of_fact(fact) == Some(place)
        };
        // Ids are in the order of time; what is recent is at the end.
        let pending = self.pending().filter(is_recent);
        let recent = self.owner_records.newest_facts().take(RECENT_MAX).filter(is_recent).chain(pending);
        let mut by_time: BTreeMap<Timestamp, BTreeSet<ItemId>> = BTreeMap::new();
        for fact in recent {
            by_time.entry(fact.valid_from).or_default().insert(fact.fact_id);
        }
        // What was said two messages ago may still be meant.
        by_time.into_values().rev().take(2).flatten().collect()
    }
}

/// How many of the newest facts are looked at.
const RECENT_MAX: usize = 64;

/// Whether a fact was stated before a message, and not by it.
fn is_before(fact: &Fact, provenance: &Provenance) -> bool {
    let source = &provenance.source;
    let is_same_turn = source.turn_id.is_some() && fact.source.turn_id == source.turn_id;
    let is_same_entry = source.item_id.is_some() && fact.source.item_id == source.item_id;
    fact.is_current() && fact.valid_from <= provenance.at && !is_same_turn && !is_same_entry
}

/// Where something was said: in a session, or in a memory without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A session.
    Session(protocol::SessionId),
    /// A memory that follows no session.
    Memory(protocol::MemoryId),
}

/// How many later messages of the user are looked at.
const LATER_MAX: usize = 3;

impl OwnerRecords {
    /// An item, prepared for comparisons.
    pub(super) fn prepared(&self, item: &MemoryItem) -> PreparedItem<'_> {
        match (self.fact_words().known(item.id), self.record(item.id)) {
            (Some(known), _) => PreparedItem::Fact(known),
            (None, Some(Record::Fact(fact))) => PreparedItem::Past(Box::new(KnownFact::of(fact))),
            (None, _) => PreparedItem::Text(self.prepared_texts.of(item.id, &item.text)),
        }
    }

    /// What the user said right after an item that may have ended it, judged by embeddings too,
    /// which did not exist yet when it was said. `is_asked`: whether the question is whether it
    /// still holds; then whatever was said next may be why.
    pub(super) fn later_doubt(&self, item: &MemoryItem, is_asked: bool) -> Option<Doubt> {
        let is_statement = matches!(item.level, Level::Fact | Level::Profile) || item.role.as_deref() == Some("user");
        if !is_statement || item.valid_until.is_some() || item.doubt.is_some() || !item.origin.is_trusted() {
            return None;
        }
        let entry_id = if item.level == Level::Entry { item.id } else { item.source.item_id? };
        let Some(Record::Entry(entry)) = self.record(entry_id) else { return None };
        let value = match self.record(item.id) {
            Some(Record::Fact(fact)) => fact.value.as_str(),
            _ => "",
        };
        let later = self.entries_after(entry).filter(|later| later.role == "user" && later.origin.is_trusted());
        let soon =
            later.take(LATER_MAX).take_while(|later| later.conversation_time.since(entry.conversation_time) <= RECENT);
        // Mostly nothing was said right after it.
        let prepared = OnceCell::new();
        let doubts = soon.filter_map(|later| {
            let later_text = self.prepared_texts.of(later.entry_id, &later.raw_entry);
            let said = later_text.said()?;
            let (known, aliases) = prepared.get_or_init(|| (self.prepared(item), self.aliases()));
            let alike = self.index.alike(later.entry_id, item.id).map_or(Likeness::Absent, Likeness::Known);
            let is_elsewhere = self.states_something_else(later.entry_id, known, item.key.as_deref());
            let comparison = Comparison { said, known, aliases, is_recent: true, is_elsewhere, alike, is_asked };
            comparison.touch(value)?;
            Some(Doubt { text: said.shown(300), at: later.conversation_time, item_id: Some(later.entry_id) })
        });
        doubts.last()
    }

    /// A fact with what was said right after it.
    pub(super) fn with_doubt(&self, fact: &Fact) -> Fact {
        let later = || self.later_doubt(&self.item(fact.fact_id)?, false);
        Fact { doubt: fact.doubt.clone().or_else(later), ..fact.clone() }
    }

    /// Whether facts were extracted from an entry, none of which is about the same topic or key.
    fn states_something_else(&self, entry_id: ItemId, known: &KnownFact, key: Option<&str>) -> bool {
        let is_other = |id: ItemId| {
            let words = self.fact_words().known(id);
            let is_same = match self.record(id) {
                Some(Record::Fact(fact)) => key.is_some_and(|key| statements::same_key(&fact.key, key)),
                _ => false,
            };
            let is_apart = |other: &KnownFact| {
                let is_disjoint = other.topics.is_disjoint(&known.topics) && other.key.is_disjoint(&known.key);
                is_disjoint || other.is_of_other_thing_than(known)
            };
            !is_same && words.is_some_and(is_apart)
        };
        let mut facts = self.facts_of(entry_id).peekable();
        facts.peek().is_some() && facts.all(is_other)
    }

    /// The names of people by their relation.
    pub(super) fn aliases(&self) -> HashMap<String, String> {
        let names = self.fact_words().names().filter_map(|id| match self.record(id) {
            Some(Record::Fact(fact)) => Some(fact),
            _ => None,
        });
        statements::aliases(names)
    }

    /// Where something with this source was said.
    pub(super) fn place_of(&self, source: &ItemSource) -> Option<Place> {
        if let Some(session_id) = source.session_id {
            return Some(Place::Session(session_id));
        }
        self.record(source.item_id?)?.memory_id().map(Place::Memory)
    }
}
