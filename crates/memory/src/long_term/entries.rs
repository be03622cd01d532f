//! Entries: messages and notes, stored word for word.

use std::{collections::BTreeMap, time::Duration};

use journal::{Change, Record, RecordCursor, RecordFilter};
use protocol::{Entry, FORGOTTEN, Fact, ItemId, ItemSource, Level, MemoryId, Origin, OwnerId, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Error, FollowerProgress, IdempotencyKey, LongTermMemory, OwnerRecords, facts};
use crate::{
    language::instructions::is_instruction,
    statements::{self, Statement, StatementKind},
    summary,
};

/// The largest entry, in bytes.
const ENTRY_BYTES_MAX: usize = 256 * 1024;
/// The most tags of an entry, and the longest tag in characters.
const TAGS_MAX: usize = 32;
const TAG_CHARS_MAX: usize = 200;

/// A new entry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewEntry {
    /// The text, word for word.
    pub raw_entry: String,
    /// A summary of the text; made from it if absent.
    pub summary: Option<String>,
    /// Who said it.
    pub role: String,
    /// The speaker's name.
    pub speaker: Option<String>,
    /// Free labels.
    pub tags: BTreeMap<String, String>,
    /// When it happened; now if absent.
    pub conversation_time: Option<Timestamp>,
    /// Where it comes from.
    pub source: ItemSource,
    /// Whether its text can be trusted.
    pub origin: Origin,
    /// Seconds after which it expires.
    pub ttl_s: Option<u64>,
    /// Its id; a new one if absent. Writing an entry that exists already changes nothing.
    pub entry_id: Option<ItemId>,
}

impl NewEntry {
    /// An entry of text only.
    pub fn said(role: &str, words: impl Into<String>) -> Self {
        Self {
            raw_entry: words.into(),
            summary: None,
            role: role.to_owned(),
            speaker: None,
            tags: BTreeMap::new(),
            conversation_time: None,
            source: ItemSource::default(),
            origin: Origin::Trusted,
            ttl_s: None,
            entry_id: None,
        }
    }
}

/// A stored entry, and the facts extracted from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AddedEntry {
    /// The entry.
    pub entry: Entry,
    /// Facts that it added or ended.
    pub facts: Vec<Fact>,
    /// Whether it existed already.
    pub is_known: bool,
}

/// Stored entries, and the facts extracted from them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AddedEntries {
    /// How many are new.
    pub count: usize,
    /// Facts that they added or ended.
    pub facts: Vec<ItemId>,
}

impl NewEntry {
    /// Checks that it is a valid entry.
    pub fn check(&self) -> Result<(), Error> {
        check(self)
    }
}

impl LongTermMemory {
    /// Writes an entry. The follower's progress is stored in the same write, so that neither exists
    /// without the other.
    pub async fn add_entry(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        new: NewEntry,
        idempotency_key: IdempotencyKey,
        reading: Option<FollowerProgress>,
    ) -> Result<AddedEntry, Error> {
        let draft = self.draft(memory_id, new)?;
        let long_term = self.clone();
        self.write_keyed(owner, idempotency_key, move |owner_records| {
            if owner_records.memory(memory_id).is_none() {
                return Err(Error::NoMemory(memory_id));
            }
            let read_on = |facts: &[Fact]| {
                let untold = facts.iter().map(|fact| fact.fact_id).collect();
                reading.map(|reading| reading.untold(untold).change())
            };
            if let Some(Record::Entry(known)) = owner_records.record(draft.entry_id) {
                let added = AddedEntry { entry: known.clone(), facts: Vec::new(), is_known: true };
                return Ok((read_on(&[]).into_iter().collect(), added));
            }
            let draft = Entry { stored_at: owner_records.stamp_entry(memory_id, draft.stored_at), ..draft };
            let mut changes = vec![Change::Put(Record::Entry(draft.clone()))];
            let facts = long_term.read_off(owner_records, &draft);
            changes.extend(facts.iter().cloned().map(|fact| Change::Put(Record::Fact(fact))));
            changes.extend(read_on(&facts));
            Ok((changes, AddedEntry { entry: draft, facts, is_known: false }))
        })
        .await
    }

    /// Writes many entries at once; existing ones stay unchanged. The follower's progress is stored
    /// in the same write.
    pub async fn add_entries(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        new: Vec<NewEntry>,
        reading: Option<FollowerProgress>,
    ) -> Result<AddedEntries, Error> {
        let drafts = new.into_iter().map(|new| self.draft(memory_id, new)).collect::<Result<Vec<_>, _>>()?;
        let long_term = self.clone();
        let owner_writer = self.owner_writer(owner).await?;
        owner_writer
            .write(move |owner_records| {
                if owner_records.memory(memory_id).is_none() {
                    return Err(Error::NoMemory(memory_id));
                }
                let mut fact_changes = facts::FactChanges::of(owner_records);
                let (mut changes, mut count) = (Vec::new(), 0);
                for draft in drafts.into_iter().filter(|draft| owner_records.record(draft.entry_id).is_none()) {
                    let draft = Entry { stored_at: owner_records.stamp_entry(memory_id, draft.stored_at), ..draft };
                    fact_changes.extract(&long_term, &draft);
                    changes.push(Change::Put(Record::Entry(draft)));
                    count += 1;
                }
                let facts: Vec<Fact> = fact_changes.changed().collect();
                let fact_ids: Vec<ItemId> = facts.iter().map(|fact| fact.fact_id).collect();
                changes.extend(facts.into_iter().map(|fact| Change::Put(Record::Fact(fact))));
                changes.extend(reading.map(|reading| reading.untold(fact_ids.clone()).change()));
                Ok((changes, AddedEntries { count, facts: fact_ids }))
            })
            .await
    }

