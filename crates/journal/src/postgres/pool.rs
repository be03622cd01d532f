//! Connections to the database: a few, opened when they are needed, and given up when they fail.
//!
//! The pool is our own rather than a crate's, because it is this short and decides what matters
//! here: a transaction that was not ended closes its connection; all callers that wait for a
//! database that is away share one clock of how long it is, and one of them tries to connect; a
//! connection that does not answer takes the idle ones with it.

use std::{
    ops::Deref,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::TryStreamExt;
use tokio::{
    sync::{Notify, Semaphore, SemaphorePermit},
    time::Instant,
};
use tokio_postgres::{Client, Row, RowStream, types::ToSql};

use super::{
    address::{Address, Driver},
    failure::Failure,
    params::Param,
};
use crate::Error;

/// How long a connection may take to be made, beyond the time for its socket: the database has to
/// answer too.
const HANDSHAKE_MAX: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Pool {
    pub(super) address: Address,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
    outage: Mutex<Option<Outage>>,
    /// Held by the caller that tries to connect to a database that is away.
    trying: tokio::sync::Mutex<()>,
    /// Grows with every connection that did not answer.
    silences: Arc<AtomicU64>,
    /// Told of every new connection, which may lead to another server than before.
    pub(super) connected: Arc<Notify>,
}

/// Since when no connection could be made, and why.
#[derive(Debug, Clone)]
struct Outage {
    since: Instant,
    cause: String,
}

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    client: Client,
    statement_max: Duration,
    /// The pool's count of silences, and the count when it was made.
    silences: Arc<AtomicU64>,
    generation: u64,
}

/// A connection in use, which goes back to the pool.
pub(super) struct PooledConnection<'a> {
    pool: &'a Pool,
    /// `None` only while it is dropped.
    connection: Option<Connection>,
    /// Whether a transaction was begun and not ended.
    pub(super) is_in_transaction: bool,
    _permit: SemaphorePermit<'a>,
}

impl Pool {
    pub(super) fn new(address: Address, connections_max: usize) -> Self {
        let permits = Semaphore::new(connections_max.max(1));
        Self {
            address,
            idle: Mutex::default(),
            permits,
            outage: Mutex::default(),
            trying: tokio::sync::Mutex::default(),
            silences: Arc::default(),
            connected: Arc::default(),
        }
    }

    /// A connection, as soon as one is free.
    pub(super) async fn take(&self) -> Result<PooledConnection<'_>, Failure> {
        let wait_max = self.address.wait_max;
        let permit = match tokio::time::timeout(wait_max, self.permits.acquire()).await {
            Ok(permit) => permit.map_err(|_| Failure::Refused(Error::Closed))?,
            Err(_) => {
                let cause = format!("no connection became free within {} s", wait_max.as_secs());
                return Err(Failure::Busy(cause));
            }
        };
        let idle = loop {
            match self.idle().pop() {
                Some(connection) if !connection.is_usable() => {}
                other => break other,
            }
        };
        let connection = match idle {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        Ok(PooledConnection { pool: self, connection: Some(connection), is_in_transaction: false, _permit: permit })
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let outage = lock(&self.outage).clone();
        // While the database is away one caller tries, and the others learn from it: each attempt
        // may take seconds.
        let trying = self.trying.try_lock();
        if let (Some(outage), Err(_)) = (outage, &trying) {
            return Err(Failure::Lost(outage.cause));
        }
        let generation = self.silences.load(Ordering::Relaxed);
        match self.address.connect().await {
            Ok((client, driver)) => {
                self.note_back();
                // It ends when the client is dropped, or with the connection.
                tokio::spawn(async move {
                    if let Err(error) = driver.await {
                        tracing::debug!(error = super::failure::words(&error), "a connection to the database ended");
                    }
                });
                let (statement_max, silences) = (self.address.statement_max, self.silences.clone());
                Ok(Connection { client, statement_max, silences, generation })
            }
            Err(failure) => {
                if let Failure::Lost(cause) = &failure {
                    self.note_away(cause);
                }
                Err(failure)
            }
        }
    }

    /// Until when a caller waits for the database, which may have been away for a while.
    pub(super) fn deadline(&self) -> Instant {
        lock(&self.outage).as_ref().map_or_else(Instant::now, |outage| outage.since) + self.address.wait_max
    }

    /// Whether the last attempt to connect has failed.
    pub(super) fn is_away(&self) -> bool {
        lock(&self.outage).is_some()
    }

