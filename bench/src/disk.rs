//! The latency of a disk flush. A durable answer waits for one or two flushes. On a shared machine
//! they vary more than anything else, so they are measured in the same run.

use std::{
    fs::File,
    io::Write,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

/// The least that SQLite writes.
const PAGE: [u8; 4096] = [b'x'; 4096];

/// A file on the disk that the journals are on.
pub(crate) struct Disk(File);

impl Disk {
    pub(crate) fn open() -> Result<Self> {
        tempfile::tempfile().map(Self).context("failed to create a file")
    }

    /// Writes and flushes a page; returns how long that took.
    pub(crate) fn flush(&mut self) -> Result<Duration> {
        let started_at = Instant::now();
        self.0.write_all(&PAGE)?;
        self.0.sync_data()?;
        Ok(started_at.elapsed())
    }
}
