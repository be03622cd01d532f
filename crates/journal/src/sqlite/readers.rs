//! A few connections that only read, used off the runtime's own threads.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::{
    open::{explain, open_for_reading},
    read::Outcome,
};
use crate::Error;

/// Connections at most; SQLite's readers wait for nobody, so a few are plenty.
const READERS_MAX: usize = 4;

#[derive(Debug, Clone)]
pub(super) struct Readers {
    path: PathBuf,
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, idle: Arc::default(), permits: Arc::new(Semaphore::new(READERS_MAX)) }
    }

    /// Runs a query on one of the connections.
    pub(super) async fn query<T: Send + 'static>(
        &self,
        action: &'static str,
        query: impl FnOnce(&Connection) -> Outcome<T> + Send + 'static,
    ) -> Result<T, Error> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| Error::Closed)?;
        let readers = self.clone();
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let connection = match readers.take() {
                Some(idle) => idle,
                None => open_for_reading(&readers.path)?,
            };
            // One transaction, so that all statements of a query see the same sessions.
            let result = connection.unchecked_transaction().and_then(|transaction| query(&transaction));
            let result = result.map_err(|error| explain(&readers.path, action, &error));
            readers.give_back(connection);
            result?
        });
        task.await.unwrap_or(Err(Error::Closed))
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
