//! Why memory did not do it.

use protocol::{ItemId, MemoryId, VaultId};

/// Why memory did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no such vault for this owner.
    #[error("there is no vault {0}")]
    NoVault(VaultId),
    /// There is no such memory for this owner.
    #[error("there is no memory {0}")]
    NoMemory(MemoryId),
    /// There is nothing with that id for this owner.
    #[error("memory holds nothing with the id {0}")]
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
    /// What is asked cannot be done to this kind of item.
    #[error("{0}")]
    Unfit(String),
    /// The item was corrected already; the newest one is to be corrected instead.
    #[error("it was corrected already, by {0}")]
    Corrected(ItemId),
    /// The key was used for something else.
    #[error("the idempotency key was used for another request")]
    KeyConflict,
    /// Another reader of the same session was faster.
    #[error("the session was read by somebody else meanwhile")]
    ReadElsewhere,
    /// Earlier writes take unusually long.
    #[error("what was written before is not stored yet")]
    Unstored,
    /// The owner's memory is full; nothing was written.
    #[error("memory is full: it holds {used} {what}, and at most {max} are allowed (`{setting}`)")]
    Full {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        used: u64,
        /// How much there may be.
        max: u64,
        /// The setting that says so.
        setting: &'static str,
    },
    /// The store failed.
    #[error(transparent)]
    Store(journal::Error),
    /// The room is closed.
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
