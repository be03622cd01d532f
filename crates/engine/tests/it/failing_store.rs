//! The real store with a switch that makes appending fail, and a book of who holds which session.

mod mishap;
mod remembering;

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use async_trait::async_trait;
use journal::{
    Append, Artifact, ArtifactCursor, ArtifactPage, Artifacts, Catalog, ClockRecord, ClockRecords, Collected, Commit,
    Cursor, Damage, Error, Integrity, Journal, Lease, Page, Snapshot, Snapshots, Summary, TurnEntry, TurnPlace,
    Verdict, Wanted, sqlite::Sqlite,
};
use mishap::Fate;
pub(crate) use mishap::Mishap;
use protocol::{
    ArtifactId, ArtifactView, Event, Order, OwnerId, SessionId, SessionName, SessionView, Timestamp, TurnId,
};
use tokio::sync::{broadcast, oneshot, watch};

use crate::house::within_patience;

/// How appending goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Health {
    Well,
    /// Nothing is written, and it says so.
    Refusing,
    /// The next one is written, and it says that nothing was: the answer got lost. Then it is well.
    MisreportingOnce,
    /// The caller is taken down.
    Panicking,
}

/// The real store with a switch.
pub(crate) struct FailingStore {
    inner: Sqlite,
    health: Mutex<Health>,
    failures: AtomicU32,
    /// How many turns were read whole.
    pub(crate) turns_read: AtomicU32,
    /// How often recovery looked for open turns.
    looks: watch::Sender<u32>,
    holds: watch::Sender<BTreeMap<SessionId, Holds>>,
    held_read: Gate,
    held_append: Gate,
    /// What is in store for one of the next appends to a session, and of the next writes to memory.
    pub(crate) appends: Fate,
    pub(crate) changes: Fate,
}

/// Where the next one who comes through has to wait for the test.
type Gate = Mutex<Option<(oneshot::Sender<()>, oneshot::Receiver<()>)>>;

/// How often a session was loaded and unloaded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Holds {
    pub(crate) loaded: u32,
    pub(crate) unloaded: u32,
}

/// Somebody who asked the store and waits for the test.
pub(crate) struct Held {
    reached: oneshot::Receiver<()>,
    go: oneshot::Sender<()>,
}

impl Held {
    fn at(gate: &Gate) -> Self {
        let (reach, reached) = oneshot::channel();
        let (go, gone) = oneshot::channel();
        *gate.lock().unwrap() = Some((reach, gone));
        Self { reached, go }
    }

    /// Waits until somebody asks.
    pub(crate) async fn reached(&mut self) {
        within_patience("somebody asks the store", &mut self.reached).await.unwrap();
    }

    /// Lets it go on.
    pub(crate) fn go(self) {
        self.go.send(()).unwrap();
    }
}

async fn pass(gate: &Gate) {
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
            health: Mutex::new(Health::Well),
            failures: AtomicU32::new(0),
            turns_read: AtomicU32::new(0),
            looks: watch::Sender::new(0),
            holds: watch::Sender::default(),
            held_read: Gate::default(),
            held_append: Gate::default(),
            appends: Fate::default(),
            changes: Fate::default(),
        }
    }

    pub(crate) fn turn_to(&self, health: Health) {
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

    /// Waits until recovery has looked that much more often.
    pub(crate) async fn looked(&self, more: u32) {
        let target = self.looks() + more;
        let mut looks = self.looks.subscribe();
        within_patience("recovery looks for open turns", looks.wait_for(|looks| *looks >= target)).await.unwrap();
    }

    pub(crate) fn holds(&self, session_id: SessionId) -> Holds {
        self.holds.borrow().get(&session_id).copied().unwrap_or_default()
    }

    /// Waits until the session is not loaded.
    pub(crate) async fn unloaded(&self, session_id: SessionId) {
        let mut holds = self.holds.subscribe();
        let is_unloaded = |all: &BTreeMap<_, Holds>| all.get(&session_id).is_none_or(|it| it.loaded == it.unloaded);
        within_patience("the session is unloaded", holds.wait_for(is_unloaded)).await.unwrap();
    }

    /// Makes the next read of events wait.
    pub(crate) fn hold_next_read(&self) -> Held {
        Held::at(&self.held_read)
    }

    /// Makes the next append wait: it is written, and the answer is held back.
    pub(crate) fn hold_next_append(&self) -> Held {
        Held::at(&self.held_append)
    }

    fn failure(&self) -> Error {
        self.failures.fetch_add(1, Ordering::SeqCst);
        Error::Storage { action: "write to the journal", cause: "the test wants it so".to_owned() }
    }
}

#[async_trait]
impl Journal for FailingStore {
    async fn create(&self, events: Vec<Event>, summary: Summary) -> Result<(), Error> {
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
            Health::Well => match self.appends.next() {
                Some(Mishap::Refused) => Err(self.failure()),
                Some(Mishap::Misreported) => {
                    self.inner.append(lease, append).await?;
                    Err(self.failure())
                }
                None => {
                    let written = self.inner.append(lease, append).await;
                    pass(&self.held_append).await;
                    written
                }
            },
            Health::Refusing => Err(self.failure()),
            Health::MisreportingOnce => {
                self.turn_to(Health::Well);
                self.inner.append(lease, append).await?;
                Err(self.failure())
            }
            Health::Panicking => panic!("{}", self.failure()),
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

#[async_trait]
impl Catalog for FailingStore {
    async fn named(&self, owner: &OwnerId, name: &SessionName) -> Result<Option<SessionId>, Error> {
        self.inner.named(owner, name).await
    }

    async fn list(&self, owner: &OwnerId, wanted: &Wanted, after: Option<Cursor>, limit: usize) -> Result<Page, Error> {
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

    async fn turn_place(&self, turn_id: TurnId) -> Result<Option<TurnPlace>, Error> {
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
    async fn verify(&self, session_id: SessionId) -> Result<Verdict, Error> {
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

    async fn sweep_artifacts(&self, before: Timestamp, limit: usize) -> Result<Collected, Error> {
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
