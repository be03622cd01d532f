//! Vaults, memories, entries and context documents, as doors ask for them.

use journal::Place;
use memory::{
    agent::control::Control,
    room::{Added, CLIENT, Keyed, NewContext, NewEntry, read_place, write_place},
};
use protocol::{
    AddEntry, Context, ContextPage, Entry, EntryPage, Ingest, Ingested, ItemId, List, Memory, MemoryId, MemoryPage,
    NewMemory, NewVault, Origin, OwnerId, PutContext, Source, Vault, VaultId, VaultPage,
};
use ulid::Ulid;

use super::super::Hub;
use crate::Error;

/// Entries of a list unless told otherwise, and at most.
const LIST_DEFAULT: u32 = 50;
const LIST_MAX: u32 = 200;
/// The vault of conversations from elsewhere.
pub(super) const IMPORTED: &str = "imported";

impl Hub {
    /// Makes a vault.
    pub async fn create_vault(
        &self,
        owner: &OwnerId,
        asked: NewVault,
        origin: Origin,
        key: Option<&str>,
    ) -> Result<Vault, Error> {
        let keyed = self.keyed(key, &("vault", &asked))?;
        let (title, description) = (self.redact(asked.title), self.redact(asked.description));
        Ok(self.room().create_vault(owner, title, description, origin, keyed).await?)
    }

    /// The owner's vaults, oldest first.
    pub async fn vaults(&self, owner: &OwnerId, list: &List) -> Result<VaultPage, Error> {
        let (after, limit) = place(list)?;
        let data = self.room().vaults(owner, after, limit).await?;
        let last = data.last().map(|vault| Place { at: vault.created_at, id: vault.vault_id.to_bytes() });
        Ok(VaultPage { next_cursor: next(data.len(), limit, last), data })
    }

    /// One vault.
    pub async fn vault(&self, owner: &OwnerId, id: VaultId) -> Result<Vault, Error> {
        Ok(self.room().vault(owner, id).await?)
    }

    /// Makes a memory in a vault.
    pub async fn create_memory(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        asked: NewMemory,
        origin: Origin,
        key: Option<&str>,
    ) -> Result<Memory, Error> {
        let keyed = self.keyed(key, &("memory", vault_id, &asked))?;
        let (title, description) = (self.redact(asked.title), self.redact(asked.description));
        Ok(self.room().create_memory(owner, vault_id, title, description, origin, keyed).await?)
    }

    /// The memories of a vault, oldest first.
    pub async fn memories(&self, owner: &OwnerId, vault_id: VaultId, list: &List) -> Result<MemoryPage, Error> {
        let (after, limit) = place(list)?;
        let data = self.room().memories(owner, Some(vault_id), after, limit).await?;
        let last = data.last().map(|memory| Place { at: memory.created_at, id: memory.memory_id.to_bytes() });
        Ok(MemoryPage { next_cursor: next(data.len(), limit, last), data })
    }

    /// One memory of a vault.
    pub async fn memory(&self, owner: &OwnerId, vault_id: VaultId, id: MemoryId) -> Result<Memory, Error> {
        let memory = self.room().memory(owner, id).await?;
        if memory.vault_id == vault_id { Ok(memory) } else { Err(memory::room::Error::NoMemory(id).into()) }
    }

    /// Writes an entry. A client with the owner's credential speaks for the owner, unless it is known to have read untrusted text.
    pub async fn add_entry(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        memory_id: MemoryId,
        asked: AddEntry,
        origin: Origin,
    ) -> Result<Entry, Error> {
        self.memory(owner, vault_id, memory_id).await?;
        let keyed = self.keyed(asked.idempotency_key.as_deref(), &("entry", memory_id, &asked))?;
        let new = NewEntry {
            summary: asked.summary.map(|summary| self.redact(summary)),
            speaker: asked.speaker,
            tags: asked.tags.into_iter().map(|(key, value)| (key, self.redact(value))).collect(),
            conversation_time: asked.conversation_time,
            ttl_s: asked.ttl_s,
            source: Source { imported_from: Some("client".to_owned()), ..Source::default() },
            origin,
            ..NewEntry::said(asked.role.as_deref().unwrap_or("user"), self.redact(asked.raw_entry))
        };
        let invoked = self.follower().agent().process(owner, memory_id, new, keyed, None).await?;
        let added = invoked.added.map(|Added { entry, .. }| entry);
        added.ok_or_else(|| Error::Invalid("nothing was stored".to_owned()))
    }

