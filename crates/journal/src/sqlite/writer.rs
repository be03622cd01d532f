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
    artifacts, clock,
    damages::Damages,
    erase::{statements, upkeep::Upkeep},
    heads::{Head, Heads},
    memories::write as remember,
    open::explain,
    write,
};
use crate::{Append, Artifact, Change, ClockRecord, Collected, Commit, Error, Lease, Snapshot, Strike, Summary};

/// Jobs that share one commit at most, so that the first of them need not wait for ever.
const BATCH_MAX: usize = 512;

/// Something to write, and who wants to know.
pub(super) enum Job {
    Create {
        events: Vec<Event>,
        summary: Box<Summary>,
        reply: Reply<()>,
    },
    Acquire {
        session_id: SessionId,
        reply: Reply<Lease>,
    },
    Release {
        lease: Lease,
    },
    Append {
        lease: Lease,
        append: Append,
        reply: Reply<()>,
    },
    Remove {
        lease: Lease,
        reply: Reply<()>,
    },
    Snapshot {
        session_id: SessionId,
        snapshot: Snapshot,
        reply: Reply<()>,
    },
    Put {
        artifact: Box<Artifact>,
        reply: Reply<()>,
    },
    Change {
        owner: OwnerId,
        changes: Vec<Change>,
        reply: Reply<()>,
    },
    ExpireKeys {
        before: Timestamp,
        reply: Reply<()>,
    },
    Strike {
        lease: Lease,
        strikes: Vec<Strike>,
        summary: Option<Box<Summary>>,
        reply: Reply<()>,
    },
    RemoveArtifacts {
        owner: OwnerId,
        ids: Vec<ArtifactId>,
        reply: Reply<u64>,
    },
    SweepArtifacts {
        before: Timestamp,
        limit: usize,
        reply: Reply<Collected>,
    },
    Upkeep {
        task: Upkeep,
        reply: Reply<()>,
    },
    /// Nothing, which is committed like anything else.
    Probe {
        reply: Reply<()>,
    },
    KeepClock {
        record: ClockRecord,
        reply: Reply<()>,
    },
    NoteErasing {
        by: i64,
        reply: Reply<()>,
    },
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
    pub(super) heads: Heads,
    pub(super) damages: Damages,
    /// What the batch has done so far.
    pub(super) done: Done,
    /// What is to be done to the file once the batch is committed.
    pub(super) upkeep: Vec<(Upkeep, Reply<()>)>,
    /// The epoch that may append, by session.
    pub(super) leases: HashMap<SessionId, u64>,
    /// The next epoch; higher than any that an earlier process gave out.
    pub(super) next_epoch: u64,
}

