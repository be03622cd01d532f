//! The real store with a switch that makes appends fail, and a record of which sessions are loaded.

mod fault;
mod memories;
mod plans;
mod values;

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use async_trait::async_trait;
use fault::FaultPlan;
pub(crate) use fault::WriteFault;
use journal::{
    Append, Artifact, ArtifactCursor, ArtifactPage, Artifacts, Catalog, CatalogPage, ClockRecord, ClockRecords, Commit,
    Cursor, Damage, Error, Integrity, Journal, Lease, OwnerLeases, RemovedArtifacts, SessionCheck, SessionFilter,
    SessionSummary, Snapshot, Snapshots, TurnEntry, TurnLocation, sqlite::Sqlite,
};
use protocol::{
    ArtifactId, ArtifactView, Event, Order, OwnerId, SessionId, SessionName, SessionView, Timestamp, TurnId,
};
use tokio::sync::{broadcast, oneshot, watch};

use crate::harness::within_patience;

/// The behaviour of appends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppendMode {
    Well,
    /// Nothing is written, and an error says so.
    Refusing,
    /// The next append is written, but an error says that it was not: the answer got lost. Then
    /// appends work again.
    MisreportingOnce,
    /// The caller panics.
    Panicking,
}

/// The real store with a switch.
pub(crate) struct FailingStore {
    inner: Sqlite,
    health: Mutex<AppendMode>,
    failures: AtomicU32,
    /// How many turns were read as a whole.
    pub(crate) turns_read: AtomicU32,
    /// How often recovery looked for open turns.
    looks: watch::Sender<u32>,
    holds: watch::Sender<BTreeMap<SessionId, LoadCounts>>,
    held_read: PausePoint,
    held_append: PausePoint,
    /// Faults for the next appends to a session, and for the next writes to memory.
    pub(crate) appends: FaultPlan,
    pub(crate) changes: FaultPlan,
}

/// Makes the next caller wait for the test.
type PausePoint = Mutex<Option<(oneshot::Sender<()>, oneshot::Receiver<()>)>>;

/// How often a session was loaded and unloaded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LoadCounts {
    pub(crate) loaded: u32,
    pub(crate) unloaded: u32,
}

/// A call of the store that waits for the test.
pub(crate) struct PausedCall {
    reached: oneshot::Receiver<()>,
    go: oneshot::Sender<()>,
}

impl PausedCall {
    fn at(gate: &PausePoint) -> Self {
        let (reach, reached) = oneshot::channel();
        let (go, gone) = oneshot::channel();
        *gate.lock().unwrap() = Some((reach, gone));
        Self { reached, go }
    }

    /// Waits until the call arrives.
    pub(crate) async fn reached(&mut self) {
        within_patience("the call reaches the store", &mut self.reached).await.unwrap();
    }

    /// Lets the call continue.
    pub(crate) fn go(self) {
        self.go.send(()).unwrap();
    }
}

async fn pass(gate: &PausePoint) {
    let held = gate.lock().unwrap().take();
    if let Some((reach, gone)) = held {
        reach.send(()).unwrap();
        gone.await.unwrap();
    }
}

impl FailingStore {
    pub(crate) fn new(inner: Sqlite) -> Self {
        Self {
            inner,
            health: Mutex::new(AppendMode::Well),
            failures: AtomicU32::new(0),
            turns_read: AtomicU32::new(0),
            looks: watch::Sender::new(0),
            holds: watch::Sender::default(),
            held_read: PausePoint::default(),
            held_append: PausePoint::default(),
            appends: FaultPlan::default(),
            changes: FaultPlan::default(),
        }
    }

    pub(crate) fn turn_to(&self, health: AppendMode) {
        *self.health.lock().unwrap() = health;
    }

    /// How many appends have failed.
    pub(crate) fn failures(&self) -> u32 {
        self.failures.load(Ordering::SeqCst)
    }

