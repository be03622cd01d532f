//! Vaults, memories, entries and context documents as transports use them.

use journal::RecordCursor;
use memory::{
    agent::control::Control,
    long_term::{AddedEntry, CLIENT, NewContext, NewEntry, decode_cursor, encode_cursor},
};
use protocol::{
    AddEntry, ContextDocument, ContextPage, Entry, EntryPage, Ingest, IngestMessage, IngestResult, ItemId, ItemSource,
    Memory, MemoryId, MemoryPage, NewMemory, NewVault, Origin, OwnerId, PageRequest, PutContext, TitleUpdate, Vault,
    VaultId, VaultPage,
};
use ulid::Ulid;

use super::super::Hub;
use crate::Error;

/// Default and maximum number of entries on a page.
const LIST_DEFAULT: u32 = 50;
const LIST_MAX: u32 = 200;
/// The vault of imported conversations.
pub(super) const IMPORTED: &str = "imported";

impl Hub {
    /// Creates a vault.
    pub async fn create_vault(
        &self,
        owner: &OwnerId,
        asked: NewVault,
        origin: Origin,
        key: Option<&str>,
    ) -> Result<Vault, Error> {
        let keyed = self.keyed(key, &("vault", &asked))?;
        let (title, description) = (self.redact(asked.title), self.redact(asked.description));
        Ok(self.long_term().create_vault(owner, title, description, origin, keyed).await?)
    }

    /// The owner's vaults, oldest first.
    pub async fn vaults(&self, owner: &OwnerId, list: &PageRequest) -> Result<VaultPage, Error> {
        let (after, limit) = place(list)?;
        let data = self.long_term().vaults(owner, after, limit).await?;
        let last = data.last().map(|vault| RecordCursor { at: vault.created_at, id: vault.vault_id.to_bytes() });
        Ok(VaultPage { next_cursor: next(data.len(), limit, last), data })
    }

    /// One vault.
    pub async fn vault(&self, owner: &OwnerId, id: VaultId) -> Result<Vault, Error> {
        Ok(self.long_term().vault(owner, id).await?)
    }

