//! Errors of a store, named after what the caller does next.

use std::path::PathBuf;

use protocol::{ArtifactId, MemoryId, OwnerId, SessionId};

use crate::Loss;

/// An error of a store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no such session, vault, memory or record.
    #[error("not found")]
    NotFound,
    /// The owner has a session of that name.
    #[error("the name is taken by session {0}")]
    NameTaken(SessionId),
    /// The owner has a vault, or the vault a memory, of that title.
    #[error("the title `{0}` is taken")]
    TitleTaken(String),
    /// The owner has a memory of that session.
    #[error("the session already has the memory {0}")]
    SessionTaken(MemoryId),
    /// Something was written under that key, or with that id, already.
    #[error("the key `{0}` was used before")]
    KeyTaken(String),
    /// Another writer appended events in the meantime.
    #[error("the session is at event {actual}, not {expected}")]
    HeadMoved {
        /// The newest event that the caller knew.
        expected: u64,
        /// The newest event of the session.
        actual: u64,
    },
    /// Another holder acquired the session's lease.
    #[error("the lease on the session was taken over")]
    StaleLease,
    /// Another process uses the data folder.
    #[error("the data folder {} is in use by another Dwell (process {holder})", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
        /// Contents of the lock file, which name its holder.
        holder: String,
    },
    /// The file was not written by Dwell.
    #[error("{} is not a Dwell journal ({why}); it was left as it is", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// How this was detected.
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
        /// How this was detected.
        detail: String,
    },
    /// An event of a session is missing or differs from what was written. It is the first among
    /// those that were read. An earlier one may be damaged too: only a read from the beginning
    /// tells.
    #[error("session {session_id} is damaged at event {seq}: {detail}")]
    DamagedSession {
        /// The session.
        session_id: SessionId,
        /// The number of the first damaged event.
        seq: u64,
        /// How this was detected.
        detail: String,
    },
    /// An artifact differs from what was written.
    #[error("artifact {0} is damaged: its bytes are not those that were stored")]
    DamagedArtifact(ArtifactId),
    /// A value differs from what was written.
    #[error("the value is damaged: its bytes are not those that were stored")]
    DamagedValue,
    /// The owner would have more bytes of values than allowed. Nothing was changed.
    #[error("{used} bytes of values and {wanted} more are beyond {max}")]
    ValuesFull {
        /// Bytes that the owner has.
        used: u64,
        /// Bytes that would be added.
        wanted: u64,
        /// The maximum.
        max: u64,
    },
    /// What was asked for has more bytes than are read at once.
    #[error("the values have more than {max} bytes together")]
    TooLarge {
        /// The maximum.
        max: usize,
    },
    /// The store has less than was acknowledged.
    #[error("{} has less than was acknowledged: {}. Nothing was changed. Restore a backup, or continue with what is left: \
             `dwell serve --accept-loss` keeps a copy of the files as they are now", path.display(), loss.in_words())]
    Lost {
        /// The file.
        path: PathBuf,
        /// What is missing.
        loss: Box<Loss>,
    },
    /// The address of the database is wrong. The cause has nothing of its password.
    #[error("the address of the database is wrong: {0}")]
    Address(String),
    /// The database is not one that Dwell can use.
    #[error("the database cannot be used: {0}")]
    Unfit(String),
    /// A newer Dwell has migrated the database.
    #[error(
        "the database has schema {found}, written by {program}; this Dwell knows schemas up to {known}. \
             Start the newer Dwell, or restore a backup from before"
    )]
    NewerSchema {
        /// The schema's number.
        found: i64,
        /// The newest one known here.
        known: i64,
        /// The program that migrated it.
        program: String,
    },
    /// Nodes of an older Dwell are at work, which could not use the schema of this one.
    #[error(
        "the database needs a schema that these nodes do not know: {nodes}. Stop them, or start this \
             Dwell in their place with all of them stopped"
    )]
    OlderNodes {
        /// Their ids and versions.
        nodes: String,
    },
    /// A migration from one store into another was refused.
    #[error("nothing was copied: {0}")]
    NotMigrated(String),
    /// After a migration the two sides of a table differ.
    #[error("the table `{table}` is not the same on both sides after the migration: {detail}")]
    Differs {
        /// The table.
        table: String,
        /// What each side has.
        detail: String,
    },
    /// Another node has the session's lease, and is alive.
    #[error("session {session_id} is owned by the node {node}, for {left_ms} ms more unless it renews its lease")]
    Held {
        /// The session.
        session_id: SessionId,
        /// The id of the node.
        node: String,
        /// Milliseconds until its lease ends.
        left_ms: u64,
    },
    /// Another node serves the owner, and is alive.
    #[error("the owner is served by the node {node}, for {left_ms} ms more unless it renews its lease")]
    Elsewhere {
        /// The owner.
        owner: OwnerId,
        /// The id of the node.
        node: String,
        /// Milliseconds until its lease ends.
        left_ms: u64,
    },
    /// The database cannot be reached, and was waited for. What was to be written may yet turn out
    /// to be written, if the connection was lost in the middle of it.
    #[error("the database is away: {cause}")]
    Away {
        /// The last error.
        cause: String,
    },
    /// The store could not do it, for example because the disk is full.
    #[error("failed to {action}: {cause}")]
    Storage {
        /// What was attempted.
        action: &'static str,
        /// The cause, as the store reported it.
        cause: String,
    },
    /// The store is closed.
    #[error("the journal is closed")]
    Closed,
}
