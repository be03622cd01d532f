//! All records of one owner in RAM, with the index over them. They are a copy of the store's and
//! can be loaded again at any time. Only the owner's writer task changes them, after the store has.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::OnceLock,
    time::Duration,
};

use journal::{Change, Record};
use protocol::{
    ContextDocument, Doubt, Entry, Fact, ItemId, Level, Memory, MemoryId, MemoryItem, SessionId, Timestamp, Vault,
    VaultId,
};

use super::{CONVERSATIONS, document, fact_words::FactWords, loading::StoredIndex, prepared_texts::PreparedTexts};
use crate::{
    agent::echo::REPEATS,
    search::{Document, DocumentIndex, PreparedDocuments, StoredDocument},
};

/// All records of one owner, and the index over them.
#[derive(Default)]
pub struct OwnerRecords {
    vaults: BTreeMap<VaultId, Vault>,
    memories: BTreeMap<MemoryId, Memory>,
    sessions: HashMap<SessionId, MemoryId>,
    records: HashMap<ItemId, Record>,
    facts: BTreeSet<ItemId>,
    /// The facts extracted from each entry.
    facts_by_entry: HashMap<ItemId, BTreeSet<ItemId>>,
    /// The items of each memory, by (time, id).
    contents: HashMap<MemoryId, BTreeSet<(Timestamp, ItemId)>>,
    /// Entries of each memory that no context document covers yet, by (time, id).
    unflushed: HashMap<MemoryId, BTreeSet<(Timestamp, ItemId)>>,
    /// Versions of each memory's context document.
    versions: HashMap<MemoryId, BTreeMap<u32, ItemId>>,
    /// The words of current facts; made when a message is first compared with them.
    fact_words: OnceLock<FactWords>,
    pub(super) prepared_texts: PreparedTexts,
    /// Items whose words in the store are missing or outdated.
    unsaved: BTreeSet<ItemId>,
    pub(super) index: DocumentIndex,
}

impl OwnerRecords {
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

    /// A record by its id.
    pub fn record(&self, id: ItemId) -> Option<&Record> {
        self.records.get(&id)
    }

    /// All records, in no particular order.
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

    /// All facts, newest first.
    pub(super) fn newest_facts(&self) -> impl Iterator<Item = &Fact> {
        self.facts.iter().rev().filter_map(|id| match self.records.get(id) {
            Some(Record::Fact(fact)) => Some(fact),
            _ => None,
        })
    }

    /// The words of current facts.
    pub(super) fn fact_words(&self) -> &FactWords {
        self.fact_words.get_or_init(|| FactWords::of(self.facts()))
    }

    /// Whether a fact is a line of the profile: trusted, said by the user outside of vaults, and
    /// not over.
    pub fn is_of_profile(&self, fact: &Fact) -> bool {
        fact.level == Level::Profile && fact.is_current() && fact.origin.is_trusted() && self.vault_of(fact).is_none()
    }

    /// Trusted facts of the scope that a memory belongs to, also those that no longer hold.
    pub fn facts_beside(&self, id: MemoryId) -> impl Iterator<Item = &Fact> {
        let vault_id = self.vault_of_memory(id);
        self.facts().filter(move |fact| fact.origin.is_trusted() && self.vault_of(fact) == vault_id)
    }

    /// The vault that a fact belongs to; none for what the user says in conversations. Older facts
    /// do not name their vault: it is that of their entry.
    pub fn vault_of(&self, fact: &Fact) -> Option<VaultId> {
        fact.vault_id.or_else(|| match self.records.get(&fact.source.item_id?)? {
            Record::Entry(entry) => self.vault_of_memory(entry.memory_id),
            Record::Context(_) | Record::Fact(_) => None,
        })
    }

    /// The vault that facts of a memory belong to; none for the memories of conversations.
    pub fn vault_of_memory(&self, id: MemoryId) -> Option<VaultId> {
        let memory = self.memories.get(&id).filter(|memory| memory.session_id.is_none())?;
        let vault = self.vaults.get(&memory.vault_id)?;
        (vault.title != CONVERSATIONS).then_some(vault.vault_id)
    }

