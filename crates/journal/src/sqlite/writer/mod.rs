//! The writer thread, which makes the writes of all waiting callers durable with one flush.
//!
//! [`super::Sqlite::open`] starts it, and it ends when the last sender is gone. It takes all jobs
//! from the queue, runs them, makes them durable together, and only then answers each of them.
//! Writes that the [log](super::log) can replay are made durable by the log, and their transaction
//! stays open for a while. Any other write ends that transaction.

mod job;
mod transaction;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use job::QueryJob;
pub(super) use job::{Job, ReplySender};
use observe::{Measurement, Meter};
use protocol::{Body, Event, OwnerId, SessionId};
use rusqlite::Connection;
use tokio::{
    runtime::Runtime,
    sync::{broadcast, mpsc},
};

use super::{
    artifacts, clock,
    erase::{maintenance::Maintenance, statements},
    heads::Heads,
    log::{self, Log},
    memories::write as remember,
    open::explain,
    values::write as values,
    write,
};
use crate::{
    Append, Change, Commit, Error, Lease, SessionSummary,
    damaged_sessions::DamagedSessions,
    encoding::{Head, PreparedEvent, PreparedSummary},
};

/// The transaction is committed after this time, or when the log has this many bytes.
const OPEN_MAX: Duration = Duration::from_secs(1);
const LOG_BYTES_MAX: u64 = 1024 * 1024;
/// Maximum number of jobs that are made durable together, so that the first need not wait long.
const BATCH_MAX: usize = 512;

/// Counters of requested appends and of flushes.
#[derive(Debug, Default)]
pub(super) struct AtomicCounters {
    pub(super) appends: AtomicU64,
    pub(super) commits: AtomicU64,
    /// Takes measurements; often there is none.
    pub(super) meter: OnceLock<SharedMeter>,
}

/// A meter that can be printed.
pub(super) struct SharedMeter(pub(super) Arc<dyn Meter>);

impl std::fmt::Debug for SharedMeter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SharedMeter")
    }
}

impl AtomicCounters {
    /// The time, if it is measured.
    pub(super) fn started(&self) -> Option<Instant> {
        self.meter.get().map(|_| Instant::now())
    }

    /// Hands on a measurement, if there is a meter.
    pub(super) fn measure<'a>(&self, measurement: impl FnOnce() -> Measurement<'a>) {
        if let Some(SharedMeter(meter)) = self.meter.get() {
            meter.measure(measurement());
        }
    }
}

pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) jobs: mpsc::Receiver<Job>,
    pub(super) commits: broadcast::Sender<Commit>,
    pub(super) tally: Arc<AtomicCounters>,
    pub(super) heads: Heads,
    pub(super) damages: DamagedSessions,
    pub(super) log: Log,
    /// The number of the last batch that is durable.
    pub(super) number: u64,
    /// Whether something is acknowledged that the database does not have yet.
    pub(super) is_pending: Arc<AtomicBool>,
    /// Since when the transaction is open, if one is.
    pub(super) open_since: Option<Instant>,
    /// What the batch has done so far.
    pub(super) batch: BatchOutcome,
    /// Queries that wait until the batch is durable.
    pub(super) looks: Vec<QueryJob>,
    /// Maintenance tasks that wait until the batch is committed.
    pub(super) upkeep: Vec<(Maintenance, ReplySender<()>)>,
    /// The epoch that may append, by session.
    pub(super) leases: HashMap<SessionId, u64>,
    /// The next epoch. It is higher than any epoch of an earlier process.
    pub(super) next_epoch: u64,
}

/// What a batch has done.
#[derive(Debug, Default)]
pub(super) struct BatchOutcome {
    /// Writes for the log.
    logged: Vec<log::LoggedWrite>,
    /// Whether there was a write that the log cannot replay and that must not be lost.
    must_commit: bool,
    /// Whether data may have been removed, so that the log must not have it either.
    removed: bool,
    /// Whether records were rewritten, so that older checksums must be removed.
    rewrote: bool,
    /// The new heads of sessions; `None` for a removed session.
    sessions: HashMap<SessionId, Option<Head>>,
}

/// What happens to a write in a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    /// It is in the database.
    Committed,
    /// It can be computed again, so it may be lost.
    Derived,
}

