//! The traits that a store implements.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::{
    AlertId, ArtifactId, ArtifactView, Event, Order, OwnerId, SessionId, SessionName, SessionView, Timestamp, TurnId,
};
use tokio::sync::broadcast;

use crate::{
    BackgroundEntry, ClockRecords, Eraser, Error, Integrity, Memories, OwnerLeases, Plans, ScheduleEntry,
    SessionFilter, Totals, Values,
};

/// The right to append to a session, until the lease is acquired again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// The session.
    pub session_id: SessionId,
    /// Grows with every acquisition; an append with an older one fails.
    pub epoch: u64,
}

/// Events to append atomically.
#[derive(Debug, Clone)]
pub struct Append {
    /// The number of the newest event the caller knows.
    pub expected_head: u64,
    /// The events, numbered from there on.
    pub events: Arc<[Arc<Event>]>,
    /// The session's catalog entry, if the events change it.
    pub summary: Option<Box<SessionSummary>>,
}

impl Append {
    /// Events after the newest one that the caller knows.
    pub fn new(expected_head: u64, events: Vec<Event>, summary: Option<Box<SessionSummary>>) -> Self {
        Self { expected_head, events: events.into_iter().map(Arc::new).collect(), summary }
    }
}

/// A session's catalog entry, written with the events that change it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSummary {
    /// The session as clients see it.
    pub view: SessionView,
    /// Whether a turn runs by itself, so that a restart has to resume it.
    pub is_moving: bool,
    /// When the session has to be woken for a schedule or an alert.
    pub wake_at: Option<Timestamp>,
    /// Schedules that are new in it or have changed.
    pub schedules: Vec<ScheduleEntry>,
    /// Alerts that are new in it.
    pub alerts: Vec<AlertId>,
    /// Turns in the background that are new in it or have ended.
    pub background: Vec<BackgroundEntry>,
}

impl SessionSummary {
    /// The entry of a session in which nothing is planned.
    pub const fn new(view: SessionView, is_moving: bool) -> Self {
        Self { view, is_moving, wake_at: None, schedules: Vec::new(), alerts: Vec::new(), background: Vec::new() }
    }
}

/// A completed commit: the session has events up to this number.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The session.
    pub session_id: SessionId,
    /// The number of its newest event; [`Commit::REMOVED`] if the session was removed.
    pub head: u64,
    /// The committed events up to the newest one, if the store still has them in memory.
    pub events: Arc<[Arc<Event>]>,
    /// Whether another node has written it, which also derives from it whatever has to be derived.
    pub is_foreign: bool,
}

impl Commit {
    /// Higher than any event's number, so that every follower reads and finds no session.
    pub const REMOVED: u64 = u64::MAX;

    /// The commit of a removed session.
    pub fn removed(session_id: SessionId) -> Self {
        Self { session_id, head: Self::REMOVED, events: Arc::default(), is_foreign: false }
    }
}

/// Numbered events of sessions: append, read, follow.
#[async_trait]
pub trait Journal: Send + Sync + 'static {
    /// Begins a session with its first events. Refuses a name that the owner uses already.
    async fn create(&self, events: Vec<Event>, summary: SessionSummary) -> Result<(), Error>;

    /// Acquires the session's lease: from now on only this lease can append.
    async fn acquire(&self, session_id: SessionId) -> Result<Lease, Error>;

    /// Releases a lease. Does nothing if another one was acquired since.
    async fn release(&self, lease: Lease);

    /// Appends, and answers once the events are on the disk. Refused with [`Error::DamagedSession`]
    /// if the session is known to be damaged.
    async fn append(&self, lease: Lease, append: Append) -> Result<(), Error>;

    /// Removes the session with its events, snapshot, catalog entry, artifacts and bookmarks. Its
    /// name is free from then on, and later calls get [`Error::NotFound`]. Its records in memory
    /// stay.
    async fn remove(&self, lease: Lease) -> Result<(), Error>;

    /// At most `limit` events after a number, in order, each checked against its checksum. If one
    /// of them is damaged or missing, none is returned: [`Error::DamagedSession`] names it, and the
    /// events before it can still be read.
    async fn read(&self, session_id: SessionId, after: u64, limit: usize) -> Result<Vec<Event>, Error>;

    /// All commits from now on. A receiver that falls behind misses some and has to read the
    /// journal.
    fn commits(&self) -> broadcast::Receiver<Commit>;
}

/// Position in a list ordered by (time, id). The id keeps sessions with equal times apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// Last activity of the last session of the previous page.
    pub updated_at: Timestamp,
    /// Id of that session.
    pub session_id: SessionId,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogPage {
    /// The sessions, newest activity first.
    pub sessions: Vec<SessionView>,
    /// Position of the next page.
    pub next: Option<Cursor>,
}

/// Where a turn is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnLocation {
    /// Its session.
    pub session_id: SessionId,
    /// The number of its newest event.
    pub last_seq: u64,
}

/// A turn in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnEntry {
    /// The number of its first event.
    pub first_seq: u64,
    /// Id of the turn.
    pub turn_id: TurnId,
}