    /// The entries of a memory, oldest first.
    pub fn entries(&self, memory_id: MemoryId) -> impl DoubleEndedIterator<Item = &Entry> {
        let contents = self.contents.get(&memory_id).into_iter().flatten();
        contents.filter_map(|(_, id)| match self.records.get(id) {
            Some(Record::Entry(entry)) => Some(entry),
            _ => None,
        })
    }

    /// The entries of a memory after this one.
    pub(super) fn entries_after(&self, entry: &Entry) -> impl Iterator<Item = &Entry> {
        let from = (entry.conversation_time, entry.entry_id);
        let after = self
            .contents
            .get(&entry.memory_id)
            .map(|contents| contents.range((std::ops::Bound::Excluded(from), std::ops::Bound::Unbounded)));
        after.into_iter().flatten().filter_map(|(_, id)| match self.records.get(id) {
            Some(Record::Entry(entry)) => Some(entry),
            _ => None,
        })
    }

    /// Whether an item belongs to a memory.
    pub fn is_in(&self, id: ItemId, memory_id: Option<MemoryId>) -> bool {
        self.records.get(&id).is_some_and(|record| record.memory_id() == memory_id)
    }

    /// The newest context document of a memory.
    pub fn newest_context(&self, memory_id: MemoryId) -> Option<&ContextDocument> {
        let (_, id) = self.versions.get(&memory_id)?.last_key_value()?;
        self.context_of(*id)
    }

    /// One version of a memory's context document.
    pub fn context(&self, memory_id: MemoryId, version: u32) -> Option<&ContextDocument> {
        self.context_of(*self.versions.get(&memory_id)?.get(&version)?)
    }

    /// All versions of a memory's context document, oldest first.
    pub fn contexts(&self, memory_id: MemoryId) -> impl Iterator<Item = &ContextDocument> {
        self.versions.get(&memory_id).into_iter().flatten().filter_map(|(_, id)| self.context_of(*id))
    }

    fn context_of(&self, id: ItemId) -> Option<&ContextDocument> {
        match self.records.get(&id) {
            Some(Record::Context(context)) => Some(context),
            _ => None,
        }
    }

    /// Entries that no context document covers yet: those stored after the newest one.
    pub fn unflushed(&self, memory_id: MemoryId) -> Vec<&Entry> {
        let ids = self.unflushed.get(&memory_id).into_iter().flatten();
        let entries = ids.filter_map(|(_, id)| match self.records.get(id) {
            Some(Record::Entry(entry)) => Some(entry),
            _ => None,
        });
        entries.collect()
    }

    /// Recomputes which entries the newest context document does not cover.
    fn note_unflushed(&mut self, memory_id: MemoryId) {
        let known = self.newest_context(memory_id).map(|context| context.stored_at);
        let is_new = |entry: &&Entry| is_summarized(entry) && known.is_none_or(|known| entry.stored_at > known);
        let unflushed: BTreeSet<(Timestamp, ItemId)> =
            self.entries(memory_id).filter(is_new).map(|entry| (entry.conversation_time, entry.entry_id)).collect();
        self.unflushed.insert(memory_id, unflushed);
    }

    /// The storage time of an entry: after the context document that does not cover it.
    pub(super) fn stamp_entry(&self, memory_id: MemoryId, now: Timestamp) -> Timestamp {
        let known = self.newest_context(memory_id).map(|context| context.stored_at);
        known.map_or(now, |known| now.max(known.plus(Duration::from_millis(1))))
    }

    /// The storage time of a context document: not before the entries that it covers.
    pub(super) fn stamp_context(&self, memory_id: MemoryId, now: Timestamp) -> Timestamp {
        self.unflushed(memory_id).iter().map(|entry| entry.stored_at).max().map_or(now, |newest| now.max(newest))
    }

