//! The task that appends: whatever waits while one commit runs goes into the next.
//!
//! [`super::Postgres::open`] starts it, and it ends when the last sender is gone. A lost connection
//! leaves open whether a batch was committed. The same statement is then sent again: it finds each
//! session either as it was, and appends, or at the very head and checksum that the append leads
//! to, which proves that it was done.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
    time::Instant,
};

use observe::Measurement;
use protocol::{Event, SessionId};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio_postgres::Row;

use super::{
    batch::{self, PlacedAppend},
    counters::Counters,
    database::{Database, Patience},
    failure::Failure,
    leases::{HeldLease, Leases},
    node::Node,
    params::{number, params},
    rows::{head, unsigned},
};
use crate::{
    Commit, Error, Lease,
    damaged_sessions::DamagedSessions,
    encoding::{Head, PreparedEvent, PreparedSummary},
};

/// Maximum number of appends in a commit, so that the first need not wait long.
const BATCH_MAX: usize = 512;
/// The same in bytes: a statement is held in memory on both sides.
const BATCH_BYTES_MAX: usize = 8 * 1024 * 1024;

/// An append with the channel for its answer.
pub(super) struct AppendJob {
    pub(super) lease: Lease,
    pub(super) expected_head: u64,
    pub(super) events: Vec<PreparedEvent>,
    pub(super) published: Arc<[Arc<Event>]>,
    pub(super) summary: Option<PreparedSummary>,
    pub(super) reply: oneshot::Sender<Result<(), Error>>,
}

impl AppendJob {
    fn bytes(&self) -> usize {
        let events: usize = self.events.iter().map(|event| event.body.get().len()).sum();
        events + self.summary.as_ref().map_or(0, |summary| summary.view.get().len())
    }
}

/// An append that is next in its session.
struct ReadyAppend {
    job: AppendJob,
    held: HeldLease,
    before: Head,
    sums: Vec<Head>,
}

/// A row of the table of heads.
#[derive(Debug, Clone, Copy)]
struct HeadRow {
    epoch: u64,
    head: Head,
}

pub(super) struct Writer {
    pub(super) database: Arc<Database>,
    pub(super) jobs: mpsc::Receiver<AppendJob>,
    pub(super) leases: Arc<Leases>,
    pub(super) damages: DamagedSessions,
    pub(super) commits: broadcast::Sender<Commit>,
    pub(super) counters: Arc<Counters>,
    pub(super) node: Node,
}

impl Writer {
    pub(super) async fn run(mut self) {
        let mut waiting = VecDeque::new();
        loop {
            if waiting.is_empty() {
                match self.jobs.recv().await {
                    Some(job) => waiting.push_back(job),
                    None => return,
                }
            }
            while waiting.len() < BATCH_MAX
                && let Ok(job) = self.jobs.try_recv()
            {
                waiting.push_back(job);
            }
            let batch = choose(&mut waiting);
            let ready = self.place(batch).await;
            self.commit(ready).await;
        }
    }

    /// Finds the place of each append, and refuses those that have none.
    async fn place(&self, batch: Vec<AppendJob>) -> Vec<ReadyAppend> {
        let mut ready = Vec::with_capacity(batch.len());
        for job in batch {
            match self.placed(&job).await {
                Ok((held, before, sums)) => ready.push(ReadyAppend { job, held, before, sums }),
                // A caller that stopped waiting needs no answer, here and below.
                Err(error) => drop(job.reply.send(Err(error))),
            }
        }
        ready
    }

    async fn placed(&self, job: &AppendJob) -> Result<(HeldLease, Head, Vec<Head>), Error> {
        let (lease, expected) = (job.lease, job.expected_head);
        let held = self.leases.get(lease).ok_or(Error::StaleLease)?;
        if let Some(damage) = self.damages.of(lease.session_id) {
            return Err(damage.into());
        }
        let before = match held.head {
            Some(head) => head,
            None => self.read_head(lease, held.sid).await?,
        };
        if before.seq != expected {
            return Err(Error::HeadMoved { expected, actual: before.seq });
        }
        for (event, seq) in job.events.iter().zip(before.seq + 1..) {
            if event.seq != seq {
                return Err(Error::HeadMoved { expected: event.seq.saturating_sub(1), actual: seq - 1 });
            }
        }
        Ok((held, before, batch::chain(lease.session_id, before, &job.events)))
    }

    /// Reads the head of a session again, of which a lost write left nothing certain.
    async fn read_head(&self, lease: Lease, sid: i64) -> Result<Head, Error> {
        let action = "read the head of the session";
        let sql = "SELECT sid, epoch, head, sum FROM dwell.heads WHERE sid = $1";
        let row = self.database.first(action, sql, &params![sid]).await?.ok_or(Error::NotFound)?;
        let (_, found) = head_row(&row).map_err(|failure| failure.explain(action))?;
        if found.epoch != lease.epoch {
            self.leases.take(lease);
            return Err(Error::StaleLease);
        }
        self.leases.note(lease, Some(found.head));
        Ok(found.head)
    }

    /// Commits the appends together. What the database refuses as a whole is tried one by one.
    async fn commit(&self, ready: Vec<ReadyAppend>) {
        if ready.is_empty() {
            return;
        }
        let began = Instant::now();
        match self.send(&ready).await {
            Ok((found, is_repeated)) => {
                self.counters.committed(began.elapsed());
                let events = ready.iter().map(|append| append.job.events.len()).sum();
                self.counters.measure(|| Measurement::Batch { writes: ready.len(), events });
                for append in ready {
                    self.answer(append, &found, is_repeated).await;
                }
            }
            Err(Error::Storage { .. }) if ready.len() > 1 => {
                for append in ready {
                    Box::pin(self.commit(vec![append])).await;
                }
            }
            Err(error) => {
                for ReadyAppend { job, .. } in ready {
                    self.leases.note(job.lease, None);
                    let _ = job.reply.send(Err(error.clone()));
                }
            }
        }
    }