/// Lookup of sessions and turns.
#[async_trait]
pub trait Catalog: Send + Sync + 'static {
    /// The owner's session with that name.
    async fn named(&self, owner: &OwnerId, name: &SessionName) -> Result<Option<SessionId>, Error>;

    /// The owner's sessions that pass the filter, latest activity first.
    async fn list(
        &self,
        owner: &OwnerId,
        wanted: &SessionFilter,
        after: Option<Cursor>,
        limit: usize,
    ) -> Result<CatalogPage, Error>;

    /// At most `limit` sessions of all owners without activity since a time, after a position in
    /// the order (owner, time, id). Temporary sessions are left out: they are removed by other
    /// means.
    async fn idle(
        &self,
        before: Timestamp,
        after: Option<(OwnerId, Cursor)>,
        limit: usize,
    ) -> Result<Vec<SessionView>, Error>;

    /// Sessions in which a turn runs by itself.
    async fn moving(&self) -> Result<Vec<SessionId>, Error>;

    /// All events of a turn, in order; empty if there is no such turn.
    async fn turn(&self, turn_id: TurnId) -> Result<Vec<Event>, Error>;

    /// At most `limit` events of a turn after a number, in order. Reads no others.
    async fn turn_events(&self, turn_id: TurnId, after: u64, limit: usize) -> Result<Vec<Event>, Error>;

    /// Where a turn is stored; `None` if there is no such turn.
    async fn turn_place(&self, turn_id: TurnId) -> Result<Option<TurnLocation>, Error>;

    /// At most `limit` turns of a session, ordered by their first events. Oldest first, those that
    /// start after `from`; newest first, those that start before it. Reads no events beyond the
    /// last turn.
    async fn turns(
        &self,
        session_id: SessionId,
        order: Order,
        from: Option<u64>,
        limit: usize,
    ) -> Result<Vec<TurnEntry>, Error>;
}

/// A state from which loading can start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The number of the last event it contains.
    pub seq: u64,
    /// The format of the state. A reader ignores a format that it does not know.
    pub format: u32,
    /// The state.
    pub state: String,
}

/// States that save reading a session from its beginning. A lost snapshot costs only time.
#[async_trait]
pub trait Snapshots: Send + Sync + 'static {
    /// Replaces the snapshot of a session.
    async fn save(&self, session_id: SessionId, snapshot: Snapshot) -> Result<(), Error>;

    /// The newest snapshot. `None` if it is damaged or does not match the events. Refused with
    /// [`Error::DamagedSession`] if the session is known to be damaged.
    async fn latest(&self, session_id: SessionId) -> Result<Option<Snapshot>, Error>;
}

/// An artifact with its owner and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The view for clients.
    pub view: ArtifactView,
    /// The owner; the same as its session's.
    pub owner: OwnerId,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Position in a list of artifacts ordered by (time, id). The id keeps artifacts with equal times
/// apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactCursor {
    /// When the last artifact of the previous page was created.
    pub created_at: Timestamp,
    /// Id of that artifact.
    pub artifact_id: ArtifactId,
}

/// A page of artifacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactPage {
    /// The artifacts, newest first.
    pub artifacts: Vec<ArtifactView>,
    /// Position of the next page.
    pub next: Option<ArtifactCursor>,
}

/// Result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RemovedArtifacts {
    /// Number of removed artifacts.
    pub artifacts: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// Data that is too large for the conversation. An artifact belongs to a session and is removed
/// with it.
#[async_trait]
pub trait Artifacts: Send + Sync + 'static {
    /// Stores an artifact, and answers once it is on the disk. A repetition with the same id
    /// changes nothing. Refuses a session that the owner does not have.
    async fn put(&self, artifact: Artifact) -> Result<(), Error>;

    /// The owner's artifact with its bytes. Another owner's artifact is not found.
    async fn artifact(&self, owner: &OwnerId, id: ArtifactId) -> Result<Option<(ArtifactView, Vec<u8>)>, Error>;

    /// The owner's artifacts, of one session or of all, newest first.
    async fn artifacts(
        &self,
        owner: &OwnerId,
        session_id: Option<SessionId>,
        after: Option<ArtifactCursor>,
        limit: usize,
    ) -> Result<ArtifactPage, Error>;

    /// Total size of a session's artifacts in bytes.
    async fn artifact_bytes(&self, session_id: SessionId) -> Result<u64, Error>;

    /// Total size of the owner's artifacts in bytes.
    async fn owner_artifact_bytes(&self, owner: &OwnerId) -> Result<u64, Error>;

    /// Removes the owner's artifact, and returns whether it existed. Another owner's artifact is
    /// not found.
    async fn remove_artifact(&self, owner: &OwnerId, id: ArtifactId) -> Result<bool, Error>;

    /// Removes at most `limit` artifacts of all owners that were created before a time, oldest
    /// first, in one transaction. The caller repeats it for more, so that other writes can run in
    /// between.
    async fn sweep_artifacts(&self, before: Timestamp, limit: usize) -> Result<RemovedArtifacts, Error>;
}

/// All traits that the engine needs of a store.
pub trait Store:
    Journal
    + Catalog
    + Snapshots
    + Artifacts
    + Memories
    + Values
    + Eraser
    + Integrity
    + Totals
    + ClockRecords
    + Plans
    + OwnerLeases
{
}

impl<T> Store for T where
    T: Journal
        + Catalog
        + Snapshots
        + Artifacts
        + Memories
        + Values
        + Eraser
        + Integrity
        + Totals
        + ClockRecords
        + Plans
        + OwnerLeases
{
}