    /// Applies a change that the store has made.
    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Vault(vault) | Change::UpdateVault(vault) => self.put_vault(vault),
            Change::Memory(memory) | Change::UpdateMemory(memory) => {
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
            // These are kept in the store only.
            Change::Key(_) | Change::RemoveKeys { .. } | Change::Bookmark { .. } | Change::Vector { .. } => {}
        }
    }

    /// Takes over records of the store, oldest first. The result is the same as if each were
    /// applied, but each document is indexed once, and of a context document only the newest
    /// version.
    pub(super) fn load(&mut self, records: Vec<Record>, stored: &StoredIndex) {
        let ids: Vec<ItemId> = records.iter().map(Record::id).collect();
        for record in records {
            self.note(record);
        }
        let summarized: Vec<MemoryId> = self.versions.keys().copied().collect();
        summarized.into_iter().for_each(|memory| self.note_unflushed(memory));
        let documents = PreparedDocuments::of_all(&ids, |id| {
            let (words, vectors) = (stored.words.get(id), stored.vectors.get(id));
            let document = self.document(*id)?;
            Some(StoredDocument { document, words: words.map(Vec::as_slice), vectors: vectors.map(Vec::as_slice) })
        });
        self.unsaved.extend(self.index.insert_all(documents));
    }

    /// Whether words are to be stored.
    pub(super) fn has_unsaved(&self) -> bool {
        !self.unsaved.is_empty()
    }

    /// Some documents with their words, which the caller stores; nothing of one that is not indexed
    /// any more.
    pub(super) fn take_unsaved(&mut self, limit: usize) -> Vec<(ItemId, Vec<u8>)> {
        let ids: Vec<ItemId> = (0..limit).map_while(|_| self.unsaved.pop_first()).collect();
        ids.into_iter().map(|id| (id, self.index.words(id).unwrap_or_default())).collect()
    }

    fn put_vault(&mut self, vault: Vault) {
        let is_scope = vault.title == CONVERSATIONS && !self.vaults.contains_key(&vault.vault_id);
        self.vaults.insert(vault.vault_id, vault);
        // What was stated before the first conversation was stored is found there, too.
        if is_scope {
            let facts: Vec<ItemId> = self.facts.iter().copied().collect();
            for id in facts {
                self.index.remove(id);
                self.index_again(id);
            }
        }
    }

    fn put(&mut self, record: Record) {
        let id = record.id();
        let flushed = if let Record::Context(context) = &record { Some(context.memory_id) } else { None };
        let touched = self.note(record);
        flushed.into_iter().for_each(|memory| self.note_unflushed(memory));
        self.index_again(id);
        touched.into_iter().for_each(|other| self.index_again(other));
    }

    /// Notes a record everywhere but in the index; returns another item that changes with it.
    fn note(&mut self, record: Record) -> Option<ItemId> {
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
            if is_summarized(entry) && known.is_none_or(|known| entry.stored_at > known) {
                self.unflushed.entry(entry.memory_id).or_default().insert((record.at(), id));
            }
        }
        // Other items change with it: a context document with a newer version, an entry whose facts
        // have ended.
        let touched = match &record {
            Record::Fact(fact) => {
                if let Some(words) = self.fact_words.get_mut() {
                    words.put(fact);
                }
                self.facts.insert(id);
                let entry = fact.source.item_id;
                if let Some(entry) = entry {
                    self.facts_by_entry.entry(entry).or_default().insert(id);
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
        self.records.insert(id, record);
        touched
    }

    /// The document of an item, unless it is an earlier version of a context document: these say
    /// nearly the same.
    fn document(&self, id: ItemId) -> Option<Document> {
        let record = self.records.get(&id)?;
        if let Record::Context(context) = record
            && self.newest_context(context.memory_id).is_some_and(|newest| newest.context_id != id)
        {
            return None;
        }
        let tags = if let Record::Entry(entry) = record { entry.tags.clone() } else { BTreeMap::new() };
        let mut document = document::of(self.item(id)?, tags);
        // What the user says in conversations is found where the conversations are.
        if matches!(record, Record::Fact(_)) && document.vault_id.is_none() {
            document.vault_id = self.vault_titled(CONVERSATIONS).map(|vault| vault.vault_id);
        }
        Some(document)
    }

    fn index_again(&mut self, id: ItemId) {
        let Some(document) = self.document(id) else {
            if self.index.get(id).is_some() {
                self.unsaved.insert(id);
            }
            return self.index.remove(id);
        };
        if self.index.get(id).is_some_and(|known| known.text == document.text && known.at == document.at) {
            return self.index.set_validity(id, document.valid_until, document.is_superseded);
        }
        self.index.insert(document);
        self.unsaved.insert(id);
    }

    /// Whether an entry only repeats known facts.
    pub fn is_repeating(&self, id: ItemId) -> bool {
        matches!(self.records.get(&id), Some(Record::Entry(entry)) if entry.tags.contains_key(REPEATS))
    }

    /// An item as clients see it, with its successor.
    pub fn item(&self, id: ItemId) -> Option<MemoryItem> {
        let record = self.records.get(&id)?;
        let memory = record.memory_id().and_then(|id| self.memories.get(&id));
        let mut item = document::item(record, memory);
        match record {
            Record::Context(context) => {
                let newest = self.newest_context(context.memory_id).filter(|newest| newest.context_id != id);
                item.superseded_by = newest.map(|newest| newest.context_id);
                // All items of a session are marked at once, so the first entry stands for all.
                let first = self.entries(context.memory_id).next();
                item.source.session_deleted = first.is_some_and(|entry| entry.source.session_deleted);
            }
            Record::Entry(_) => {
                let ended = self.ended_with_its_facts(id);
                item.valid_until = ended.map(|(until, _)| until);
                item.superseded_by = item.superseded_by.or(ended.and_then(|(_, by)| by));
                item.doubt = self.doubt_of_its_facts(id);
            }
            Record::Fact(fact) => {
                item.vault_id = self.vault_of(fact);
                // A sentence that also says what no longer holds is not quoted.
                if self.is_partly_over(fact) {
                    item.text = format!("{}: {}", fact.key, fact.value);
                }
            }
        }
        Some(item)
    }

    /// Whether another fact of the same sentence has ended or is doubtful.
    fn is_partly_over(&self, fact: &Fact) -> bool {
        let siblings = fact.source.item_id.and_then(|entry| self.facts_by_entry.get(&entry)).into_iter().flatten();
        fact.is_current()
            && fact.doubt.is_none()
            && siblings.into_iter().any(|id| match self.records.get(id) {
                Some(Record::Fact(other)) => other.text == fact.text && (!other.is_current() || other.doubt.is_some()),
                _ => false,
            })
    }

    /// What made facts of an entry doubtful, in the order in which it was said.
    fn doubt_of_its_facts(&self, entry: ItemId) -> Option<Doubt> {
        let facts = self.facts_by_entry.get(&entry)?.iter().filter_map(|id| match self.records.get(id) {
            Some(Record::Fact(fact)) if fact.is_current() => fact.doubt.as_ref(),
            _ => None,
        });
        let mut doubts: Vec<&Doubt> = facts.collect();
        doubts.sort_by_key(|doubt| doubt.at);
        let mut texts: Vec<&str> = doubts.iter().map(|doubt| doubt.text.as_str()).collect();
        texts.dedup();
        Some(Doubt { text: texts.join(" / "), ..(*doubts.last()?).clone() })
    }

    /// When the last of an entry's facts ended, if none of them holds any more.
    fn ended_with_its_facts(&self, entry: ItemId) -> Option<(Timestamp, Option<ItemId>)> {
        let facts = self.facts_by_entry.get(&entry)?.iter().filter_map(|id| match self.records.get(id) {
            Some(Record::Fact(fact)) => Some(fact.valid_until.map(|until| (until, fact.superseded_by))),
            _ => None,
        });
        facts.collect::<Option<Vec<_>>>()?.into_iter().max_by_key(|(until, _)| *until)
    }

    /// The facts extracted from an entry.
    pub fn facts_of(&self, entry: ItemId) -> impl Iterator<Item = ItemId> {
        self.facts_by_entry.get(&entry).into_iter().flatten().copied()
    }

    fn remove(&mut self, id: ItemId) {
        self.index.remove(id);
        self.prepared_texts.remove(id);
        self.unsaved.remove(&id);
        let Some(record) = self.records.remove(&id) else { return };
        self.facts.remove(&id);
        if let Some(words) = self.fact_words.get_mut() {
            words.remove(id);
        }
        self.facts_by_entry.remove(&id);
        if let Record::Fact(fact) = &record
            && let Some(entry) = fact.source.item_id
            && let Some(facts) = self.facts_by_entry.get_mut(&entry)
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

/// Whether an entry becomes part of summaries. What was said in a window belongs to that window: it
/// must not outlive it in a summary.
pub(crate) const fn is_summarized(entry: &Entry) -> bool {
    entry.source.window_id.is_none()
}
