//! Until when this node may rely on its lease, by a clock of this machine.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// Until when a node may act, without asking the database. All copies are the same clock.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeaseClock {
    /// A time of [`Self::now`].
    until: Arc<Mutex<Duration>>,
}

impl LeaseClock {
    /// The time since the machine was started, including what it has slept.
    pub(crate) fn now() -> Duration {
        // The clock of `Instant` stands still while a machine sleeps. Its lease ends all the same.
        #[cfg(target_os = "linux")]
        let clock = rustix::time::ClockId::Boottime;
        #[cfg(not(target_os = "linux"))]
        let clock = rustix::time::ClockId::Monotonic;
        let now = rustix::time::clock_gettime(clock);
        Duration::new(now.tv_sec.try_into().unwrap_or(0), now.tv_nsec.try_into().unwrap_or(0))
    }

    /// The lease was renewed, and may be relied on for that long after its renewal began.
    pub(crate) fn renewed(&self, began: Duration, rely_on: Duration) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = began + rely_on;
    }

    /// Whether the lease may be relied on.
    pub(crate) fn is_alive(&self) -> bool {
        Self::now() < *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
