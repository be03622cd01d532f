//! Settings of several nodes on one database.

use std::{num::NonZeroU64, time::Duration};

use serde::{Deserialize, Serialize};

/// The shortest lease: a node must be able to renew it several times, also on a busy machine.
const LEASE_MS_MIN: u64 = 1_000;

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClusterConfig {
    pub(crate) listen: String,
    address: String,
    lease_ms: NonZeroU64,
    drain_ms: u64,
}

impl ClusterConfig {
    /// Where other nodes reach this one, which listens on that address.
    pub(crate) fn address(&self, listening: &str) -> String {
        if self.address.is_empty() { listening.to_owned() } else { self.address.clone() }
    }

    /// How long this node goes on after it has said that it is not ready any more.
    pub(crate) const fn drain(&self) -> Duration {
        Duration::from_millis(self.drain_ms)
    }

    /// How long this node's leases last after their renewal.
    pub(crate) fn lease(&self) -> Result<Duration, String> {
        match self.lease_ms.get() {
            ms if ms < LEASE_MS_MIN => {
                Err(format!("`cluster.lease_ms` is {ms}, and at least {LEASE_MS_MIN} is needed"))
            }
            ms => Ok(Duration::from_millis(ms)),
        }
    }
}
