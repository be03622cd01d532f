//! Merges an archive into an owner's records: new items are added, known ones stay, and no history
//! is undone.

use std::collections::{BTreeMap, HashMap, HashSet};

use journal::{Change, Record};
use protocol::{
    ContextDocument, Entry, ItemId, Memory, MemoryArchive, MemoryId, MemoryImportResult, Origin, OwnerId, Timestamp,
    Vault, VaultId,
};

use super::links::{Links, derived};
use crate::long_term::OwnerRecords;

/// The suffix for a memory whose title is taken.
const SUFFIX: &str = " (imported)";
/// The longest title, in characters.
const TITLE_CHARS_MAX: usize = 200;

/// The import of one archive.
pub(crate) struct Merge {
    links: Links,
    imported: MemoryImportResult,
    imported_from: String,
    /// The contents of each memory of the archive.
    contents: HashMap<MemoryId, MemoryContents>,
    /// The number of known items that the archive updates.
    updated: u64,
}

/// The identity of the entries and versions in a memory: who said what when, and what was written.
#[derive(Default)]
struct MemoryContents {
    entries: Vec<(ItemId, EntryIdentity)>,
    contexts: Vec<(ItemId, u32, String)>,
}

type EntryIdentity = (Timestamp, String, String);

impl Merge {
    pub(crate) fn new(archive: &MemoryArchive, imported_from: String) -> Self {
        let mut contents: HashMap<MemoryId, MemoryContents> = HashMap::new();
        for entry in &archive.entries {
            contents.entry(entry.memory_id).or_default().entries.push((entry.entry_id, said(entry)));
        }
        for context in &archive.contexts {
            let version = (context.context_id, context.version, context.content.clone());
            contents.entry(context.memory_id).or_default().contexts.push(version);
        }
        Self { links: Links::default(), imported: MemoryImportResult::default(), imported_from, contents, updated: 0 }
    }

    /// Decides which ids stay: those that are free or the owner's own.
    pub(crate) fn link(
        &mut self,
        owner: &OwnerId,
        archive: &MemoryArchive,
        taken: &HashSet<[u8; 16]>,
        owner_records: &OwnerRecords,
    ) {
        let other = |id: [u8; 16], is_here: &dyn Fn([u8; 16]) -> bool| {
            let other = derived(owner, id);
            (!is_here(id) && (taken.contains(&id) || is_here(other))).then_some(other)
        };
        let vaults = |id| owner_records.vault(VaultId::from_bytes(id)).is_some();
        for id in archive.vaults.iter().map(|vault| vault.vault_id) {
            self.links.vaults.extend(other(id.to_bytes(), &vaults).map(|it| (id, VaultId::from_bytes(it))));
        }
        let memories = |id| owner_records.memory(MemoryId::from_bytes(id)).is_some();
        for id in archive.memories.iter().map(|memory| memory.memory_id) {
            self.links.memories.extend(other(id.to_bytes(), &memories).map(|it| (id, MemoryId::from_bytes(it))));
        }
        let items = |id| owner_records.record(ItemId::from_bytes(id)).is_some();
        for id in item_ids(archive) {
            self.links.items.extend(other(id.to_bytes(), &items).map(|it| (id, ItemId::from_bytes(it))));
        }
    }

    /// Vaults: one of the same title is the same vault.
    pub(crate) fn vaults(&mut self, owner_records: &OwnerRecords, vaults: Vec<Vault>) -> Vec<Change> {
        let mut changes = Vec::new();
        for vault in vaults {
            let id = self.links.vault(vault.vault_id);
            if owner_records.vault(id).is_some() {
                self.imported.known += 1;
            } else if let Some(same) = owner_records.vault_titled(&vault.title) {
                self.links.vaults.insert(vault.vault_id, same.vault_id);
                self.imported.known += 1;
            } else {
                self.imported.vaults += 1;
                changes.push(Change::Vault(Vault { vault_id: id, ..vault }));
            }
        }
        changes
    }

