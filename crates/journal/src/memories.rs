//! Long-term memory in a store: vaults, memories and their records, each in the scope of one owner.
//!
//! The crate `memory` interprets the records. A store keeps them and finds them by owner, memory
//! and time. It writes a list of changes atomically, so that a follower's position and the records
//! made from what it has read stay consistent.

use async_trait::async_trait;
use protocol::{
    Body, ContextDocument, Entry, Fact, ItemId, Level, Memory, MemoryId, OwnerId, SessionId, Timestamp, Vault, VaultId,
};
use serde::{Deserialize, Serialize};

use crate::{Error, Lease, OwnerLeases, SessionSummary, Totals};

/// A record of memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Record {
    /// A message or a note.
    Entry(Entry),
    /// A version of a context document.
    Context(ContextDocument),
    /// A fact, of the profile or not.
    Fact(Fact),
}

impl Record {
    /// Its id.
    pub const fn id(&self) -> ItemId {
        match self {
            Self::Entry(entry) => entry.entry_id,
            Self::Context(context) => context.context_id,
            Self::Fact(fact) => fact.fact_id,
        }
    }

    /// Level of the record.
    pub const fn level(&self) -> Level {
        match self {
            Self::Entry(_) => Level::Entry,
            Self::Context(_) => Level::Context,
            Self::Fact(fact) => fact.level,
        }
    }

    /// The memory it belongs to; facts belong to their owner alone.
    pub const fn memory_id(&self) -> Option<MemoryId> {
        match self {
            Self::Entry(entry) => Some(entry.memory_id),
            Self::Context(context) => Some(context.memory_id),
            Self::Fact(_) => None,
        }
    }

    /// When it happened.
    pub const fn at(&self) -> Timestamp {
        match self {
            Self::Entry(entry) => entry.conversation_time,
            Self::Context(context) => context.conversation_time,
            Self::Fact(fact) => fact.valid_from,
        }
    }
}

/// A write that was done under an idempotency key, so that a repetition gives the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteKey {
    /// The client's key.
    pub key: String,
    /// Digest of the request.
    pub digest: String,
    /// The answer as JSON.
    pub answer: String,
    /// When it was written.
    pub at: Timestamp,
}

/// How far a follower has read a session, and its state between two reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookmark {
    /// Name of the follower.
    pub follower: String,
    /// The session.
    pub session_id: SessionId,
    /// The number of the last event that it has processed.
    pub seq: u64,
    /// The follower's state as JSON.
    pub state: String,
}

/// A session with events that a follower has not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadSession {
    /// The owner of the session.
    pub owner: OwnerId,
    /// The session.
    pub session_id: SessionId,
    /// The number up to which it was read.
    pub seq: u64,
}

/// A change of memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "most changes are records, and none lives for long")]
pub enum Change {
    /// Adds a vault. Refused with [`Error::TitleTaken`] if the owner has a vault with that title,
    /// with [`Error::KeyTaken`] if there is one with that id.
    Vault(Vault),
    /// Adds a memory. Refused with [`Error::NotFound`] if the owner has no such vault, with
    /// [`Error::TitleTaken`] if the vault has a memory with that title, with
    /// [`Error::SessionTaken`] if the owner has a memory of that session, with [`Error::KeyTaken`]
    /// if there is one with that id.
    Memory(Memory),
    /// Replaces the title and the description of a vault. Refused with [`Error::NotFound`] if the
    /// owner has no such vault, with [`Error::TitleTaken`] if another one has that title.
    UpdateVault(Vault),
    /// Replaces the title and the description of a memory. Refused with [`Error::NotFound`] if the
    /// owner has no such memory, with [`Error::TitleTaken`] if another one of its vault has that
    /// title.
    UpdateMemory(Memory),
    /// Adds a record or replaces the one with the same id, whose vectors stay. Refused with
    /// [`Error::NotFound`] if the owner does not have the memory, or if the id is another owner's.
    Put(Record),
    /// Removes a record and its vectors. Does nothing if there is none.
    Remove(ItemId),
    /// Removes a memory with its content. Refused with [`Error::NotFound`] if the owner has no such
    /// memory.
    RemoveMemory(MemoryId),
    /// Removes a vault with its content. Refused with [`Error::NotFound`] if the owner has no such
    /// vault.
    RemoveVault(VaultId),
    /// Records a write under an idempotency key. Refused with [`Error::KeyTaken`] if the owner's
    /// key is in use.
    Key(WriteKey),
    /// Removes the keys of writes whose answers contain one of the texts.
    RemoveKeys {
        /// The texts.
        texts: Vec<String>,
    },
    /// Moves a follower's bookmark. Refused with [`Error::HeadMoved`] if it is not at `from`, with
    /// [`Error::NotFound`] if the owner has no such session.
    Bookmark {
        /// The old position; 0 if the follower has never read the session.
        from: u64,
        /// The new position.
        bookmark: Bookmark,
    },
    /// Sets the embedding of a record, or something else that can be derived again; opaque to the
    /// store. Ignored if there is no such record.
    Vector {
        /// The record.
        item_id: ItemId,
        /// The embedding model, or what else made it, with everything that the bytes depend on.
        model: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

impl Change {
    /// Whether it removes something.
    pub const fn removes(&self) -> bool {
        match self {
            Self::Remove(_) | Self::RemoveMemory(_) | Self::RemoveVault(_) | Self::RemoveKeys { .. } => true,
            Self::Vault(_)
            | Self::Memory(_)
            | Self::UpdateVault(_)
            | Self::UpdateMemory(_)
            | Self::Put(_)
            | Self::Key(_)
            | Self::Bookmark { .. }
            | Self::Vector { .. } => false,
        }
    }
}

/// Position in a list ordered by (time, id). The id keeps items with equal times apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordCursor {
    /// The time of the last item of the previous page.
    pub at: Timestamp,
    /// The id of that item.
    pub id: [u8; 16],
}

/// Selects records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordFilter {
    /// Only records of this memory.
    pub memory_id: Option<MemoryId>,
    /// Only records of these levels; empty means all.
    pub levels: Vec<Level>,
    /// Oldest first instead of newest first.
    pub oldest_first: bool,
}

