//! Readiness: writes to the store and reads from it, to see whether that works.
//!
//! Probes come often and from several places, so a write is tried at most once a second. Probes in
//! between, or while a write is running, get the same result.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use tokio::{sync::watch, time::Instant};

use super::Hub;
use crate::Error;

/// How long the result of a write counts.
const FRESH_MAX: Duration = Duration::from_secs(1);
/// How long a write may take.
const WRITE_MAX: Duration = Duration::from_secs(3);

/// The time and the result of the last write for a probe.
type ProbeResult = Option<(Instant, Result<(), Error>)>;

/// The last result.
pub(crate) struct Readiness {
    tried: watch::Sender<ProbeResult>,
    is_trying: AtomicBool,
    /// The server is about to stop.
    pub(super) is_leaving: AtomicBool,
}

impl Default for Readiness {
    fn default() -> Self {
        Self { tried: watch::Sender::new(None), is_trying: AtomicBool::new(false), is_leaving: AtomicBool::new(false) }
    }
}

impl Hub {
    /// Whether the store can be written and read, which is what readiness means.
    pub async fn check(&self) -> Result<(), Error> {
        let readiness = &self.services().readiness;
        if readiness.is_leaving.load(Ordering::SeqCst) {
            return Err(Error::Stopping);
        }
        // Subscribed before the check, so that no result in between is missed.
        let mut results = readiness.tried.subscribe();
        if let Some((at, result)) = &*results.borrow_and_update()
            && at.elapsed() < FRESH_MAX
        {
            return result.clone();
        }
        if !readiness.is_trying.swap(true, Ordering::SeqCst) {
            let directory = self.directory.clone();
            // A task of its own: the caller may leave while others wait for the same result.
            self.services().tasks.spawn(async move {
                let services = &directory.services;
                let tried = async {
                    services.store.probe().await?;
                    services.store.moving().await.map(drop)
                };
                let written = tokio::time::timeout(WRITE_MAX, tried).await;
                let result = written.map_or_else(|_| Err(too_slow()), |written| written.map_err(Error::from));
                if let Err(error) = &result {
                    tracing::warn!(%error, "the journal cannot be written to");
                }
                services.readiness.tried.send_replace(Some((Instant::now(), result)));
                services.readiness.is_trying.store(false, Ordering::SeqCst);
            });
        }
        // The sender lives as long as the hub, and a write that hangs has its own timeout.
        let _ = tokio::time::timeout(WRITE_MAX + FRESH_MAX, results.changed()).await;
        let latest = results.borrow().clone();
        latest.map_or_else(|| Err(too_slow()), |(_, result)| result)
    }

    /// The number of sessions found damaged since the start.
    pub fn damaged_sessions(&self) -> u64 {
        self.services().store.damaged().len() as u64
    }
}

fn too_slow() -> Error {
    let cause = format!("no answer within {} s", WRITE_MAX.as_secs());
    Error::Journal(journal::Error::Storage { action: "write to the journal", cause })
}
