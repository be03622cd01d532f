//! What the writer does to the file itself, outside any transaction.

use std::time::Duration;

use rusqlite::Connection;

use super::super::open::WAIT_MAX;

/// How long readers may hold the log up; nothing is written meanwhile.
const READERS_WAIT_MAX: Duration = Duration::from_secs(2);

/// A task that needs the file for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Upkeep {
    /// Fold the write-ahead log into the file and cut it off.
    Fold,
    /// Write every row anew, so that nothing else is left in the file.
    Rebuild,
}

impl Upkeep {
    pub(in super::super) fn run(self, connection: &Connection) -> rusqlite::Result<()> {
        if self == Self::Rebuild {
            connection.execute_batch("VACUUM")?;
        }
        connection.busy_timeout(READERS_WAIT_MAX)?;
        let is_held_up: rusqlite::Result<bool> =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        connection.busy_timeout(WAIT_MAX)?;
        if is_held_up? {
            // No failure: what is still in the log is found there, and said.
            tracing::warn!("the write-ahead log could not be cut off; somebody reads for a long time");
        }
        Ok(())
    }
}
