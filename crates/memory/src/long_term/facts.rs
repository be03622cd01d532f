//! Facts and the profile: keyed, with the time in which each holds. A newer one ends the older one;
//! both stay.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use journal::{Change, Record};
use protocol::{Entry, Fact, ItemId, ItemSource, Level, Origin, OwnerId, Timestamp, VaultId};

use super::{Error, IdempotencyKey, LongTermMemory, OwnerRecords, doubtful::Place, entries, fact_words::FactWords};
use crate::statements::{self, Reconciliation, Statement};

/// The default priority of a line of the profile.
const PRIORITY: u8 = 50;
/// The longest key and the longest value, in characters.
const KEY_CHARS_MAX: usize = 100;
const VALUE_CHARS_MAX: usize = 2_000;
/// Facts with a belief below this are not recalled.
pub(super) const BELIEF_MIN: f32 = 0.05;

/// A line of the profile, or a fact, that a client sets.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct NewFact {
    /// `profile` or `fact`.
    pub level: Level,
    /// What it is about, such as `diet`.
    pub key: String,
    /// Its value, such as `vegan`.
    pub value: String,
    /// 0 to 100.
    pub priority: Option<u8>,
    /// Seconds after which it expires.
    pub ttl_s: Option<u64>,
}

/// Where and when a statement was made, and whether it can be trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct Provenance {
    /// Where it comes from.
    pub source: ItemSource,
    /// Whether it can be trusted.
    pub origin: Origin,
    /// When it was stated.
    pub at: Timestamp,
    /// The vault that it belongs to; none for what the user says in conversations.
    pub vault_id: Option<VaultId>,
}

/// The result of applying statements.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementResult {
    /// Facts that the statements express and that hold now, new or known before.
    pub holds: Vec<Fact>,
    /// Facts that were added or ended.
    pub changed: Vec<Fact>,
}

impl LongTermMemory {
    /// Sets a line of the profile; the previous one stays as history.
    pub async fn set(
        &self,
        owner: &OwnerId,
        new: NewFact,
        provenance: Provenance,
        idempotency_key: IdempotencyKey,
    ) -> Result<Fact, Error> {
        check(&new)?;
        let fact = Fact {
            fact_id: self.item_id(),
            level: new.level,
            text: format!("{}: {}", new.key, new.value),
            key: new.key,
            value: new.value,
            priority: new.priority.unwrap_or(PRIORITY),
            confidence: 1.0,
            valid_from: provenance.at,
            valid_until: None,
            superseded_by: None,
            stored_at: self.now(),
            source: provenance.source,
            origin: provenance.origin,
            expires_at: new.ttl_s.map(|seconds| self.now().plus(Duration::from_secs(seconds))),
            subject: None,
            vault_id: provenance.vault_id,
            doubt: None,
        };
        let priority = new.priority;
        self.write_keyed(owner, idempotency_key, move |owner_records| {
            let mut fact_changes = FactChanges::of(owner_records);
            let before: Vec<&Fact> = owner_records
                .facts()
                .filter(|old| old.is_current() && old.key == fact.key && owner_records.vault_of(old) == fact.vault_id)
                .collect();
            if let Some(same) = before.iter().find(|old| old.value == fact.value && old.level == fact.level) {
                let mut same = (*same).clone();
                same.priority = priority.unwrap_or(same.priority);
                same.expires_at = fact.expires_at.or(same.expires_at);
                return Ok((vec![Change::Put(Record::Fact(same.clone()))], same));
            }
            let older: Vec<ItemId> = before.iter().map(|old| old.fact_id).collect();
            // A new line takes over the priority of the one it replaces.
            let inherited = before.first().map(|old| old.priority);
            let mut fact = fact;
            fact.priority = priority.or(inherited).unwrap_or(PRIORITY);
            fact_changes.end(&older, fact.valid_from, Some(fact.fact_id));
            fact_changes.add(fact.clone());
            Ok((fact_changes.changed().map(|fact| Change::Put(Record::Fact(fact))).collect(), fact))
        })
        .await
    }

