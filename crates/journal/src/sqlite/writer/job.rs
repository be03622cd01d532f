//! Jobs of the writer.

use protocol::{ArtifactId, Event, OwnerId, SessionId, Timestamp};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::super::erase::maintenance::Maintenance;
use crate::{
    Append, Artifact, Change, ChangedValues, ClockRecord, Error, Lease, RedactedEvent, RemovedArtifacts,
    SessionSummary, Snapshot, ValueChange,
};

/// A job, with the channel for its answer.
pub(in super::super) enum Job {
    Create {
        events: Vec<Event>,
        summary: Box<SessionSummary>,
        reply: ReplySender<()>,
    },
    Acquire {
        session_id: SessionId,
        reply: ReplySender<Lease>,
    },
    Release {
        lease: Lease,
    },
    Append {
        lease: Lease,
        append: Append,
        reply: ReplySender<()>,
    },
    Remove {
        lease: Lease,
        reply: ReplySender<()>,
    },
    Snapshot {
        session_id: SessionId,
        snapshot: Snapshot,
        reply: ReplySender<()>,
    },
    Put {
        artifact: Box<Artifact>,
        reply: ReplySender<()>,
    },
    Change {
        owner: OwnerId,
        changes: Vec<Change>,
        reply: ReplySender<()>,
    },
    ExpireKeys {
        before: Timestamp,
        reply: ReplySender<()>,
    },
    Redact {
        lease: Lease,
        redactions: Vec<RedactedEvent>,
        summary: Option<Box<SessionSummary>>,
        reply: ReplySender<()>,
    },
    RemoveArtifacts {
        owner: OwnerId,
        ids: Vec<ArtifactId>,
        reply: ReplySender<u64>,
    },
    SweepArtifacts {
        before: Timestamp,
        limit: usize,
        reply: ReplySender<RemovedArtifacts>,
    },
    ChangeValues {
        owner: OwnerId,
        change: Box<ValueChange>,
        reply: ReplySender<ChangedValues>,
    },
    /// Removes values by row id and checksum.
    RemoveValues {
        found: Vec<(i64, Vec<u8>)>,
        reply: ReplySender<u64>,
    },
    SweepValues {
        now: Timestamp,
        limit: usize,
        reply: ReplySender<u64>,
    },
    Upkeep {
        task: Maintenance,
        reply: ReplySender<()>,
    },
    /// Writes nothing, and is committed like a write.
    Probe {
        reply: ReplySender<()>,
    },
    /// Writes nothing, and commits what is acknowledged.
    Settle {
        reply: ReplySender<()>,
    },
    /// A query that sees everything that was acknowledged.
    Query(QueryJob),
    KeepClock {
        record: ClockRecord,
        reply: ReplySender<()>,
    },
    NoteErasing {
        by: i64,
        reply: ReplySender<()>,
    },
}

/// A short query that sends its own answer.
pub(in super::super) type QueryJob = Box<dyn FnOnce(Result<&Connection, Error>) + Send>;
pub(in super::super) type ReplySender<T> = oneshot::Sender<Result<T, Error>>;