    fn note_away(&self, cause: &str) {
        let mut outage = lock(&self.outage);
        if outage.is_none() {
            tracing::warn!(database = self.address.shown, cause, "the database is away; writes wait for it");
        }
        let since = outage.as_ref().map_or_else(Instant::now, |outage| outage.since);
        *outage = Some(Outage { since, cause: cause.to_owned() });
    }

    fn note_back(&self) {
        if let Some(outage) = lock(&self.outage).take() {
            let away_ms = u64::try_from(outage.since.elapsed().as_millis()).unwrap_or(u64::MAX);
            tracing::info!(database = self.address.shown, away_ms, "the database is back");
        }
        self.connected.notify_one();
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        lock(&self.idle)
    }
}

impl Address {
    /// Makes a connection, within a limited time. The second part drives it.
    pub(super) async fn connect(&self) -> Result<(Client, Driver), Failure> {
        let sockets = self.config.get_hosts().len().max(1);
        let limit = self.config.get_connect_timeout().copied().unwrap_or_default();
        // The driver's own limit is for the socket only: a server that accepts and says nothing
        // would be waited for without end.
        let handshake = HANDSHAKE_MAX.min(self.statement_max);
        let limit = limit * u32::try_from(sockets).unwrap_or(u32::MAX) + handshake;
        match tokio::time::timeout(limit, self.config.connect(self.tls.clone())).await {
            Ok(Ok(made)) => Ok(made),
            Ok(Err(error)) => Err(match Failure::from(error) {
                // A host that is not found or refuses is away as well; a wrong password is not.
                Failure::Sql(error) if error.as_db_error().is_none() => Failure::Lost(super::failure::words(&error)),
                other => other,
            }),
            Err(_) => Err(Failure::Lost(format!("no connection within {} s", limit.as_secs()))),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Connection {
    /// All rows of a statement, which is sent with the types of its parameters in one round trip.
    pub(super) async fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, Failure> {
        let rows = async { self.stream(sql, params).await?.try_collect().await.map_err(Failure::from) };
        self.in_time(rows).await
    }

    /// The first row of a statement.
    pub(super) async fn first(&self, sql: &str, params: &[Param<'_>]) -> Result<Option<Row>, Failure> {
        Ok(self.query(sql, params).await?.into_iter().next())
    }

    /// Runs a statement, and returns how many rows it changed.
    pub(super) async fn execute(&self, sql: &str, params: &[Param<'_>]) -> Result<u64, Failure> {
        self.in_time(async {
            let rows = self.stream(sql, params).await?;
            futures::pin_mut!(rows);
            while rows.try_next().await?.is_some() {}
            Ok(rows.rows_affected().unwrap_or(0))
        })
        .await
    }

    /// The rows of a statement one by one, however many there are.
    pub(super) async fn stream(&self, sql: &str, params: &[Param<'_>]) -> Result<RowStream, Failure> {
        let params = params.iter().map(|param| (param as &(dyn ToSql + Sync), param.kind()));
        Ok(self.client.query_typed_raw(sql, params).await?)
    }

    /// Runs statements without parameters. They may take long.
    pub(super) async fn batch(&self, sql: &str) -> Result<(), Failure> {
        Ok(self.client.batch_execute(sql).await?)
    }

    /// The same within the time for a statement.
    pub(super) async fn short_batch(&self, sql: &str) -> Result<(), Failure> {
        self.in_time(self.batch(sql)).await
    }

    /// A database that does not answer is taken for gone: a dead network says nothing.
    async fn in_time<T>(&self, statement: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        match tokio::time::timeout(self.statement_max, statement).await {
            Ok(done) => done,
            Err(_) => {
                // The idle ones are as dead, most likely: no caller should wait for each of them.
                self.silences.fetch_add(1, Ordering::Relaxed);
                Err(Failure::Lost(format!("no answer within {} s", self.statement_max.as_secs())))
            }
        }
    }

    /// Whether it is open, and none of its age went silent.
    fn is_usable(&self) -> bool {
        !self.client.is_closed() && self.generation == self.silences.load(Ordering::Relaxed)
    }
}

impl Deref for PooledConnection<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        #[expect(clippy::expect_used, reason = "it is taken only while it is dropped or given up")]
        self.connection.as_ref().expect("a connection in use")
    }
}

impl PooledConnection<'_> {
    /// Closes the connection, of which nothing is known any more.
    pub(super) fn give_up(mut self) {
        self.connection = None;
    }
}

impl Drop for PooledConnection<'_> {
    fn drop(&mut self) {
        // A transaction whose caller went away would stay open.
        if let Some(connection) = self.connection.take()
            && !self.is_in_transaction
            && connection.is_usable()
        {
            self.pool.idle().push(connection);
        }
    }
}