    /// Sends the statement until it is answered. Returns the rows as they were, and whether an
    /// earlier attempt may have been committed.
    async fn send(&self, ready: &[ReadyAppend]) -> Result<(HashMap<i64, HeadRow>, bool), Error> {
        let action = "write to the journal";
        let placed: Vec<PlacedAppend<'_>> = ready.iter().map(ReadyAppend::as_placed).collect();
        let (statement, parameters) =
            (batch::statement(&placed, self.node.has_others()), batch::parameters(&placed, &self.node));
        let mut patience = Patience::new(&self.database.pool);
        let mut is_repeated = false;
        loop {
            let sent = async {
                let connection = self.database.pool.take().await?;
                let rows = connection.query(&statement, &parameters).await;
                if matches!(rows, Err(Failure::Lost(_))) {
                    connection.give_up();
                }
                let rows = rows?;
                for row in &rows {
                    if !row.try_get::<_, bool>(4)? {
                        return Err(Failure::lease_ended());
                    }
                }
                rows.iter().map(head_row).collect::<Result<HashMap<_, _>, _>>()
            };
            match sent.await {
                Ok(found) => return Ok((found, is_repeated)),
                Err(failure) => {
                    is_repeated |= matches!(failure, Failure::Lost(_));
                    patience.again(failure, action).await?;
                }
            }
        }
    }

    async fn answer(&self, append: ReadyAppend, found: &HashMap<i64, HeadRow>, is_repeated: bool) {
        let ReadyAppend { job, held, before, sums } = append;
        let after = sums.last().copied().unwrap_or(before);
        let result = match found.get(&held.sid) {
            Some(row) if row.epoch == job.lease.epoch && row.head == before => Ok(()),
            Some(row) if is_repeated && row.epoch == job.lease.epoch && row.head == after => Ok(()),
            // An earlier attempt may have been committed before another node took the session.
            _ if is_repeated && self.is_written(held.sid, after).await == Ok(true) => Ok(()),
            Some(row) if row.epoch == job.lease.epoch && row.head.seq == job.expected_head => {
                // An event was redacted meanwhile, which changes checksums and no numbers.
                self.leases.note(job.lease, Some(row.head));
                let ready = self.place(vec![job]).await;
                return Box::pin(self.commit(ready)).await;
            }
            Some(row) if row.epoch == job.lease.epoch => {
                self.note_if_lost(job.lease, *row, before);
                self.leases.note(job.lease, Some(row.head));
                Err(Error::HeadMoved { expected: job.expected_head, actual: row.head.seq })
            }
            Some(row) => {
                self.note_if_lost(job.lease, *row, before);
                self.leases.take(job.lease);
                Err(Error::StaleLease)
            }
            None => {
                self.leases.take(job.lease);
                Err(Error::NotFound)
            }
        };
        let is_written = result.is_ok();
        if is_written {
            self.leases.note(job.lease, Some(after));
            self.database.tail.note_head(job.lease.session_id, after.seq);
        }
        let _ = job.reply.send(result);
        if is_written {
            // Without followers there is no receiver.
            let session_id = job.lease.session_id;
            let _ = self.commits.send(Commit { session_id, head: after.seq, events: job.published, is_foreign: false });
        }
    }

    /// Numbers of events only grow. If there are fewer, the database has lost some.
    fn note_if_lost(&self, lease: Lease, found: HeadRow, known: Head) {
        if found.head.seq < known.seq {
            self.database.tail.note_missing(lease.session_id, found.head.seq, known.seq);
            self.database.pool.connected.notify_one();
        }
    }

    /// Whether a session has an event with this number and checksum, and so all before it.
    async fn is_written(&self, sid: i64, head: Head) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM dwell.events WHERE sid = $1 AND seq = $2 AND sum = $3";
        let params = params![sid, number(head.seq), head.sum.as_bytes()];
        Ok(self.database.first("look for an append", sql, &params).await?.is_some())
    }
}

impl ReadyAppend {
    fn as_placed(&self) -> PlacedAppend<'_> {
        PlacedAppend {
            sid: self.held.sid,
            epoch: self.held.epoch,
            before: self.before,
            after: self.sums.last().copied().unwrap_or(self.before),
            sums: &self.sums,
            events: &self.job.events,
            summary: self.job.summary.as_ref(),
        }
    }
}

/// Takes the appends of the next commit: the first of each session, up to the limits. The others
/// stay in their order.
fn choose(waiting: &mut VecDeque<AppendJob>) -> Vec<AppendJob> {
    let (mut chosen, mut rest) = (Vec::new(), VecDeque::new());
    let (mut sessions, mut bytes): (HashSet<SessionId>, usize) = (HashSet::new(), 0);
    for job in waiting.drain(..) {
        let has_space = chosen.is_empty() || bytes + job.bytes() <= BATCH_BYTES_MAX;
        if sessions.insert(job.lease.session_id) && has_space && chosen.len() < BATCH_MAX {
            bytes += job.bytes();
            chosen.push(job);
        } else {
            rest.push_back(job);
        }
    }
    *waiting = rest;
    chosen
}

/// Reads a row of sid, epoch, head and sum.
fn head_row(row: &Row) -> Result<(i64, HeadRow), Failure> {
    Ok((row.try_get(0)?, HeadRow { epoch: unsigned(row.try_get(1)?), head: head(row, 2)? }))
}
