//! The embedded store: one SQLite file, one writer thread, and a log for writes that are
//! acknowledged before their transaction is committed.

mod artifacts;
pub mod backup;
mod chain;
mod checksums;
mod clock;
mod erase;
mod folder;
mod format;
mod heads;
mod integrity;
mod log;
mod memories;
mod migration;
mod open;
mod plans;
mod read;
mod readers;
mod schema;
mod start;
mod totals;
mod turns;
mod values;
mod verify;
mod write;
mod writer;

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
};

use async_trait::async_trait;
use erase::Residue;
pub use folder::{FolderLock, LOCK_FILE};
pub use format::{JournalFormat, journal_format};
pub use migration::{FolderRows, check_migrated};
pub use open::FILE;
use protocol::{
    ArtifactId, ArtifactView, Event, Order, OwnerId, SessionId, SessionName, SessionView, Timestamp, TurnId,
};
use readers::{Readers, WriterHandle};
use start::{OnLoss, StartState};
use tokio::sync::{broadcast, mpsc, oneshot};
pub use verify::{VerifyFault, VerifyReport, make_heads, verify};
use writer::{AtomicCounters, BatchOutcome, Job, ReplySender, SharedMeter, Writer};

use crate::{
    Append, Artifact, ArtifactCursor, ArtifactPage, Artifacts, Catalog, CatalogPage, ClockRecord, ClockRecords, Commit,
    Cursor, Error, Journal, Lease, OwnerLeases, RemovedArtifacts, SessionFilter, SessionSummary, Snapshot, Snapshots,
    TurnEntry, TurnLocation, damaged_sessions::DamagedSessions,
};

/// Maximum number of jobs in the writer's queue.
const JOBS_MAX: usize = 4096;
/// Commits that a follower may be behind before it has to read the journal.
const COMMITS_MAX: usize = 1024;
/// A read of at most this many events is a short query.
const LOOK_EVENTS_MAX: usize = 4;
/// Leases one process can give out before the next process's epochs begin.
const EPOCHS_PER_BOOT: u64 = 1 << 32;

/// The embedded store.
#[derive(Debug)]
pub struct Sqlite {
    /// `None` only while the store is dropped.
    jobs: Option<mpsc::Sender<Job>>,
    /// `None` only while the store is dropped.
    writer: Option<JoinHandle<()>>,
    readers: Readers,
    commits: broadcast::Sender<Commit>,
    tally: Arc<AtomicCounters>,
    was_cut_off: bool,
    damages: DamagedSessions,
    residue: Residue,
    _lock: FolderLock,
}

/// Counters of appends and of the flushes made for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteCounters {
    /// Requested appends.
    pub appends: u64,
    /// Flushes made for them, of the log or of the database.
    pub commits: u64,
}

