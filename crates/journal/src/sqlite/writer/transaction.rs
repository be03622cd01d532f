//! The transaction that stays open over many batches, and how each batch becomes durable.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use observe::Measurement;
use rusqlite::Connection;

use super::{
    super::{
        log::{self, PendingFrames},
        open::explain,
        write,
    },
    BatchOutcome, BeginResult, Writer,
};
use crate::Error;

fn elapsed(begun: Option<Instant>) -> Duration {
    begun.map(|begun| begun.elapsed()).unwrap_or_default()
}

impl Writer {
    /// Makes the batch durable, or rolls it back.
    pub(super) fn make_durable(&mut self, batch: BatchOutcome) -> Result<(), Error> {
        if self.open_since.is_none() {
            return Ok(());
        }
        let is_logged = !batch.logged.is_empty();
        if !batch.must_commit && is_logged {
            let begun = self.tally.started();
            if let Err(error) = self.log.append(self.number + 1, &batch.logged) {
                tracing::error!(%error, "the journal's log cannot be written; this batch was rolled back");
                self.run_sql("ROLLBACK TO batch")?;
                self.run_sql("RELEASE batch")?;
                return Err(error);
            }
            self.tally.commits.fetch_add(1, Ordering::Relaxed);
            self.tally.measure(|| Measurement::Commit { target: "log", flush: elapsed(begun) });
        }
        for (id, _) in batch.sessions.iter().filter(|(_, head)| head.is_none()) {
            self.damages.forget(*id);
        }
        self.is_pending.store(true, Ordering::Release);
        self.run_sql("RELEASE batch")?;
        if is_logged || batch.must_commit {
            self.number += 1;
        }
        if batch.must_commit {
            self.commit()?;
        }
        if is_logged {
            self.tally.measure(|| Measurement::Batch {
                writes: batch.logged.len(),
                events: batch.logged.iter().map(log::LoggedWrite::event_count).sum(),
            });
        }
        if batch.removed {
            self.log.cut()?;
        }
        if is_logged || batch.must_commit {
            self.heads.record(self.number, batch.sessions.into_iter().collect());
        }
        if batch.rewrote {
            self.heads.forget();
        }
        Ok(())
    }

    /// Commits the open transaction. If that fails, what is acknowledged of it is replayed from the
    /// log.
    pub(super) fn commit(&mut self) -> Result<(), Error> {
        if self.open_since.take().is_none() {
            return Ok(());
        }
        let begun = self.tally.started();
        let committed = self.count().and_then(|generation| self.run_sql("COMMIT").map(|()| generation));
        let generation = committed.inspect_err(|error| {
            tracing::error!(%error, "a commit failed; what was acknowledged is in the journal's log");
            if !self.connection.is_autocommit()
                && let Err(error) = self.run_sql("ROLLBACK")
            {
                tracing::error!(%error, "the failed commit could not be rolled back");
            }
        })?;
        self.tally.commits.fetch_add(1, Ordering::Relaxed);
        self.tally.measure(|| Measurement::Commit { target: "database", flush: elapsed(begun) });
        self.log.begin(generation);
        self.is_pending.store(false, Ordering::Release);
        Ok(())
    }

    /// Stores in the database the number of commits and the generation of the log that follows.
    pub(super) fn count(&self) -> Result<log::Generation, Error> {
        log::detach(&self.connection, self.number).map_err(|error| explain(&self.path, "write to the journal", &error))
    }

    /// Begins a transaction, or a savepoint in the open one.
    pub(super) fn begin(&mut self) -> Result<(), Error> {
        if self.connection.is_autocommit() {
            self.run_sql("BEGIN IMMEDIATE")?;
            if self.is_pending.load(Ordering::Acquire) {
                // The previous transaction was lost; the log has what is acknowledged of it.
                self.repeat().inspect_err(|_| {
                    // The next batch tries again.
                    let _ = self.run_sql("ROLLBACK");
                })?;
            }
            self.open_since = Some(Instant::now());
        }
        self.run_sql("SAVEPOINT batch")
    }

    pub(super) fn repeat(&self) -> Result<(), Error> {
        let pending = PendingFrames::read(self.log.path(), self.log.generation())?;
        pending.repeat(&self.connection).map_err(|failure| self.explain(failure))
    }

    /// Begins the transaction with the first write of a batch.
    pub(super) fn open_once(&mut self, opened: &mut BeginResult) -> Result<(), Error> {
        opened.get_or_insert_with(|| self.begin()).clone()
    }

    pub(super) fn attempt<T: Clone>(
        &mut self,
        opened: &mut BeginResult,
        job: impl FnOnce(&Connection) -> Result<T, write::WriteFailure>,
    ) -> Result<T, Error> {
        self.open_once(opened)?;
        let result = self.in_savepoint(job);
        if self.connection.is_autocommit() {
            // SQLite rolled back the whole transaction (disk full, I/O error): nothing of this
            // batch is written.
            self.open_since = None;
            *opened = Some(Err(result.clone().err().unwrap_or(Error::Closed)));
        }
        result
    }

    /// Runs a job in a savepoint. A job that fails rolls back only itself.
    pub(super) fn in_savepoint<T>(
        &self,
        job: impl FnOnce(&Connection) -> Result<T, write::WriteFailure>,
    ) -> Result<T, Error> {
        self.run_sql("SAVEPOINT job")?;
        match job(&self.connection) {
            Ok(done) => self.run_sql("RELEASE job").map(|()| done),
            Err(failure) => {
                if !self.connection.is_autocommit() {
                    self.run_sql("ROLLBACK TO job")?;
                    self.run_sql("RELEASE job")?;
                }
                Err(self.explain(failure))
            }
        }
    }

    pub(super) fn explain(&self, failure: write::WriteFailure) -> Error {
        match failure {
            write::WriteFailure::Refused(error) => error,
            write::WriteFailure::Sql(error) => explain(&self.path, "write to the journal", &error),
        }
    }

    /// Runs a statement that begins or ends a transaction or a savepoint.
    pub(super) fn run_sql(&self, sql: &str) -> Result<(), Error> {
        let run = self.connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]).map(drop));
        run.map_err(|error| explain(&self.path, "write to the journal", &error))
    }
}
