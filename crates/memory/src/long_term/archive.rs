//! Exports all of an owner's memory to an archive, and imports one: on the same server, on another,
//! or for another owner.

use std::{collections::HashSet, sync::Arc};

use journal::{Change, Record};
use protocol::{ItemId, MemoryArchive, MemoryImportResult, OwnerId};

use super::{Error, LongTermMemory, OwnerRecords};
use crate::exchange::{self, check, merge};

/// Records in one write.
const CHUNK: usize = 1_000;
/// Attempts at an import when another owner takes one of its ids meanwhile.
const ATTEMPTS: usize = 3;
/// The longest `imported_from`, in characters.
const FROM_CHARS_MAX: usize = 200;

impl LongTermMemory {
    /// All of the owner's memory, always in the same order.
    pub async fn export(&self, owner: &OwnerId) -> Result<MemoryArchive, Error> {
        let now = self.now();
        let mut archive = self.read(owner, |owner_records| gathered(owner_records, MemoryArchive::empty(now))).await?;
        archive.vaults.sort_by_key(|vault| (vault.created_at, vault.vault_id));
        archive.memories.sort_by_key(|memory| (memory.created_at, memory.memory_id));
        archive.entries.sort_by_key(|entry| (entry.conversation_time, entry.entry_id));
        archive.contexts.sort_by_key(|context| (context.memory_id, context.version));
        archive.facts.sort_by_key(|fact| (fact.valid_from, fact.fact_id));
        Ok(archive)
    }

    /// Imports an archive. Existing items stay as they are, so that importing again changes
    /// nothing. `imported_from` becomes the source of new items, unless they were imported before.
    /// The archive is checked as a whole before anything is written. Unless its source is trusted
    /// (`keeps_origins`), all its texts are untrusted, whatever the archive itself says.
    pub async fn import(
        &self,
        owner: &OwnerId,
        mut archive: MemoryArchive,
        imported_from: &str,
        keeps_origins: bool,
    ) -> Result<MemoryImportResult, Error> {
        let length = imported_from.chars().count();
        if length == 0 || length > FROM_CHARS_MAX || imported_from.chars().any(char::is_control) {
            return Err(Error::Invalid(format!(
                "`imported_from` has 1 to {FROM_CHARS_MAX} characters and no control characters"
            )));
        }
        let checked =
            self.read(owner, |owner_records| check::check(&archive, |id: ItemId| owner_records.record(id).is_some()));
        checked.await?.map_err(|error| Error::Invalid(error.to_string()))?;
        if !keeps_origins {
            exchange::trust::distrust(&mut archive);
            exchange::trust::not_in_future(&mut archive, self.now());
        }
        let archive = Arc::new(archive);
        let mut attempt = 1;
        loop {
            match self.take_in(owner, &archive, imported_from).await {
                // Another owner took one of the ids after the check; the next check sees that.
                Err(Error::Store(journal::Error::NotFound)) if attempt < ATTEMPTS => attempt += 1,
                done => return done,
            }
        }
    }

    async fn take_in(
        &self,
        owner: &OwnerId,
        archive: &Arc<MemoryArchive>,
        imported_from: &str,
    ) -> Result<MemoryImportResult, Error> {
        let taken: HashSet<[u8; 16]> = self.inner.store.taken(owner, ids(archive)).await?.into_iter().collect();
        let mut merge = merge::Merge::new(archive, imported_from.to_owned());
        self.read(owner, |owner_records| merge.link(owner, archive, &taken, owner_records)).await?;
        for chunk in archive.vaults.chunks(CHUNK) {
            merge = self.merged(owner, merge, chunk.to_vec(), merge::Merge::vaults).await?;
        }
        for chunk in archive.memories.chunks(CHUNK) {
            merge = self.merged(owner, merge, chunk.to_vec(), merge::Merge::memories).await?;
        }
        let entries = archive.entries.iter().cloned().map(Record::Entry);
        let contexts = archive.contexts.iter().cloned().map(Record::Context);
        let mut records = entries.chain(contexts).chain(archive.facts.iter().cloned().map(Record::Fact));
        loop {
            let chunk: Vec<Record> = records.by_ref().take(CHUNK).collect();
            if chunk.is_empty() {
                return Ok(merge.done());
            }
            merge = self.merged(owner, merge, chunk, merge::Merge::records).await?;
        }
    }

    /// Writes one chunk. What is new in it is decided when the write runs.
    async fn merged<T: Send + 'static>(
        &self,
        owner: &OwnerId,
        mut merge: merge::Merge,
        chunk: Vec<T>,
        lay: fn(&mut merge::Merge, &OwnerRecords, Vec<T>) -> Vec<Change>,
    ) -> Result<merge::Merge, Error> {
        let owner_writer = self.owner_writer(owner).await?;
        owner_writer
            .write(move |owner_records| {
                let changes = lay(&mut merge, owner_records, chunk);
                Ok((changes, merge))
            })
            .await
    }
}

/// The owner's records as an archive, without references to forgotten items.
fn gathered(owner_records: &OwnerRecords, mut archive: MemoryArchive) -> MemoryArchive {
    let there = |id: Option<ItemId>| id.filter(|id| owner_records.record(*id).is_some());
    archive.vaults.extend(owner_records.vaults().cloned());
    archive.memories.extend(owner_records.memories().cloned());
    for record in owner_records.records() {
        match record.clone() {
            Record::Entry(mut entry) => {
                entry.corrects = there(entry.corrects);
                entry.corrected_by = there(entry.corrected_by);
                entry.source.item_id = there(entry.source.item_id);
                archive.entries.push(entry);
            }
            Record::Context(context) => archive.contexts.push(context),
            Record::Fact(mut fact) => {
                fact.superseded_by = there(fact.superseded_by);
                fact.source.item_id = there(fact.source.item_id);
                archive.facts.push(fact);
            }
        }
    }
    archive
}

fn ids(archive: &MemoryArchive) -> Vec<[u8; 16]> {
    let vaults = archive.vaults.iter().map(|vault| vault.vault_id.to_bytes());
    let memories = archive.memories.iter().map(|memory| memory.memory_id.to_bytes());
    vaults.chain(memories).chain(merge::item_ids(archive).map(ItemId::to_bytes)).collect()
}
