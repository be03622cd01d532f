//! Taking all that an owner has out, and in again: here, elsewhere, or for somebody else.

use std::{collections::HashSet, sync::Arc};

use journal::{Change, Record};
use protocol::{Imported, ItemId, MemoryArchive, OwnerId};

use super::{Error, Room, Shelf};
use crate::exchange::{self, check, merge};

/// Things written at once.
const CHUNK: usize = 1_000;
/// How often taking an archive in begins anew when somebody else takes an id meanwhile.
const ATTEMPTS: usize = 3;
/// Characters of where an archive comes from, at most.
const FROM_CHARS_MAX: usize = 200;

impl Room {
    /// All that the owner has, always in the same order.
    pub async fn export(&self, owner: &OwnerId) -> Result<MemoryArchive, Error> {
        let now = self.now();
        let mut archive = self.read(owner, |shelf| gathered(shelf, MemoryArchive::empty(now))).await?;
        archive.vaults.sort_by_key(|vault| (vault.created_at, vault.vault_id));
        archive.memories.sort_by_key(|memory| (memory.created_at, memory.memory_id));
        archive.entries.sort_by_key(|entry| (entry.conversation_time, entry.entry_id));
        archive.contexts.sort_by_key(|context| (context.memory_id, context.version));
        archive.facts.sort_by_key(|fact| (fact.valid_from, fact.fact_id));
        Ok(archive)
    }

    /// Takes an archive in. What is known stays, so that doing it again changes nothing; `imported_from` is where new things
    /// come from, unless they came from elsewhere before. It is checked as a whole before anything is written. Unless it is known
    /// where it comes from (`keeps_origins`), all its words are untrusted, whatever it says of them itself.
    pub async fn import(
        &self,
        owner: &OwnerId,
        mut archive: MemoryArchive,
        imported_from: &str,
        keeps_origins: bool,
    ) -> Result<Imported, Error> {
        let length = imported_from.chars().count();
        if length == 0 || length > FROM_CHARS_MAX || imported_from.chars().any(char::is_control) {
            return Err(Error::Invalid(format!(
                "`imported_from` has 1 to {FROM_CHARS_MAX} characters and no control characters"
            )));
        }
        let checked = self.read(owner, |shelf| check::check(&archive, |id: ItemId| shelf.record(id).is_some()));
        checked.await?.map_err(|error| Error::Invalid(error.to_string()))?;
        if !keeps_origins {
            exchange::trust::distrust(&mut archive);
            exchange::trust::not_in_future(&mut archive, self.now());
        }
        let archive = Arc::new(archive);
        let mut attempt = 1;
        loop {
            match self.take_in(owner, &archive, imported_from).await {
                // Another owner took one of the ids after it was looked up; by now that shows.
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
    ) -> Result<Imported, Error> {
        let taken: HashSet<[u8; 16]> = self.inner.store.taken(owner, ids(archive)).await?.into_iter().collect();
        let mut merge = merge::Merge::new(archive, imported_from.to_owned());
        self.read(owner, |shelf| merge.link(owner, archive, &taken, shelf)).await?;
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

    /// Writes one chunk, decided on what is there when its turn comes.
    async fn merged<T: Send + 'static>(
        &self,
        owner: &OwnerId,
        mut merge: merge::Merge,
        chunk: Vec<T>,
        lay: fn(&mut merge::Merge, &Shelf, Vec<T>) -> Vec<Change>,
    ) -> Result<merge::Merge, Error> {
        let librarian = self.librarian(owner).await?;
        librarian
            .write(move |shelf| {
                let changes = lay(&mut merge, shelf, chunk);
                Ok((changes, merge))
            })
            .await
    }
}

/// What is on the shelf. What refers to something that was forgotten refers to nothing.
fn gathered(shelf: &Shelf, mut archive: MemoryArchive) -> MemoryArchive {
    let there = |id: Option<ItemId>| id.filter(|id| shelf.record(*id).is_some());
    archive.vaults.extend(shelf.vaults().cloned());
    archive.memories.extend(shelf.memories().cloned());
    for record in shelf.records() {
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
