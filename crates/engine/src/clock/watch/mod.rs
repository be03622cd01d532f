//! The rules by which a clock is trusted. They contain no clock: all times are parameters.

use std::time::Duration;

use journal::ClockRecord;
use protocol::{ClockDoubt, Timestamp};

/// How far the wall clock may jump, and how long a clock in doubt has to run steadily until it is
/// trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tolerance {
    pub(crate) jump_max: Duration,
    pub(crate) settle: Duration,
}

/// A reading of both clocks at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ClockReading {
    wall: Timestamp,
    /// How long the process has run: a clock that never jumps.
    running: Duration,
}

/// The state of trust in the wall clock.
///
/// The clock is trusted while it is within `jump_max` of the last agreed time plus the time that
/// has passed since. At a start the last agreed time comes from the store, so time during which no
/// server ran counts as a jump too. A clock in doubt is trusted again when it is back in range,
/// when it has run steadily for `settle`, or when the operator says so.
#[derive(Debug, Clone)]
pub(super) struct ClockWatch {
    limits: Tolerance,
    agreed: ClockReading,
    last: ClockReading,
    /// How long a clock in doubt has run steadily; `None` if the clock is trusted.
    steady: Option<Duration>,
}

impl ClockWatch {
    /// Starts with the stored record. An empty store contains nothing that could be deleted too
    /// early.
    pub(super) fn begin(
        limits: Tolerance,
        record: Option<ClockRecord>,
        newest: Option<Timestamp>,
        wall: Timestamp,
        running: Duration,
    ) -> Self {
        let last = ClockReading { wall, running };
        // Events written while the clock was in doubt are no evidence, so the newest event counts
        // only if there is no record.
        let known = record.map(|record| record.agreed).or(newest).unwrap_or(wall);
        let mut watch = Self { limits, agreed: ClockReading { wall: known, running }, last, steady: None };
        if watch.is_off(last) {
            // Continues from the last run, if that had the same doubtful clock.
            let before = record.filter(|record| {
                wall.as_millis() >= record.seen.as_millis() && wall.since(record.seen) <= limits.jump_max
            });
            watch.steady = Some(before.map_or(Duration::ZERO, |record| Duration::from_millis(record.steady_ms)));
        } else {
            watch.agreed = last;
        }
        watch
    }

    /// Checks both clocks.
    pub(super) fn look(&mut self, wall: Timestamp, running: Duration) {
        let now = ClockReading { wall, running };
        if !self.is_off(now) {
            self.believe(now);
            return;
        }
        let is_steady = distance(wall, self.last.after(running)) <= self.limits.jump_max;
        let steady = match self.steady {
            Some(steady) if is_steady => steady + running.saturating_sub(self.last.running),
            _ => Duration::ZERO,
        };
        self.last = now;
        self.steady = Some(steady);
        if steady >= self.limits.settle {
            self.believe(now);
        }
    }

    /// The operator says that the wall clock is right.
    pub(super) fn trust(&mut self, wall: Timestamp, running: Duration) {
        self.believe(ClockReading { wall, running });
    }

    /// The time that has surely passed: a wall clock in doubt counts only if it shows less.
    pub(super) fn cautious(&self, wall: Timestamp, running: Duration) -> Timestamp {
        match self.steady {
            None if distance(wall, self.last.after(running)) <= self.limits.jump_max => wall,
            // In doubt, or it has jumped since the last check.
            _ => wall.min(self.agreed.after(running)),
        }
    }

    pub(super) fn doubt(&self) -> Option<ClockDoubt> {
        let steady = self.steady?;
        let (wall, agreed) = (self.last.wall, self.agreed.after(self.last.running));
        let side = if wall > agreed { "ahead of" } else { "behind" };
        let settles_in = self.limits.settle.saturating_sub(steady);
        let reason = format!(
            "the clock says {wall}, which is {} {side} the expected time ({agreed}: the last agreed time plus the \
             time since); nothing is deleted by age until it has run steadily for {} more, or until `dwell sweep \
             --trust-clock` confirms it",
            in_words(distance(wall, agreed)),
            in_words(settles_in)
        );
        Some(ClockDoubt { reason, wall, agreed, settles_in_s: settles_in.as_secs() })
    }

    /// The record for the next start.
    pub(super) fn record(&self) -> ClockRecord {
        let steady = self.steady.unwrap_or_default();
        let agreed = if self.steady.is_some() { self.agreed.after(self.last.running) } else { self.agreed.wall };
        let steady_ms = u64::try_from(steady.as_millis()).unwrap_or(u64::MAX);
        ClockRecord { agreed, seen: self.last.wall, steady_ms }
    }

    fn believe(&mut self, now: ClockReading) {
        (self.agreed, self.last, self.steady) = (now, now, None);
    }

    fn is_off(&self, now: ClockReading) -> bool {
        distance(now.wall, self.agreed.after(now.running)) > self.limits.jump_max
    }
}

impl ClockReading {
    /// The expected wall clock time after the process has run that long.
    fn after(&self, running: Duration) -> Timestamp {
        self.wall.plus(running.saturating_sub(self.running))
    }
}

fn distance(one: Timestamp, other: Timestamp) -> Duration {
    if one > other { one.since(other) } else { other.since(one) }
}

fn in_words(time: Duration) -> String {
    let hours = time.as_secs().div_ceil(3600);
    match hours {
        0..=1 => "an hour".to_owned(),
        2..48 => format!("{hours} hours"),
        _ => format!("{} days", hours / 24),
    }
}

#[cfg(test)]
mod tests;