/// Whether a batch has begun to write, and the result.
type BeginResult = Option<Result<(), Error>>;
/// Called with the result of the batch once it is durable.
type DurableCallback = Box<dyn FnOnce(Result<(), Error>) -> Option<Commit> + Send>;

impl Writer {
    /// Runs until there are no more jobs. The runtime provides the timer: a plain thread cannot
    /// wait for a job and for a time at once.
    pub(super) fn run(mut self, runtime: &Runtime) {
        let mut batch = Vec::new();
        while let Some(next) = runtime.block_on(self.next()) {
            batch.extend(next);
            while batch.len() < BATCH_MAX
                && let Ok(job) = self.jobs.try_recv()
            {
                batch.push(job);
            }
            self.take_all(batch.drain(..));
            for (task, reply) in std::mem::take(&mut self.upkeep) {
                // A later job of the batch may have begun a transaction.
                let done = self.commit().and_then(|()| {
                    let done = task.run(&self.connection);
                    done.map_err(|error| explain(&self.path, "clean the journal's file", &error))
                });
                let done = done.and_then(|()| self.log.cut());
                // Checksums of removed data are in no row any more, and must not stay in the file
                // of heads either.
                self.heads.forget();
                let _ = reply.send(done);
            }
            if self.is_overdue() {
                // A failure is logged, and the next batch tries again.
                let _ = self.commit();
            }
        }
        if self.commit().is_ok() {
            let _ = self.log.cut();
        }
    }

    /// The next job, or `Some(None)` when the transaction is due. `None` when there are no more
    /// jobs.
    async fn next(&mut self) -> Option<Option<Job>> {
        let Some(since) = self.open_since else { return self.jobs.recv().await.map(Some) };
        let left = OPEN_MAX.saturating_sub(since.elapsed());
        match tokio::time::timeout(left, self.jobs.recv()).await {
            Ok(job) => job.map(Some),
            Err(_) => Some(None),
        }
    }

    fn is_overdue(&self) -> bool {
        self.log.length() > LOG_BYTES_MAX || self.open_since.is_some_and(|since| since.elapsed() >= OPEN_MAX)
    }

    fn take_all(&mut self, batch: impl Iterator<Item = Job>) {
        let mut answers: Vec<DurableCallback> = Vec::new();
        let mut opened = None;
        for job in batch {
            if let Some(answer) = self.take(job, &mut opened) {
                answers.push(answer);
            }
        }
        let mut durable = Ok(());
        if let Some(opened) = opened {
            let batch = std::mem::take(&mut self.batch);
            durable = opened.and_then(|()| self.make_durable(batch));
        }
        // A query must not see what may yet be rolled back.
        for look in std::mem::take(&mut self.looks) {
            look(durable.clone().map(|()| &self.connection));
        }
        for answer in answers {
            if let Some(commit) = answer(durable.clone()) {
                // Without followers there is no receiver.
                let _ = self.commits.send(commit);
            }
        }
    }

