//! Percentiles, in milliseconds.

use std::time::Duration;

use serde::Serialize;

/// The distribution of a set of times, in milliseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct LatencySummary {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
}

impl LatencySummary {
    pub(crate) fn of(times: &[Duration]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        Self { p50: ranked(&sorted, 50), p99: ranked(&sorted, 99), max: ranked(&sorted, 100) }
    }
}

/// The median, in milliseconds.
pub(crate) fn p50(times: &[Duration]) -> f64 {
    LatencySummary::of(times).p50
}

/// The percentile of sorted times; 0 if there are none.
fn ranked(sorted: &[Duration], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(times: impl IntoIterator<Item = u64>, p50: f64, p99: f64, max: f64) {
        let times: Vec<_> = times.into_iter().map(Duration::from_millis).collect();
        let spread = LatencySummary::of(&times);
        assert_eq!((spread.p50, spread.p99, spread.max), (p50, p99, max));
    }

    #[test]
    fn the_rank_is_the_nearest() {
        check([], 0.0, 0.0, 0.0);
        check([7], 7.0, 7.0, 7.0);
        check([3, 1, 2], 2.0, 3.0, 3.0);
        check((1..=200).rev(), 100.0, 198.0, 200.0);
    }
}
