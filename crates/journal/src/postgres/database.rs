//! Statements and transactions that survive a database which is away for a moment.
//!
//! A read is repeated. A write is a transaction that enters a token of its own: if the answer to
//! its commit is lost, the next attempt finds the token or does not, so that nothing is done twice.
//! The number of the transaction would not do: after a crash the database may give it to another.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use protocol::OwnerId;
use tokio::time::Instant;
use tokio_postgres::Row;

use super::{
    failure::Failure,
    params::{Param, params},
    pool::{Connection, Pool, PooledConnection},
    tail::TailWatch,
};
use crate::Error;

/// The first and the longest pause before another attempt.
const PAUSE_MIN: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_millis(500);
/// How often a transaction is repeated that ran into others.
const CONFLICTS_MAX: u32 = 20;
/// How many connections may be lost one after the other while others can be made.
const LOST_MAX: u32 = 3;
/// Begins a transaction that writes. If this node vanishes or is suspended in the middle of it, the
/// database ends it soon: the next attempt, or the node that takes over, waits for its locks.
const BEGIN: &str = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '2s'";

#[derive(Debug)]
pub(super) struct Database {
    pub(super) pool: Pool,
    pub(super) tail: TailWatch,
    process: OnceLock<String>,
    writes: AtomicU64,
}

/// The statements of a transaction. They may run several times, but count once.
#[async_trait]
pub(super) trait Write: Sync {
    type Answer: Send;

    /// Whether it does the same however often it is committed.
    const IS_REPEATABLE: bool = false;

    async fn run(&self, on: &Connection) -> Result<Self::Answer, Failure>;
}

impl Database {
    pub(super) fn new(pool: Pool) -> Self {
        Self { pool, tail: TailWatch::default(), process: OnceLock::new(), writes: AtomicU64::new(0) }
    }

    /// All rows of a statement that reads, or does the same however often it runs.
    pub(super) async fn query(&self, action: &'static str, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, Error> {
        let mut patience = Patience::new(&self.pool);
        loop {
            let rows = async {
                let connection = self.pool.take().await?;
                let rows = connection.query(sql, params).await;
                if matches!(rows, Err(Failure::Lost(_))) {
                    connection.give_up();
                }
                rows
            };
            match rows.await {
                Ok(rows) => return Ok(rows),
                Err(failure) => patience.again(failure, action).await?,
            }
        }
    }

    /// The rows of a statement that reads an owner's data. The policies of the tables let no other
    /// owner's rows through while `dwell.owner` is set, whatever the statement says. All four
    /// statements go out together.
    pub(super) async fn query_as(
        &self,
        owner: &OwnerId,
        action: &'static str,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, Error> {
        let mut patience = Patience::new(&self.pool);
        loop {
            let rows = async {
                let mut connection = self.pool.take().await?;
                connection.is_in_transaction = true;
                let fence = "SELECT set_config('dwell.owner', $1, true)";
                let fence_params = params![owner.as_str()];
                let (begun, fenced, rows, ended) = futures::join!(
                    connection.short_batch("BEGIN READ ONLY"),
                    connection.query(fence, &fence_params),
                    connection.query(sql, params),
                    connection.short_batch("COMMIT"),
                );
                begun?;
                fenced?;
                // A statement that failed has undone the transaction, and its end says so.
                let rows = rows?;
                ended?;
                connection.is_in_transaction = false;
                Ok(rows)
            };
            match rows.await {
                Ok(rows) => return Ok(rows),
                Err(failure) => patience.again(failure, action).await?,
            }
        }
    }

    /// The first row of such a statement.
    pub(super) async fn first(
        &self,
        action: &'static str,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Option<Row>, Error> {
        Ok(self.query(action, sql, params).await?.into_iter().next())
    }

    /// Runs a transaction once, and answers after its commit.
    pub(super) async fn write<W: Write>(&self, action: &'static str, write: &W) -> Result<W::Answer, Error> {
        let mut patience = Patience::new(&self.pool);
        let token = self.next_token();
        // The answer of an attempt whose commit was sent and not answered.
        let mut unsettled = None;
        loop {
            match self.attempt(write, &token, &mut unsettled).await {
                Ok(answer) => {
                    if !W::IS_REPEATABLE {
                        self.tail.note_write(&token);
                    }
                    return Ok(answer);
                }
                Err(failure) => patience.again(failure, action).await?,
            }
        }
    }

