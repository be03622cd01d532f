//! Rate limit of requests per owner.

use governor::{Quota, RateLimiter, clock::Clock, clock::DefaultClock, state::keyed::DefaultKeyedStateStore};
use protocol::{Code, OwnerId, Problem};

use crate::Limits;

/// Counts requests and messages per owner.
pub(crate) struct OwnerRateLimit {
    limiter: RateLimiter<OwnerId, DefaultKeyedStateStore<OwnerId>, DefaultClock>,
}

impl OwnerRateLimit {
    pub(crate) fn new(limits: &Limits) -> Self {
        let quota = Quota::per_second(limits.requests_per_second_max).allow_burst(limits.requests_burst_max);
        Self { limiter: RateLimiter::keyed(quota) }
    }

    /// Counts a request, or returns how long to wait.
    pub(crate) fn check(&self, owner: &OwnerId) -> Result<(), Problem> {
        self.limiter.check_key(owner).map_err(|early| {
            let wait = early.wait_time_from(DefaultClock::default().now());
            let mut problem = Problem::new(
                Code::RateLimited,
                "too many requests of this owner (`limits.requests_per_second_max`, `limits.requests_burst_max`)",
                "Wait for `retry_after_ms` milliseconds and send it again.",
            );
            problem.retry_after_ms = Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1));
            problem
        })
    }
}
