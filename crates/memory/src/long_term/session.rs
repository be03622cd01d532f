//! The items of one session: they are deleted with the session, or stay and are marked as those of
//! a deleted session.

use std::collections::{BTreeMap, BTreeSet};

use journal::{Change, Record};
use protocol::{Entry, Fact, ItemId, ItemSource, OwnerId, SessionId, TurnId};

use super::{Error, ForgetPlan, LongTermMemory, OwnerRecords, entries, forget::is_specific};
use crate::{
    agent::echo::REPEATS,
    statements::{self, Reconciliation},
    summary::sentences,
};

impl LongTermMemory {
    /// Works out what is forgotten with a session: its own memory, and facts extracted from it.
    /// Facts that other conversations state too stay, with one of those as their source. The plan
    /// is empty if memory has nothing of the session.
    pub async fn forget_plan_for_session(&self, owner: &OwnerId, session_id: SessionId) -> Result<ForgetPlan, Error> {
        self.read(owner, |owner_records| {
            let mut forget_plan = ForgetPlan::default();
            let memory = owner_records.memory_of(session_id).map(|memory| memory.memory_id);
            forget_plan.memories.extend(memory);
            let is_inside = |record: &Record| memory.is_some() && record.memory_id() == memory;
            let is_of_session = |record: &&Record| is_inside(record) || is_from(record, session_id);
            let ids: Vec<ItemId> = owner_records.records().filter(is_of_session).map(Record::id).collect();
            ids.into_iter().try_for_each(|id| forget_plan.take(owner_records, id))?;
            // The session itself is deleted whole, and the same text in other conversations stays.
            forget_plan.texts.clear();
            forget_plan.records.retain(|(session, _)| *session != session_id);
            forget_plan.turns.retain(|(session, _), _| *session != session_id);
            forget_plan.keep_what_others_state(owner_records, session_id);
            Ok(forget_plan)
        })
        .await?
    }

    /// Works out what is forgotten with a turn: its messages, and the facts that nothing else
    /// states.
    pub async fn forget_plan_for_turn(&self, owner: &OwnerId, turn_id: TurnId) -> Result<ForgetPlan, Error> {
        self.read(owner, |owner_records| {
            let mut forget_plan = ForgetPlan::default();
            let is_of_turn = |record: &&Record| source(record).is_some_and(|it| it.turn_id == Some(turn_id));
            let ids: Vec<ItemId> = owner_records.records().filter(is_of_turn).map(Record::id).collect();
            ids.into_iter().try_for_each(|id| forget_plan.take(owner_records, id))?;
            // The same text in other turns stays.
            forget_plan.texts.clear();
            Ok(forget_plan)
        })
        .await?
    }

    /// Marks all items of a session as those of a deleted session; returns their number.
    pub async fn mark_session_deleted(&self, owner: &OwnerId, session_id: SessionId) -> Result<u64, Error> {
        let unmarked = move |owner_records: &OwnerRecords| -> Vec<Change> {
            let own = owner_records.records().filter(|record| is_from(record, session_id));
            own.filter_map(marked).map(Change::Put).collect()
        };
        self.mark(owner, unmarked).await
    }

    /// Stores the changes that mark items; returns their number. Where there are none, nothing is
    /// written.
    pub(super) async fn mark(
        &self,
        owner: &OwnerId,
        unmarked: impl Fn(&OwnerRecords) -> Vec<Change> + Send + 'static,
    ) -> Result<u64, Error> {
        if self.read(owner, |owner_records| unmarked(owner_records).is_empty()).await? {
            return Ok(0);
        }
        let write = move |owner_records: &OwnerRecords| {
            let changes = unmarked(owner_records);
            let count = changes.len() as u64;
            Ok((changes, count))
        };
        self.owner_writer(owner).await?.write(write).await
    }
}

impl ForgetPlan {
    /// Whether there is nothing to delete.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.memories.is_empty() && self.texts.is_empty()
    }

    /// Removes from the plan what users have stated in other conversations too.
    fn keep_what_others_state(&mut self, owner_records: &OwnerRecords, session_id: SessionId) {
        let others: Vec<&Entry> = owner_records
            .records()
            .filter_map(|record| match record {
                Record::Entry(entry) => Some(entry),
                _ => None,
            })
            .filter(|entry| !self.items.contains(&entry.entry_id) && entry.source.session_id != Some(session_id))
            .filter(|entry| entry.role == "user" && !entry.tags.contains_key(REPEATS))
            .collect();
        let facts: Vec<&Fact> = owner_records.facts().filter(|fact| self.items.contains(&fact.fact_id)).collect();
        let mut said: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        let sought: BTreeSet<&str> = self.words.values().flatten().map(String::as_str).collect();
        for entry in others {
            let text = entry.raw_entry.to_lowercase();
            let sentences: Vec<&str> = sentences(&text).into_iter().filter(|it| is_specific(it)).collect();
            for words in &sought {
                let lower = words.to_lowercase();
                // A text that repeats a user's sentence counts as that user's.
                if text.contains(&lower) || sentences.iter().any(|sentence| lower.contains(sentence)) {
                    said.entry(words).or_default().push(entry);
                }
            }
        }
        for fact in facts {
            let supporters = said.get(fact.value.as_str()).into_iter().flatten();
            if let Some(entry) = supporters.filter(|entry| states(entry, fact)).min_by_key(|entry| entry.entry_id) {
                let source = ItemSource { item_id: Some(entry.entry_id), ..entry.source.clone() };
                self.restated.insert(fact.fact_id, source);
            }
        }
        let said: BTreeSet<String> = said.into_keys().map(str::to_owned).collect();
        self.items.retain(|id| !self.restated.contains_key(id));
        self.words.retain(|id, _| !self.restated.contains_key(id));
        self.words.values_mut().for_each(|words| words.retain(|words| !said.contains(words)));
    }
}

/// Whether an entry states a fact by itself.
fn states(entry: &Entry, fact: &Fact) -> bool {
    // The order of the two does not matter here, so the time is left out.
    let timeless = Fact { valid_from: entry.conversation_time, valid_until: None, ..fact.clone() };
    let known = [timeless];
    entries::stated(entry).iter().any(|statement| {
        statements::reconcile(&known, statement, entry.conversation_time) == Reconciliation::Same(fact.fact_id)
    })
}

fn is_from(record: &Record, session_id: SessionId) -> bool {
    source(record).is_some_and(|source| source.session_id == Some(session_id))
}

const fn source(record: &Record) -> Option<&ItemSource> {
    match record {
        Record::Entry(entry) => Some(&entry.source),
        Record::Fact(fact) => Some(&fact.source),
        Record::Context(_) => None,
    }
}

/// The record, marked as one of a deleted session; none if it is marked already.
fn marked(record: &Record) -> Option<Record> {
    if source(record).is_none_or(|source| source.session_deleted) {
        return None;
    }
    let mut record = record.clone();
    match &mut record {
        Record::Entry(entry) => entry.source.session_deleted = true,
        Record::Fact(fact) => fact.source.session_deleted = true,
        Record::Context(_) => return None,
    }
    Some(record)
}