impl Sqlite {
    /// Opens the journal in a data folder and creates both if needed. Locks the folder for this
    /// process. Refused with [`Error::Lost`], without any change, if the journal has less than was
    /// acknowledged.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Self::open_as(folder, OnLoss::Refuse)
    }

    /// The same, but continues with what is left. A copy of the original files is kept in the
    /// folder.
    pub fn open_accepting_loss(folder: &Path) -> Result<Self, Error> {
        Self::open_as(folder, OnLoss::Accept)
    }

    fn open_as(folder: &Path, on_loss: OnLoss) -> Result<Self, Error> {
        let lock = FolderLock::take(folder)?;
        let path = folder.join(open::FILE);
        let StartState { connection, was_cut_off, heads, log, commits: number, changed } =
            start::start(folder, &path, on_loss)?;
        let damages = DamagedSessions::default();
        changed.into_iter().for_each(|damage| damages.note(damage));
        let boots: i64 = connection
            .query_row("UPDATE meta SET value = value + 1 WHERE name = 'boots' RETURNING value", [], |row| row.get(0))
            .map_err(|error| open::explain(&path, "open the journal", &error))?;
        let residue = Residue::open(&path)?;
        let (jobs, receiver) = mpsc::channel(JOBS_MAX);
        let (commits, _) = broadcast::channel(COMMITS_MAX);
        let tally = Arc::new(AtomicCounters::default());
        let is_pending = Arc::new(AtomicBool::new(false));
        let handle = WriterHandle { is_pending: is_pending.clone(), jobs: jobs.downgrade() };
        let writer = Writer {
            connection,
            path: path.clone(),
            jobs: receiver,
            commits: commits.clone(),
            tally: tally.clone(),
            heads,
            damages: damages.clone(),
            log,
            number,
            is_pending: is_pending.clone(),
            open_since: None,
            batch: BatchOutcome::default(),
            looks: Vec::new(),
            upkeep: Vec::new(),
            leases: HashMap::new(),
            next_epoch: u64::try_from(boots).unwrap_or(0) * EPOCHS_PER_BOOT,
        };
        let failed = |error: std::io::Error| Error::Storage { action: "start the writer", cause: error.to_string() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(failed)?;
        let writer = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || writer.run(&runtime))
            .map_err(failed)?;
        Ok(Self {
            jobs: Some(jobs),
            writer: Some(writer),
            readers: Readers::new(path, handle),
            commits,
            tally,
            was_cut_off,
            damages,
            residue,
            _lock: lock,
        })
    }

    /// Whether the last process did not shut down properly, so that the last commit was recovered.
    pub const fn was_cut_off(&self) -> bool {
        self.was_cut_off
    }

    /// Number of appends so far, and of the flushes made for them.
    pub fn counters(&self) -> WriteCounters {
        WriteCounters {
            appends: self.tally.appends.load(Ordering::Relaxed),
            commits: self.tally.commits.load(Ordering::Relaxed),
        }
    }

    /// Measures commits and leases from now on. Only the first meter counts.
    pub fn measure_with(&self, meter: Arc<dyn observe::Meter>) {
        let _ = self.tally.meter.set(SharedMeter(meter));
    }

    async fn ask<T>(&self, job: impl FnOnce(ReplySender<T>) -> Job) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        self.jobs.as_ref().ok_or(Error::Closed)?.send(job(reply)).await.map_err(|_| Error::Closed)?;
        answer.await.unwrap_or(Err(Error::Closed))
    }
}

/// The folder stays locked until the last byte is written and the file is closed.
impl Drop for Sqlite {
    fn drop(&mut self) {
        // The writer closes the file last: only the last connection can checkpoint the write-ahead
        // log.
        self.readers.close();
        self.jobs = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the journal's writer thread panicked");
        }
    }
}

#[async_trait]
impl Journal for Sqlite {
    async fn create(&self, events: Vec<Event>, summary: SessionSummary) -> Result<(), Error> {
        self.ask(|reply| Job::Create { events, summary: Box::new(summary), reply }).await
    }

    async fn acquire(&self, session_id: SessionId) -> Result<Lease, Error> {
        self.ask(|reply| Job::Acquire { session_id, reply }).await
    }

    async fn release(&self, lease: Lease) {
        if let Some(jobs) = &self.jobs {
            // A closed journal has no leases left to release.
            let _ = jobs.send(Job::Release { lease }).await;
        }
    }

    async fn append(&self, lease: Lease, append: Append) -> Result<(), Error> {
        self.ask(|reply| Job::Append { lease, append, reply }).await
    }

    async fn remove(&self, lease: Lease) -> Result<(), Error> {
        self.ask(|reply| Job::Remove { lease, reply }).await
    }

    async fn read(&self, session_id: SessionId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        let read = move |connection: &_| read::events(connection, session_id, after, limit);
        let events = if limit <= LOOK_EVENTS_MAX {
            self.readers.look("read the session", read).await
        } else {
            self.readers.query("read the session", read).await
        };
        self.damages.watch(events)
    }

    fn commits(&self) -> broadcast::Receiver<Commit> {
        self.commits.subscribe()
    }
}

/// One process has the file, and serves all owners.
impl OwnerLeases for Sqlite {}

#[async_trait]
impl Catalog for Sqlite {
    async fn named(&self, owner: &OwnerId, name: &SessionName) -> Result<Option<SessionId>, Error> {
        let (owner, name) = (owner.clone(), name.clone());
        self.readers.look("find the session", move |connection| read::named(connection, &owner, &name)).await
    }

    async fn list(
        &self,
        owner: &OwnerId,
        wanted: &SessionFilter,
        after: Option<Cursor>,
        limit: usize,
    ) -> Result<CatalogPage, Error> {
        let (owner, wanted) = (owner.clone(), wanted.clone());
        let list = move |connection: &_| read::list(connection, &owner, &wanted, after, limit);
        self.readers.query("list the sessions", list).await
    }