    /// Runs one job. A write is answered after the batch is durable, anything else at once.
    fn take(&mut self, job: Job, opened: &mut BeginResult) -> Option<DurableCallback> {
        match job {
            Job::Acquire { session_id, reply } => {
                // A caller that stopped waiting needs no answer, here and below.
                let _ = reply.send(self.acquire(session_id));
                None
            }
            Job::Release { lease } => {
                if self.holds(lease) {
                    self.leases.remove(&lease.session_id);
                    self.count_leases();
                }
                None
            }
            Job::Create { events, summary, reply } => self.create(opened, events, &summary, reply),
            Job::Append { lease, append, reply } => self.append(opened, lease, &append, reply),
            Job::Remove { lease, reply } => self.remove(opened, lease, reply),
            Job::Snapshot { session_id, snapshot, reply } => {
                self.write(opened, Durability::Derived, reply, |connection| {
                    write::snapshot(connection, session_id, &snapshot)
                })
            }
            Job::Put { artifact, reply } => {
                self.write(opened, Durability::Committed, reply, |connection| artifacts::put(connection, &artifact))
            }
            Job::Change { owner, changes, reply } => self.change(opened, owner, changes, reply),
            Job::ExpireKeys { before, reply } => {
                self.write(opened, Durability::Committed, reply, |connection| remember::expire_keys(connection, before))
            }
            Job::Redact { lease, redactions, summary, reply } => {
                if !self.holds(lease) {
                    let _ = reply.send(Err(Error::StaleLease));
                    return None;
                }
                self.batch.rewrote = true;
                self.write_session(opened, reply, lease.session_id, None, |connection| {
                    statements::redact(connection, lease.session_id, &redactions, summary.as_deref()).map(Some)
                })
            }
            Job::RemoveArtifacts { owner, ids, reply } => {
                self.write(opened, Durability::Committed, reply, |connection| {
                    statements::remove_artifacts(connection, &owner, &ids)
                })
            }
            Job::SweepArtifacts { before, limit, reply } => {
                self.write(opened, Durability::Committed, reply, |connection| {
                    artifacts::sweep(connection, before, limit)
                })
            }
            Job::ChangeValues { owner, change, reply } => {
                self.write(opened, Durability::Committed, reply, |connection| {
                    values::change(connection, &owner, &change)
                })
            }
            Job::RemoveValues { found, reply } => {
                self.write(opened, Durability::Committed, reply, |connection| values::remove(connection, &found))
            }
            Job::SweepValues { now, limit, reply } => {
                self.write(opened, Durability::Committed, reply, |connection| values::sweep(connection, now, limit))
            }
            Job::KeepClock { record, reply } => {
                self.write(opened, Durability::Committed, reply, |connection| clock::keep(connection, &record))
            }
            Job::NoteErasing { by, reply } => {
                self.write(opened, Durability::Committed, reply, |connection| statements::note_erasing(connection, by))
            }
            Job::Upkeep { task, reply } => {
                self.upkeep.push((task, reply));
                self.settle(opened);
                None
            }
            Job::Query(look) => {
                self.look(opened, look);
                None
            }
            Job::Settle { reply } => {
                self.settle(opened);
                Some(answer(reply, Ok(()), None))
            }
            Job::Probe { reply } => self.write(opened, Durability::Committed, reply, |_| Ok(())),
        }
    }

    fn count_leases(&self) {
        self.tally.measure(|| Measurement::Leases(self.leases.len()));
    }

    fn create(
        &mut self,
        opened: &mut BeginResult,
        events: Vec<Event>,
        summary: &SessionSummary,
        reply: ReplySender<()>,
    ) -> Option<DurableCallback> {
        let events: Arc<[Arc<Event>]> = events.into_iter().map(Arc::new).collect();
        let head = events.last().map(|event| (event.session_id, event.seq));
        let commit =
            head.map(|(session_id, head)| Commit { session_id, head, events: events.clone(), is_foreign: false });
        self.write_logged(opened, reply, Some(summary.view.session_id), commit, || {
            let first = events.first().map(|event| &event.body);
            let is_temporary = matches!(first, Some(Body::SessionStarted(started)) if started.temporary);
            let summary = PreparedSummary::of(summary, is_temporary)?;
            Ok(log::LoggedWrite::Create { events: PreparedEvent::all(&events)?, summary })
        })
    }

    fn remove(&mut self, opened: &mut BeginResult, lease: Lease, reply: ReplySender<()>) -> Option<DurableCallback> {
        if !self.holds(lease) {
            let _ = reply.send(Err(Error::StaleLease));
            return None;
        }
        // If the commit fails, the next caller acquires the session again.
        self.leases.remove(&lease.session_id);
        self.count_leases();
        let commit = Some(Commit::removed(lease.session_id));
        self.write_session(opened, reply, lease.session_id, commit, |connection| {
            write::remove(connection, lease.session_id).map(|()| None)
        })
    }

    /// Changes that remove data are committed. Vectors can be computed again.
    fn change(
        &mut self,
        opened: &mut BeginResult,
        owner: OwnerId,
        changes: Vec<Change>,
        reply: ReplySender<()>,
    ) -> Option<DurableCallback> {
        let durability = if changes.iter().any(Change::removes) {
            Durability::Committed
        } else if changes.iter().all(|change| matches!(change, Change::Vector { .. })) {
            Durability::Derived
        } else {
            return self.write_logged(opened, reply, None, None, || Ok(log::LoggedWrite::Change { owner, changes }));
        };
        self.write(opened, durability, reply, |connection| remember::change(connection, &owner, &changes))
    }

    fn look(&mut self, opened: &mut BeginResult, look: QueryJob) {
        // If the previous transaction was lost, what is acknowledged of it is replayed first.
        if self.is_pending.load(Ordering::Acquire) && self.connection.is_autocommit() {
            let _ = self.open_once(opened);
        }
        self.looks.push(look);
    }