    async fn attempt<W: Write>(
        &self,
        write: &W,
        token: &str,
        unsettled: &mut Option<W::Answer>,
    ) -> Result<W::Answer, Failure> {
        let mut connection = self.pool.take().await?;
        connection.is_in_transaction = true;
        if W::IS_REPEATABLE {
            connection.short_batch(BEGIN).await?;
        } else {
            // Both go out together. The token of an earlier attempt that is still being committed
            // is waited for.
            let enter = "INSERT INTO dwell.writes (token) VALUES ($1) ON CONFLICT DO NOTHING";
            let enter_params = params![token];
            let (begun, entered) =
                futures::join!(connection.short_batch(BEGIN), connection.execute(enter, &enter_params));
            begun?;
            if entered? == 0
                && let Some(answer) = unsettled.take()
            {
                return Ok(answer);
            }
        }
        let answer = match write.run(&connection).await {
            Ok(answer) => answer,
            Err(failure) => {
                if !matches!(failure, Failure::Lost(_)) {
                    connection.short_batch("ROLLBACK").await?;
                    connection.is_in_transaction = false;
                }
                // Another transaction was faster. The next attempt sees what it wrote.
                return Err(match failure.violated() {
                    Some(constraint) => Failure::Conflict(format!("another write took {constraint}")),
                    None => failure,
                });
            }
        };
        match connection.short_batch("COMMIT").await {
            Ok(()) => {
                connection.is_in_transaction = false;
                Ok(answer)
            }
            Err(failure) => {
                if matches!(failure, Failure::Lost(_)) {
                    *unsettled = Some(answer);
                }
                Err(failure)
            }
        }
    }

    /// Names this process in the tokens of its writes.
    pub(super) fn identify(&self, process: String) {
        let _ = self.process.set(process);
    }

    fn next_token(&self) -> String {
        let number = self.writes.fetch_add(1, Ordering::Relaxed);
        format!("{}.{number}", self.process.get().map_or("", String::as_str))
    }

    /// Removes the tokens of writes that were settled long ago, and old notices.
    pub(super) async fn forget_old(&self) -> Result<(), Error> {
        let sql = "WITH notices AS (DELETE FROM dwell.notices WHERE at < clock_timestamp() - interval '1 minute')
             DELETE FROM dwell.writes WHERE at < clock_timestamp() - interval '10 minutes'";
        self.query("remove the tokens of old writes", sql, &[]).await.map(drop)
    }

    /// A connection outside of any transaction, for a statement that takes long.
    pub(super) async fn connection(&self) -> Result<PooledConnection<'_>, Error> {
        let mut patience = Patience::new(&self.pool);
        loop {
            match self.pool.take().await {
                Ok(connection) => return Ok(connection),
                Err(failure) => patience.again(failure, "connect to the database").await?,
            }
        }
    }
}

/// Waits between attempts, and says when to stop.
pub(super) struct Patience<'a> {
    pool: &'a Pool,
    until: Instant,
    pause: Duration,
    lost: u32,
    conflicts: u32,
}

impl<'a> Patience<'a> {
    pub(super) fn new(pool: &'a Pool) -> Self {
        Self { pool, until: pool.deadline(), pause: PAUSE_MIN, lost: 0, conflicts: 0 }
    }

    /// Returns after a pause if another attempt makes sense, otherwise the error for the caller.
    pub(super) async fn again(&mut self, failure: Failure, action: &'static str) -> Result<(), Error> {
        match failure {
            Failure::Lost(cause) => {
                self.lost += 1;
                // A single connection that went silent may use up the time, while the database is
                // there.
                let is_hopeless = self.pool.is_away() || self.lost >= LOST_MAX;
                if Instant::now() >= self.until && is_hopeless {
                    let cause = format!("{cause}; it was waited for {} s", self.pool.address.wait_max.as_secs());
                    return Err(Error::Away { cause });
                }
            }
            Failure::Conflict(_) if self.conflicts < CONFLICTS_MAX => self.conflicts += 1,
            failure => return Err(failure.explain(action)),
        }
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(PAUSE_MAX);
        Ok(())
    }
}
