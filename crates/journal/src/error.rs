//! What a store can answer instead, named after what the caller does next.

use std::path::PathBuf;

use protocol::{ArtifactId, MemoryId, SessionId};

use crate::Loss;

/// What a store can answer instead of doing what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no such session, vault, memory or record.
    #[error("no such thing")]
    NotFound,
    /// The owner has a session of that name.
    #[error("the name is taken by session {0}")]
    NameTaken(SessionId),
    /// The owner has a vault, or the vault a memory, of that title.
    #[error("the title `{0}` is taken")]
    TitleTaken(String),
    /// The owner has a memory of that session.
    #[error("the session has the memory {0}")]
    SessionTaken(MemoryId),
    /// Something was written under that key, or with that id, already.
    #[error("the key `{0}` was used before")]
    KeyTaken(String),
    /// Somebody else appended.
    #[error("the session is at event {actual}, not {expected}")]
    HeadMoved {
        /// What the caller had seen.
        expected: u64,
        /// What it is.
        actual: u64,
    },
    /// Somebody else owns the session by now.
    #[error("the lease on the session was taken over")]
    StaleLease,
    /// Another process uses the data folder.
    #[error("the data folder {} is in use by another Dwell (process {holder})", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
        /// What the lock file says about its holder.
        holder: String,
    },
    /// The file was not written by Dwell.
    #[error("{} is not a Dwell journal ({why}); it was left as it is", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// How that shows.
        why: String,
    },
    /// The file was written by a newer Dwell.
    #[error("{} has format {found}; this Dwell knows formats up to {known}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format known here.
        known: i64,
    },
    /// The file is damaged.
    #[error("{} is damaged ({detail}); it was left as it is", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How that shows.
        detail: String,
    },
    /// An event of a session is not what was written, or is missing. It is the first among those that were read; whether an
    /// earlier one is damaged too is known when the session is read from its beginning.
    #[error("session {session_id} is damaged at event {seq}: {detail}")]
    DamagedSession {
        /// The session.
        session_id: SessionId,
        /// The number of the first event that is damaged.
        seq: u64,
        /// How that shows.
        detail: String,
    },
    /// An artifact is not what was written.
    #[error("artifact {0} is damaged: its bytes are not those that were stored")]
    DamagedArtifact(ArtifactId),
    /// The store has less than was acknowledged.
    #[error("{} has less than was acknowledged: {}. Nothing was changed. Restore a backup, or go on with what is left by \
             `dwell serve --accept-loss`, which keeps a copy of the files as they are now", path.display(), loss.in_words())]
    Lost {
        /// The file.
        path: PathBuf,
        /// What is missing.
        loss: Box<Loss>,
    },
    /// The store could not do it, for example because the disk is full.
    #[error("failed to {action}: {cause}")]
    Storage {
        /// What was tried.
        action: &'static str,
        /// What the store said.
        cause: String,
    },
    /// The store is shut.
    #[error("the journal is closed")]
    Closed,
}
