//! Readiness: whether the store can be written to and read, found out by doing so.
//!
//! Probes come often and from several places, so a write is tried at most once a second; whoever asks in between, or meanwhile, is
//! told of the same one.

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

/// When the store was last written to for a probe, and how that went.
type Tried = Option<(Instant, Result<(), Error>)>;

/// What was found out last.
pub(crate) struct Readiness {
    tried: watch::Sender<Tried>,
    is_trying: AtomicBool,
}

impl Default for Readiness {
    fn default() -> Self {
        Self { tried: watch::Sender::new(None), is_trying: AtomicBool::new(false) }
    }
}

impl Hub {
    /// Whether the store can be written to and read: what readiness means.
    pub async fn check(&self) -> Result<(), Error> {
        let readiness = &self.house().readiness;
        // Listening starts before looking, so that no result is missed in between.
        let mut results = readiness.tried.subscribe();
        if let Some((at, result)) = &*results.borrow_and_update()
            && at.elapsed() < FRESH_MAX
        {
            return result.clone();
        }
        if !readiness.is_trying.swap(true, Ordering::SeqCst) {
            let directory = self.directory.clone();
            // A task of its own: the one who asks may leave while others wait for the same result.
            self.house().tasks.spawn(async move {
                let house = &directory.house;
                let tried = async {
                    house.store.probe().await?;
                    house.store.moving().await.map(drop)
                };
                let written = tokio::time::timeout(WRITE_MAX, tried).await;
                let result = written.map_or_else(|_| Err(too_slow()), |written| written.map_err(Error::from));
                if let Err(error) = &result {
                    tracing::warn!(%error, "the journal cannot be written to");
                }
                house.readiness.tried.send_replace(Some((Instant::now(), result)));
                house.readiness.is_trying.store(false, Ordering::SeqCst);
            });
        }
        // The sender lives as long as the hub, and a write that hangs has its own limit.
        let _ = tokio::time::timeout(WRITE_MAX + FRESH_MAX, results.changed()).await;
        let latest = results.borrow().clone();
        latest.map_or_else(|| Err(too_slow()), |(_, result)| result)
    }

    /// How many sessions were found damaged since the start.
    pub fn damaged_sessions(&self) -> u64 {
        self.house().store.damaged().len() as u64
    }
}

fn too_slow() -> Error {
    let cause = format!("no answer within {} s", WRITE_MAX.as_secs());
    Error::Journal(journal::Error::Storage { action: "write to the journal", cause })
}
