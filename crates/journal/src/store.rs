//! The narrow traits a store implements.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::{
    ArtifactId, ArtifactView, Event, Order, OwnerId, SessionId, SessionName, SessionView, Timestamp, TurnId,
};
use tokio::sync::broadcast;

use crate::{ClockRecords, Eraser, Error, Integrity, Memories, Totals, Wanted};

/// The right to append to a session, until somebody acquires it anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// The session.
    pub session_id: SessionId,
    /// Grows with every acquisition; an append with an older one fails.
    pub epoch: u64,
}

/// Events to append, all or none.
#[derive(Debug, Clone)]
pub struct Append {
    /// The number of the newest event the caller knows.
    pub expected_head: u64,
    /// The events, numbered from there on.
    pub events: Arc<[Arc<Event>]>,
    /// The session's entry in the catalog, when the events change it.
    pub summary: Option<Box<Summary>>,
}

impl Append {
    /// Events after the newest one that the caller knows.
    pub fn new(expected_head: u64, events: Vec<Event>, summary: Option<Box<Summary>>) -> Self {
        Self { expected_head, events: events.into_iter().map(Arc::new).collect(), summary }
    }
}

/// A session's entry in the catalog, written with the events that change it.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The session as clients see it.
    pub view: SessionView,
    /// Whether a turn goes on by itself, so that a restart has to take care of it.
    pub is_moving: bool,
}

/// A commit that has happened: the session has events up to this number.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The session.
    pub session_id: SessionId,
    /// The number of its newest event; [`Commit::REMOVED`] if the session is gone.
    pub head: u64,
    /// The events up to the newest one that were committed with it, where the store has them at hand.
    pub events: Arc<[Arc<Event>]>,
}

impl Commit {
    /// Higher than any event's number, so that every follower looks and finds no session.
    pub const REMOVED: u64 = u64::MAX;

    /// A session is gone.
    pub fn removed(session_id: SessionId) -> Self {
        Self { session_id, head: Self::REMOVED, events: Arc::default() }
    }
}

/// Numbered events of sessions: append, read, follow.
#[async_trait]
pub trait Journal: Send + Sync + 'static {
    /// Begins a session with its first events. Refuses a name that the owner uses already.
    async fn create(&self, events: Vec<Event>, summary: Summary) -> Result<(), Error>;

    /// Takes the session over: from now on only this lease can append.
    async fn acquire(&self, session_id: SessionId) -> Result<Lease, Error>;

    /// Gives a lease back; harmless if it was taken over.
    async fn release(&self, lease: Lease);

    /// Appends, and answers once the events are on the disk. Refused with [`Error::DamagedSession`] if the session is known to
    /// be damaged.
    async fn append(&self, lease: Lease, append: Append) -> Result<(), Error>;

    /// Takes the session away with all that belongs to it: events, snapshot, entry in the catalog, artifacts, bookmarks.
    /// Its name is free from then on, and whoever asks for it hears that there is no such session. What memory made of it
    /// stays.
    async fn remove(&self, lease: Lease) -> Result<(), Error>;

    /// At most `limit` events after a number, in order, each checked against its sum. If one of them is damaged or missing,
    /// none is given: [`Error::DamagedSession`] says which, and the events before it can be asked for.
    async fn read(&self, session_id: SessionId, after: u64, limit: usize) -> Result<Vec<Event>, Error>;

    /// Every commit from now on. Who falls behind has missed some and looks at the journal itself.
    fn commits(&self) -> broadcast::Receiver<Commit>;
}

/// Where to go on in a list that is ordered by (time, id), so that equal times lose nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// When the last one on the page before was active.
    pub updated_at: Timestamp,
    /// Which it was.
    pub session_id: SessionId,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The sessions, newest activity first.
    pub sessions: Vec<SessionView>,
    /// Where the next page begins.
    pub next: Option<Cursor>,
}

/// Where a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnPlace {
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
    /// Which it is.
    pub turn_id: TurnId,
}

