//! What one owner has in memory, at hand: every record, and the index over them. It is a reading of the store and can be
//! read anew at any time; only the owner's librarian changes it, after the store has.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

use journal::{Change, Record};
use protocol::{Context, Entry, Fact, Item, ItemId, Memory, MemoryId, SessionId, Timestamp, Vault, VaultId};

use super::document;
use crate::{agent::echo::REPEATS, search::Index};

/// What one owner has in memory.
#[derive(Default)]
pub struct Shelf {
    vaults: BTreeMap<VaultId, Vault>,
    memories: BTreeMap<MemoryId, Memory>,
    sessions: HashMap<SessionId, MemoryId>,
    records: HashMap<ItemId, Record>,
    facts: BTreeSet<ItemId>,
    /// The facts that were read off each entry.
    read_off: HashMap<ItemId, BTreeSet<ItemId>>,
    /// What is in each memory, by (when it happened, id).
    contents: HashMap<MemoryId, BTreeSet<(Timestamp, ItemId)>>,
    /// Entries of each memory that no context document knows of yet, by (when it happened, id).
    unflushed: HashMap<MemoryId, BTreeSet<(Timestamp, ItemId)>>,
    /// Versions of each memory's context document.
    versions: HashMap<MemoryId, BTreeMap<u32, ItemId>>,
    pub(super) index: Index,
}

impl Shelf {
    /// An empty one.
    pub(super) fn empty() -> Self {
        Self::default()
    }

    /// A vault.
    pub fn vault(&self, id: VaultId) -> Option<&Vault> {
        self.vaults.get(&id)
    }

    /// The vault of that title.
    pub fn vault_titled(&self, title: &str) -> Option<&Vault> {
        self.vaults.values().find(|vault| vault.title == title)
    }

    /// All vaults.
    pub fn vaults(&self) -> impl Iterator<Item = &Vault> {
        self.vaults.values()
    }

    /// A memory.
    pub fn memory(&self, id: MemoryId) -> Option<&Memory> {
        self.memories.get(&id)
    }

    /// The memory of that title in a vault.
    pub fn memory_titled(&self, vault_id: VaultId, title: &str) -> Option<&Memory> {
        self.memories.values().find(|memory| memory.vault_id == vault_id && memory.title == title)
    }

    /// The memory that follows a session.
    pub fn memory_of(&self, session_id: SessionId) -> Option<&Memory> {
        self.sessions.get(&session_id).and_then(|id| self.memories.get(id))
    }

    /// All memories.
    pub fn memories(&self) -> impl Iterator<Item = &Memory> {
        self.memories.values()
    }

    /// Something by its id.
    pub fn record(&self, id: ItemId) -> Option<&Record> {
        self.records.get(&id)
    }