    /// Applies the statements of a user's message about themselves, and what it says about known
    /// facts.
    pub async fn state(
        &self,
        owner: &OwnerId,
        message: String,
        stated: Vec<Statement>,
        provenance: Provenance,
    ) -> Result<StatementResult, Error> {
        let long_term = self.clone();
        // Most messages state nothing and touch nothing: they are not written.
        if stated.is_empty() {
            let touches = self.read(owner, |owner_records| {
                let mut fact_changes = FactChanges::of(owner_records);
                let place = owner_records.place_of(&provenance.source);
                fact_changes.doubt(self, &message, &stated, &provenance, place);
                fact_changes.pending().next().is_some()
            });
            if !touches.await? {
                return Ok(StatementResult { holds: Vec::new(), changed: Vec::new() });
            }
        }
        let owner_writer = self.owner_writer(owner).await?;
        owner_writer
            .write(move |owner_records| {
                let mut fact_changes = FactChanges::of(owner_records);
                let ids: Vec<ItemId> = stated
                    .iter()
                    .filter_map(|statement| fact_changes.take(&long_term, statement, &provenance))
                    .collect();
                let place = owner_records.place_of(&provenance.source);
                fact_changes.doubt(&long_term, &message, &stated, &provenance, place);
                let holds =
                    ids.iter().filter_map(|id| fact_changes.fact(*id)).filter(|fact| fact.is_current()).cloned();
                let holds = holds.collect();
                let changed: Vec<Fact> = fact_changes.changed().collect();
                let changes = changed.iter().cloned().map(|fact| Change::Put(Record::Fact(fact))).collect();
                Ok((changes, StatementResult { holds, changed }))
            })
            .await
    }

    /// The lines of the profile that hold, the most important first.
    pub async fn profile(&self, owner: &OwnerId) -> Result<Vec<Fact>, Error> {
        let now = self.now();
        let lines = self.read(owner, |owner_records| {
            let lines = owner_records.facts().filter(|fact| owner_records.is_of_profile(fact));
            let lines = lines.filter(|fact| fact.expires_at.is_none_or(|at| at > now));
            lines.map(|fact| owner_records.with_doubt(fact)).collect::<Vec<_>>()
        });
        let mut lines = lines.await?;
        lines.sort_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.key.cmp(&b.key)));
        Ok(lines)
    }

    /// All facts, also those that no longer hold, oldest first.
    pub async fn all_facts(&self, owner: &OwnerId) -> Result<Vec<Fact>, Error> {
        self.read(owner, |owner_records| {
            owner_records.facts().map(|fact| owner_records.with_doubt(fact)).collect::<Vec<_>>()
        })
        .await
    }

    /// All facts ever stated under a key, newest first.
    pub async fn history(&self, owner: &OwnerId, key: &str) -> Result<Vec<Fact>, Error> {
        let facts = self.read(owner, |owner_records| {
            owner_records.facts().filter(|fact| fact.key == key).cloned().collect::<Vec<_>>()
        });
        let mut facts = facts.await?;
        facts.sort_by_key(|fact| std::cmp::Reverse((fact.is_current(), fact.valid_from, fact.fact_id)));
        Ok(facts)
    }

    /// Writes the correction of a fact: the same key, another value, valid from the same time on.
    pub(super) async fn correct_fact(
        &self,
        owner: &OwnerId,
        wrong: Fact,
        right: String,
        idempotency_key: IdempotencyKey,
    ) -> Result<Fact, Error> {
        let fact = Fact {
            fact_id: self.item_id(),
            text: format!("{}: {right}", wrong.key),
            value: right,
            confidence: 1.0,
            stored_at: self.now(),
            superseded_by: None,
            source: ItemSource { item_id: Some(wrong.fact_id), ..ItemSource::default() },
            // Only owners can correct, with their own credential and in their own words.
            origin: Origin::Trusted,
            ..wrong
        };
        let (now, wrong_id) = (self.now(), wrong.fact_id);
        self.write_keyed(owner, idempotency_key, move |owner_records| {
            let Some(Record::Fact(wrong)) = owner_records.record(wrong_id) else { return Err(Error::NoItem(wrong_id)) };
            if let Some(by) = wrong.superseded_by {
                return Err(Error::Corrected(by));
            }
            let mut fact_changes = FactChanges::of(owner_records);
            fact_changes.end(&[wrong_id], now, Some(fact.fact_id));
            fact_changes.add(fact.clone());
            Ok((fact_changes.changed().map(|fact| Change::Put(Record::Fact(fact))).collect(), fact))
        })
        .await
    }

    /// The current belief in a fact: full for the profile, decaying with time for the rest.
    pub(super) fn belief(&self, fact: &Fact) -> f32 {
        if fact.level == Level::Profile {
            return fact.confidence;
        }
        let days = self.now().since(fact.valid_from).as_secs_f32() / (24.0 * 60.0 * 60.0);
        let half_life = self.inner.options.half_life_days.max(1);
        fact.confidence * 0.5_f32.powf(days / f32::from(u16::try_from(half_life).unwrap_or(u16::MAX)))
    }
}