    /// Memories: one of the same title with all of its contents is the same memory, any other gets
    /// another title.
    pub(crate) fn memories(&mut self, owner_records: &OwnerRecords, memories: Vec<Memory>) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut titles: HashSet<(VaultId, String)> = HashSet::new();
        let mut sessions = HashSet::new();
        for memory in memories {
            let (id, vault_id) = (self.links.memory(memory.memory_id), self.links.vault(memory.vault_id));
            if owner_records.memory(id).is_some() {
                self.imported.known += 1;
                continue;
            }
            let same = owner_records.memory_titled(vault_id, &memory.title);
            if let Some((same, pairs)) =
                same.and_then(|same| Some((same, self.pairs(owner_records, memory.memory_id, same)?)))
            {
                self.links.memories.insert(memory.memory_id, same.memory_id);
                self.links.items.extend(pairs);
                self.imported.known += 1;
                continue;
            }
            let is_free = |title: &str| {
                owner_records.memory_titled(vault_id, title).is_none()
                    && !titles.contains(&(vault_id, title.to_owned()))
            };
            let title = free_title(&memory.title, is_free);
            if title != memory.title {
                let notice = format!("the memory `{}` was imported as `{title}`: its title was taken", memory.title);
                self.imported.notices.push(notice);
            }
            titles.insert((vault_id, title.clone()));
            let session_id =
                memory.session_id.filter(|id| owner_records.memory_of(*id).is_none() && sessions.insert(*id));
            if session_id != memory.session_id {
                let notice = format!("the memory `{title}` follows no session here: another memory follows that one");
                self.imported.notices.push(notice);
            }
            self.imported.memories += 1;
            changes.push(Change::Memory(Memory { memory_id: id, vault_id, title, session_id, ..memory }));
        }
        changes
    }

    /// Pairs the archive's items with those of an existing memory; none unless all of them exist.
    fn pairs(&self, owner_records: &OwnerRecords, archived: MemoryId, same: &Memory) -> Option<Vec<(ItemId, ItemId)>> {
        let empty = MemoryContents::default();
        let contents = self.contents.get(&archived).unwrap_or(&empty);
        let mut here: HashMap<EntryIdentity, Vec<ItemId>> = HashMap::new();
        for entry in owner_records.entries(same.memory_id).rev() {
            here.entry(said(entry)).or_default().push(entry.entry_id);
        }
        let versions: BTreeMap<u32, &ContextDocument> =
            owner_records.contexts(same.memory_id).map(|context| (context.version, context)).collect();
        let entries = contents.entries.iter().map(|(id, said)| Some((*id, here.get_mut(said)?.pop()?)));
        let mut pairs = entries.collect::<Option<Vec<_>>>()?;
        for (id, version, content) in &contents.contexts {
            let known = versions.get(version).filter(|context| context.content == *content)?;
            pairs.push((*id, known.context_id));
        }
        Some(pairs)
    }

    /// Entries, context documents and facts.
    pub(crate) fn records(&mut self, owner_records: &OwnerRecords, records: Vec<Record>) -> Vec<Change> {
        let mut changes = Vec::new();
        for record in records {
            let record = self.links.place(record);
            if let Some(known) = owner_records.record(record.id()) {
                self.imported.known += 1;
                changes.extend(self.newer(known, &record).map(Change::Put));
                continue;
            }
            if let Record::Context(context) = &record
                && owner_records.context(context.memory_id, context.version).is_some()
            {
                let (version, memory) = (context.version, context.memory_id);
                let notice =
                    format!("version {version} of the document of memory {memory} differs here and stays unchanged");
                self.imported.notices.push(notice);
                self.imported.known += 1;
                continue;
            }
            match &record {
                Record::Entry(_) => self.imported.entries += 1,
                Record::Context(_) => self.imported.contexts += 1,
                Record::Fact(_) => self.imported.facts += 1,
            }
            changes.push(Change::Put(self.provided(record)));
        }
        changes
    }

    /// Updates a known item with what only the archive knows: that it was corrected or has ended.
    /// Nothing is undone in the other direction, so an old archive changes nothing.
    fn newer(&mut self, known: &Record, archived: &Record) -> Option<Record> {
        let mut newer = self.links.refer(known.clone());
        // An untrusted item does not end the owner's own.
        if origin(known).is_trusted() && !origin(archived).is_trusted() {
            return None;
        }
        match (&mut newer, archived) {
            (Record::Entry(newer), Record::Entry(archived)) => {
                newer.corrected_by = newer.corrected_by.or(archived.corrected_by);
            }
            (Record::Fact(newer), Record::Fact(archived)) if newer.is_current() => {
                newer.valid_until = archived.valid_until.map(|until| until.max(newer.valid_from));
                newer.superseded_by = archived.superseded_by;
            }
            _ => {}
        }
        let is_newer = newer != *known;
        self.updated += u64::from(is_newer);
        is_newer.then_some(newer)
    }

    /// The record with its `imported_from`, unless it was imported before.
    fn provided(&self, mut record: Record) -> Record {
        let source = match &mut record {
            Record::Entry(entry) => &mut entry.source,
            Record::Fact(fact) => &mut fact.source,
            Record::Context(_) => return record,
        };
        source.imported_from.get_or_insert_with(|| self.imported_from.clone());
        record
    }

    /// The result.
    pub(crate) fn done(mut self) -> MemoryImportResult {
        if self.updated > 0 {
            self.imported.notices.push(format!("{} known items were brought up to date", self.updated));
        }
        self.imported
    }
}

const fn origin(record: &Record) -> Origin {
    match record {
        Record::Entry(entry) => entry.origin,
        Record::Context(context) => context.origin,
        Record::Fact(fact) => fact.origin,
    }
}

/// The ids of all items of an archive.
pub(crate) fn item_ids(archive: &MemoryArchive) -> impl Iterator<Item = ItemId> {
    let entries = archive.entries.iter().map(|entry| entry.entry_id);
    let contexts = archive.contexts.iter().map(|context| context.context_id);
    entries.chain(contexts).chain(archive.facts.iter().map(|fact| fact.fact_id))
}

fn said(entry: &Entry) -> EntryIdentity {
    (entry.conversation_time, entry.role.clone(), entry.raw_entry.clone())
}

fn free_title(title: &str, is_free: impl Fn(&str) -> bool) -> String {
    if is_free(title) {
        return title.to_owned();
    }
    let suffixes = std::iter::once(SUFFIX.to_owned()).chain((2_u64..).map(|n| format!(" (imported {n})")));
    let candidates = suffixes.map(|suffix| {
        let kept: String = title.chars().take(TITLE_CHARS_MAX - suffix.chars().count()).collect();
        kept + &suffix
    });
    candidates.into_iter().find(|candidate| is_free(candidate)).unwrap_or_else(|| title.to_owned())
}
