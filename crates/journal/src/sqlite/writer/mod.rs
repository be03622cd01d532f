//! The one thread that writes, and how one flush to the disk serves all callers that wait.
//!
//! It is started by [`super::Sqlite::open`] and ends when the last sender is gone. It takes every job that has come in meanwhile,
//! runs them, makes them durable all at once, and only then answers each of them. What the [log](super::log) can repeat is made
//! durable by it, and stays in a transaction that is open for a while; anything else ends that transaction.

mod job;
mod transaction;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use job::Query;
pub(super) use job::{Job, Reply};
use protocol::{Body, Event, OwnerId, SessionId};
use rusqlite::Connection;
use tokio::sync::{broadcast, mpsc};

use super::{
    artifacts, clock,
    damages::Damages,
    erase::{statements, upkeep::Upkeep},
    heads::{Head, Heads},
    log::{self, Log, PreparedEvent, PreparedSummary},
    memories::write as remember,
    open::explain,
    write,
};
use crate::{Append, Change, Commit, Error, Lease, Summary};

/// The transaction is committed after this time, or when the log has this many bytes.
const OPEN_MAX: Duration = Duration::from_secs(1);
const LOG_BYTES_MAX: u64 = 1024 * 1024;
/// Jobs that are made durable together at most, so that the first of them need not wait for ever.
const BATCH_MAX: usize = 512;

/// How much was asked and how often the disk was made to flush for it.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) appends: AtomicU64,
    pub(super) commits: AtomicU64,
}

pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    pub(super) jobs: mpsc::Receiver<Job>,
    pub(super) commits: broadcast::Sender<Commit>,
    pub(super) tally: Arc<Tally>,
    pub(super) heads: Heads,
    pub(super) damages: Damages,
    pub(super) log: Log,
    /// The number of the last batch that is durable.
    pub(super) number: u64,
    /// Whether something is acknowledged that the database does not have yet.
    pub(super) is_pending: Arc<AtomicBool>,
    /// Since when the transaction is open, if one is.
    pub(super) open_since: Option<Instant>,
    /// What the batch has done so far.
    pub(super) batch: Batch,
    /// Who wants to look at the database once the batch is durable.
    pub(super) looks: Vec<Query>,
    /// What is to be done to the file once the batch is committed.
    pub(super) upkeep: Vec<(Upkeep, Reply<()>)>,
    /// The epoch that may append, by session.
    pub(super) leases: HashMap<SessionId, u64>,
    /// The next epoch; higher than any that an earlier process gave out.
    pub(super) next_epoch: u64,
}

/// What a batch has done.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// What the log is to repeat.
    logged: Vec<log::LoggedWrite>,
    /// Whether something was written that the log cannot repeat, and that must not be lost.
    must_commit: bool,
    /// Whether something may have been taken away, so that the log must not have it either.
    removed: bool,
    /// Whether records were rewritten, so that older sums must go.
    rewrote: bool,
    /// How sessions stand now; none of one that was removed.
    sessions: HashMap<SessionId, Option<Head>>,
}

/// What becomes of a write in a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    /// It is in the database.
    Committed,
    /// It can be done again, so it may be lost.
    Derived,
}

/// Whether a batch has begun to write, and how that went.
type BeginResult = Option<Result<(), Error>>;
/// What a job came to, told to its owner once the batch is durable.
type Answer = Box<dyn FnOnce(Result<(), Error>) -> Option<Commit> + Send>;

