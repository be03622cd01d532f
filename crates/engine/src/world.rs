//! Time and ids come in through here, so that tests can set them.

use std::sync::{Mutex, PoisonError};

use protocol::Timestamp;
use ulid::{Generator, Ulid};

/// Where time and ids come from.
pub trait World: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> Timestamp;

    /// A new id, larger than all before it.
    fn ulid(&self) -> Ulid;

    /// A text that nobody can guess, whatever others they have seen.
    fn secret(&self) -> String;
}

/// The real world: the machine's clock and random numbers.
#[derive(Default)]
pub struct SystemWorld {
    ids: Mutex<Generator>,
}

impl World for SystemWorld {
    #[allow(clippy::disallowed_methods, reason = "this is the one place that asks the clock")]
    fn now(&self) -> Timestamp {
        let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX))
    }

    #[allow(clippy::disallowed_methods, reason = "this is the one place that draws ids")]
    fn ulid(&self) -> Ulid {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        // The generator refuses once in 2^80 ids of one millisecond; then order is given up, not uniqueness.
        ids.generate().unwrap_or_else(|_| Ulid::generate())
    }

    #[allow(clippy::disallowed_methods, reason = "this is the one place that draws ids")]
    fn secret(&self) -> String {
        // Each has 80 random bits of its own, unlike ids in a row.
        format!("{}{}", Ulid::generate(), Ulid::generate())
    }
}