    async fn idle(
        &self,
        before: Timestamp,
        after: Option<(OwnerId, Cursor)>,
        limit: usize,
    ) -> Result<Vec<SessionView>, Error> {
        let list = move |connection: &_| read::idle(connection, before, after.as_ref(), limit);
        self.readers.query("find idle sessions", list).await
    }

    async fn moving(&self) -> Result<Vec<SessionId>, Error> {
        self.readers.look("find open turns", read::moving).await
    }

    async fn turn(&self, turn_id: TurnId) -> Result<Vec<Event>, Error> {
        self.turn_events(turn_id, 0, usize::MAX).await
    }

    async fn turn_events(&self, turn_id: TurnId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        let read = move |connection: &_| turns::events(connection, turn_id, after, limit);
        self.damages.watch(self.readers.query("read the turn", read).await)
    }

    async fn turn_place(&self, turn_id: TurnId) -> Result<Option<TurnLocation>, Error> {
        self.readers.look("find the turn", move |connection| turns::place(connection, turn_id)).await
    }

    async fn turns(
        &self,
        session_id: SessionId,
        order: Order,
        from: Option<u64>,
        limit: usize,
    ) -> Result<Vec<TurnEntry>, Error> {
        let list = move |connection: &_| turns::list(connection, session_id, order, from, limit);
        self.readers.query("list the turns", list).await
    }
}

#[async_trait]
impl Snapshots for Sqlite {
    async fn save(&self, session_id: SessionId, snapshot: Snapshot) -> Result<(), Error> {
        self.ask(|reply| Job::Snapshot { session_id, snapshot, reply }).await
    }

    async fn latest(&self, session_id: SessionId) -> Result<Option<Snapshot>, Error> {
        if let Some(damage) = self.damages.of(session_id) {
            return Err(damage.into());
        }
        self.readers.look("read the snapshot", move |connection| read::latest_snapshot(connection, session_id)).await
    }
}

#[async_trait]
impl Artifacts for Sqlite {
    async fn put(&self, artifact: Artifact) -> Result<(), Error> {
        self.ask(|reply| Job::Put { artifact: Box::new(artifact), reply }).await
    }

    async fn artifact(&self, owner: &OwnerId, id: ArtifactId) -> Result<Option<(ArtifactView, Vec<u8>)>, Error> {
        let owner = owner.clone();
        self.readers.query("read the artifact", move |connection| artifacts::one(connection, &owner, id)).await
    }

    async fn artifacts(
        &self,
        owner: &OwnerId,
        session_id: Option<SessionId>,
        after: Option<ArtifactCursor>,
        limit: usize,
    ) -> Result<ArtifactPage, Error> {
        let owner = owner.clone();
        let list = move |connection: &_| artifacts::list(connection, &owner, session_id, after, limit);
        self.readers.query("list the artifacts", list).await
    }

    async fn artifact_bytes(&self, session_id: SessionId) -> Result<u64, Error> {
        self.readers.look("measure the artifacts", move |connection| artifacts::bytes(connection, session_id)).await
    }

    async fn owner_artifact_bytes(&self, owner: &OwnerId) -> Result<u64, Error> {
        let owner = owner.clone();
        self.readers.look("measure the artifacts", move |connection| artifacts::owner_bytes(connection, &owner)).await
    }

    async fn remove_artifact(&self, owner: &OwnerId, id: ArtifactId) -> Result<bool, Error> {
        let owner = owner.clone();
        let removed = self.ask(|reply| Job::RemoveArtifacts { owner, ids: vec![id], reply }).await?;
        Ok(removed > 0)
    }

    async fn sweep_artifacts(&self, before: Timestamp, limit: usize) -> Result<RemovedArtifacts, Error> {
        self.ask(|reply| Job::SweepArtifacts { before, limit, reply }).await
    }
}

#[async_trait]
impl ClockRecords for Sqlite {
    async fn newest_at(&self) -> Result<Option<Timestamp>, Error> {
        self.readers.query("find the newest event", clock::newest_at).await
    }

    async fn clock_record(&self) -> Result<Option<ClockRecord>, Error> {
        self.readers.look("read the clock record", clock::record).await
    }

    async fn keep_clock_record(&self, record: ClockRecord) -> Result<(), Error> {
        self.ask(|reply| Job::KeepClock { record, reply }).await
    }
}
