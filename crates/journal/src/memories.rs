//! Long-term memory as a store keeps it: vaults, memories, and the records in them, all in one owner's scope.
//!
//! What a record means is the business of the memory room. A store keeps it, finds it again by owner and place, and
//! writes a list of changes all or none, so that what a follower has read and what it made of it never part.

use async_trait::async_trait;
use protocol::{
    Body, Context, Entry, Fact, ItemId, Level, Memory, MemoryId, OwnerId, SessionId, Timestamp, Vault, VaultId,
};
use serde::{Deserialize, Serialize};

use crate::{Error, Lease, Summary, Totals};

/// Something memory holds, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Record {
    /// A message or a note.
    Entry(Entry),
    /// A version of a context document.
    Context(Context),
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

    /// What kind it is.
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

/// A write that was done under a key, so that doing it again gives the same answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteKey {
    /// The client's key.
    pub key: String,
    /// What was asked, as a digest.
    pub digest: String,
    /// What was answered, as JSON.
    pub answer: String,
    /// When.
    pub at: Timestamp,
}

/// How far a follower has read a session, and what it keeps in mind between two readings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookmark {
    /// Who follows.
    pub follower: String,
    /// Which session.
    pub session_id: SessionId,
    /// The number of the last event it has made something of.
    pub seq: u64,
    /// What it keeps in mind, as JSON.
    pub state: String,
}

/// A session that has events a follower has not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Whose session.
    pub owner: OwnerId,
    /// Which.
    pub session_id: SessionId,
    /// The number up to which it was read.
    pub seq: u64,
}

/// One change of what memory holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "most changes are records, and none lives for long")]
pub enum Change {
    /// A new vault. Refused with [`Error::TitleTaken`] if the owner has one of that title, with [`Error::KeyTaken`] if one
    /// of that id.
    Vault(Vault),
    /// A new memory. Refused with [`Error::NotFound`] if the owner has no such vault, with [`Error::TitleTaken`] if the
    /// vault has one of that title, with [`Error::SessionTaken`] if the owner has one of that session, with
    /// [`Error::KeyTaken`] if one of that id.
    Memory(Memory),
    /// A record, in place of the one with the same id, whose vectors stay. An entry or a context document of a memory that
    /// the owner does not have is refused with [`Error::NotFound`], and so is another owner's id.
    Put(Record),
    /// The record is gone, with its vectors; harmless if there is none.
    Remove(ItemId),
    /// The memory is gone with all that is in it. Refused with [`Error::NotFound`] if the owner has no such memory.
    RemoveMemory(MemoryId),
    /// The vault is gone with all that is in it. Refused with [`Error::NotFound`] if the owner has no such vault.
    RemoveVault(VaultId),
    /// A write was done under a key. Refused with [`Error::KeyTaken`] if the owner's key is in use.
    Key(WriteKey),
    /// Writes whose answers hold one of the texts are no longer known by their keys.
    RemoveKeys {
        /// The texts.
        texts: Vec<String>,
    },
    /// A follower has read on. Refused with [`Error::HeadMoved`] if it is not where `from` says, with [`Error::NotFound`]
    /// if the owner has no such session.
    Bookmark {
        /// Where it was; 0 if it never read the session.
        from: u64,
        /// Where it is now.
        bookmark: Bookmark,
    },
    /// What a text means, as a model of meaning says; opaque to the store. Ignored if there is no such record.
    Vector {
        /// The record it is of.
        item_id: ItemId,
        /// The model, with all that the bytes depend on.
        model: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
}

impl Change {
    /// Whether it takes something away.
    pub const fn removes(&self) -> bool {
        match self {
            Self::Remove(_) | Self::RemoveMemory(_) | Self::RemoveVault(_) | Self::RemoveKeys { .. } => true,
            Self::Vault(_)
            | Self::Memory(_)
            | Self::Put(_)
            | Self::Key(_)
            | Self::Bookmark { .. }
            | Self::Vector { .. } => false,
        }
    }
}

/// Where to go on in a list that is ordered by (time, id), so that equal times lose nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The time of the last one on the page before.
    pub at: Timestamp,
    /// Its id.
    pub id: [u8; 16],
}

/// Which records are meant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Only of this memory.
    pub memory_id: Option<MemoryId>,
    /// Only of these levels; none means all.
    pub levels: Vec<Level>,
    /// The oldest first, instead of the newest.
    pub oldest_first: bool,
}

