//! What a store knows of the time, so that a wrong clock is noticed at the next start.

use async_trait::async_trait;
use protocol::Timestamp;

use crate::Error;

/// The last time that was agreed on, and how a clock that is in doubt has gone since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockRecord {
    /// The last time at which the wall clock was not in doubt.
    pub agreed: Timestamp,
    /// What the wall clock said when this was written down.
    pub seen: Timestamp,
    /// Milliseconds for which a clock in doubt has run steadily; 0 where it is not in doubt.
    pub steady_ms: u64,
}

/// The narrow part of a store by which the engine tells a right clock from a wrong one.
#[async_trait]
pub trait ClockRecords: Send + Sync + 'static {
    /// When the newest event of any session happened; none if there is no session.
    async fn newest_at(&self) -> Result<Option<Timestamp>, Error>;

    /// What was written down last.
    async fn clock_record(&self) -> Result<Option<ClockRecord>, Error>;

    /// Writes a record down in place of the one before, and answers once it is on the disk.
    async fn keep_clock_record(&self, record: ClockRecord) -> Result<(), Error>;
}