/// Pending changes to facts: the owner's records, overlaid with what a write adds and ends.
pub(super) struct FactChanges<'s> {
    pub(super) owner_records: &'s OwnerRecords,
    changed: BTreeMap<ItemId, Fact>,
    /// The words of the facts in `changed`.
    pub(super) fresh_words: FactWords,
    /// Where the entries were made that are written together with these facts.
    pub(super) places: HashMap<ItemId, Place>,
}

impl<'s> FactChanges<'s> {
    pub(super) fn of(owner_records: &'s OwnerRecords) -> Self {
        Self { owner_records, changed: BTreeMap::new(), fresh_words: FactWords::default(), places: HashMap::new() }
    }

    /// Applies the statements of an entry.
    pub(super) fn extract(&mut self, long_term: &LongTermMemory, entry: &Entry) {
        let provenance = Provenance {
            source: ItemSource { item_id: Some(entry.entry_id), ..entry.source.clone() },
            origin: entry.origin,
            at: entry.conversation_time,
            vault_id: self.owner_records.vault_of_memory(entry.memory_id),
        };
        let stated = entries::stated(entry);
        for statement in &stated {
            let id = self.take(long_term, statement, &provenance);
            // A fact expires together with the entry that states it.
            if let (Some(id), Some(_)) = (id, entry.expires_at)
                && let Some(fact) = self.changed.get_mut(&id).filter(|fact| fact.source.item_id == Some(entry.entry_id))
            {
                fact.expires_at = entry.expires_at;
            }
        }
        if entry.role == "user" {
            let place = entry.source.session_id.map_or(Place::Memory(entry.memory_id), Place::Session);
            self.places.insert(entry.entry_id, place);
            self.doubt(long_term, &entry.raw_entry, &stated, &provenance, Some(place));
        }
    }

    /// Applies a statement; returns the fact that expresses it, unless the statement only ends
    /// others.
    fn take(&mut self, long_term: &LongTermMemory, statement: &Statement, provenance: &Provenance) -> Option<ItemId> {
        let known: Vec<Fact> = self.known_beside(provenance).cloned().collect();
        let reconciled = statements::reconcile(&known, statement, provenance.at);
        let key = statements::key_for(&known, statement, &reconciled);
        let before = known.iter().rev().find(|fact| fact.key == key);
        let fresh = |valid_until, superseded_by| Fact {
            fact_id: long_term.item_id(),
            level: statement.level,
            key: key.to_owned(),
            value: statement.value.clone(),
            text: statement.text.clone(),
            // A new line takes over the priority of the one it replaces.
            priority: before.map_or(PRIORITY, |fact| fact.priority),
            confidence: statement.confidence,
            valid_from: provenance.at,
            valid_until,
            superseded_by,
            stored_at: long_term.now(),
            source: provenance.source.clone(),
            origin: provenance.origin,
            expires_at: None,
            subject: statements::subject(key),
            vault_id: provenance.vault_id,
            doubt: None,
        };
        match reconciled {
            Reconciliation::New => {
                let fact = fresh(None, None);
                self.hand_over(&fact);
                Some(self.add(fact))
            }
            Reconciliation::Same(id) => {
                self.settle(id, provenance.at);
                self.point_to(id, provenance);
                Some(id)
            }
            Reconciliation::Replaces(older) => {
                let fact = fresh(None, None);
                self.end(&older, provenance.at, Some(fact.fact_id));
                Some(self.add(fact))
            }
            Reconciliation::Ends(older) => {
                self.end(&older, provenance.at, None);
                None
            }
            // An older statement that arrives late held until the next newer one.
            Reconciliation::StatedEarlier { by, until, ends } => {
                let fact = fresh(Some(until), Some(by));
                self.end(&ends, provenance.at, Some(fact.fact_id));
                Some(self.add(fact))
            }
        }
    }

