//! Time and ids come in through here, so that tests can set them.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use protocol::Timestamp;
use ulid::Ulid;

use crate::ids::IdGenerator;

/// The source of time and ids. Secrets come from [`secret::Secret`], since an id is not secret.
pub trait World: Send + Sync + 'static {
    /// The current time by the machine's clock, which may be wrong and may jump.
    fn now(&self) -> Timestamp;

    /// How long the process has run, by a clock that never jumps.
    fn running(&self) -> Duration;

    /// A new id, larger than all before it.
    fn ulid(&self) -> Ulid;
}

/// The real world: the machine's clock and random numbers.
pub struct SystemWorld {
    ids: Mutex<IdGenerator>,
    started: Instant,
}

impl Default for SystemWorld {
    fn default() -> Self {
        Self { ids: Mutex::default(), started: Instant::now() }
    }
}

impl World for SystemWorld {
    #[allow(clippy::disallowed_methods, reason = "this is the one place that asks the clock")]
    fn now(&self) -> Timestamp {
        let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
    }

    fn running(&self) -> Duration {
        self.started.elapsed()
    }

    #[allow(clippy::disallowed_methods, reason = "this is the one place that draws ids")]
    fn ulid(&self) -> Ulid {
        let now_ms = u64::try_from(self.now().as_millis()).unwrap_or(0);
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        // The thread's generator is a cipher seeded by the operating system: its past output does
        // not reveal its future output.
        ids.next(now_ms, rand::random)
    }
}
