//! Facts that a model has extracted: its operations are checked against the messages and the facts
//! as they are when the write runs, and applied together with the follower's progress.

use std::collections::BTreeMap;

use journal::{Change, Record};
use protocol::{Doubt, Entry, Fact, ItemId, ItemSource, Level, OwnerId, Timestamp};

use super::{Error, FollowerProgress, LongTermMemory, OwnerRecords};
use crate::{
    extraction::{
        CheckedOperation, ExtractionMaterial, Operation, OperationKind, RefusalReason,
        check::check,
        material::{ended_by, is_sent},
        overlaps, same_words,
    },
    statements::{Cardinality, cardinality, level, same_key},
};

/// The priority of a new line of the profile.
const PRIORITY: u8 = 50;
/// Operations of one answer.
const OPERATIONS_MAX: usize = 64;
/// A fact with less confidence does not enter the profile.
const PROFILE_CONFIDENCE_MIN: f32 = 0.6;

/// What became of the operations of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExtractedFacts {
    /// Facts that were added, ended or put in doubt.
    pub changed: Vec<ItemId>,
    /// Operations that were carried out, by kind.
    pub applied: BTreeMap<&'static str, u64>,
    /// Operations that were refused, by reason.
    pub refused: BTreeMap<&'static str, u64>,
}

impl LongTermMemory {
    /// Applies the operations that a model has answered with, in one write with the follower's
    /// progress.
    pub async fn apply_extracted(
        &self,
        owner: &OwnerId,
        material: ExtractionMaterial,
        operations: Vec<Operation>,
        model: String,
        reading: FollowerProgress,
    ) -> Result<ExtractedFacts, Error> {
        let long_term = self.clone();
        let owner_writer = self.owner_writer(owner).await?;
        owner_writer
            .write(move |owner_records| {
                let mut draft = ExtractionDraft::new(&long_term, owner_records, &material, model);
                for (number, operation) in operations.iter().enumerate() {
                    draft.take(operation, number < OPERATIONS_MAX);
                }
                let ExtractionDraft { facts, mut outcome, .. } = draft;
                outcome.changed = facts.keys().copied().collect();
                let mut changes: Vec<Change> =
                    facts.into_values().map(|fact| Change::Put(Record::Fact(fact))).collect();
                changes.push(reading.untold(outcome.changed.clone()).change());
                Ok((changes, outcome))
            })
            .await
    }
}

/// The pending changes of one answer.
struct ExtractionDraft<'w> {
    long_term: &'w LongTermMemory,
    owner_records: &'w OwnerRecords,
    material: &'w ExtractionMaterial,
    entries: Vec<&'w Entry>,
    model: String,
    facts: BTreeMap<ItemId, Fact>,
    outcome: ExtractedFacts,
}

impl<'w> ExtractionDraft<'w> {
    fn new(
        long_term: &'w LongTermMemory,
        owner_records: &'w OwnerRecords,
        material: &'w ExtractionMaterial,
        model: String,
    ) -> Self {
        let entries = material.entries().collect();
        let outcome = ExtractedFacts::default();
        Self { long_term, owner_records, material, entries, model, facts: BTreeMap::new(), outcome }
    }

    fn take(&mut self, operation: &Operation, is_allowed: bool) {
        let taken = if is_allowed { self.try_take(operation) } else { Err(RefusalReason::TooMany) };
        match taken {
            Ok(()) => *self.outcome.applied.entry(operation.op.name()).or_default() += 1,
            Err(reason) => *self.outcome.refused.entry(reason.name()).or_default() += 1,
        }
    }

    fn try_take(&mut self, operation: &Operation) -> Result<(), RefusalReason> {
        if operation.op == OperationKind::Ignore {
            return Ok(());
        }
        let entry = self.entry(operation.message).ok_or(RefusalReason::NoMessage)?.clone();
        let touched = self.touched(operation, &entry)?;
        let checked = check(operation, &entry.raw_entry, touched.as_ref())?;
        match (checked.kind, touched) {
            (OperationKind::Add, _) => self.add(&checked, &entry),
            (OperationKind::Change, Some(old)) => self.change(&checked, &entry, &old),
            (OperationKind::End, Some(old)) if old.source.item_id == Some(entry.entry_id) => self.retract(&old),
            (OperationKind::End, Some(old)) => self.end(&old, entry.conversation_time, None),
            (OperationKind::Contradict, Some(old)) => {
                let doubt = Doubt { text: checked.quote, at: entry.conversation_time, item_id: Some(entry.entry_id) };
                self.put(Fact { doubt: Some(doubt), ..old });
            }
            (OperationKind::Ignore | OperationKind::Change | OperationKind::End | OperationKind::Contradict, _) => {}
        }
        Ok(())
    }

