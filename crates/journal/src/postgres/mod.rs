//! The store on PostgreSQL: for more than one machine can hold, and for databases that are operated
//! anyway.
//!
//! The driver is `tokio-postgres`, not `sqlx`: it sends a statement with its types and without
//! preparing it, in one round trip, which poolers in transaction mode need; and the statements here
//! are put together from parts, which `sqlx` could not check at compile time either.
//!
//! Nothing here is state of a connection: no prepared statements, no advisory locks, no settings
//! beyond a transaction. One connection listens to other nodes, and polling does without it. What
//! may append to a session is a row: its epoch, its head and its node.

mod address;
mod artifacts;
mod batch;
mod check;
mod counters;
mod database;
mod erase;
mod failure;
mod integrity;
mod leases;
mod memories;
mod migration;
mod node;
mod notices;
mod owners;
mod params;
mod plans;
mod pool;
mod read;
mod rows;
mod schema;
mod sessions;
mod shared_files;
mod tail;
mod tail_check;
mod tls;
mod totals;
mod values;
mod writer;

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use address::Address;
use async_trait::async_trait;
pub use check::{DatabaseCheck, check};
use counters::Counters;
use database::Database;
use leases::Leases;
pub use migration::DatabaseRows;
use node::Node;
use notices::NoticeReader;
use observe::{Measurement, Meter};
use owners::Owners;
use pool::Pool;
use protocol::{Body, Event, SessionId};
use sessions::{CreateSession, RemoveSession};
pub use shared_files::{SharedFile, SharedFiles};
use tokio::{
    runtime::Handle,
    sync::{broadcast, mpsc, oneshot},
    task::AbortHandle,
};
use writer::{AppendJob, Writer};

use crate::{
    Append, Commit, Error, Journal, Lease, SessionSummary, Snapshot, Snapshots,
    damaged_sessions::DamagedSessions,
    encoding::{Head, PreparedEvent, PreparedSummary, StoredEvent},
};

/// Maximum number of appends in the writer's queue.
const JOBS_MAX: usize = 4096;
/// Commits that a follower may be behind before it has to read the journal.
const COMMITS_MAX: usize = 1024;

/// How to open the store.
#[derive(Clone)]
pub struct PostgresOptions {
    /// The address of the database, as libpq writes it. It may have a password.
    pub url: String,
    /// The id of this node: the same after a restart, and no other node's.
    pub node: String,
    /// Where other nodes reach this one; `None` if it takes no requests from them.
    pub address: Option<String>,
    /// How long this node's leases last after their renewal.
    pub lease: Duration,
    /// Maximum number of connections.
    pub connections_max: usize,
}

impl std::fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address may have a password.
        f.debug_struct("PostgresOptions").field("node", &self.node).finish_non_exhaustive()
    }
}

/// The store on PostgreSQL.
#[derive(Debug)]
pub struct Postgres {
    database: Arc<Database>,
    leases: Arc<Leases>,
    owners: Arc<Owners>,
    jobs: mpsc::Sender<AppendJob>,
    commits: broadcast::Sender<Commit>,
    damages: DamagedSessions,
    counters: Arc<Counters>,
    node: Node,
    /// The tasks that renew the lease, read the commits of other nodes and look up the last commits
    /// of this one.
    background: [AbortHandle; 3],
    runtime: Handle,
}

impl Postgres {
    /// Connects, migrates the schema if it is older, and registers this node. Refused with
    /// [`Error::NewerSchema`] if a newer Dwell has migrated it.
    pub async fn open(options: &PostgresOptions) -> Result<Self, Error> {
        let address = Address::parse(&options.url)?;
        let shown = address.shown.clone();
        let database = Arc::new(Database::new(Pool::new(address, options.connections_max)));
        schema::migrate(&database).await?;
        migration::check_free(&database).await?;
        let node = Node::enter(&database, options).await?;
        // One may have begun between the two.
        if let Err(error) = migration::check_free(&database).await {
            node.leave(database).await;
            return Err(error);
        }
        database.identify(node.process());
        database.tail.set_lost(tail_check::recorded(&database).await?);
        let (jobs, receiver) = mpsc::channel(JOBS_MAX);
        let (commits, _) = broadcast::channel(COMMITS_MAX);
        let (leases, counters) = (Arc::<Leases>::default(), Arc::<Counters>::default());
        let owners = Arc::new(Owners::new(node.clock.clone()));
        let damages = DamagedSessions::default();
        let writer = Writer {
            database: database.clone(),
            jobs: receiver,
            leases: leases.clone(),
            damages: damages.clone(),
            commits: commits.clone(),
            counters: counters.clone(),
            node: node.clone(),
        };
        // It ends with the last sender, after what is in its queue.
        tokio::spawn(writer.run());
        let kept = owners.clone();
        let renewal = node.clone().renew(database.clone(), move |own| kept.keep(own));
        let renewal = tokio::spawn(renewal).abort_handle();
        let reader = NoticeReader { database: database.clone(), commits: commits.clone(), node: node.clone() };
        let reading = tokio::spawn(reader.run()).abort_handle();
        tracing::info!(database = shown, node = node.id, "the journal is in PostgreSQL");
        let watching = tokio::spawn(tail_check::run(database.clone(), node.id.clone())).abort_handle();
        let (runtime, background) = (Handle::current(), [renewal, reading, watching]);
        Ok(Self { database, leases, owners, jobs, commits, damages, counters, node, background, runtime })
    }

