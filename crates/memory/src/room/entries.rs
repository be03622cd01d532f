//! Entries: what was said or noted, word for word.

use std::{collections::BTreeMap, time::Duration};

use journal::{Change, Filter, Place, Record};
use protocol::{Entry, FORGOTTEN, Fact, ItemId, Level, MemoryId, Origin, OwnerId, Source, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Error, Keyed, Reading, Room, Shelf, facts};
use crate::{
    statements::{self, Statement},
    summary,
};

/// Bytes of an entry at most.
const ENTRY_BYTES_MAX: usize = 256 * 1024;
/// Tags of an entry, and characters of one, at most.
const TAGS_MAX: usize = 32;
const TAG_CHARS_MAX: usize = 200;

/// An entry to be written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewEntry {
    /// The words.
    pub raw_entry: String,
    /// What they come to; made from them where it is absent.
    pub summary: Option<String>,
    /// Who said it.
    pub role: String,
    /// The speaker's name.
    pub speaker: Option<String>,
    /// Free labels.
    pub tags: BTreeMap<String, String>,
    /// When it happened; now where it is absent.
    pub conversation_time: Option<Timestamp>,
    /// Where it comes from.
    pub source: Source,
    /// Whose words it is.
    pub origin: Origin,
    /// Seconds after which it is forgotten by itself.
    pub ttl_s: Option<u64>,
    /// The id it gets; a fresh one where it is absent. Writing an entry that is there already changes nothing.
    pub entry_id: Option<ItemId>,
}

impl NewEntry {
    /// Plain words.
    pub fn said(role: &str, words: impl Into<String>) -> Self {
        Self {
            raw_entry: words.into(),
            summary: None,
            role: role.to_owned(),
            speaker: None,
            tags: BTreeMap::new(),
            conversation_time: None,
            source: Source::default(),
            origin: Origin::Trusted,
            ttl_s: None,
            entry_id: None,
        }
    }
}

/// An entry that was written, and what was read off it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Added {
    /// The entry.
    pub entry: Entry,
    /// Facts that are new with it, or have ended with it.
    pub facts: Vec<Fact>,
    /// Whether it was there already.
    pub is_known: bool,
}

/// Entries that were written, and what was read off them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AddedEntries {
    /// How many are new.
    pub count: usize,
    /// Facts that are new with them, or have ended with them.
    pub facts: Vec<ItemId>,
}

impl NewEntry {
    /// Refuses what is no entry.
    pub fn check(&self) -> Result<(), Error> {
        check(self)
    }
}

impl Room {
    /// Writes an entry. How far a follower has read goes with it, so that neither is there without the other.
    pub async fn add_entry(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        new: NewEntry,
        keyed: Keyed,
        reading: Option<Reading>,
    ) -> Result<Added, Error> {
        let draft = self.draft(memory_id, new)?;
        let room = self.clone();
        self.write_keyed(owner, keyed, move |shelf| {
            if shelf.memory(memory_id).is_none() {
                return Err(Error::NoMemory(memory_id));
            }
            let read_on = |facts: &[Fact]| {
                let untold = facts.iter().map(|fact| fact.fact_id).collect();
                reading.map(|reading| reading.untold(untold).change())
            };
            if let Some(Record::Entry(known)) = shelf.record(draft.entry_id) {
                let added = Added { entry: known.clone(), facts: Vec::new(), is_known: true };
                return Ok((read_on(&[]).into_iter().collect(), added));
            }
            let draft = Entry { stored_at: shelf.stamp_entry(memory_id, draft.stored_at), ..draft };
            let mut changes = vec![Change::Put(Record::Entry(draft.clone()))];
            let facts = room.read_off(shelf, &draft);
            changes.extend(facts.iter().cloned().map(|fact| Change::Put(Record::Fact(fact))));
            changes.extend(read_on(&facts));
            Ok((changes, Added { entry: draft, facts, is_known: false }))
        })
        .await
    }

    /// Writes many entries at once; those that are there already are left alone. How far a follower has read goes with them.
    pub async fn add_entries(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        new: Vec<NewEntry>,
        reading: Option<Reading>,
    ) -> Result<AddedEntries, Error> {
        let drafts = new.into_iter().map(|new| self.draft(memory_id, new)).collect::<Result<Vec<_>, _>>()?;
        let room = self.clone();
        let librarian = self.librarian(owner).await?;
        librarian
            .write(move |shelf| {
                if shelf.memory(memory_id).is_none() {
                    return Err(Error::NoMemory(memory_id));
                }
                let mut pile = facts::Pile::of(shelf);
                let (mut changes, mut count) = (Vec::new(), 0);
                for draft in drafts.into_iter().filter(|draft| shelf.record(draft.entry_id).is_none()) {
                    let draft = Entry { stored_at: shelf.stamp_entry(memory_id, draft.stored_at), ..draft };
                    pile.read_off(&room, &draft);
                    changes.push(Change::Put(Record::Entry(draft)));
                    count += 1;
                }
                let facts: Vec<Fact> = pile.changed().collect();
                let fact_ids: Vec<ItemId> = facts.iter().map(|fact| fact.fact_id).collect();
                changes.extend(facts.into_iter().map(|fact| Change::Put(Record::Fact(fact))));
                changes.extend(reading.map(|reading| reading.untold(fact_ids.clone()).change()));
                Ok((changes, AddedEntries { count, facts: fact_ids }))
            })
            .await
    }