    /// Writes the correction of an entry. The entry itself stays unchanged, and names the one that
    /// corrects it.
    pub(super) async fn correct_entry(
        &self,
        owner: &OwnerId,
        wrong: Entry,
        right: String,
        idempotency_key: IdempotencyKey,
    ) -> Result<AddedEntry, Error> {
        let new = NewEntry {
            role: wrong.role.clone(),
            // The corrected text is the owner's own; the speaker's name is trusted only if it was
            // before.
            speaker: wrong.speaker.clone().filter(|_| wrong.origin.is_trusted()),
            tags: if wrong.origin.is_trusted() { wrong.tags.clone() } else { BTreeMap::new() },
            conversation_time: Some(wrong.conversation_time),
            source: ItemSource { item_id: Some(wrong.entry_id), ..wrong.source.clone() },
            origin: Origin::Trusted,
            ..NewEntry::said("", right)
        };
        let draft = Entry { corrects: Some(wrong.entry_id), ..self.draft(wrong.memory_id, new)? };
        let (long_term, now) = (self.clone(), self.now());
        self.write_keyed(owner, idempotency_key, move |owner_records| {
            let Some(Record::Entry(wrong)) = owner_records.record(wrong.entry_id) else {
                return Err(Error::NoItem(wrong.entry_id));
            };
            if let Some(by) = wrong.corrected_by {
                return Err(Error::Corrected(by));
            }
            let draft = Entry { stored_at: owner_records.stamp_entry(wrong.memory_id, draft.stored_at), ..draft };
            let corrected = Entry { corrected_by: Some(draft.entry_id), ..wrong.clone() };
            let mut fact_changes = facts::FactChanges::of(owner_records);
            // Facts extracted from the wrong text end; those of the corrected text replace them.
            fact_changes.end_all(owner_records.facts_of(wrong.entry_id), now);
            fact_changes.extract(&long_term, &draft);
            let facts: Vec<Fact> = fact_changes.changed().collect();
            let mut changes = vec![Change::Put(Record::Entry(corrected)), Change::Put(Record::Entry(draft.clone()))];
            changes.extend(facts.iter().cloned().map(|fact| Change::Put(Record::Fact(fact))));
            Ok((changes, AddedEntry { entry: draft, facts, is_known: false }))
        })
        .await
    }

    /// The entries of a memory by (time, id), by default the newest first.
    pub async fn entries(
        &self,
        owner: &OwnerId,
        memory_id: MemoryId,
        after: Option<RecordCursor>,
        limit: usize,
        oldest_first: bool,
    ) -> Result<Vec<Entry>, Error> {
        self.memory(owner, memory_id).await?;
        let filter = RecordFilter { memory_id: Some(memory_id), levels: vec![Level::Entry], oldest_first };
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
        let found = self.read(owner, |owner_records| match owner_records.record(id) {
            Some(Record::Entry(entry)) if entry.memory_id == memory_id => Some(entry.clone()),
            _ => None,
        });
        found.await?.ok_or(Error::NoItem(id))
    }

    /// The entry as it will be stored.
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

    /// The facts that an entry adds and those that it ends.
    fn read_off(&self, owner_records: &OwnerRecords, entry: &Entry) -> Vec<Fact> {
        let mut fact_changes = facts::FactChanges::of(owner_records);
        fact_changes.extract(self, entry);
        fact_changes.changed().collect()
    }
}

/// Whether an entry can state something about the user: only trusted words of the user do.
pub fn may_state(entry: &Entry) -> bool {
    entry.role == "user" && entry.origin.is_trusted()
}

/// The statements in an entry about its speaker. How the assistant shall behave is stated by the
/// messages of a conversation only: in any other text it is an instruction, not a fact.
pub(super) fn stated(entry: &Entry) -> Vec<Statement> {
    if !may_state(entry) {
        return Vec::new();
    }
    let mut stated = worth_keeping(&entry.raw_entry);
    if entry.source.turn_id.is_none() {
        let is_wish = |statement: &Statement| statement.kind == StatementKind::Wish && statement.key != "preference";
        stated.retain(|statement| !is_wish(statement) && !is_instruction(&statement.text));
    }
    stated
}

/// The statements in a message, without those that contain redacted text.
pub fn worth_keeping(message: &str) -> Vec<Statement> {
    let mut stated = statements::statements(message);
    stated.retain(|statement| !statement.text.contains("[redacted") && !statement.text.contains(FORGOTTEN));
    stated
}

fn check(new: &NewEntry) -> Result<(), Error> {
    if new.raw_entry.trim().is_empty() {
        return Err(Error::Invalid("`raw_entry` is empty".to_owned()));
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