    /// Reports no more what the database was found to have lost until now.
    pub async fn accept_loss(&self) -> Result<(), Error> {
        tail_check::accept(&self.database).await
    }

    /// Number of appends so far, and of the commits made for them.
    pub fn counters(&self) -> (u64, u64) {
        (self.counters.appends.load(Ordering::Relaxed), self.counters.commits.load(Ordering::Relaxed))
    }

    /// Measures commits and leases from now on. Only the first meter counts.
    pub fn measure_with(&self, meter: Arc<dyn Meter>) {
        let _ = self.counters.meter.set(meter);
    }

    fn count_leases(&self) {
        self.counters.measure(|| Measurement::Leases(self.leases.count()));
    }
}

/// Another process of this node, or another node, may go on at once.
impl Drop for Postgres {
    fn drop(&mut self) {
        self.background.iter().for_each(AbortHandle::abort);
        // Without a runtime the lease ends by itself.
        self.runtime.spawn(self.node.clone().leave(self.database.clone()));
    }
}

#[async_trait]
impl Journal for Postgres {
    async fn create(&self, events: Vec<Event>, summary: SessionSummary) -> Result<(), Error> {
        let action = "begin the session";
        let session_id = summary.view.session_id;
        let first = events.first().map(|event| &event.body);
        let is_temporary = matches!(first, Some(Body::SessionStarted(started)) if started.temporary);
        let published: Arc<[Arc<Event>]> = events.into_iter().map(Arc::new).collect();
        let prepared = PreparedEvent::all(&published).and_then(|events| {
            let summary = PreparedSummary::of(&summary, is_temporary)?;
            Ok((events, summary))
        });
        let (events, summary) = prepared.map_err(|error| failure::Failure::from(error).explain(action))?;
        for (event, seq) in events.iter().zip(1..) {
            if event.seq != seq {
                return Err(Error::HeadMoved { expected: event.seq.saturating_sub(1), actual: seq - 1 });
            }
        }
        let sums = batch::chain(session_id, Head::START, &events);
        let head = sums.last().map_or(0, |head| head.seq);
        let session = CreateSession { events: &events, summary: &summary, sums, node: &self.node };
        self.database.write(action, &session).await?;
        self.database.tail.note_head(session_id, head);
        // Without followers there is no receiver, here and below.
        let _ = self.commits.send(Commit { session_id, head, events: published, is_foreign: false });
        Ok(())
    }

    async fn acquire(&self, session_id: SessionId) -> Result<Lease, Error> {
        self.acquire_lease(session_id).await
    }

    async fn release(&self, lease: Lease) {
        self.release_lease(lease).await;
    }

    async fn append(&self, lease: Lease, append: Append) -> Result<(), Error> {
        self.counters.appends.fetch_add(1, Ordering::Relaxed);
        if self.leases.get(lease).is_none() {
            return Err(Error::StaleLease);
        }
        let prepared = PreparedEvent::all(&append.events).and_then(|events| {
            let summary = append.summary.as_deref().map(|summary| PreparedSummary::of(summary, false)).transpose()?;
            Ok((events, summary))
        });
        let (events, summary) =
            prepared.map_err(|error| failure::Failure::from(error).explain("write to the journal"))?;
        let (reply, answer) = oneshot::channel();
        let Append { expected_head, events: published, .. } = append;
        let job = AppendJob { lease, expected_head, events, published, summary, reply };
        self.jobs.send(job).await.map_err(|_| Error::Closed)?;
        answer.await.unwrap_or(Err(Error::Closed))
    }

    async fn remove(&self, lease: Lease) -> Result<(), Error> {
        // From now on nothing else is done with the lease. If the removal fails, the next caller
        // acquires the session again.
        let held = self.leases.take(lease).ok_or(Error::StaleLease)?;
        self.count_leases();
        let tell_as = self.node.has_others().then_some(self.node.number);
        let session = RemoveSession { session_id: lease.session_id, sid: held.sid, epoch: held.epoch, tell_as };
        self.database.write("remove the session", &session).await?;
        self.damages.forget(lease.session_id);
        let _ = self.commits.send(Commit::removed(lease.session_id));
        Ok(())
    }

    async fn read(&self, session_id: SessionId, after: u64, limit: usize) -> Result<Vec<Event>, Error> {
        let events = self.damages.watch(self.walk(session_id, after, limit).await)?;
        events.into_iter().map(StoredEvent::event).collect()
    }

    fn commits(&self) -> broadcast::Receiver<Commit> {
        self.commits.subscribe()
    }
}

#[async_trait]
impl Snapshots for Postgres {
    async fn save(&self, session_id: SessionId, snapshot: Snapshot) -> Result<(), Error> {
        self.save_snapshot(session_id, &snapshot).await
    }

    async fn latest(&self, session_id: SessionId) -> Result<Option<Snapshot>, Error> {
        if let Some(damage) = self.damages.of(session_id) {
            return Err(damage.into());
        }
        self.latest_snapshot(session_id).await
    }
}
