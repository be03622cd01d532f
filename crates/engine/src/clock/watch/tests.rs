//! What makes a clock doubtful, and what makes it trusted again.

use proptest::prelude::*;

use super::*;

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const LIMITS: Tolerance = Tolerance { jump_max: Duration::from_secs(3 * 24 * 60 * 60), settle: DAY };

fn at(days: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + days * 24 * 60 * 60 * 1000)
}

fn record(agreed: i64, seen: i64, steady: Duration) -> ClockRecord {
    ClockRecord { agreed: at(agreed), seen: at(seen), steady_ms: u64::try_from(steady.as_millis()).unwrap() }
}

fn begin(record: Option<ClockRecord>, newest: Option<i64>, wall: i64) -> ClockWatch {
    ClockWatch::begin(LIMITS, record, newest.map(at), at(wall), Duration::ZERO)
}

#[test]
fn an_empty_store_doubts_nothing() {
    assert_eq!(begin(None, None, 100).doubt(), None);
}

#[test]
fn a_start_far_ahead_of_the_newest_event_is_in_doubt() {
    assert_eq!(begin(None, Some(0), 3).doubt(), None);
    let watch = begin(None, Some(0), 100);
    let doubt = watch.doubt().unwrap();
    assert!(doubt.reason.contains("100 days ahead of") && doubt.reason.contains("--trust-clock"), "{}", doubt.reason);
    assert_eq!((doubt.wall, doubt.agreed, doubt.settles_in_s), (at(100), at(0), DAY.as_secs()));
    assert!(begin(None, Some(100), 0).doubt().unwrap().reason.contains("100 days behind"));
}

#[test]
fn what_was_written_in_doubt_does_not_vouch_for_the_clock() {
    let first = begin(None, Some(0), 100);
    let kept = first.record();
    assert_eq!(kept.agreed, at(0));
    assert!(begin(Some(kept), Some(100), 100).doubt().is_some());
}

#[test]
fn a_clock_that_is_put_right_is_believed_at_once() {
    let mut watch = begin(None, Some(0), 100);
    watch.look(at(0).plus(HOUR), HOUR);
    assert_eq!(watch.doubt(), None);
}

#[test]
fn a_steady_clock_is_believed_after_a_day_over_several_runs_too() {
    let mut watch = begin(None, Some(0), 100);
    for hour in 1..24 {
        watch.look(at(100).plus(hour * HOUR), hour * HOUR);
        assert!(watch.doubt().is_some(), "after {hour} hours");
    }
    let kept = watch.record();
    watch.look(at(101), DAY);
    assert_eq!(watch.doubt(), None);
    // The same in a second run, which continues from 23 hours.
    let mut second = ClockWatch::begin(LIMITS, Some(kept), None, at(101), Duration::ZERO);
    assert!(second.doubt().is_some());
    second.look(at(101).plus(HOUR), HOUR);
    assert_eq!(second.doubt(), None);
    // Another wrong clock starts over.
    assert_eq!(begin(Some(record(0, 100, 23 * HOUR)), None, 200).doubt().unwrap().settles_in_s, DAY.as_secs());
}

#[test]
fn a_jump_while_running_is_noticed_in_either_direction() {
    for days in [50, -50] {
        let mut watch = begin(None, Some(0), 0);
        watch.look(at(days), HOUR);
        assert!(watch.doubt().is_some(), "{days} days");
        watch.look(at(days).plus(HOUR), 2 * HOUR);
        assert!(watch.doubt().is_some(), "{days} days");
        watch.trust(at(days).plus(HOUR), 2 * HOUR);
        assert_eq!((watch.doubt(), watch.record().agreed), (None, at(days).plus(HOUR)));
    }
}

#[test]
fn the_cautious_time_does_not_jump() {
    let mut watch = begin(None, Some(0), 0);
    assert_eq!(watch.cautious(at(0).plus(HOUR), HOUR), at(0).plus(HOUR));
    assert_eq!(watch.cautious(at(100), HOUR), at(0).plus(HOUR), "before the jump was looked at");
    watch.look(at(100), HOUR);
    assert_eq!(watch.cautious(at(100), 2 * HOUR), at(0).plus(2 * HOUR));
}

proptest! {
    /// However the wall clock jumps, the time used for deletion is never further ahead of the true
    /// time than the allowed jump, until the clock has kept its wrong offset for a day.
    #[test]
    fn no_jump_is_believed_within_a_day(jumps in proptest::collection::vec((1u32..4, -400i64..400), 1..6)) {
        let mut watch = begin(None, Some(0), 0);
        let mut running = Duration::ZERO;
        for (hours, days) in jumps {
            running += hours * HOUR;
            // Every jump has another target, so that none lasts a day.
            let wall = at(days).plus(running);
            watch.look(wall, running);
            let is_far = Duration::from_secs(days.unsigned_abs() * 24 * 60 * 60) > LIMITS.jump_max;
            if watch.doubt().is_none() {
                let believed = watch.record().agreed;
                prop_assert!(!is_far || distance(believed, at(0).plus(running)) <= LIMITS.jump_max);
            }
        }
    }

    /// A correct clock is never doubted, however long it runs and however seldom it is checked.
    #[test]
    fn a_right_clock_is_never_doubted(pauses in proptest::collection::vec(1u32..1_000, 1..20)) {
        let mut watch = begin(None, Some(0), 1);
        let mut running = Duration::ZERO;
        for hours in pauses {
            running += hours * HOUR;
            watch.look(at(1).plus(running), running);
            prop_assert_eq!(watch.doubt(), None);
        }
    }
}
