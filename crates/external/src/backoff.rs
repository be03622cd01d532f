//! The wait before a server is started again.

use std::time::Duration;

/// The first wait, and the longest.
const FIRST: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(60);
/// After a connection that lasted this long, the backoff starts anew.
pub(crate) const STEADY: Duration = Duration::from_secs(30);

/// Waits that double up to a maximum.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
}

impl Backoff {
    /// The wait after one more failure.
    pub(crate) fn next(&mut self) -> Duration {
        let wait = FIRST.saturating_mul(2_u32.saturating_pow(self.failures.min(16)));
        self.failures += 1;
        wait.min(LONGEST)
    }

    /// Starts anew.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute_and_begin_anew() {
        let mut backoff = Backoff::default();
        let waits: Vec<u128> = (0..12).map(|_| backoff.next().as_millis()).collect();
        assert_eq!(waits[..5], [250, 500, 1_000, 2_000, 4_000]);
        assert_eq!(waits[8..], [60_000; 4]);
        backoff.reset();
        assert_eq!(backoff.next(), FIRST);
    }
}
