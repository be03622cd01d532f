//! Maps the ids of an archive to ids that are free here, and all references with them.

use std::collections::HashMap;

use journal::Record;
use protocol::{ItemId, ItemSource, MemoryId, OwnerId, VaultId};
use sha2::{Digest, Sha256};

/// The id for something whose own id belongs to another owner. It is the same for the same owner
/// each time and has the same time in it, so that sorting by id keeps the order.
pub fn derived(owner: &OwnerId, id: [u8; 16]) -> [u8; 16] {
    let mut digest = Sha256::new();
    digest.update(owner.as_str());
    digest.update([0]);
    digest.update(id);
    let mut derived = id;
    for (byte, hashed) in derived.iter_mut().skip(6).zip(digest.finalize()) {
        *byte = hashed;
    }
    derived
}

/// The ids of an archive that differ here.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// Vaults.
    pub vaults: HashMap<VaultId, VaultId>,
    /// Memories.
    pub memories: HashMap<MemoryId, MemoryId>,
    /// Entries, context documents and facts.
    pub items: HashMap<ItemId, ItemId>,
}

impl Links {
    /// A vault's id here.
    pub fn vault(&self, id: VaultId) -> VaultId {
        self.vaults.get(&id).copied().unwrap_or(id)
    }

    /// A memory's id here.
    pub fn memory(&self, id: MemoryId) -> MemoryId {
        self.memories.get(&id).copied().unwrap_or(id)
    }

    /// An item's id here.
    pub fn item(&self, id: ItemId) -> ItemId {
        self.items.get(&id).copied().unwrap_or(id)
    }

    /// A record of the archive with its own id mapped.
    pub fn place(&self, mut record: Record) -> Record {
        match &mut record {
            Record::Entry(entry) => {
                entry.entry_id = self.item(entry.entry_id);
                entry.memory_id = self.memory(entry.memory_id);
            }
            Record::Context(context) => {
                context.context_id = self.item(context.context_id);
                context.memory_id = self.memory(context.memory_id);
            }
            Record::Fact(fact) => {
                fact.fact_id = self.item(fact.fact_id);
                fact.vault_id = fact.vault_id.map(|id| self.vault(id));
            }
        }
        self.refer(record)
    }

    /// A record with its references mapped.
    pub fn refer(&self, mut record: Record) -> Record {
        let to = |id: Option<ItemId>| id.map(|id| self.item(id));
        let source = |source: &mut ItemSource| source.item_id = to(source.item_id);
        match &mut record {
            Record::Entry(entry) => {
                entry.corrects = to(entry.corrects);
                entry.corrected_by = to(entry.corrected_by);
                source(&mut entry.source);
            }
            Record::Fact(fact) => {
                fact.superseded_by = to(fact.superseded_by);
                if let Some(doubt) = &mut fact.doubt {
                    doubt.item_id = to(doubt.item_id);
                }
                source(&mut fact.source);
            }
            Record::Context(_) => {}
        }
        record
    }
}
