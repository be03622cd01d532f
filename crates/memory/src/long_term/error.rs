//! Errors of long-term memory.

use protocol::{ItemId, MemoryId, VaultId};

/// Why an operation on memory failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no such vault for this owner.
    #[error("there is no vault {0}")]
    NoVault(VaultId),
    /// There is no such memory for this owner.
    #[error("there is no memory {0}")]
    NoMemory(MemoryId),
    /// This owner has no item with that id.
    #[error("memory has no item with the id {0}")]
    NoItem(ItemId),
    /// The memory has no context document yet, or not that version.
    #[error("the memory has no such context document")]
    NoContext,
    /// The title is in use.
    #[error("the title `{0}` is taken")]
    TitleTaken(String),
    /// The request contradicts itself or lacks something.
    #[error("{0}")]
    Invalid(String),
    /// This kind of item does not support the operation.
    #[error("{0}")]
    Unfit(String),
    /// The item was corrected already; correct the newest one instead.
    #[error("it was corrected already, by {0}")]
    Corrected(ItemId),
    /// The key was used for something else.
    #[error("the idempotency key was used for another request")]
    KeyConflict,
    /// Another reader has stored its progress in the session first.
    #[error("another reader has processed the session meanwhile")]
    ReadElsewhere,
    /// Earlier writes are still waiting to be stored.
    #[error("earlier writes are not stored yet")]
    Unstored,
    /// The owner's memory is full; nothing was written.
    #[error("memory is full: it holds {used} {what}, and at most {max} are allowed (`{setting}`)")]
    Full {
        /// What exceeds the quota.
        what: &'static str,
        /// The amount in use.
        used: u64,
        /// The amount allowed.
        max: u64,
        /// The setting of that limit.
        setting: &'static str,
    },
    /// The store failed.
    #[error(transparent)]
    Store(journal::Error),
    /// The store is closed.
    #[error("memory is closed")]
    Closed,
}

impl From<journal::Error> for Error {
    fn from(error: journal::Error) -> Self {
        match error {
            journal::Error::TitleTaken(title) => Self::TitleTaken(title),
            journal::Error::HeadMoved { .. } => Self::ReadElsewhere,
            journal::Error::KeyTaken(_) => Self::KeyConflict,
            journal::Error::Closed => Self::Closed,
            other => Self::Store(other),
        }
    }
}
