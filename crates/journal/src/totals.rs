//! What owners have in all.

use async_trait::async_trait;
use protocol::OwnerId;

use crate::Error;

/// What an owner has in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OwnerTotals {
    /// Sessions, also those that have ended.
    pub sessions: u64,
    /// Bytes of the bodies of their events.
    pub journal_bytes: u64,
    /// Vaults, memories and records of memory.
    pub records: u64,
    /// Bytes of those.
    pub record_bytes: u64,
    /// Artifacts.
    pub artifacts: u64,
    /// Bytes of those.
    pub artifact_bytes: u64,
}

/// What owners have in all. It is counted as it is written, so that asking costs the same however much there is.
#[async_trait]
pub trait Totals: Send + Sync + 'static {
    /// What an owner has; nothing if nobody of that name was ever here.
    async fn totals(&self, owner: &OwnerId) -> Result<OwnerTotals, Error>;

    /// What every owner has who has something, by name.
    async fn all_totals(&self) -> Result<Vec<(OwnerId, OwnerTotals)>, Error>;
}