    /// The entries of a memory, newest first unless told.
    pub async fn entries(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        memory_id: MemoryId,
        list: &List,
        oldest_first: bool,
    ) -> Result<EntryPage, Error> {
        self.memory(owner, vault_id, memory_id).await?;
        let (after, limit) = place(list)?;
        let data = self.room().entries(owner, memory_id, after, limit, oldest_first).await?;
        let last = data.last().map(|entry| Place { at: entry.conversation_time, id: entry.entry_id.to_bytes() });
        Ok(EntryPage { next_cursor: next(data.len(), limit, last), data })
    }

    /// One entry of a memory.
    pub async fn entry(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        memory_id: MemoryId,
        id: ItemId,
    ) -> Result<Entry, Error> {
        self.memory(owner, vault_id, memory_id).await?;
        Ok(self.room().entry(owner, memory_id, id).await?)
    }

    /// Writes the next version of a memory's context document.
    pub async fn put_context(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        memory_id: MemoryId,
        asked: PutContext,
        origin: Origin,
        key: Option<&str>,
    ) -> Result<Context, Error> {
        self.memory(owner, vault_id, memory_id).await?;
        let keyed = self.keyed(key, &("context", memory_id, &asked))?;
        let new = NewContext {
            content: self.redact(asked.content),
            written_by: CLIENT.to_owned(),
            conversation_time: None,
            origin,
        };
        Ok(self.room().put_context(owner, memory_id, new, keyed, None).await?)
    }

    /// A version of a memory's context document, the newest unless told.
    pub async fn context(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        memory_id: MemoryId,
        version: Option<u32>,
    ) -> Result<Context, Error> {
        self.memory(owner, vault_id, memory_id).await?;
        Ok(self.room().context(owner, memory_id, version).await?)
    }

    /// All versions of a memory's context document, oldest first.
    pub async fn contexts(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        memory_id: MemoryId,
    ) -> Result<ContextPage, Error> {
        self.memory(owner, vault_id, memory_id).await?;
        Ok(ContextPage { data: self.room().contexts(owner, memory_id).await? })
    }

    /// Takes in a conversation that happened elsewhere. Taking it in again changes nothing: a message is known by its
    /// place, its time and its words.
    pub async fn ingest(&self, owner: &OwnerId, asked: Ingest) -> Result<Ingested, Error> {
        self.ingest_from(owner, asked, "ingest").await
    }

    /// The same, saying where it comes from.
    pub(super) async fn ingest_from(
        &self,
        owner: &OwnerId,
        asked: Ingest,
        imported_from: &str,
    ) -> Result<Ingested, Error> {
        let vault = asked.vault.as_deref().unwrap_or(IMPORTED);
        let memory = self.room().memory_titled(owner, vault, self.redact(asked.title)).await?;
        let agent = self.follower().agent();
        // Whoever hands a conversation over learns what is known of it from before.
        let before = agent.invoke(owner, memory.memory_id, Control::StartSession, None, None).await?;
        let mut ingested = Ingested {
            vault_id: memory.vault_id,
            memory_id: memory.memory_id,
            entries: 0,
            known: 0,
            contexts: 0,
            previous: before.context,
        };
        for (place, said) in asked.messages.into_iter().enumerate() {
            let words = self.redact(said.content);
            let at = said.at.unwrap_or_else(|| self.now());
            let digest = memory::room::digest(&(memory.memory_id, place, &said.role, &said.speaker, said.at, &words));
            // What has no time of its own is known again too, so its id owes nothing to now.
            let stamp = u64::try_from(said.at.unwrap_or(memory.created_at).as_millis()).unwrap_or(0);
            let new = NewEntry {
                speaker: said.speaker,
                conversation_time: Some(at),
                entry_id: Some(ItemId::new(Ulid::from_parts(stamp, digest))),
                source: Source { imported_from: Some(imported_from.to_owned()), ..Source::default() },
                origin: Origin::Untrusted,
                ..NewEntry::said(&said.role, words)
            };
            let invoked = agent.process(owner, memory.memory_id, new, Keyed::none(), None).await?;
            match invoked.added {
                Some(added) if !added.is_known => ingested.entries += 1,
                _ => ingested.known += 1,
            }
            ingested.contexts += u64::from(invoked.context.is_some());
        }
        // Whoever was cut off before this asks for the same again; where nothing is due, nothing happens.
        if asked.end {
            let invoked = agent.flush(owner, memory.memory_id, None).await?;
            ingested.contexts += u64::from(invoked.context.is_some());
        }
        Ok(ingested)
    }
}

fn place(list: &List) -> Result<(Option<Place>, usize), Error> {
    let after = list.cursor.as_deref().map(read_place).transpose()?;
    Ok((after, list.limit.unwrap_or(LIST_DEFAULT).clamp(1, LIST_MAX) as usize))
}

fn next(count: usize, limit: usize, last: Option<Place>) -> Option<String> {
    last.filter(|_| count == limit).map(write_place)
}
