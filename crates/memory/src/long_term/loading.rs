//! Loads an owner's records after a start, with what the store has of their index.

use journal::{Change, Memories, Record, RecordCursor, RecordFilter};
use model::workers;
use protocol::{ItemId, Memory, OwnerId, Vault};
use rustc_hash::FxHashMap;

use super::{error::Error, owner_records::OwnerRecords};
use crate::search::STORED_WORDS;

/// Records in one page of a read.
const PAGE: usize = 2_000;
/// Estimated bytes of indexed text in a record.
const RECORD_BYTES: usize = 100;

/// What the store has of the index, by item.
#[derive(Debug, Default)]
pub(super) struct StoredIndex {
    pub(super) words: FxHashMap<ItemId, Vec<u8>>,
    pub(super) vectors: FxHashMap<ItemId, Vec<u8>>,
}

/// Loads all records of an owner, with the vectors that an embedding model has made.
pub(super) async fn load(store: &dyn Memories, owner: &OwnerId, model: Option<&str>) -> Result<OwnerRecords, Error> {
    let mut owner_records = OwnerRecords::empty();
    vaults(store, owner).await?.into_iter().for_each(|vault| owner_records.apply(Change::Vault(vault)));
    memories(store, owner).await?.into_iter().for_each(|memory| owner_records.apply(Change::Memory(memory)));
    // Each is read on a connection of its own.
    let (records, words, vectors) = tokio::try_join!(
        records(store, owner),
        derived(store, owner, Some(STORED_WORDS)),
        derived(store, owner, model)
    )?;
    // An owner's memory is loaded once, and may be large.
    let bytes = records.len() * RECORD_BYTES;
    Ok(workers::offload(bytes, || {
        owner_records.load(records, &StoredIndex { words, vectors });
        owner_records
    })
    .await)
}

async fn vaults(store: &dyn Memories, owner: &OwnerId) -> Result<Vec<Vault>, Error> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = store.vaults(owner, after, PAGE).await?;
        after = page.last().map(|it| RecordCursor { at: it.created_at, id: it.vault_id.to_bytes() });
        let is_last = page.len() < PAGE;
        all.extend(page);
        if is_last {
            return Ok(all);
        }
    }
}

async fn memories(store: &dyn Memories, owner: &OwnerId) -> Result<Vec<Memory>, Error> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = store.memories(owner, None, after, PAGE).await?;
        after = page.last().map(|it| RecordCursor { at: it.created_at, id: it.memory_id.to_bytes() });
        let is_last = page.len() < PAGE;
        all.extend(page);
        if is_last {
            return Ok(all);
        }
    }
}

/// The records, oldest first.
async fn records(store: &dyn Memories, owner: &OwnerId) -> Result<Vec<Record>, Error> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let filter = RecordFilter { oldest_first: true, ..RecordFilter::default() };
        let page = store.records(owner, filter, after, PAGE).await?;
        after = page.last().map(|it| RecordCursor { at: it.at(), id: it.id().to_bytes() });
        let is_last = page.len() < PAGE;
        all.extend(page);
        if is_last {
            return Ok(all);
        }
    }
}

/// What was derived from the records under a name; nothing without a name.
async fn derived(
    store: &dyn Memories,
    owner: &OwnerId,
    name: Option<&str>,
) -> Result<FxHashMap<ItemId, Vec<u8>>, Error> {
    match name {
        Some(name) => Ok(store.vectors(owner, name).await?.into_iter().collect()),
        None => Ok(FxHashMap::default()),
    }
}
