//! From times on the clock of a place to moments, across changes of that clock.
//!
//! A rule that names times of day keeps them: a time that the clock skips runs as much later as
//! the clock jumped (02:30 becomes 03:30), and a time that the clock shows twice runs the first
//! time only. A rule that runs every hour or more often follows the hours that pass instead: times
//! that are skipped do not exist, and times that are shown twice run twice.

use jiff::{
    SignedDuration, Timestamp,
    civil::DateTime,
    tz::{Offset, TimeZone},
};

/// Bounds the search, against rules that match nearly never.
const CLOCK_CHANGES_MAX: usize = 400;
/// No clock has ever jumped further than a day.
const JUMP_MAX: SignedDuration = SignedDuration::from_hours(48);

/// Times on a clock that never changes.
pub(super) trait WallTimes {
    /// The first time at or after this one.
    fn at_or_after(&self, from: DateTime) -> Option<DateTime>;

    /// Whether it runs every hour or more often.
    fn is_frequent(&self) -> bool;
}

/// A time between two changes of the clock.
struct ClockPeriod {
    start: Option<Timestamp>,
    end: Option<Timestamp>,
    offset: Offset,
    offset_before: Offset,
}

impl ClockPeriod {
    fn at(zone: &TimeZone, moment: Timestamp) -> Self {
        let offset = zone.to_offset(moment);
        // `preceding` is strict, and the change itself belongs to the time after it.
        let just_after = moment + SignedDuration::from_nanos(1);
        let start = zone.preceding(just_after).next().map(|change| change.timestamp());
        let offset_before = start
            .and_then(|start| start.checked_sub(SignedDuration::from_nanos(1)).ok())
            .map_or(offset, |before| zone.to_offset(before));
        let end = zone.following(moment).next().map(|change| change.timestamp());
        Self { start, end, offset, offset_before }
    }
}

/// The moment at which the clock shows this.
pub(super) fn moment_of(time: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    zone.to_ambiguous_timestamp(time).compatible().ok()
}

/// The first moment of `times` later than `after`.
pub(super) fn next_after(times: &impl WallTimes, zone: &TimeZone, after: Timestamp) -> Option<Timestamp> {
    let mut from = after.checked_add(SignedDuration::from_millis(1)).ok()?;
    for _ in 0..CLOCK_CHANGES_MAX {
        let period = ClockPeriod::at(zone, from);
        let shown = period.offset.to_datetime(from);
        let earliest = if times.is_frequent() { shown } else { shown.max(end_of_repeated(&period).unwrap_or(shown)) };
        let direct = times.at_or_after(earliest);
        let moved = if times.is_frequent() { None } else { moved_by_jump(times, &period, from) };
        let direct_moment = direct.and_then(|time| period.offset.to_timestamp(time).ok());
        let next = match (direct_moment, moved) {
            (Some(direct), Some(moved)) => direct.min(moved),
            (direct, moved) => direct.or(moved)?,
        };
        let Some(end) = period.end.filter(|end| *end <= next) else { return Some(next) };
        // Nothing is between here and `next`, except that clocks change on the way.
        from = next.checked_sub(JUMP_MAX).map_or(end, |near| near.max(end));
    }
    None
}

/// The clock's time at which it no longer shows what it has shown before this period.
fn end_of_repeated(period: &ClockPeriod) -> Option<DateTime> {
    let start = period.start.filter(|_| period.offset_before > period.offset)?;
    Some(period.offset_before.to_datetime(start))
}

/// The first time from `from` on that was skipped at the start of this period.
fn moved_by_jump(times: &impl WallTimes, period: &ClockPeriod, from: Timestamp) -> Option<Timestamp> {
    let start = period.start.filter(|_| period.offset_before < period.offset)?;
    let skipped_until = period.offset.to_datetime(start);
    let time = times.at_or_after(period.offset_before.to_datetime(from))?;
    if time >= skipped_until {
        return None;
    }
    period.offset_before.to_timestamp(time).ok()
}