    /// How often recovery has looked for open turns.
    pub(crate) fn looks(&self) -> u32 {
        *self.looks.borrow()
    }

    /// Waits until recovery has looked this many more times.
    pub(crate) async fn looked(&self, more: u32) {
        let target = self.looks() + more;
        let mut looks = self.looks.subscribe();
        within_patience("recovery looks for open turns", looks.wait_for(|looks| *looks >= target)).await.unwrap();
    }

    pub(crate) fn holds(&self, session_id: SessionId) -> LoadCounts {
        self.holds.borrow().get(&session_id).copied().unwrap_or_default()
    }

    /// Waits until the session is not loaded.
    pub(crate) async fn unloaded(&self, session_id: SessionId) {
        let mut holds = self.holds.subscribe();
        let is_unloaded =
            |all: &BTreeMap<_, LoadCounts>| all.get(&session_id).is_none_or(|it| it.loaded == it.unloaded);
        within_patience("the session is unloaded", holds.wait_for(is_unloaded)).await.unwrap();
    }

    /// Makes the next read of events wait.
    pub(crate) fn hold_next_read(&self) -> PausedCall {
        PausedCall::at(&self.held_read)
    }

    /// Makes the next append wait: it is written, and the answer is delayed.
    pub(crate) fn hold_next_append(&self) -> PausedCall {
        PausedCall::at(&self.held_append)
    }

    fn failure(&self) -> Error {
        self.failures.fetch_add(1, Ordering::SeqCst);
        Error::Storage { action: "write to the journal", cause: "the test wants it so".to_owned() }
    }
}

#[async_trait]
impl Journal for FailingStore {
    async fn create(&self, events: Vec<Event>, summary: SessionSummary) -> Result<(), Error> {
        self.inner.create(events, summary).await
    }

    async fn acquire(&self, session_id: SessionId) -> Result<Lease, Error> {
        let lease = self.inner.acquire(session_id).await?;
        self.holds.send_modify(|all| all.entry(session_id).or_default().loaded += 1);
        Ok(lease)
    }

    async fn release(&self, lease: Lease) {
        self.inner.release(lease).await;
        self.holds.send_modify(|all| all.entry(lease.session_id).or_default().unloaded += 1);
    }

    async fn append(&self, lease: Lease, append: Append) -> Result<(), Error> {
        let health = *self.health.lock().unwrap();
        match health {
            AppendMode::Well => match self.appends.next() {
                Some(WriteFault::Refused) => Err(self.failure()),
                Some(WriteFault::Misreported) => {
                    self.inner.append(lease, append).await?;
                    Err(self.failure())
                }
                None => {
                    let written = self.inner.append(lease, append).await;
                    pass(&self.held_append).await;
                    written
                }
            },
            AppendMode::Refusing => Err(self.failure()),
            AppendMode::MisreportingOnce => {
                self.turn_to(AppendMode::Well);
                self.inner.append(lease, append).await?;
                Err(self.failure())
            }
            AppendMode::Panicking => panic!("{}", self.failure()),
        }
    }

    async fn remove(&self, lease: Lease) -> Result<(), Error> {
        self.inner.remove(lease).await
    }

    async fn read(&self, session_id: SessionId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        pass(&self.held_read).await;
        self.inner.read(session_id, after, limit).await
    }

    fn commits(&self) -> broadcast::Receiver<Commit> {
        self.inner.commits()
    }
}

impl OwnerLeases for FailingStore {}

#[async_trait]
impl Catalog for FailingStore {
    async fn named(&self, owner: &OwnerId, name: &SessionName) -> Result<Option<SessionId>, Error> {
        self.inner.named(owner, name).await
    }

    async fn list(
        &self,
        owner: &OwnerId,
        wanted: &SessionFilter,
        after: Option<Cursor>,
        limit: usize,
    ) -> Result<CatalogPage, Error> {
        self.inner.list(owner, wanted, after, limit).await
    }

