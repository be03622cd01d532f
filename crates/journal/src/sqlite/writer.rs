//! The one thread that writes, and how one flush to the disk serves everybody who waits.
//!
//! It is started by [`super::Sqlite::open`] and ends when the last sender is gone. It takes every job that has come
//! in meanwhile, runs them in one transaction, commits, and only then answers each of them.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use protocol::{ArtifactId, Event, OwnerId, SessionId, Timestamp};
use rusqlite::Connection;
use tokio::sync::{broadcast, mpsc, oneshot};

use super::{
    artifacts,
    erase::{statements, upkeep::Upkeep},
    memories::write as remember,
    open::explain,
    write,
};
use crate::{Append, Artifact, Change, Collected, Commit, Error, Lease, Snapshot, Strike, Summary};

/// Jobs that share one commit at most, so that the first of them need not wait for ever.
const BATCH_MAX: usize = 512;

/// Something to write, and who wants to know.
pub(super) enum Job {
    Create { events: Vec<Event>, summary: Box<Summary>, reply: Reply<()> },
    Acquire { session_id: SessionId, reply: Reply<Lease> },
    Release { lease: Lease },
    Append { lease: Lease, append: Append, reply: Reply<()> },
    Remove { lease: Lease, reply: Reply<()> },
    Snapshot { session_id: SessionId, snapshot: Snapshot, reply: Reply<()> },
    Put { artifact: Box<Artifact>, reply: Reply<()> },
    Change { owner: OwnerId, changes: Vec<Change>, reply: Reply<()> },
    ExpireKeys { before: Timestamp, reply: Reply<()> },
    Strike { lease: Lease, strikes: Vec<Strike>, summary: Option<Box<Summary>>, reply: Reply<()> },
    RemoveArtifacts { owner: OwnerId, ids: Vec<ArtifactId>, reply: Reply<u64> },
    SweepArtifacts { before: Timestamp, limit: usize, reply: Reply<Collected> },
    Upkeep { task: Upkeep, reply: Reply<()> },
}

pub(super) type Reply<T> = oneshot::Sender<Result<T, Error>>;

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
    /// What is to be done to the file once the batch is committed.
    pub(super) upkeep: Vec<(Upkeep, Reply<()>)>,
    /// The epoch that may append, by session.
    pub(super) leases: HashMap<SessionId, u64>,
    /// The next epoch; higher than any that an earlier process gave out.
    pub(super) next_epoch: u64,
}

/// What a job came to, told to its owner once the batch is committed.
type Answer = Box<dyn FnOnce(Result<(), Error>) -> Option<Commit> + Send>;

impl Writer {
    pub(super) fn run(mut self) {
        let mut batch = Vec::new();
        while let Some(first) = self.jobs.blocking_recv() {
            batch.push(first);
            while batch.len() < BATCH_MAX
                && let Ok(job) = self.jobs.try_recv()
            {
                batch.push(job);
            }
            self.commit(batch.drain(..));
            for (task, reply) in std::mem::take(&mut self.upkeep) {
                let done = task.run(&self.connection);
                let _ = reply.send(done.map_err(|error| explain(&self.path, "clean the journal's file", &error)));
            }
        }
    }

    fn commit(&mut self, batch: impl Iterator<Item = Job>) {
        let mut answers: Vec<Answer> = Vec::new();
        let mut opened = Ok(());
        for job in batch {
            if let Some(answer) = self.take(job, &mut opened) {
                answers.push(answer);
            }
        }
        if answers.is_empty() {
            return;
        }
        let committed = opened.and_then(|()| self.end_transaction());
        if committed.is_ok() {
            self.tally.commits.fetch_add(1, Ordering::Relaxed);
        }
        for answer in answers {
            if let Some(commit) = answer(committed.clone()) {
                // Nobody may be listening; then nobody is told.
                let _ = self.commits.send(commit);
            }
        }
    }

