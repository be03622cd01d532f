//! Counters of appends and commits, and the meter that takes measurements.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use observe::{Measurement, Meter};

#[derive(Default)]
pub(super) struct Counters {
    pub(super) appends: AtomicU64,
    pub(super) commits: AtomicU64,
    /// Takes measurements; often there is none.
    pub(super) meter: OnceLock<Arc<dyn Meter>>,
}

impl std::fmt::Debug for Counters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Counters").field("appends", &self.appends).field("commits", &self.commits).finish()
    }
}

impl Counters {
    /// Counts a commit of appends, and how long it took.
    pub(super) fn committed(&self, took: Duration) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.measure(|| Measurement::Commit { target: "database", flush: took });
    }

    /// Hands on a measurement, if there is a meter.
    pub(super) fn measure<'a>(&self, measurement: impl FnOnce() -> Measurement<'a>) {
        if let Some(meter) = self.meter.get() {
            meter.measure(measurement());
        }
    }
}