    async fn idle(
        &self,
        before: Timestamp,
        after: Option<(OwnerId, Cursor)>,
        limit: usize,
    ) -> Result<Vec<SessionView>, Error> {
        self.inner.idle(before, after, limit).await
    }

    async fn moving(&self) -> Result<Vec<SessionId>, Error> {
        self.looks.send_modify(|looks| *looks += 1);
        self.inner.moving().await
    }

    async fn turn(&self, turn_id: TurnId) -> Result<Vec<Event>, Error> {
        self.turns_read.fetch_add(1, Ordering::SeqCst);
        self.inner.turn(turn_id).await
    }

    async fn turn_events(&self, turn_id: TurnId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        self.inner.turn_events(turn_id, after, limit).await
    }

    async fn turn_place(&self, turn_id: TurnId) -> Result<Option<TurnLocation>, Error> {
        self.inner.turn_place(turn_id).await
    }

    async fn turns(
        &self,
        session_id: SessionId,
        order: Order,
        from: Option<u64>,
        limit: usize,
    ) -> Result<Vec<TurnEntry>, Error> {
        self.inner.turns(session_id, order, from, limit).await
    }
}

#[async_trait]
impl Snapshots for FailingStore {
    async fn save(&self, session_id: SessionId, snapshot: Snapshot) -> Result<(), Error> {
        self.inner.save(session_id, snapshot).await
    }

    async fn latest(&self, session_id: SessionId) -> Result<Option<Snapshot>, Error> {
        self.inner.latest(session_id).await
    }
}

#[async_trait]
impl Integrity for FailingStore {
    async fn verify(&self, session_id: SessionId) -> Result<SessionCheck, Error> {
        self.inner.verify(session_id).await
    }

    async fn next_session(&self, after: Option<SessionId>) -> Result<Option<SessionId>, Error> {
        self.inner.next_session(after).await
    }

    fn damaged(&self) -> Vec<Damage> {
        self.inner.damaged()
    }

    async fn probe(&self) -> Result<(), Error> {
        self.inner.probe().await
    }
}

#[async_trait]
impl Artifacts for FailingStore {
    async fn put(&self, artifact: Artifact) -> Result<(), Error> {
        self.inner.put(artifact).await
    }

    async fn artifact(&self, owner: &OwnerId, id: ArtifactId) -> Result<Option<(ArtifactView, Vec<u8>)>, Error> {
        self.inner.artifact(owner, id).await
    }

    async fn artifacts(
        &self,
        owner: &OwnerId,
        session_id: Option<SessionId>,
        after: Option<ArtifactCursor>,
        limit: usize,
    ) -> Result<ArtifactPage, Error> {
        self.inner.artifacts(owner, session_id, after, limit).await
    }

    async fn artifact_bytes(&self, session_id: SessionId) -> Result<u64, Error> {
        self.inner.artifact_bytes(session_id).await
    }

    async fn owner_artifact_bytes(&self, owner: &OwnerId) -> Result<u64, Error> {
        self.inner.owner_artifact_bytes(owner).await
    }

    async fn remove_artifact(&self, owner: &OwnerId, id: ArtifactId) -> Result<bool, Error> {
        self.inner.remove_artifact(owner, id).await
    }

    async fn sweep_artifacts(&self, before: Timestamp, limit: usize) -> Result<RemovedArtifacts, Error> {
        self.inner.sweep_artifacts(before, limit).await
    }
}

#[async_trait]
impl ClockRecords for FailingStore {
    async fn newest_at(&self) -> Result<Option<Timestamp>, Error> {
        self.inner.newest_at().await
    }

    async fn clock_record(&self) -> Result<Option<ClockRecord>, Error> {
        self.inner.clock_record().await
    }

    async fn keep_clock_record(&self, record: ClockRecord) -> Result<(), Error> {
        self.inner.keep_clock_record(record).await
    }
}
