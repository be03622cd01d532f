//! Maintenance of the file by the writer, outside any transaction.

use std::time::Duration;

use rusqlite::Connection;

use super::super::open::WAIT_MAX;

/// How long to wait for readers of the write-ahead log. Nothing is written meanwhile.
const READERS_WAIT_MAX: Duration = Duration::from_secs(2);

/// A task that needs exclusive access to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Maintenance {
    /// Checkpoint the write-ahead log and truncate it.
    Fold,
    /// Rewrite every row, so that nothing else is left in the file.
    Rebuild,
}

impl Maintenance {
    pub(in super::super) fn run(self, connection: &Connection) -> rusqlite::Result<()> {
        if self == Self::Rebuild {
            connection.execute_batch("VACUUM")?;
        }
        connection.busy_timeout(READERS_WAIT_MAX)?;
        let is_held_up: rusqlite::Result<bool> =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        connection.busy_timeout(WAIT_MAX)?;
        if is_held_up? {
            // Not an error: what is still in the log is found there and reported.
            tracing::warn!("the write-ahead log could not be truncated, because a reader is still active");
        }
        Ok(())
    }
}