impl Writer {
    pub(super) fn run(mut self) {
        // Only for its clock: a thread cannot wait for a job and for a moment otherwise.
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_time().build() else {
            tracing::error!("failed to start the journal's clock");
            return;
        };
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
                // Sums of what was removed are in no row any more, and are not kept here either.
                self.heads.forget();
                let _ = reply.send(done);
            }
            if self.is_overdue() {
                // A failure is logged, and tried again with the next batch.
                let _ = self.commit();
            }
        }
        if self.commit().is_ok() {
            let _ = self.log.cut();
        }
    }

    /// The next job, or nothing but time; none when there will be no more.
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
        let mut answers: Vec<Answer> = Vec::new();
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
        // A query must not see what may yet be taken back.
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

    /// Runs one job; what was written is answered after the commit, the rest at once.
    fn take(&mut self, job: Job, opened: &mut BeginResult) -> Option<Answer> {
        match job {
            Job::Acquire { session_id, reply } => {
                // A caller that gave up waiting needs no answer, here and below.
                let _ = reply.send(self.acquire(session_id));
                None
            }
            Job::Release { lease } => {
                if self.holds(lease) {
                    self.leases.remove(&lease.session_id);
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
            Job::Strike { lease, strikes, summary, reply } => {
                if !self.holds(lease) {
                    let _ = reply.send(Err(Error::StaleLease));
                    return None;
                }
                self.batch.rewrote = true;
                self.write_session(opened, reply, lease.session_id, None, |connection| {
                    statements::strike(connection, lease.session_id, &strikes, summary.as_deref()).map(Some)
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

    fn create(
        &mut self,
        opened: &mut BeginResult,
        events: Vec<Event>,
        summary: &Summary,
        reply: Reply<()>,
    ) -> Option<Answer> {
        let events: Arc<[Arc<Event>]> = events.into_iter().map(Arc::new).collect();
        let head = events.last().map(|event| (event.session_id, event.seq));
        let commit = head.map(|(session_id, head)| Commit { session_id, head, events: events.clone() });
        self.write_logged(opened, reply, Some(summary.view.session_id), commit, || {
            let first = events.first().map(|event| &event.body);
            let is_temporary = matches!(first, Some(Body::SessionStarted(started)) if started.temporary);
            let summary = PreparedSummary::of(summary, is_temporary)?;
            Ok(log::LoggedWrite::Create { events: PreparedEvent::all(&events)?, summary })
        })
    }

    fn remove(&mut self, opened: &mut BeginResult, lease: Lease, reply: Reply<()>) -> Option<Answer> {
        if !self.holds(lease) {
            let _ = reply.send(Err(Error::StaleLease));
            return None;
        }
        // If the commit fails, the next caller acquires the session anew.
        self.leases.remove(&lease.session_id);
        let commit = Some(Commit::removed(lease.session_id));
        self.write_session(opened, reply, lease.session_id, commit, |connection| {
            write::remove(connection, lease.session_id).map(|()| None)
        })
    }

    /// What takes something away is committed; vectors can be made again.
    fn change(
        &mut self,
        opened: &mut BeginResult,
        owner: OwnerId,
        changes: Vec<Change>,
        reply: Reply<()>,
    ) -> Option<Answer> {
        let durability = if changes.iter().any(Change::removes) {
            Durability::Committed
        } else if changes.iter().all(|change| matches!(change, Change::Vector { .. })) {
            Durability::Derived
        } else {
            return self.write_logged(opened, reply, None, None, || Ok(log::LoggedWrite::Change { owner, changes }));
        };
        self.write(opened, durability, reply, |connection| remember::change(connection, &owner, &changes))
    }

    fn look(&mut self, opened: &mut BeginResult, look: Query) {
        // If the transaction before was lost, what is acknowledged of it is repeated first.
        if self.is_pending.load(Ordering::Acquire) && self.connection.is_autocommit() {
            let _ = self.open_once(opened);
        }
        self.looks.push(look);
    }

    fn append(&mut self, opened: &mut BeginResult, lease: Lease, append: &Append, reply: Reply<()>) -> Option<Answer> {
        self.tally.appends.fetch_add(1, Ordering::Relaxed);
        let id = lease.session_id;
        let refusal = if self.holds(lease) { self.damages.of(id).map(Error::from) } else { Some(Error::StaleLease) };
        if let Some(refusal) = refusal {
            let _ = reply.send(Err(refusal));
            return None;
        }
        let head = append.expected_head + append.events.len() as u64;
        let commit = Some(Commit { session_id: id, head, events: append.events.clone() });
        self.write_logged(opened, reply, Some(id), commit, || {
            let summary = append.summary.as_deref().map(|summary| PreparedSummary::of(summary, false)).transpose()?;
            let events = PreparedEvent::all(&append.events)?;
            Ok(log::LoggedWrite::Append { session_id: id, expected_head: append.expected_head, events, summary })
        })
    }

    /// Has everything committed with this batch.
    fn settle(&mut self, opened: &mut BeginResult) {
        if self.is_pending.load(Ordering::Acquire) || self.open_since.is_some() {
            self.batch.must_commit = true;
            // If that fails, all callers of the batch are told.
            let _ = self.open_once(opened);
        }
    }

    /// A write that the log can repeat.
    fn write_logged(
        &mut self,
        opened: &mut BeginResult,
        reply: Reply<()>,
        session_id: Option<SessionId>,
        commit: Option<Commit>,
        prepare: impl FnOnce() -> Result<log::LoggedWrite, write::Failure>,
    ) -> Option<Answer> {
        let prepared = prepare().map_err(|failure| self.explain(failure));
        let result = prepared.and_then(|job| {
            let head = self.attempt(opened, |connection| log::apply(connection, &job))?;
            self.batch.sessions.extend(session_id.map(|id| (id, head)));
            self.batch.logged.push(job);
            Ok(())
        });
        Some(answer(reply, result, commit))
    }

    /// A write that the log does not repeat.
    fn write<T: Clone + Send + 'static>(
        &mut self,
        opened: &mut BeginResult,
        durability: Durability,
        reply: Reply<T>,
        job: impl FnOnce(&Connection) -> Result<T, write::Failure>,
    ) -> Option<Answer> {
        let result = self.attempt(opened, job);
        if result.is_ok() && durability == Durability::Committed {
            (self.batch.must_commit, self.batch.removed) = (true, true);
        }
        Some(answer(reply, result, None))
    }

    /// The same for a job that changes how a session stands.
    fn write_session(
        &mut self,
        opened: &mut BeginResult,
        reply: Reply<()>,
        session_id: SessionId,
        commit: Option<Commit>,
        job: impl FnOnce(&Connection) -> Result<Option<Head>, write::Failure>,
    ) -> Option<Answer> {
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
        Ok(Lease { session_id, epoch })
    }
}

/// Answers once it is known whether the batch is durable.
fn answer<T: Send + 'static>(reply: Reply<T>, result: Result<T, Error>, commit: Option<Commit>) -> Answer {
    Box::new(move |durable| {
        let result = result.and_then(|done| durable.map(|()| done));
        let told = result.is_ok();
        // A caller that gave up waiting needs no answer.
        let _ = reply.send(result);
        commit.filter(|_| told)
    })
}
