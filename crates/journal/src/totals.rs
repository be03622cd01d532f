//! Totals of each owner.

use async_trait::async_trait;
use protocol::OwnerId;

use crate::Error;

/// Totals of an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OwnerTotals {
    /// Sessions, including those that have ended.
    pub sessions: u64,
    /// Bytes of the bodies of their events.
    pub journal_bytes: u64,
    /// Vaults, memories and records of memory.
    pub records: u64,
    /// Bytes of these records.
    pub record_bytes: u64,
    /// Artifacts.
    pub artifacts: u64,
    /// Bytes of the artifacts.
    pub artifact_bytes: u64,
    /// Bytes of the values of programs, with their keys and embeddings.
    pub value_bytes: u64,
}

/// Totals of each owner. They are updated with each write, so that reading them takes constant
/// time.
#[async_trait]
pub trait Totals: Send + Sync + 'static {
    /// Totals of an owner; zero for an unknown owner.
    async fn totals(&self, owner: &OwnerId) -> Result<OwnerTotals, Error>;

    /// Totals of all owners that have data, ordered by name.
    async fn all_totals(&self) -> Result<Vec<(OwnerId, OwnerTotals)>, Error>;
}