/// What a batch has done, to be noted once it is committed.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// Whether anything was written.
    wrote: bool,
    /// Whether records were rewritten, so that older sums must go.
    rewrote: bool,
    /// How sessions stand now; none of one that was removed.
    sessions: HashMap<SessionId, Option<Head>>,
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
                // Sums of what was removed are in no row any more, and are not kept here either.
                self.heads.forget();
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
        let done = std::mem::take(&mut self.done);
        let committed = opened.and_then(|()| self.end_transaction(done.wrote));
        if let Ok(number) = committed {
            self.tally.commits.fetch_add(1, Ordering::Relaxed);
            self.note(number, done);
        }
        let committed = committed.map(drop);
        for answer in answers {
            if let Some(commit) = answer(committed.clone()) {
                // Nobody may be listening; then nobody is told.
                let _ = self.commits.send(commit);
            }
        }
    }

    /// Notes outside the database what it has committed, before anybody is answered.
    fn note(&mut self, number: Option<u64>, done: Done) {
        let Some(number) = number else { return };
        for (id, _) in done.sessions.iter().filter(|(_, head)| head.is_none()) {
            self.damages.forget(*id);
        }
        self.heads.record(number, done.sessions.into_iter().collect());
        if done.rewrote {
            self.heads.forget();
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
                let session_id = summary.view.session_id;
                self.write_session(opened, reply, session_id, commit, |connection| {
                    write::create(connection, &events, &summary).map(Some)
                })
            }
            Job::Append { lease, append, reply } => self.append(opened, lease, &append, reply),
            Job::Remove { lease, reply } => {
                if !self.holds(lease) {
                    let _ = reply.send(Err(Error::StaleLease));
                    return None;
                }
                // If the commit fails, whoever wants the session acquires it anew.
                self.leases.remove(&lease.session_id);
                let commit = Some(Commit { session_id: lease.session_id, head: Commit::REMOVED });
                self.write_session(opened, reply, lease.session_id, commit, |connection| {
                    write::remove(connection, lease.session_id).map(|()| None)
                })
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
                self.done.rewrote = true;
                self.write_session(opened, reply, lease.session_id, None, |connection| {
                    statements::strike(connection, lease.session_id, &strikes, summary.as_deref()).map(Some)
                })
            }
            Job::RemoveArtifacts { owner, ids, reply } => {
                self.write(opened, reply, None, |connection| statements::remove_artifacts(connection, &owner, &ids))
            }
            Job::SweepArtifacts { before, limit, reply } => {
                self.write(opened, reply, None, |connection| artifacts::sweep(connection, before, limit))
            }
            Job::KeepClock { record, reply } => {
                self.write(opened, reply, None, |connection| clock::keep(connection, &record))
            }
            Job::NoteErasing { by, reply } => {
                self.write(opened, reply, None, |connection| statements::note_erasing(connection, by))
            }
            Job::Upkeep { task, reply } => {
                self.upkeep.push((task, reply));
                None
            }
            Job::Probe { reply } => self.write(opened, reply, None, |_| Ok(())),
        }
    }

    fn append(
        &mut self,
        opened: &mut Result<(), Error>,
        lease: Lease,
        append: &Append,
        reply: Reply<()>,
    ) -> Option<Answer> {
        self.tally.appends.fetch_add(1, Ordering::Relaxed);
        let id = lease.session_id;
        let refusal = if self.holds(lease) { self.damages.of(id).map(Error::from) } else { Some(Error::StaleLease) };
        if let Some(refusal) = refusal {
            let _ = reply.send(Err(refusal));
            return None;
        }
        let head = append.expected_head + append.events.len() as u64;
        let commit = Some(Commit { session_id: id, head });
        self.write_session(opened, reply, id, commit, |connection| write::append(connection, id, append).map(Some))
    }

    fn write<T: Clone + Send + 'static>(
        &mut self,
        opened: &mut Result<(), Error>,
        reply: Reply<T>,
        commit: Option<Commit>,
        job: impl FnOnce(&Connection) -> Result<T, write::Failure>,
    ) -> Option<Answer> {
        Some(answer(reply, self.attempt(opened, job), commit))
    }

    /// The same for a job that changes how a session stands.
    fn write_session(
        &mut self,
        opened: &mut Result<(), Error>,
        reply: Reply<()>,
        session_id: SessionId,
        commit: Option<Commit>,
        job: impl FnOnce(&Connection) -> Result<Option<Head>, write::Failure>,
    ) -> Option<Answer> {
        let result = self.attempt(opened, job);
        if let Ok(head) = &result {
            self.done.sessions.insert(session_id, *head);
        }
        Some(answer(reply, result.map(drop), commit))
    }

    fn attempt<T: Clone>(
        &mut self,
        opened: &mut Result<(), Error>,
        job: impl FnOnce(&Connection) -> Result<T, write::Failure>,
    ) -> Result<T, Error> {
        if opened.is_ok() && self.connection.is_autocommit() {
            *opened = self.run_sql("BEGIN IMMEDIATE");
        }
        let result = match opened {
            Ok(()) => self.in_savepoint(job),
            Err(error) => Err(error.clone()),
        };
        if opened.is_ok() && self.connection.is_autocommit() {
            // SQLite gave the whole transaction up (disk full, I/O error): nothing of this batch is written.
            *opened = Err(result.clone().err().unwrap_or(Error::Closed));
        }
        self.done.wrote |= result.is_ok();
        result
    }

    /// A job that fails takes only itself back.
    fn in_savepoint<T>(&self, job: impl FnOnce(&Connection) -> Result<T, write::Failure>) -> Result<T, Error> {
        self.run_sql("SAVEPOINT job")?;
        match job(&self.connection) {
            Ok(done) => self.run_sql("RELEASE job").map(|()| done),
            Err(failure) => {
                if !self.connection.is_autocommit() {
                    self.run_sql("ROLLBACK TO job")?;
                    self.run_sql("RELEASE job")?;
                }
                Err(match failure {
                    write::Failure::Refused(error) => error,
                    write::Failure::Sql(error) => explain(&self.path, "write to the journal", &error),
                })
            }
        }
    }

    /// Commits, and gives the number of the commit if anything was written. The number is in the database and in the file of
    /// heads, so that a start sees whether the database has all that was acknowledged.
    fn end_transaction(&self, wrote: bool) -> Result<Option<u64>, Error> {
        if self.connection.is_autocommit() {
            return Ok(None);
        }
        let committed = if wrote { self.count_commit().map(Some) } else { Ok(None) };
        committed.and_then(|number| self.run_sql("COMMIT").map(|()| number)).inspect_err(|error| {
            tracing::error!(%error, "a commit failed; nothing of it is written");
            if !self.connection.is_autocommit()
                && let Err(error) = self.run_sql("ROLLBACK")
            {
                tracing::error!(%error, "the failed commit could not be rolled back");
            }
        })
    }

    fn count_commit(&self) -> Result<u64, Error> {
        let sql = "UPDATE meta SET value = value + 1 WHERE name = 'commits' RETURNING value";
        let counted = self.connection.prepare_cached(sql).and_then(|mut statement| {
            // Read to its end, so that the statement is done when the transaction is.
            let mut rows = statement.query([])?;
            let number: i64 = rows.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?.get(0)?;
            while rows.next()?.is_some() {}
            Ok(number)
        });
        let number = counted.map_err(|error| explain(&self.path, "write to the journal", &error))?;
        Ok(u64::try_from(number).unwrap_or(0))
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

    /// Runs a statement that begins or ends something.
    fn run_sql(&self, sql: &str) -> Result<(), Error> {
        let run = self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]).map(drop));
        run.map_err(|error| explain(&self.path, "write to the journal", &error))
    }
}

/// Answers once it is known whether the batch was committed.
fn answer<T: Send + 'static>(reply: Reply<T>, result: Result<T, Error>, commit: Option<Commit>) -> Answer {
    Box::new(move |committed| {
        let result = result.and_then(|done| committed.map(|()| done));
        let told = result.is_ok();
        // A caller that gave up waiting needs no answer.
        let _ = reply.send(result);
        commit.filter(|_| told)
    })
}