/// What memory is kept in. Every question names the owner; another owner's things are not found.
#[async_trait]
pub trait Memories: Totals {
    /// Makes the changes, all or none, and answers once they are on the disk.
    async fn change(&self, owner: &OwnerId, changes: Vec<Change>) -> Result<(), Error>;

    /// The owner's vaults by (creation, id), oldest first.
    async fn vaults(&self, owner: &OwnerId, after: Option<Place>, limit: usize) -> Result<Vec<Vault>, Error>;

    /// The owner's memories, of one vault or of all, by (creation, id), oldest first.
    async fn memories(
        &self,
        owner: &OwnerId,
        vault_id: Option<VaultId>,
        after: Option<Place>,
        limit: usize,
    ) -> Result<Vec<Memory>, Error>;

    /// The records that are meant, by (when it happened, id).
    async fn records(
        &self,
        owner: &OwnerId,
        filter: Filter,
        after: Option<Place>,
        limit: usize,
    ) -> Result<Vec<Record>, Error>;

    /// One record.
    async fn record(&self, owner: &OwnerId, id: ItemId) -> Result<Option<Record>, Error>;

    /// Which of these ids of vaults, memories and records another owner's things have.
    async fn taken(&self, owner: &OwnerId, ids: Vec<[u8; 16]>) -> Result<Vec<[u8; 16]>, Error>;

    /// All vectors of an owner that a model of meaning has made.
    async fn vectors(&self, owner: &OwnerId, model: &str) -> Result<Vec<(ItemId, Vec<u8>)>, Error>;

    /// The write that was done under a key.
    async fn write_key(&self, owner: &OwnerId, key: &str) -> Result<Option<WriteKey>, Error>;

    /// Takes away keys that were used before a moment.
    async fn expire_keys(&self, before: Timestamp) -> Result<(), Error>;

    /// How far a follower has read a session.
    async fn bookmark(&self, follower: &str, session_id: SessionId) -> Result<Option<Bookmark>, Error>;

    /// Sessions that have events a follower has not read, or about which it has something in mind; temporary ones are nobody's memory.
    async fn unread(&self, follower: &str) -> Result<Vec<Unread>, Error>;

    /// Owners that have something in memory.
    async fn owners(&self) -> Result<Vec<OwnerId>, Error>;
}

/// A record of a session that keeps its number and loses words.
#[derive(Debug, Clone, PartialEq)]
pub struct Strike {
    /// Its number.
    pub seq: u64,
    /// What is left of it.
    pub body: Body,
}

/// Striking words out: the one thing that rewrites.
#[async_trait]
pub trait Eraser: Send + Sync + 'static {
    /// The owner's sessions in whose events one of the texts stands, word for word and in any case.
    async fn sessions_with(&self, owner: &OwnerId, texts: &[String]) -> Result<Vec<SessionId>, Error>;

    /// Replaces the bodies of events and the session's entry in the catalog, drops its snapshot, and takes bodies away that nobody refers to any more.
    /// Refused with [`Error::StaleLease`] without the lease, with [`Error::NotFound`] if there is no event of a number.
    async fn strike(&self, lease: Lease, strikes: Vec<Strike>, summary: Option<Box<Summary>>) -> Result<(), Error>;

    /// Takes away the owner's artifacts in which, or in whose names, one of the texts stands; how many there were.
    async fn remove_artifacts_with(&self, owner: &OwnerId, texts: &[String]) -> Result<u64, Error>;

    /// Makes sure that nothing of the texts is left in what was freed: write-ahead log, free pages, slack. Gives the
    /// texts of which something is still in the files, as it is in what others keep. Texts of less than four bytes are
    /// everywhere and not looked for.
    async fn scrub(&self, texts: &[String]) -> Result<Vec<String>, Error>;

    /// Notes durably that something is about to be removed of which no byte may be left.
    async fn begin_erasing(&self) -> Result<(), Error>;

    /// Notes that it is gone and that [`Eraser::scrub`] has looked for what it left.
    async fn end_erasing(&self) -> Result<(), Error>;

    /// Does what a crash between the two kept from being done: since nobody knows any more what was removed, the files are
    /// written anew. Gives whether that was needed. Called once, before anything else is erased.
    async fn finish_erasing(&self) -> Result<bool, Error>;
}
