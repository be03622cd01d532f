//! The rules by which a clock is believed, without a clock: all times are given.

use std::time::Duration;

use journal::ClockRecord;
use protocol::{ClockDoubt, Timestamp};

/// How far the wall clock may jump, and how long a clock in doubt has to run steadily until it is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tolerance {
    pub(crate) jump_max: Duration,
    pub(crate) settle: Duration,
}

/// A reading of both clocks at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reading {
    wall: Timestamp,
    /// How long the process has run: a clock that never jumps.
    running: Duration,
}

/// What is known of the wall clock.
///
/// It is believed while it stands where the last agreed time and the time that has run since say, give or take
/// `jump_max`. At a start the last agreed time is the one that the store has, so that time when no server ran counts as a jump
/// too. A clock in doubt is believed again when it is back where it should be, when it has run steadily for
/// `settle`, or when the operator says so.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    limits: Tolerance,
    agreed: Reading,
    last: Reading,
    /// For how long a clock in doubt has run steadily; none if it is believed.
    steady: Option<Duration>,
}

impl Watch {
    /// Begins with what the store knows. A store that knows nothing has nothing that could be deleted too early.
    pub(super) fn begin(
        limits: Tolerance,
        record: Option<ClockRecord>,
        newest: Option<Timestamp>,
        wall: Timestamp,
        running: Duration,
    ) -> Self {
        let last = Reading { wall, running };
        // What was written while the clock was in doubt says nothing, so the newest event counts only where there is no
        // record.
        let known = record.map(|record| record.agreed).or(newest).unwrap_or(wall);
        let mut watch = Self { limits, agreed: Reading { wall: known, running }, last, steady: None };
        if watch.is_off(last) {
            // It goes on from where the last run left it, if that had the same doubtful clock.
            let before = record.filter(|record| {
                wall.as_millis() >= record.seen.as_millis() && wall.since(record.seen) <= limits.jump_max
            });
            watch.steady = Some(before.map_or(Duration::ZERO, |record| Duration::from_millis(record.steady_ms)));
        } else {
            watch.agreed = last;
        }
        watch
    }

    /// Looks at both clocks.
    pub(super) fn look(&mut self, wall: Timestamp, running: Duration) {
        let now = Reading { wall, running };
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
        self.believe(Reading { wall, running });
    }

    /// The time that is surely past: a wall clock in doubt counts only where it says less.
    pub(super) fn cautious(&self, wall: Timestamp, running: Duration) -> Timestamp {
        match self.steady {
            None if distance(wall, self.last.after(running)) <= self.limits.jump_max => wall,
            // In doubt, or it has jumped since the last look.
            _ => wall.min(self.agreed.after(running)),
        }
    }

    pub(super) fn doubt(&self) -> Option<ClockDoubt> {
        let steady = self.steady?;
        let (wall, agreed) = (self.last.wall, self.agreed.after(self.last.running));
        let side = if wall > agreed { "ahead of" } else { "behind" };
        let settles_in = self.limits.settle.saturating_sub(steady);
        let reason = format!(
            "the clock says {wall}, which is {} {side} the time that is known ({agreed}: the last that was agreed on and \
             what has run since); nothing is deleted by age until it has run steadily for {} more, or until `dwell sweep \
             --trust-clock` says that it is right",
            in_words(distance(wall, agreed)),
            in_words(settles_in)
        );
        Some(ClockDoubt { reason, wall, agreed, settles_in_s: settles_in.as_secs() })
    }

    /// What the next start has to know.
    pub(super) fn record(&self) -> ClockRecord {
        let steady = self.steady.unwrap_or_default();
        let agreed = if self.steady.is_some() { self.agreed.after(self.last.running) } else { self.agreed.wall };
        let steady_ms = u64::try_from(steady.as_millis()).unwrap_or(u64::MAX);
        ClockRecord { agreed, seen: self.last.wall, steady_ms }
    }

    fn believe(&mut self, now: Reading) {
        (self.agreed, self.last, self.steady) = (now, now, None);
    }

    fn is_off(&self, now: Reading) -> bool {
        distance(now.wall, self.agreed.after(now.running)) > self.limits.jump_max
    }
}

impl Reading {
    /// What the wall clock should say when the process has run that long.
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