    /// Runs one job; what was written is answered after the commit, the rest at once.
    fn take(&mut self, job: Job, opened: &mut Result<(), Error>) -> Option<Answer> {
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
            Job::Create { events, summary, reply } => {
                let commit = events.last().map(|event| Commit { session_id: event.session_id, head: event.seq });
                self.write(opened, reply, commit, |connection| write::create(connection, &events, &summary))
            }
            Job::Append { lease, append, reply } => {
                self.tally.appends.fetch_add(1, Ordering::Relaxed);
                if !self.holds(lease) {
                    let _ = reply.send(Err(Error::StaleLease));
                    return None;
                }
                let head = append.expected_head + append.events.len() as u64;
                let commit = Some(Commit { session_id: lease.session_id, head });
                self.write(opened, reply, commit, |connection| write::append(connection, lease.session_id, &append))
            }
            Job::Remove { lease, reply } => {
                if !self.holds(lease) {
                    let _ = reply.send(Err(Error::StaleLease));
                    return None;
                }
                // If the commit fails, whoever wants the session acquires it anew.
                self.leases.remove(&lease.session_id);
                let commit = Some(Commit { session_id: lease.session_id, head: Commit::REMOVED });
                self.write(opened, reply, commit, |connection| write::remove(connection, lease.session_id))
            }
            Job::Snapshot { session_id, snapshot, reply } => {
                self.write(opened, reply, None, |connection| write::snapshot(connection, session_id, &snapshot))
            }
            Job::Put { artifact, reply } => {
                self.write(opened, reply, None, |connection| artifacts::put(connection, &artifact))
            }
            Job::Change { owner, changes, reply } => {
                self.write(opened, reply, None, |connection| remember::change(connection, &owner, &changes))
            }
            Job::ExpireKeys { before, reply } => {
                self.write(opened, reply, None, |connection| remember::expire_keys(connection, before))
            }
            Job::Strike { lease, strikes, summary, reply } => {
                if !self.holds(lease) {
                    let _ = reply.send(Err(Error::StaleLease));
                    return None;
                }
                self.write(opened, reply, None, |connection| {
                    statements::strike(connection, lease.session_id, &strikes, summary.as_deref())
                })
            }
            Job::RemoveArtifacts { owner, ids, reply } => {
                self.write(opened, reply, None, |connection| statements::remove_artifacts(connection, &owner, &ids))
            }
            Job::SweepArtifacts { before, limit, reply } => {
                self.write(opened, reply, None, |connection| artifacts::sweep(connection, before, limit))
            }
            Job::Upkeep { task, reply } => {
                self.upkeep.push((task, reply));
                None
            }
        }
    }

    fn write<T: Clone + Send + 'static>(
        &self,
        opened: &mut Result<(), Error>,
        reply: Reply<T>,
        commit: Option<Commit>,
        job: impl FnOnce(&Connection) -> Result<T, write::Failure>,
    ) -> Option<Answer> {
        if opened.is_ok() && self.connection.is_autocommit() {
            *opened = self.batch_sql("BEGIN IMMEDIATE");
        }
        let result = match opened {
            Ok(()) => self.in_savepoint(job),
            Err(error) => Err(error.clone()),
        };
        if opened.is_ok() && self.connection.is_autocommit() {
            // SQLite gave the whole transaction up (disk full, I/O error): nothing of this batch is written.
            *opened = Err(result.clone().err().unwrap_or(Error::Closed));
        }
        Some(Box::new(move |committed| {
            let result = result.and_then(|done| committed.map(|()| done));
            let told = result.is_ok();
            let _ = reply.send(result);
            commit.filter(|_| told)
        }))
    }

    /// A job that fails takes only itself back.
    fn in_savepoint<T>(&self, job: impl FnOnce(&Connection) -> Result<T, write::Failure>) -> Result<T, Error> {
        self.batch_sql("SAVEPOINT job")?;
        match job(&self.connection) {
            Ok(done) => self.batch_sql("RELEASE job").map(|()| done),
            Err(failure) => {
                if !self.connection.is_autocommit() {
                    self.batch_sql("ROLLBACK TO job; RELEASE job")?;
                }
                Err(match failure {
                    write::Failure::Refused(error) => error,
                    write::Failure::Sql(error) => explain(&self.path, "write to the journal", &error),
                })
            }
        }
    }

    fn end_transaction(&self) -> Result<(), Error> {
        if self.connection.is_autocommit() {
            return Ok(());
        }
        self.batch_sql("COMMIT").inspect_err(|error| {
            tracing::error!(%error, "a commit failed; nothing of it is written");
            if !self.connection.is_autocommit()
                && let Err(error) = self.batch_sql("ROLLBACK")
            {
                tracing::error!(%error, "the failed commit could not be rolled back");
            }
        })
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

    fn batch_sql(&self, sql: &str) -> Result<(), Error> {
        self.connection.execute_batch(sql).map_err(|error| explain(&self.path, "write to the journal", &error))
    }
}