    /// The message of that number as it is now: it may have been forgotten or corrected meanwhile.
    fn entry(&self, number: usize) -> Option<&'w Entry> {
        let asked = self.entries.get(number.checked_sub(1)?)?;
        match self.owner_records.record(asked.entry_id)? {
            Record::Entry(now) if now.raw_entry == asked.raw_entry && is_sent(now) => Some(now),
            _ => None,
        }
    }

    /// The fact that the operation names. It was shown and holds, or the rules ended it because of
    /// the same message.
    fn touched(&self, operation: &Operation, entry: &Entry) -> Result<Option<Fact>, RefusalReason> {
        let Some(id) = operation.fact.as_deref().filter(|_| operation.op != OperationKind::Add) else {
            return Ok(None);
        };
        let number: Option<usize> = id.trim().strip_prefix('f').and_then(|number| number.parse().ok());
        let shown = number.and_then(|number| self.material.known.get(number.checked_sub(1)?));
        let now = shown.and_then(|fact| self.fact(fact.fact_id)).ok_or(RefusalReason::NoFact)?;
        let is_open = now.is_current() || (operation.op == OperationKind::Change && ended_by(now, entry));
        // Something that was said before the fact cannot end it.
        let is_older = now.valid_from > entry.conversation_time && now.source.item_id != Some(entry.entry_id);
        if is_open && !is_older { Ok(Some(now.clone())) } else { Err(RefusalReason::NoFact) }
    }

    fn add(&mut self, checked: &CheckedOperation, entry: &Entry) {
        if let Some(same) = self.same(checked, entry) {
            // A fact that is stated again is not in doubt, and one that the rules ended holds.
            let holds = Fact { doubt: None, valid_until: None, superseded_by: None, ..same.clone() };
            if holds != same {
                self.put(holds);
            }
            return;
        }
        let fact = self.fresh(checked, entry, None);
        let misread = self.misread(checked, entry);
        let unseen = self.unseen_rivals(checked, entry);
        self.put(fact.clone());
        misread.iter().for_each(|old| self.replace(old, &fact));
        unseen.iter().for_each(|old| self.end(old, fact.valid_from, Some(fact.fact_id)));
    }

    fn change(&mut self, checked: &CheckedOperation, entry: &Entry, old: &Fact) {
        if old.is_current() && same_words(&old.value, &checked.value) {
            if old.doubt.is_some() {
                self.put(Fact { doubt: None, ..old.clone() });
            }
            return;
        }
        let fact = self.fresh(checked, entry, Some(old));
        let misread = self.misread(checked, entry);
        self.put(fact.clone());
        for wrong in misread.iter().filter(|wrong| wrong.fact_id != old.fact_id) {
            self.replace(wrong, &fact);
        }
        if old.source.item_id == Some(entry.entry_id) {
            self.replace(old, &fact);
        } else {
            self.end(old, fact.valid_from, Some(fact.fact_id));
        }
    }

    /// A fact with the same subject, key and value that holds, or that the rules ended because of
    /// this message.
    fn same(&self, checked: &CheckedOperation, entry: &Entry) -> Option<Fact> {
        let is_same = |fact: &&Fact| {
            (fact.is_current() || ended_by(fact, entry))
                && is_about(fact, checked)
                && same_key(&fact.key, &checked.key)
                && same_words(&fact.value, &checked.value)
        };
        self.known().find(is_same).cloned()
    }

    /// What the rules made of the same words of the message: another key, or more or less of the
    /// value.
    fn misread(&self, checked: &CheckedOperation, entry: &Entry) -> Vec<Fact> {
        let is_misread = |fact: &&Fact| {
            fact.is_current()
                && fact.source.item_id == Some(entry.entry_id)
                && fact.source.extracted_by.is_none()
                && is_about(fact, checked)
                && (same_key(&fact.key, &checked.key) || overlaps(&fact.value, &checked.value))
        };
        self.known().filter(is_misread).cloned().collect()
    }

    /// Facts of the same subject and relation that the model was not shown, where only one can
    /// hold.
    fn unseen_rivals(&self, checked: &CheckedOperation, entry: &Entry) -> Vec<Fact> {
        if cardinality(&checked.key) != Cardinality::One {
            return Vec::new();
        }
        let is_rival = |fact: &&Fact| {
            fact.is_current()
                && fact.key == checked.key
                && fact.subject == checked.subject
                && fact.valid_from < entry.conversation_time
                && self.material.known.iter().all(|shown| shown.fact_id != fact.fact_id)
                && !self.facts.contains_key(&fact.fact_id)
        };
        self.known().filter(is_rival).cloned().collect()
    }

    /// Puts a fact of the model in the place of one that the rules read off the same message: what
    /// that one ended is superseded by the new one.
    fn replace(&mut self, wrong: &Fact, right: &Fact) {
        let heirs: Vec<Fact> = self.known().filter(|fact| fact.superseded_by == Some(wrong.fact_id)).cloned().collect();
        heirs.into_iter().for_each(|old| self.put(Fact { superseded_by: Some(right.fact_id), ..old }));
        self.end(wrong, right.valid_from, Some(right.fact_id));
    }

    /// Takes back what the rules read off a message: it never held, and what it ended holds.
    fn retract(&mut self, wrong: &Fact) {
        let ended: Vec<Fact> = self.known().filter(|fact| fact.superseded_by == Some(wrong.fact_id)).cloned().collect();
        ended.into_iter().for_each(|old| self.put(Fact { valid_until: None, superseded_by: None, ..old }));
        self.end(wrong, wrong.valid_from, None);
    }

    fn end(&mut self, old: &Fact, at: Timestamp, by: Option<ItemId>) {
        self.put(Fact { valid_until: Some(at.max(old.valid_from)), superseded_by: by, ..old.clone() });
    }

    fn fresh(&self, checked: &CheckedOperation, entry: &Entry, old: Option<&Fact>) -> Fact {
        let key = old.map(|old| &old.key).filter(|key| same_key(key, &checked.key)).unwrap_or(&checked.key).clone();
        let said_at = entry.conversation_time;
        // A date in the future is a plan, and one before the old value would reverse their order.
        let since = checked.since.filter(|since| *since <= said_at);
        let since = since.filter(|since| old.is_none_or(|old| *since > old.valid_from));
        let is_own = checked.subject.is_none() && checked.confidence >= PROFILE_CONFIDENCE_MIN;
        let level = if is_own { level(&key) } else { Level::Fact };
        Fact {
            fact_id: self.long_term.item_id(),
            level: old.map_or(level, |old| if is_own { old.level.min(level) } else { level }),
            subject: checked.subject.clone(),
            vault_id: old.and_then(|old| old.vault_id),
            key,
            value: checked.value.clone(),
            text: checked.quote.clone(),
            priority: old.map_or(PRIORITY, |old| old.priority),
            confidence: checked.confidence,
            valid_from: since.unwrap_or(said_at),
            valid_until: None,
            superseded_by: None,
            stored_at: self.long_term.now(),
            source: ItemSource {
                item_id: Some(entry.entry_id),
                extracted_by: Some(self.model.clone()),
                ..entry.source.clone()
            },
            origin: entry.origin,
            expires_at: entry.expires_at,
            doubt: None,
        }
    }

    fn put(&mut self, fact: Fact) {
        self.facts.insert(fact.fact_id, fact);
    }

    fn fact(&self, id: ItemId) -> Option<&Fact> {
        self.facts.get(&id).or_else(|| match self.owner_records.record(id) {
            Some(Record::Fact(fact)) => Some(fact),
            _ => None,
        })
    }

    /// All facts, with the pending changes applied.
    fn known(&self) -> impl Iterator<Item = &Fact> {
        let stored = self.owner_records.facts().filter(|fact| !self.facts.contains_key(&fact.fact_id));
        stored.chain(self.facts.values())
    }
}

/// Whether a fact may be about the subject of an operation. Facts of the rules may have their
/// subject in the key alone.
fn is_about(fact: &Fact, checked: &CheckedOperation) -> bool {
    match (&fact.subject, &checked.subject) {
        (Some(known), Some(stated)) => same_words(known, stated),
        (None, None) => true,
        (None, Some(stated)) => overlaps(&fact.key, stated),
        (Some(_), None) => false,
    }
}
