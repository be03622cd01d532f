//! Rate limits: the number of calls in any minute, for each owner and tool.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use protocol::{OwnerId, Timestamp};

/// The time over which calls are counted.
const WINDOW: Duration = Duration::from_secs(60);
/// The number of counters above which idle ones are removed.
const COUNTERS_MAX: usize = 1024;

/// The rate limit of a tool is exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many calls: at most {calls_per_minute_max} a minute; try again in {seconds} s")]
pub struct RateLimitExceeded {
    /// The number of calls allowed per minute.
    pub calls_per_minute_max: u32,
    /// Seconds until the next call is allowed.
    pub seconds: u64,
}

/// The call times of each owner and tool. It has no clock: the caller passes the time.
#[derive(Debug, Default)]
pub struct RateLimits {
    calls: HashMap<(OwnerId, String), VecDeque<Timestamp>>,
}

impl RateLimits {
    /// Counts a call if the limit allows it.
    pub fn take(
        &mut self,
        owner: &OwnerId,
        tool: &str,
        calls_per_minute_max: u32,
        now: Timestamp,
    ) -> Result<(), RateLimitExceeded> {
        if self.calls.len() >= COUNTERS_MAX {
            self.calls.retain(|_, times| times.back().is_some_and(|last| now.since(*last) < WINDOW));
        }
        let times = self.calls.entry((owner.clone(), tool.to_owned())).or_default();
        // After the clock was set back, the tool must not stay blocked until it catches up.
        times.iter_mut().for_each(|time| *time = (*time).min(now));
        while times.front().is_some_and(|first| now.since(*first) >= WINDOW) {
            times.pop_front();
        }
        let max = usize::try_from(calls_per_minute_max).unwrap_or(usize::MAX);
        if times.len() < max {
            times.push_back(now);
            return Ok(());
        }
        let passed = times.front().map_or(Duration::ZERO, |first| now.since(*first));
        let seconds = WINDOW.saturating_sub(passed).as_millis().div_ceil(1_000);
        Err(RateLimitExceeded { calls_per_minute_max, seconds: u64::try_from(seconds).unwrap_or(u64::MAX) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn owner(name: &str) -> OwnerId {
        name.parse().unwrap()
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + millis)
    }

    #[test]
    fn room_comes_back_a_minute_after_each_call() {
        let (mut limits, ada) = (RateLimits::default(), owner("ada"));
        let mut take = |millis| limits.take(&ada, "fetch", 2, at(millis)).map_err(|error| error.seconds);
        assert_eq!(take(0), Ok(()));
        assert_eq!(take(30_000), Ok(()));
        assert_eq!(take(30_001), Err(30));
        assert_eq!(take(59_999), Err(1));
        assert_eq!(take(60_000), Ok(()));
        assert_eq!(take(60_000), Err(30), "the second call was half a minute ago");
    }

    #[test]
    fn owners_and_tools_have_their_own_counters() {
        let mut limits = RateLimits::default();
        for (who, tool, allowed) in
            [("ada", "fetch", true), ("ada", "fetch", false), ("ada", "search", true), ("bob", "fetch", true)]
        {
            assert_eq!(limits.take(&owner(who), tool, 1, at(0)).is_ok(), allowed, "{who} {tool}");
        }
    }

    #[test]
    fn a_clock_set_back_blocks_for_a_minute_at_most() {
        let (mut limits, ada) = (RateLimits::default(), owner("ada"));
        limits.take(&ada, "fetch", 1, at(0)).unwrap();
        let refused = limits.take(&ada, "fetch", 1, at(-3_600_000)).unwrap_err();
        assert_eq!(refused.to_string(), "too many calls: at most 1 a minute; try again in 60 s");
        limits.take(&ada, "fetch", 1, at(-3_540_000)).unwrap();
    }

    #[test]
    fn none_allowed_is_none() {
        let refused = RateLimits::default().take(&owner("ada"), "fetch", 0, at(0));
        assert_eq!(refused, Err(RateLimitExceeded { calls_per_minute_max: 0, seconds: 60 }));
    }

    #[test]
    fn idle_counters_are_given_up() {
        let mut limits = RateLimits::default();
        for n in 0..3 * i64::try_from(COUNTERS_MAX).unwrap() {
            limits.take(&owner(&format!("user {n}")), "fetch", 1, at(n * 1_000)).unwrap();
        }
        assert!(limits.calls.len() <= COUNTERS_MAX);
    }

    proptest! {
        #[test]
        fn no_minute_has_more_calls_than_allowed(gaps in prop::collection::vec(0i64..20_000, 1..80), max in 1u32..6) {
            let (mut limits, ada, mut now) = (RateLimits::default(), owner("ada"), 0);
            let mut taken: Vec<i64> = Vec::new();
            for gap in gaps {
                now += gap;
                let space = taken.iter().filter(|time| now - **time < 60_000).count() < max as usize;
                prop_assert_eq!(limits.take(&ada, "t", max, at(now)).is_ok(), space);
                if space {
                    taken.push(now);
                }
            }
        }
    }
}
