//! What memory has made of one session: it goes with the session, or stays and says that the session is gone.

use std::collections::{BTreeMap, BTreeSet};

use journal::{Change, Record};
use protocol::{Entry, Fact, ItemId, OwnerId, SessionId, Source, TurnId};

use super::{Error, Going, Room, Shelf, controls::is_specific, entries};
use crate::{
    agent::echo::REPEATS,
    statements::{self, Reconciled},
    summary::sentences,
};

impl Room {
    /// What goes with a session: its own memory, and what was read off it elsewhere. What other conversations state as well
    /// stays, and from then on comes from there. Empty if memory has nothing of the session.
    pub async fn going_with_session(&self, owner: &OwnerId, session_id: SessionId) -> Result<Going, Error> {
        self.read(owner, |shelf| {
            let mut going = Going::default();
            let memory = shelf.memory_of(session_id).map(|memory| memory.memory_id);
            going.memories.extend(memory);
            let is_inside = |record: &Record| memory.is_some() && record.memory_id() == memory;
            let is_of_session = |record: &&Record| is_inside(record) || is_from(record, session_id);
            let ids: Vec<ItemId> = shelf.records().filter(is_of_session).map(Record::id).collect();
            ids.into_iter().try_for_each(|id| going.take(shelf, id))?;
            // The session itself is removed whole; and the same words said elsewhere are not its own.
            going.texts.clear();
            going.records.retain(|(session, _)| *session != session_id);
            going.turns.retain(|(session, _), _| *session != session_id);
            going.keep_what_others_state(shelf, session_id);
            Ok(going)
        })
        .await?
    }

    /// What goes with one turn: what was said in it, and the facts that nothing else states.
    pub async fn going_with_turn(&self, owner: &OwnerId, turn_id: TurnId) -> Result<Going, Error> {
        self.read(owner, |shelf| {
            let mut going = Going::default();
            let is_of_turn = |record: &&Record| source(record).is_some_and(|it| it.turn_id == Some(turn_id));
            let ids: Vec<ItemId> = shelf.records().filter(is_of_turn).map(Record::id).collect();
            ids.into_iter().try_for_each(|id| going.take(shelf, id))?;
            // The same words said elsewhere are not this turn's own.
            going.texts.clear();
            Ok(going)
        })
        .await?
    }

    /// Notes on all that memory has of a session that the session is gone; gives how much that was.
    pub async fn mark_session_deleted(&self, owner: &OwnerId, session_id: SessionId) -> Result<u64, Error> {
        let unmarked = move |shelf: &Shelf| -> Vec<Change> {
            let own = shelf.records().filter(|record| is_from(record, session_id));
            own.filter_map(marked).map(Change::Put).collect()
        };
        if self.read(owner, |shelf| unmarked(shelf).is_empty()).await? {
            return Ok(0);
        }
        let write = move |shelf: &Shelf| {
            let changes = unmarked(shelf);
            let count = changes.len() as u64;
            Ok((changes, count))
        };
        self.librarian(owner).await?.write(write).await
    }
}

impl Going {
    /// Whether there is nothing to take away.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.memories.is_empty() && self.texts.is_empty()
    }

    /// Takes back what users have said in other conversations too.
    fn keep_what_others_state(&mut self, shelf: &Shelf, session_id: SessionId) {
        let others: Vec<&Entry> = shelf
            .records()
            .filter_map(|record| match record {
                Record::Entry(entry) => Some(entry),
                _ => None,
            })
            .filter(|entry| !self.items.contains(&entry.entry_id) && entry.source.session_id != Some(session_id))
            .filter(|entry| entry.role == "user" && !entry.tags.contains_key(REPEATS))
            .collect();
        let facts: Vec<&Fact> = shelf.facts().filter(|fact| self.items.contains(&fact.fact_id)).collect();
        let mut said: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        let sought: BTreeSet<&str> = self.words.values().flatten().map(String::as_str).collect();
        for entry in others {
            let text = entry.raw_entry.to_lowercase();
            let sentences: Vec<&str> = sentences(&text).into_iter().filter(|it| is_specific(it)).collect();
            for words in &sought {
                let lower = words.to_lowercase();
                // What repeats a user's sentence is as much theirs.
                if text.contains(&lower) || sentences.iter().any(|sentence| lower.contains(sentence)) {
                    said.entry(words).or_default().push(entry);
                }
            }
        }
        for fact in facts {
            let supporters = said.get(fact.value.as_str()).into_iter().flatten();
            if let Some(entry) = supporters.filter(|entry| states(entry, fact)).min_by_key(|entry| entry.entry_id) {
                let source = Source { item_id: Some(entry.entry_id), ..entry.source.clone() };
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
    // Whether it was said before or after is no matter here, so time is left out of it.
    let timeless = Fact { valid_from: entry.conversation_time, valid_until: None, ..fact.clone() };
    let known = [timeless];
    entries::stated(entry).iter().any(|statement| {
        statements::reconcile(&known, statement, entry.conversation_time) == Reconciled::Same(fact.fact_id)
    })
}

fn is_from(record: &Record, session_id: SessionId) -> bool {
    source(record).is_some_and(|source| source.session_id == Some(session_id))
}

const fn source(record: &Record) -> Option<&Source> {
    match record {
        Record::Entry(entry) => Some(&entry.source),
        Record::Fact(fact) => Some(&fact.source),
        Record::Context(_) => None,
    }
}

/// The record with the note that its session is gone; none if it has it already.
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
