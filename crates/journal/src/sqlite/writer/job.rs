//! What the writer is asked for.

use protocol::{ArtifactId, Event, OwnerId, SessionId, Timestamp};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::super::erase::upkeep::Upkeep;
use crate::{Append, Artifact, Change, ClockRecord, Collected, Error, Lease, Snapshot, Strike, Summary};

/// Something to write, and who wants to know.
pub(in super::super) enum Job {
    Create {
        events: Vec<Event>,
        summary: Box<Summary>,
        reply: Reply<()>,
    },
    Acquire {
        session_id: SessionId,
        reply: Reply<Lease>,
    },
    Release {
        lease: Lease,
    },
    Append {
        lease: Lease,
        append: Append,
        reply: Reply<()>,
    },
    Remove {
        lease: Lease,
        reply: Reply<()>,
    },
    Snapshot {
        session_id: SessionId,
        snapshot: Snapshot,
        reply: Reply<()>,
    },
    Put {
        artifact: Box<Artifact>,
        reply: Reply<()>,
    },
    Change {
        owner: OwnerId,
        changes: Vec<Change>,
        reply: Reply<()>,
    },
    ExpireKeys {
        before: Timestamp,
        reply: Reply<()>,
    },
    Strike {
        lease: Lease,
        strikes: Vec<Strike>,
        summary: Option<Box<Summary>>,
        reply: Reply<()>,
    },
    RemoveArtifacts {
        owner: OwnerId,
        ids: Vec<ArtifactId>,
        reply: Reply<u64>,
    },
    SweepArtifacts {
        before: Timestamp,
        limit: usize,
        reply: Reply<Collected>,
    },
    Upkeep {
        task: Upkeep,
        reply: Reply<()>,
    },
    /// Nothing, which is committed like anything else.
    Probe {
        reply: Reply<()>,
    },
    /// Nothing, but what is acknowledged is committed.
    Settle {
        reply: Reply<()>,
    },
    /// A look at the database with all that was acknowledged.
    Query(Query),
    KeepClock {
        record: ClockRecord,
        reply: Reply<()>,
    },
    NoteErasing {
        by: i64,
        reply: Reply<()>,
    },
}

/// A short query that answers by itself.
pub(in super::super) type Query = Box<dyn FnOnce(Result<&Connection, Error>) + Send>;
pub(in super::super) type Reply<T> = oneshot::Sender<Result<T, Error>>;