    fn append(
        &mut self,
        opened: &mut BeginResult,
        lease: Lease,
        append: &Append,
        reply: ReplySender<()>,
    ) -> Option<DurableCallback> {
        self.tally.appends.fetch_add(1, Ordering::Relaxed);
        let id = lease.session_id;
        let refusal = if self.holds(lease) { self.damages.of(id).map(Error::from) } else { Some(Error::StaleLease) };
        if let Some(refusal) = refusal {
            let _ = reply.send(Err(refusal));
            return None;
        }
        let head = append.expected_head + append.events.len() as u64;
        let commit = Some(Commit { session_id: id, head, events: append.events.clone(), is_foreign: false });
        self.write_logged(opened, reply, Some(id), commit, || {
            let summary = append.summary.as_deref().map(|summary| PreparedSummary::of(summary, false)).transpose()?;
            let events = PreparedEvent::all(&append.events)?;
            Ok(log::LoggedWrite::Append { session_id: id, expected_head: append.expected_head, events, summary })
        })
    }

    /// Commits everything with this batch.
    fn settle(&mut self, opened: &mut BeginResult) {
        if self.is_pending.load(Ordering::Acquire) || self.open_since.is_some() {
            self.batch.must_commit = true;
            // If this fails, all callers of the batch get the error.
            let _ = self.open_once(opened);
        }
    }

    /// A write that the log can replay.
    fn write_logged(
        &mut self,
        opened: &mut BeginResult,
        reply: ReplySender<()>,
        session_id: Option<SessionId>,
        commit: Option<Commit>,
        prepare: impl FnOnce() -> Result<log::LoggedWrite, write::WriteFailure>,
    ) -> Option<DurableCallback> {
        let prepared = prepare().map_err(|failure| self.explain(failure));
        let result = prepared.and_then(|job| {
            let head = self.attempt(opened, |connection| log::apply(connection, &job))?;
            self.batch.sessions.extend(session_id.map(|id| (id, head)));
            self.batch.logged.push(job);
            Ok(())
        });
        Some(answer(reply, result, commit))
    }

    /// A write that the log cannot replay.
    fn write<T: Clone + Send + 'static>(
        &mut self,
        opened: &mut BeginResult,
        durability: Durability,
        reply: ReplySender<T>,
        job: impl FnOnce(&Connection) -> Result<T, write::WriteFailure>,
    ) -> Option<DurableCallback> {
        let result = self.attempt(opened, job);
        if result.is_ok() && durability == Durability::Committed {
            (self.batch.must_commit, self.batch.removed) = (true, true);
        }
        Some(answer(reply, result, None))
    }

    /// The same for a job that changes the head of a session.
    fn write_session(
        &mut self,
        opened: &mut BeginResult,
        reply: ReplySender<()>,
        session_id: SessionId,
        commit: Option<Commit>,
        job: impl FnOnce(&Connection) -> Result<Option<Head>, write::WriteFailure>,
    ) -> Option<DurableCallback> {
        let result = self.attempt(opened, job);
        if let Ok(head) = &result {
            self.batch.sessions.insert(session_id, *head);
            (self.batch.must_commit, self.batch.removed) = (true, true);
        }
        Some(answer(reply, result.map(drop), commit))
    }

    fn holds(&self, lease: Lease) -> bool {
        self.leases.get(&lease.session_id) == Some(&lease.epoch)
    }

    fn acquire(&mut self, session_id: SessionId) -> Result<Lease, Error> {
        let known = write::sid(&self.connection, session_id)
            .map_err(|error| explain(&self.path, "find the session", &error))?;
        if known.is_none() {
            return Err(Error::NotFound);
        }
        let epoch = self.next_epoch;
        self.next_epoch += 1;
        self.leases.insert(session_id, epoch);
        self.count_leases();
        Ok(Lease { session_id, epoch })
    }
}

/// Answers the caller once it is known whether the batch is durable.
fn answer<T: Send + 'static>(
    reply: ReplySender<T>,
    result: Result<T, Error>,
    commit: Option<Commit>,
) -> DurableCallback {
    Box::new(move |durable| {
        let result = result.and_then(|done| durable.map(|()| done));
        let told = result.is_ok();
        // A caller that stopped waiting needs no answer.
        let _ = reply.send(result);
        commit.filter(|_| told)
    })
}