/// The store of memory. Every query names the owner, and never returns another owner's data.
#[async_trait]
pub trait Memories: Totals + OwnerLeases {
    /// Applies the changes atomically, and answers once they are on the disk.
    async fn change(&self, owner: &OwnerId, changes: Vec<Change>) -> Result<(), Error>;

    /// The owner's vaults by (creation, id), oldest first.
    async fn vaults(&self, owner: &OwnerId, after: Option<RecordCursor>, limit: usize) -> Result<Vec<Vault>, Error>;

    /// The owner's memories, of one vault or of all, by (creation, id), oldest first.
    async fn memories(
        &self,
        owner: &OwnerId,
        vault_id: Option<VaultId>,
        after: Option<RecordCursor>,
        limit: usize,
    ) -> Result<Vec<Memory>, Error>;

    /// The selected records, ordered by (when it happened, id).
    async fn records(
        &self,
        owner: &OwnerId,
        filter: RecordFilter,
        after: Option<RecordCursor>,
        limit: usize,
    ) -> Result<Vec<Record>, Error>;

    /// One record.
    async fn record(&self, owner: &OwnerId, id: ItemId) -> Result<Option<Record>, Error>;

    /// Those of the given ids that vaults, memories or records of other owners have.
    async fn taken(&self, owner: &OwnerId, ids: Vec<[u8; 16]>) -> Result<Vec<[u8; 16]>, Error>;

    /// All embeddings of an owner that a model has made.
    async fn vectors(&self, owner: &OwnerId, model: &str) -> Result<Vec<(ItemId, Vec<u8>)>, Error>;

    /// The write that was done under a key.
    async fn write_key(&self, owner: &OwnerId, key: &str) -> Result<Option<WriteKey>, Error>;

    /// Removes keys that were used before a time.
    async fn expire_keys(&self, before: Timestamp) -> Result<(), Error>;

    /// How far a follower has read a session.
    async fn bookmark(&self, follower: &str, session_id: SessionId) -> Result<Option<Bookmark>, Error>;

    /// Sessions with events that a follower has not read, or for which it has state. Temporary
    /// sessions are not part of memory.
    async fn unread(&self, follower: &str) -> Result<Vec<UnreadSession>, Error>;

    /// Owners that have records in memory.
    async fn owners(&self) -> Result<Vec<OwnerId>, Error>;
}

/// An event that keeps its number and loses text.
#[derive(Debug, Clone, PartialEq)]
pub struct RedactedEvent {
    /// Its number.
    pub seq: u64,
    /// The redacted body.
    pub body: Body,
}

/// Redaction: the only operation that rewrites events.
#[async_trait]
pub trait Eraser: Send + Sync + 'static {
    /// The owner's sessions whose events contain one of the texts. Case is ignored.
    async fn sessions_with(&self, owner: &OwnerId, texts: &[String]) -> Result<Vec<SessionId>, Error>;

    /// Replaces the bodies of events and the session's catalog entry, drops its snapshot, and
    /// removes bodies that no event refers to any more. Refused with [`Error::StaleLease`] without
    /// the lease, with [`Error::NotFound`] if an event does not exist.
    async fn redact(
        &self,
        lease: Lease,
        redactions: Vec<RedactedEvent>,
        summary: Option<Box<SessionSummary>>,
    ) -> Result<(), Error>;

    /// Removes the owner's artifacts whose content or name contains one of the texts, and returns
    /// their number.
    async fn remove_artifacts_with(&self, owner: &OwnerId, texts: &[String]) -> Result<u64, Error>;

    /// Makes sure that nothing of the texts is left in freed space: write-ahead log, free pages,
    /// slack. Returns the texts that still occur in the files, for example because other records
    /// contain them. Texts of less than four bytes occur everywhere and are not searched for.
    async fn scrub(&self, texts: &[String]) -> Result<Vec<String>, Error>;

    /// Notes durably that data is about to be removed of which no byte may be left.
    async fn begin_erasing(&self) -> Result<(), Error>;

    /// Notes that the data is removed and that [`Eraser::scrub`] has cleaned the freed space.
    async fn end_erasing(&self) -> Result<(), Error>;

    /// Completes an erasure that a crash interrupted between the two. What was removed is no longer
    /// known, so the files are rewritten. Returns whether that was needed. Called once, before any
    /// other erasure.
    async fn finish_erasing(&self) -> Result<bool, Error>;
}
