//! Ids: sorted by time, strictly increasing, and not guessable from each other.

use ulid::Ulid;

/// Random bits of an id; the time in milliseconds is above them.
const RANDOM_BITS: u32 = 80;
/// The minimum distance between two ids. A random number of 64 bits is added to it.
const STEP_MIN: u128 = 1 << 40;

/// Generates ids. Within a millisecond, and while the clock is behind the last id, each id is the
/// last one plus a random step, so that an owner cannot derive other owners' ids from their own.
#[derive(Debug, Default)]
pub(crate) struct IdGenerator {
    last: u128,
}

impl IdGenerator {
    /// The next id. Calls `random` once.
    pub(crate) fn next(&mut self, now_ms: u64, random: impl FnOnce() -> u128) -> Ulid {
        let random = random();
        // The topmost bit stays clear: a millisecond has space for tens of thousands of steps.
        let fresh = u128::from(now_ms) << RANDOM_BITS | random >> (128 - RANDOM_BITS + 1);
        let step = STEP_MIN + (random & u128::from(u64::MAX));
        // Steps that fill a millisecond continue in the next one; the clock catches up.
        let is_later = now_ms > (self.last >> RANDOM_BITS) as u64;
        self.last = if is_later { fresh } else { self.last.saturating_add(step) };
        Ulid(self.last)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const NOW: u64 = 1_800_000_000_000;

    #[allow(clippy::disallowed_methods, reason = "what the World draws ids with")]
    fn random() -> u128 {
        rand::random()
    }

    /// The distances between ids generated at these times; each id is larger than the one before.
    fn gaps(ids: &mut IdGenerator, times: impl Iterator<Item = u64>) -> Vec<u128> {
        let drawn: Vec<u128> = times.map(|now| ids.next(now, random).0).collect();
        drawn.windows(2).map(|pair| pair[1].checked_sub(pair[0]).expect("ids rise")).collect()
    }

    #[test]
    fn ten_thousand_within_a_millisecond_rise_by_gaps_that_tell_nothing() {
        let gaps = gaps(&mut IdGenerator::default(), std::iter::repeat_n(NOW, 10_000));
        assert!(gaps.iter().all(|gap| *gap >= STEP_MIN), "none is near another");
        assert_eq!(gaps.iter().collect::<BTreeSet<_>>().len(), gaps.len(), "no gap comes twice");
        // Each of the 64 bits of a gap is as often set as not, and so is each bit's change to the
        // next gap.
        for bit in 0..64 {
            let is_set = |gap: &u128| (gap - STEP_MIN) >> bit & 1 == 1;
            let set = gaps.iter().filter(|gap| is_set(gap)).count();
            let changed = gaps.windows(2).filter(|pair| is_set(&pair[0]) != is_set(&pair[1])).count();
            assert!((4_500..=5_500).contains(&set), "bit {bit} is set in {set} gaps");
            assert!((4_500..=5_500).contains(&changed), "bit {bit} changes {changed} times");
        }
    }

    #[test]
    fn a_clock_that_steps_back_changes_nothing_about_that() {
        let mut ids = IdGenerator::default();
        let before = ids.next(NOW, random);
        let behind = gaps(&mut ids, (0..10_000).map(|at| NOW - 3_600_000 + at / 100));
        assert!(behind.iter().all(|gap| *gap >= STEP_MIN));
        assert_eq!(behind.iter().collect::<BTreeSet<_>>().len(), behind.len());
        let after = ids.next(NOW - 1, random);
        assert!(after > before && after.timestamp_ms() <= NOW + 2, "it stays at the last time");
        let caught_up = ids.next(NOW + 10, random);
        assert!(caught_up > after && caught_up.timestamp_ms() == NOW + 10);
    }

    #[test]
    fn each_millisecond_begins_anywhere() {
        let mut ids = IdGenerator::default();
        let begun: Vec<u128> = (0..1_000).map(|at| ids.next(NOW + at, random).0 & ((1 << RANDOM_BITS) - 1)).collect();
        let mut sorted = begun.clone();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[1] - pair[0] > 1 << 20));
        assert!(begun.iter().all(|bits| *bits < 1 << (RANDOM_BITS - 1)), "with room above");
    }

    #[test]
    fn a_full_millisecond_goes_on_in_the_next() {
        let mut ids = IdGenerator::default();
        let mut last = ids.next(NOW, || u128::MAX);
        for _ in 0..100_000 {
            let next = ids.next(NOW, || u128::MAX);
            assert!(next > last);
            last = next;
        }
        assert!(last.timestamp_ms() > NOW);
        // Nothing overflows at the end of time.
        let mut end = IdGenerator { last: u128::MAX - 1 };
        assert_eq!(end.next(0, || u128::MAX), Ulid(u128::MAX));
    }
}