    /// What is right instead of an entry. The entry itself stays as it was, and says which one corrects it.
    pub(super) async fn correct_entry(
        &self,
        owner: &OwnerId,
        wrong: Entry,
        right: String,
        keyed: Keyed,
    ) -> Result<Added, Error> {
        let new = NewEntry {
            role: wrong.role.clone(),
            // What is corrected is the owner's own words from now on; what stands beside them is so only if it was before.
            speaker: wrong.speaker.clone().filter(|_| wrong.origin.is_trusted()),
            tags: if wrong.origin.is_trusted() { wrong.tags.clone() } else { BTreeMap::new() },
            conversation_time: Some(wrong.conversation_time),
            source: Source { item_id: Some(wrong.entry_id), ..wrong.source.clone() },
            origin: Origin::Trusted,
            ..NewEntry::said("", right)
        };
        let draft = Entry { corrects: Some(wrong.entry_id), ..self.draft(wrong.memory_id, new)? };
        let (room, now) = (self.clone(), self.now());
        self.write_keyed(owner, keyed, move |shelf| {
            let Some(Record::Entry(wrong)) = shelf.record(wrong.entry_id) else {
                return Err(Error::NoItem(wrong.entry_id));
            };
            if let Some(by) = wrong.corrected_by {
                return Err(Error::Corrected(by));
            }
            let draft = Entry { stored_at: shelf.stamp_entry(wrong.memory_id, draft.stored_at), ..draft };
            let corrected = Entry { corrected_by: Some(draft.entry_id), ..wrong.clone() };
            let mut pile = facts::Pile::of(shelf);
            // What was read off the wrong words never held; what the right ones say holds instead.
            pile.end_all(shelf.facts_of(wrong.entry_id), now);
            pile.read_off(&room, &draft);
            let facts: Vec<Fact> = pile.changed().collect();
            let mut changes = vec![Change::Put(Record::Entry(corrected)), Change::Put(Record::Entry(draft.clone()))];
            changes.extend(facts.iter().cloned().map(|fact| Change::Put(Record::Fact(fact))));
            Ok((changes, Added { entry: draft, facts, is_known: false }))
        })
        .await
    }

    /// The entries of a memory by (when it happened, id), newest first unless told.
    pub async fn entries(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        after: Option<Place>,
        limit: usize,
        oldest_first: bool,
    ) -> Result<Vec<Entry>, Error> {
        self.memory(owner, memory_id).await?;
        let filter = Filter { memory_id: Some(memory_id), levels: vec![Level::Entry], oldest_first };
        let records = self.inner.store.records(owner, filter, after, limit).await?;
        Ok(records
            .into_iter()
            .filter_map(|record| match record {
                Record::Entry(entry) => Some(entry),
                _ => None,
            })
            .collect())
    }

    /// One entry of a memory.
    pub async fn entry(&self, owner: &OwnerId, memory_id: MemoryId, id: ItemId) -> Result<Entry, Error> {
        let found = self.read(owner, |shelf| match shelf.record(id) {
            Some(Record::Entry(entry)) if entry.memory_id == memory_id => Some(entry.clone()),
            _ => None,
        });
        found.await?.ok_or(Error::NoItem(id))
    }

    /// An entry as it would be stored.
    fn draft(&self, memory_id: MemoryId, new: NewEntry) -> Result<Entry, Error> {
        check(&new)?;
        let now = self.now();
        let by_setting = self.inner.options.entry_days.map(|days| u64::from(days) * 24 * 60 * 60);
        let expires_at = new.ttl_s.or(by_setting).map(|seconds| now.plus(Duration::from_secs(seconds)));
        let summary = new.summary.filter(|summary| !summary.trim().is_empty());
        Ok(Entry {
            entry_id: new.entry_id.unwrap_or_else(|| self.item_id()),
            memory_id,
            summary: summary.unwrap_or_else(|| summary::gist(&new.raw_entry)),
            raw_entry: new.raw_entry,
            role: new.role,
            speaker: new.speaker,
            tags: new.tags,
            conversation_time: new.conversation_time.unwrap_or(now),
            stored_at: now,
            source: new.source,
            origin: new.origin,
            corrects: None,
            corrected_by: None,
            expires_at,
        })
    }

    /// The facts that an entry states, and those that it ends.
    fn read_off(&self, shelf: &Shelf, entry: &Entry) -> Vec<Fact> {
        let mut pile = facts::Pile::of(shelf);
        pile.read_off(self, entry);
        pile.changed().collect()
    }
}

/// What an entry states about whoever said it. Only a user's own words are taken for that.
pub(super) fn stated(entry: &Entry) -> Vec<Statement> {
    if entry.role == "user" { worth_keeping(&entry.raw_entry) } else { Vec::new() }
}

/// What a message states, without what stands where something must not be seen.
pub fn worth_keeping(message: &str) -> Vec<Statement> {
    let mut stated = statements::statements(message);
    stated.retain(|statement| !statement.text.contains("[redacted") && !statement.text.contains(FORGOTTEN));
    stated
}

fn check(new: &NewEntry) -> Result<(), Error> {
    if new.raw_entry.trim().is_empty() {
        return Err(Error::Invalid("an entry has words: `raw_entry` is empty".to_owned()));
    }
    if new.raw_entry.len() > ENTRY_BYTES_MAX {
        return Err(Error::Invalid(format!(
            "an entry has at most {ENTRY_BYTES_MAX} bytes, this one {}; split it",
            new.raw_entry.len()
        )));
    }
    let is_short = |text: &str| text.chars().count() <= TAG_CHARS_MAX;
    if new.tags.len() > TAGS_MAX || !new.tags.iter().all(|(key, value)| is_short(key) && is_short(value)) {
        return Err(Error::Invalid(format!(
            "an entry has at most {TAGS_MAX} tags of at most {TAG_CHARS_MAX} characters"
        )));
    }
    if new.role.is_empty() || new.role.chars().count() > 40 {
        return Err(Error::Invalid("`role` has 1 to 40 characters, as in `user` or `assistant`".to_owned()));
    }
    Ok(())
}
