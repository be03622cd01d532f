//! What the disk itself takes for a flush. A durable answer waits for one or two of these, and on a machine that is
//! shared they vary more than anything else, so they are measured beside what is compared with them.

use std::{
    fs::File,
    io::Write,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

/// As much as SQLite writes at least.
const PAGE: [u8; 4096] = [b'x'; 4096];

/// A file on the disk that the journals are on.
pub(crate) struct Disk(File);

impl Disk {
    pub(crate) fn open() -> Result<Self> {
        tempfile::tempfile().map(Self).context("failed to make a file")
    }

    /// Writes a page, makes the disk flush it, and says how long that took.
    pub(crate) fn flush(&mut self) -> Result<Duration> {
        let started_at = Instant::now();
        self.0.write_all(&PAGE)?;
        self.0.sync_data()?;
        Ok(started_at.elapsed())
    }
}
