//! Records of the time, by which the next start notices a wrong clock.

use async_trait::async_trait;
use protocol::Timestamp;

use crate::Error;

/// The last trusted time, and how a clock in doubt has run since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockRecord {
    /// The last time at which the wall clock was not in doubt.
    pub agreed: Timestamp,
    /// The wall clock at the time of this record.
    pub seen: Timestamp,
    /// Milliseconds for which a clock in doubt has run steadily; 0 if it is not in doubt.
    pub steady_ms: u64,
}

/// The part of a store that the engine uses to detect a wrong clock.
#[async_trait]
pub trait ClockRecords: Send + Sync + 'static {
    /// When the newest event of any session happened; `None` if there is no session.
    async fn newest_at(&self) -> Result<Option<Timestamp>, Error>;

    /// The last record.
    async fn clock_record(&self) -> Result<Option<ClockRecord>, Error>;

    /// Replaces the record, and answers once the new one is on the disk.
    async fn keep_clock_record(&self, record: ClockRecord) -> Result<(), Error>;
}