    /// Facts that the same text ended are superseded by what it states under their key: "I left
    /// Siemens and joined Bosch".
    fn hand_over(&mut self, new: &Fact) {
        let gave_way = |old: &&mut Fact| {
            old.key == new.key && old.valid_until == Some(new.valid_from) && old.superseded_by.is_none()
        };
        self.changed.values_mut().filter(gave_way).for_each(|old| old.superseded_by = Some(new.fact_id));
    }

    /// A fact that was stated during a turn, before its entry was stored, gets that entry as its
    /// source.
    fn point_to(&mut self, id: ItemId, provenance: &Provenance) {
        let Some(fact) = self.fact(id) else { return };
        let is_same_turn = fact.source.turn_id.is_some() && fact.source.turn_id == provenance.source.turn_id;
        if is_same_turn && fact.source.item_id.is_none() {
            self.replace(Fact { source: provenance.source.clone(), ..fact.clone() });
        }
    }

    /// A fact that is stated again is no longer doubtful.
    fn settle(&mut self, id: ItemId, at: Timestamp) {
        let doubted = |fact: &&Fact| fact.doubt.as_ref().is_some_and(|doubt| doubt.at < at);
        if let Some(fact) = self.fact(id).filter(doubted) {
            self.replace(Fact { doubt: None, ..fact.clone() });
        }
    }

    pub(super) fn add(&mut self, fact: Fact) -> ItemId {
        let id = fact.fact_id;
        self.replace(fact);
        id
    }

    /// Writes a fact, new or changed.
    pub(super) fn replace(&mut self, fact: Fact) {
        self.fresh_words.put(&fact);
        self.changed.insert(fact.fact_id, fact);
    }

    /// The facts that were added or changed so far.
    pub(super) fn pending(&self) -> impl Iterator<Item = &Fact> {
        self.changed.values()
    }

    /// Ends facts that still hold.
    pub(super) fn end(&mut self, ids: &[ItemId], at: Timestamp, by: Option<ItemId>) {
        for id in ids {
            if let Some(fact) = self.fact(*id).filter(|fact| fact.is_current()) {
                let until = at.max(fact.valid_from);
                let ended = Fact { valid_until: Some(until), superseded_by: by, doubt: None, ..fact.clone() };
                self.replace(ended);
            }
        }
    }

    /// Ends facts without a successor.
    pub(super) fn end_all(&mut self, ids: impl Iterator<Item = ItemId>, at: Timestamp) {
        let ids: Vec<ItemId> = ids.collect();
        self.end(&ids, at, None);
    }

    /// The facts to write.
    pub(super) fn changed(self) -> impl Iterator<Item = Fact> {
        self.changed.into_values()
    }

    pub(super) fn fact(&self, id: ItemId) -> Option<&Fact> {
        self.changed.get(&id).or_else(|| match self.owner_records.record(id) {
            Some(Record::Fact(fact)) => Some(fact),
            _ => None,
        })
    }

    /// The facts that a statement can repeat, change or end: trusted ones of the same vault.
    fn known_beside(&self, provenance: &Provenance) -> impl Iterator<Item = &Fact> {
        let vault_id = provenance.vault_id;
        self.known().filter(move |fact| fact.origin.is_trusted() && self.owner_records.vault_of(fact) == vault_id)
    }

    /// All facts, with the pending changes applied.
    fn known(&self) -> impl Iterator<Item = &Fact> {
        let shelved = self.owner_records.facts().filter(|fact| !self.changed.contains_key(&fact.fact_id));
        shelved.chain(self.changed.values())
    }
}

fn check(new: &NewFact) -> Result<(), Error> {
    let is_fit = |text: &str, max: usize| {
        let length = text.trim().chars().count();
        (1..=max).contains(&length) && !text.chars().any(char::is_control)
    };
    if !is_fit(&new.key, KEY_CHARS_MAX) {
        return Err(Error::Invalid(format!("a key has 1 to {KEY_CHARS_MAX} characters and no control characters")));
    }
    if !is_fit(&new.value, VALUE_CHARS_MAX) {
        return Err(Error::Invalid(format!("a value has 1 to {VALUE_CHARS_MAX} characters and no control characters")));
    }
    if new.priority.is_some_and(|priority| priority > 100) {
        return Err(Error::Invalid("a priority is 0 to 100".to_owned()));
    }
    Ok(())
}