    /// Creates a memory in a vault.
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
        Ok(self.long_term().create_memory(owner, vault_id, title, description, origin, keyed).await?)
    }

    /// Changes the title or the description of a vault.
    pub async fn update_vault(
        &self,
        owner: &OwnerId,
        id: VaultId,
        update: TitleUpdate,
        origin: Origin,
    ) -> Result<Vault, Error> {
        Ok(self.long_term().update_vault(owner, id, self.redact_titles(update), origin).await?)
    }

    /// Changes the title or the description of a memory.
    pub async fn update_memory(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        id: MemoryId,
        update: TitleUpdate,
        origin: Origin,
    ) -> Result<Memory, Error> {
        self.memory(owner, vault_id, id).await?;
        Ok(self.long_term().update_memory(owner, id, self.redact_titles(update), origin).await?)
    }

    fn redact_titles(&self, update: TitleUpdate) -> TitleUpdate {
        let redact = |text: Option<String>| text.map(|text| self.redact(text));
        TitleUpdate { title: redact(update.title), description: redact(update.description) }
    }

    /// The memories of a vault, oldest first.
    pub async fn memories(&self, owner: &OwnerId, vault_id: VaultId, list: &PageRequest) -> Result<MemoryPage, Error> {
        let (after, limit) = place(list)?;
        let data = self.long_term().memories(owner, Some(vault_id), after, limit).await?;
        let last = data.last().map(|memory| RecordCursor { at: memory.created_at, id: memory.memory_id.to_bytes() });
        Ok(MemoryPage { next_cursor: next(data.len(), limit, last), data })
    }

    /// One memory of a vault.
    pub async fn memory(&self, owner: &OwnerId, vault_id: VaultId, id: MemoryId) -> Result<Memory, Error> {
        let memory = self.long_term().memory(owner, id).await?;
        if memory.vault_id == vault_id { Ok(memory) } else { Err(memory::long_term::Error::NoMemory(id).into()) }
    }

    /// Writes an entry. Unless the owner vouches for it, it is untrusted: a client may have the
    /// text from anywhere.
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
            // An entry from the future would rank as the newest for ever.
            conversation_time: asked.conversation_time.map(|at| at.min(self.now())),
            ttl_s: asked.ttl_s,
            source: ItemSource { imported_from: Some("client".to_owned()), ..ItemSource::default() },
            origin,
            ..NewEntry::said(asked.role.as_deref().unwrap_or("user"), self.redact(asked.raw_entry))
        };
        let invoked = self.follower().agent().process(owner, memory_id, new, keyed, None).await?;
        let added = invoked.added.map(|AddedEntry { entry, .. }| entry);
        added.ok_or_else(|| Error::Invalid("nothing was stored".to_owned()))
    }

    /// The entries of a memory, newest first by default.
    pub async fn entries(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        memory_id: MemoryId,
        list: &PageRequest,
        oldest_first: bool,
    ) -> Result<EntryPage, Error> {
        self.memory(owner, vault_id, memory_id).await?;
        let (after, limit) = place(list)?;
        let data = self.long_term().entries(owner, memory_id, after, limit, oldest_first).await?;
        let last = data.last().map(|entry| RecordCursor { at: entry.conversation_time, id: entry.entry_id.to_bytes() });
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
        Ok(self.long_term().entry(owner, memory_id, id).await?)
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
    ) -> Result<ContextDocument, Error> {
        self.memory(owner, vault_id, memory_id).await?;
        let keyed = self.keyed(key, &("context", memory_id, &asked))?;
        let new = NewContext {
            content: self.redact(asked.content),
            written_by: CLIENT.to_owned(),
            conversation_time: None,
            origin,
        };
        Ok(self.long_term().put_context(owner, memory_id, new, keyed, None).await?)
    }

    /// A version of a memory's context document, the newest by default.
    pub async fn context(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        memory_id: MemoryId,
        version: Option<u32>,
    ) -> Result<ContextDocument, Error> {
        self.memory(owner, vault_id, memory_id).await?;
        Ok(self.long_term().context(owner, memory_id, version).await?)
    }

    /// All versions of a memory's context document, oldest first.
    pub async fn contexts(
        &self,
        owner: &OwnerId,
        vault_id: VaultId,
        memory_id: MemoryId,
    ) -> Result<ContextPage, Error> {
        self.memory(owner, vault_id, memory_id).await?;
        Ok(ContextPage { data: self.long_term().contexts(owner, memory_id).await? })
    }

    /// Imports a conversation from elsewhere. Repeating it changes nothing: a message is recognized
    /// by its position, time and text.
    pub async fn ingest(&self, owner: &OwnerId, asked: Ingest) -> Result<IngestResult, Error> {
        self.ingest_from(owner, asked, "ingest").await
    }

    /// The same, with its source.
    pub(super) async fn ingest_from(
        &self,
        owner: &OwnerId,
        asked: Ingest,
        imported_from: &str,
    ) -> Result<IngestResult, Error> {
        let vault = asked.vault.as_deref().unwrap_or(IMPORTED);
        let memory = self.long_term().memory_titled(owner, vault, self.redact(asked.title)).await?;
        let agent = self.follower().agent();
        // The client that sends a conversation gets the earlier summary.
        let before = agent.invoke(owner, memory.memory_id, Control::StartSession, None, None).await?;
        let mut ingested = IngestResult {
            vault_id: memory.vault_id,
            memory_id: memory.memory_id,
            entries: 0,
            known: 0,
            contexts: 0,
            previous: before.context,
        };
        let count = asked.messages.len();
        let entry = |(place, said): (usize, IngestMessage)| {
            let words = self.redact(said.content);
            let at = said.at.map_or_else(|| self.now(), |at| at.min(self.now()));
            let digest =
                memory::long_term::digest(&(memory.memory_id, place, &said.role, &said.speaker, said.at, &words));
            // A message without a time must be recognized too, so its id does not depend on the
            // current time.
            let stamp = u64::try_from(said.at.unwrap_or(memory.created_at).as_millis()).unwrap_or(0);
            NewEntry {
                speaker: said.speaker,
                conversation_time: Some(at),
                entry_id: Some(ItemId::new(Ulid::from_parts(stamp, digest))),
                source: ItemSource { imported_from: Some(imported_from.to_owned()), ..ItemSource::default() },
                origin: asked.origin.unwrap_or_default(),
                ..NewEntry::said(&said.role, words)
            }
        };
        let messages: Vec<NewEntry> = asked.messages.into_iter().enumerate().map(entry).collect();
        let taken = agent.ingest(owner, memory.memory_id, messages).await?;
        ingested.entries = taken.new as u64;
        ingested.known = (count - taken.new) as u64;
        ingested.contexts = u64::from(taken.is_summarized);
        // A client that was cut off before this repeats the request; if nothing is due, nothing
        // happens.
        if asked.end {
            let invoked = agent.flush(owner, memory.memory_id, None).await?;
            ingested.contexts += u64::from(invoked.context.is_some());
        }
        Ok(ingested)
    }
}

fn place(list: &PageRequest) -> Result<(Option<RecordCursor>, usize), Error> {
    let after = list.cursor.as_deref().map(decode_cursor).transpose()?;
    Ok((after, list.limit.unwrap_or(LIST_DEFAULT).clamp(1, LIST_MAX) as usize))
}

fn next(count: usize, limit: usize, last: Option<RecordCursor>) -> Option<String> {
    last.filter(|_| count == limit).map(encode_cursor)
}