    /// Everything there is, in no order.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.values()
    }

    /// All facts, also those that no longer hold, oldest first.
    pub fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.facts.iter().filter_map(|id| match self.records.get(id) {
            Some(Record::Fact(fact)) => Some(fact),
            _ => None,
        })
    }

    /// The entries of a memory, oldest first.
    pub fn entries(&self, memory_id: MemoryId) -> impl DoubleEndedIterator<Item = &Entry> {
        let contents = self.contents.get(&memory_id).into_iter().flatten();
        contents.filter_map(|(_, id)| match self.records.get(id) {
            Some(Record::Entry(entry)) => Some(entry),
            _ => None,
        })
    }

    /// Whether something belongs to a memory.
    pub fn is_in(&self, id: ItemId, memory_id: Option<MemoryId>) -> bool {
        self.records.get(&id).is_some_and(|record| record.memory_id() == memory_id)
    }

    /// The newest context document of a memory.
    pub fn newest_context(&self, memory_id: MemoryId) -> Option<&Context> {
        let (_, id) = self.versions.get(&memory_id)?.last_key_value()?;
        self.context_of(*id)
    }

    /// One version of a memory's context document.
    pub fn context(&self, memory_id: MemoryId, version: u32) -> Option<&Context> {
        self.context_of(*self.versions.get(&memory_id)?.get(&version)?)
    }

    /// All versions of a memory's context document, oldest first.
    pub fn contexts(&self, memory_id: MemoryId) -> impl Iterator<Item = &Context> {
        self.versions.get(&memory_id).into_iter().flatten().filter_map(|(_, id)| self.context_of(*id))
    }

    fn context_of(&self, id: ItemId) -> Option<&Context> {
        match self.records.get(&id) {
            Some(Record::Context(context)) => Some(context),
            _ => None,
        }
    }

    /// Entries that no context document knows of yet: those stored after the newest one.
    pub fn unflushed(&self, memory_id: MemoryId) -> Vec<&Entry> {
        let ids = self.unflushed.get(&memory_id).into_iter().flatten();
        let entries = ids.filter_map(|(_, id)| match self.records.get(id) {
            Some(Record::Entry(entry)) => Some(entry),
            _ => None,
        });
        entries.collect()
    }

    /// Looks again at which entries the newest context document does not know of.
    fn note_unflushed(&mut self, memory_id: MemoryId) {
        let known = self.newest_context(memory_id).map(|context| context.stored_at);
        let is_new = |entry: &&Entry| known.is_none_or(|known| entry.stored_at > known);
        let unflushed: BTreeSet<(Timestamp, ItemId)> =
            self.entries(memory_id).filter(is_new).map(|entry| (entry.conversation_time, entry.entry_id)).collect();
        self.unflushed.insert(memory_id, unflushed);
    }

    /// When an entry counts as stored: after the context document that does not know of it.
    pub(super) fn stamp_entry(&self, memory_id: MemoryId, now: Timestamp) -> Timestamp {
        let known = self.newest_context(memory_id).map(|context| context.stored_at);
        known.map_or(now, |known| now.max(known.plus(Duration::from_millis(1))))
    }

    /// When a context document counts as stored: not before the entries it knows of.
    pub(super) fn stamp_context(&self, memory_id: MemoryId, now: Timestamp) -> Timestamp {
        self.unflushed(memory_id).iter().map(|entry| entry.stored_at).max().map_or(now, |newest| now.max(newest))
    }

    /// Takes in what the store has taken in.
    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Vault(vault) => drop(self.vaults.insert(vault.vault_id, vault)),
            Change::Memory(memory) => {
                if let Some(session_id) = memory.session_id {
                    self.sessions.insert(session_id, memory.memory_id);
                }
                self.memories.insert(memory.memory_id, memory);
            }
            Change::Put(record) => self.put(record),
            Change::Remove(id) => self.remove(id),
            Change::RemoveMemory(id) => self.remove_memory(id),
            Change::RemoveVault(id) => {
                let gone: Vec<MemoryId> =
                    self.memories.values().filter(|it| it.vault_id == id).map(|it| it.memory_id).collect();
                gone.into_iter().for_each(|memory| self.remove_memory(memory));
                self.vaults.remove(&id);
            }
            // What the store alone keeps.
            Change::Key(_) | Change::RemoveKeys { .. } | Change::Bookmark { .. } | Change::Vector { .. } => {}
        }
    }

    fn put(&mut self, record: Record) {
        let id = record.id();
        if let Some(before) = self.records.get(&id) {
            let place = before.memory_id().map(|memory| (memory, (before.at(), id)));
            if let Some((memory, place)) = place
                && let Some(contents) = self.contents.get_mut(&memory)
            {
                contents.remove(&place);
                self.unflushed.entry(memory).or_default().remove(&place);
            }
        }
        if let Some(memory) = record.memory_id() {
            self.contents.entry(memory).or_default().insert((record.at(), id));
        }
        if let Record::Entry(entry) = &record {
            let known = self.newest_context(entry.memory_id).map(|context| context.stored_at);
            if known.is_none_or(|known| entry.stored_at > known) {
                self.unflushed.entry(entry.memory_id).or_default().insert((record.at(), id));
            }
        }
        // What else looks different now: a document with a newer version, an entry whose facts have ended.
        let touched = match &record {
            Record::Fact(fact) => {
                self.facts.insert(id);
                let entry = fact.source.item_id;
                if let Some(entry) = entry {
                    self.read_off.entry(entry).or_default().insert(id);
                }
                entry
            }
            Record::Context(context) => {
                let versions = self.versions.entry(context.memory_id).or_default();
                versions.insert(context.version, id);
                versions.range(..context.version).next_back().map(|(_, older)| *older)
            }
            Record::Entry(_) => None,
        };
        let flushed = if let Record::Context(context) = &record { Some(context.memory_id) } else { None };
        self.records.insert(id, record);
        flushed.into_iter().for_each(|memory| self.note_unflushed(memory));
        self.index_again(id);
        touched.into_iter().for_each(|other| self.index_again(other));
    }

    fn index_again(&mut self, id: ItemId) {
        // Of a context document only the newest version is searched: the others say nearly the same.
        if let Some(Record::Context(context)) = self.records.get(&id)
            && self.newest_context(context.memory_id).is_some_and(|newest| newest.context_id != id)
        {
            return self.index.remove(id);
        }
        if let Some(item) = self.item(id) {
            if self.index.get(id).is_some_and(|known| known.text == item.text && known.at == item.at) {
                let is_superseded = item.superseded_by.is_some() || item.valid_until.is_some() || self.is_repeating(id);
                return self.index.set_validity(id, item.valid_until, is_superseded);
            }
            let tags = match self.records.get(&id) {
                Some(Record::Entry(entry)) => entry.tags.clone(),
                _ => BTreeMap::new(),
            };
            self.index.insert(document::of(item, tags));
        }
    }

    /// Whether an entry only says again what is known.
    pub fn is_repeating(&self, id: ItemId) -> bool {
        matches!(self.records.get(&id), Some(Record::Entry(entry)) if entry.tags.contains_key(REPEATS))
    }

    /// Something as clients see it, with what took its place.
    pub fn item(&self, id: ItemId) -> Option<Item> {
        let record = self.records.get(&id)?;
        let memory = record.memory_id().and_then(|id| self.memories.get(&id));
        let mut item = document::item(record, memory);
        match record {
            Record::Context(context) => {
                let newest = self.newest_context(context.memory_id).filter(|newest| newest.context_id != id);
                item.superseded_by = newest.map(|newest| newest.context_id);
                // All that was read off a session is marked at once, so the first entry tells for all.
                let first = self.entries(context.memory_id).next();
                item.source.session_deleted = first.is_some_and(|entry| entry.source.session_deleted);
            }
            Record::Entry(_) => {
                let ended = self.ended_with_its_facts(id);
                item.valid_until = ended.map(|(until, _)| until);
                item.superseded_by = item.superseded_by.or(ended.and_then(|(_, by)| by));
            }
            Record::Fact(_) => {}
        }
        Some(item)
    }

    /// When the last of the facts that were read off an entry ended, if none of them holds any more.
    fn ended_with_its_facts(&self, entry: ItemId) -> Option<(Timestamp, Option<ItemId>)> {
        let facts = self.read_off.get(&entry)?.iter().filter_map(|id| match self.records.get(id) {
            Some(Record::Fact(fact)) => Some(fact.valid_until.map(|until| (until, fact.superseded_by))),
            _ => None,
        });
        facts.collect::<Option<Vec<_>>>()?.into_iter().max_by_key(|(until, _)| *until)
    }

    /// The facts that were read off an entry.
    pub fn facts_of(&self, entry: ItemId) -> impl Iterator<Item = ItemId> {
        self.read_off.get(&entry).into_iter().flatten().copied()
    }

    fn remove(&mut self, id: ItemId) {
        self.index.remove(id);
        let Some(record) = self.records.remove(&id) else { return };
        self.facts.remove(&id);
        self.read_off.remove(&id);
        if let Record::Fact(fact) = &record
            && let Some(entry) = fact.source.item_id
            && let Some(facts) = self.read_off.get_mut(&entry)
        {
            facts.remove(&id);
        }
        if let Some(memory) = record.memory_id()
            && let Some(contents) = self.contents.get_mut(&memory)
        {
            contents.remove(&(record.at(), id));
            self.unflushed.entry(memory).or_default().remove(&(record.at(), id));
        }
        if let Record::Context(context) = record
            && let Some(versions) = self.versions.get_mut(&context.memory_id)
        {
            versions.remove(&context.version);
            let newest = versions.last_key_value().map(|(_, id)| *id);
            self.note_unflushed(context.memory_id);
            newest.into_iter().for_each(|id| self.index_again(id));
        }
    }

    fn remove_memory(&mut self, id: MemoryId) {
        let inside: Vec<ItemId> = self.contents.get(&id).into_iter().flatten().map(|(_, item)| *item).collect();
        inside.into_iter().for_each(|item| self.remove(item));
        self.contents.remove(&id);
        self.unflushed.remove(&id);
        self.versions.remove(&id);
        if let Some(session_id) = self.memories.remove(&id).and_then(|memory| memory.session_id) {
            self.sessions.remove(&session_id);
        }
    }
}
