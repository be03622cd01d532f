//! A small pool of read-only connections, used on blocking threads.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rusqlite::Connection;
use tokio::sync::{Semaphore, mpsc::WeakSender, oneshot};

use super::{
    open::{explain, open_for_reading},
    read::ReadResult,
    writer::Job,
};
use crate::Error;

/// Access to the writer thread, which decides whether the database has everything that was
/// acknowledged.
#[derive(Debug, Clone)]
pub(super) struct WriterHandle {
    /// Whether something is acknowledged and not committed.
    pub(super) is_pending: Arc<AtomicBool>,
    pub(super) jobs: WeakSender<Job>,
}

impl WriterHandle {
    /// Makes the writer commit what is acknowledged, if there is anything.
    async fn settle(&self) -> Result<(), Error> {
        if !self.is_pending.load(Ordering::Acquire) {
            return Ok(());
        }
        let (reply, settled) = oneshot::channel();
        let jobs = self.jobs.upgrade().ok_or(Error::Closed)?;
        jobs.send(Job::Settle { reply }).await.map_err(|_| Error::Closed)?;
        settled.await.unwrap_or(Err(Error::Closed))
    }
}

/// Maximum number of connections. SQLite's readers do not block, so a few are enough.
const READERS_MAX: usize = 4;

#[derive(Debug, Clone)]
pub(super) struct Readers {
    path: PathBuf,
    writer: WriterHandle,
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, writer: WriterHandle) -> Self {
        Self { path, writer, idle: Arc::default(), permits: Arc::new(Semaphore::new(READERS_MAX)) }
    }

    /// Runs a query on one of the connections. It sees everything that was acknowledged before.
    pub(super) async fn query<T: Send + 'static>(
        &self,
        action: &'static str,
        query: impl FnOnce(&Connection) -> ReadResult<T> + Send + 'static,
    ) -> Result<T, Error> {
        self.writer.settle().await?;
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| Error::Closed)?;
        let readers = self.clone();
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let connection = match readers.take() {
                Some(idle) => idle,
                None => open_for_reading(&readers.path)?,
            };
            // One transaction, so that all statements of a query see the same state.
            let result = connection.unchecked_transaction().and_then(|transaction| query(&transaction));
            let result = result.map_err(|error| explain(&readers.path, action, &error));
            readers.give_back(connection);
            result?
        });
        task.await.unwrap_or(Err(Error::Closed))
    }

    /// Runs a query that is shorter than the switch to another thread. If something is acknowledged
    /// and not committed, the writer runs the query, so that it need not commit first.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        action: &'static str,
        query: impl FnOnce(&Connection) -> ReadResult<T> + Send + 'static,
    ) -> Result<T, Error> {
        if !self.writer.is_pending.load(Ordering::Acquire) {
            return self.query(action, query).await;
        }
        let (reply, looked) = oneshot::channel();
        let path = self.path.clone();
        let look = Box::new(move |connection: Result<&Connection, Error>| {
            let found = connection.and_then(|it| query(it).map_err(|error| explain(&path, action, &error))?);
            // A caller that stopped waiting needs no answer.
            let _ = reply.send(found);
        });
        let jobs = self.writer.jobs.upgrade().ok_or(Error::Closed)?;
        jobs.send(Job::Query(look)).await.map_err(|_| Error::Closed)?;
        looked.await.unwrap_or(Err(Error::Closed))
    }

    /// Closes the connections that are not in use.
    pub(super) fn close(&self) {
        self.permits.close();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn take(&self) -> Option<Connection> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn give_back(&self, connection: Connection) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }
}