/// Finding sessions and turns.
#[async_trait]
pub trait Catalog: Send + Sync + 'static {
    /// The owner's session of that name.
    async fn named(&self, owner: &OwnerId, name: &SessionName) -> Result<Option<SessionId>, Error>;

    /// The owner's sessions that are wanted, newest activity first.
    async fn list(&self, owner: &OwnerId, wanted: &Wanted, after: Option<Cursor>, limit: usize) -> Result<Page, Error>;

    /// At most `limit` sessions of all owners in which nothing has happened since a moment, by (owner, time, id), after a
    /// place in that order. Temporary ones are left out: they go by themselves.
    async fn idle(
        &self,
        before: Timestamp,
        after: Option<(OwnerId, Cursor)>,
        limit: usize,
    ) -> Result<Vec<SessionView>, Error>;

    /// Sessions in which a turn goes on by itself.
    async fn moving(&self) -> Result<Vec<SessionId>, Error>;

    /// All events of a turn, in order; none if there is no such turn.
    async fn turn(&self, turn_id: TurnId) -> Result<Vec<Event>, Error>;

    /// At most `limit` events of a turn after a number, in order. Reads no others.
    async fn turn_events(&self, turn_id: TurnId, after: u64, limit: usize) -> Result<Vec<Event>, Error>;

    /// Where a turn is; none if there is no such turn.
    async fn turn_place(&self, turn_id: TurnId) -> Result<Option<TurnPlace>, Error>;

    /// At most `limit` turns of a session in the order of their first events: from the oldest on those that begin after
    /// `from`, or from the newest back those that begin before it. Looks at no events beyond the last it gives.
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
    /// The format of the state; one that the reader does not know is of no use to it.
    pub format: u32,
    /// The state.
    pub state: String,
}

/// States that spare reading a session from its beginning. Losing one loses time only.
#[async_trait]
pub trait Snapshots: Send + Sync + 'static {
    /// Keeps a snapshot in place of the one before.
    async fn save(&self, session_id: SessionId, snapshot: Snapshot) -> Result<(), Error>;

    /// The newest snapshot. One that is damaged, or does not fit the events, is none. Refused with
    /// [`Error::DamagedSession`] if the session is known to be damaged.
    async fn latest(&self, session_id: SessionId) -> Result<Option<Snapshot>, Error>;
}

/// Something too large for the conversation, with whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// What clients see of it.
    pub view: ArtifactView,
    /// Whose it is; the same as its session's.
    pub owner: OwnerId,
    /// What it is made of.
    pub bytes: Vec<u8>,
}

/// Where to go on in a list of artifacts, which is ordered by (time, id), so that equal times lose nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactCursor {
    /// When the last one on the page before was made.
    pub created_at: Timestamp,
    /// Which it was.
    pub artifact_id: ArtifactId,
}

/// A page of artifacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactPage {
    /// The artifacts, newest first.
    pub artifacts: Vec<ArtifactView>,
    /// Where the next page begins.
    pub next: Option<ArtifactCursor>,
}

/// What a sweep has taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Collected {
    /// How many artifacts.
    pub artifacts: u64,
    /// How many bytes they had.
    pub bytes: u64,
}

/// What is kept beside the conversation. An artifact belongs to a session and goes with it.
#[async_trait]
pub trait Artifacts: Send + Sync + 'static {
    /// Keeps an artifact, and answers once it is on the disk. Doing so again with the same id changes nothing. Refuses
    /// a session that the owner does not have.
    async fn put(&self, artifact: Artifact) -> Result<(), Error>;

    /// The owner's artifact of that id with its bytes. Another owner's is not found.
    async fn artifact(&self, owner: &OwnerId, id: ArtifactId) -> Result<Option<(ArtifactView, Vec<u8>)>, Error>;

    /// The owner's artifacts, of one session or of all, newest first.
    async fn artifacts(
        &self,
        owner: &OwnerId,
        session_id: Option<SessionId>,
        after: Option<ArtifactCursor>,
        limit: usize,
    ) -> Result<ArtifactPage, Error>;

    /// How many bytes the artifacts of a session have in all.
    async fn artifact_bytes(&self, session_id: SessionId) -> Result<u64, Error>;

    /// How many bytes the owner's artifacts have in all.
    async fn owner_artifact_bytes(&self, owner: &OwnerId) -> Result<u64, Error>;

    /// Takes the owner's artifact of that id away, and says whether there was one. Another owner's is not found.
    async fn remove_artifact(&self, owner: &OwnerId, id: ArtifactId) -> Result<bool, Error>;

    /// Takes at most `limit` artifacts away that were made before a moment, oldest first, whosever they are. All of them or
    /// none: whoever has many to collect asks again, so that others can write in between.
    async fn sweep_artifacts(&self, before: Timestamp, limit: usize) -> Result<Collected, Error>;
}

/// All that the engine asks of a store.
pub trait Store:
    Journal + Catalog + Snapshots + Artifacts + Memories + Eraser + Integrity + Totals + ClockRecords
{
}

impl<T: Journal + Catalog + Snapshots + Artifacts + Memories + Eraser + Integrity + Totals + ClockRecords> Store for T {}
