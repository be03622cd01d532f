//! When a schedule runs: from its [`When`] and a time zone to moments.
//!
//! Rules are calculated on the clock of a place, without a zone: `cron.rs` and `rrule.rs` do that
//! by libraries. `wall.rs` alone turns such times into moments, so that daylight saving has one
//! rule for all of them.

mod cron;
mod rrule;
mod wall;
mod zone;

use jiff::{Timestamp as Moment, tz::TimeZone};
use protocol::{Timestamp, When};

use cron::CronTimes;
use rrule::{RruleTimes, RuleEnd};

pub use zone::time_zone;

/// How many characters a rule may have.
pub const RULE_CHARS_MAX: usize = 500;
/// How many runs a `COUNT` may name.
pub const COUNT_MAX: u32 = 1_000;

/// A time or a rule that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// Not a time zone.
    #[error("`{0}` is not a time zone: use a name as Europe/Berlin")]
    Zone(String),
    /// A rule that is too long.
    #[error("the rule has more than {RULE_CHARS_MAX} characters: shorten it")]
    RuleTooLong,
    /// Not a cron expression.
    #[error(
        "`{expression}` is not a cron expression ({why}): use minute, hour, day of month, month and day of week, as \
         `0 7 * * 1-5`"
    )]
    Cron {
        /// The expression.
        expression: String,
        /// What the parser says.
        why: String,
    },
    /// Not a recurrence rule.
    #[error("the recurrence rule cannot be used ({why}): use RFC 5545, as FREQ=WEEKLY;BYDAY=MO,FR")]
    Rrule {
        /// What is wrong.
        why: String,
    },
    /// A moment that is beyond what can be calculated.
    #[error("the time is too far away")]
    TooFar,
}

/// The moments of a schedule, in order.
#[derive(Debug, Clone)]
pub struct Timetable {
    times: Times,
    zone: TimeZone,
}

#[derive(Debug, Clone)]
enum Times {
    /// It waits for something that has no time.
    Never,
    Once(Moment),
    Cron(CronTimes),
    Rrule(RruleTimes),
}

impl Timetable {
    /// The timetable of a schedule in this zone; `from` is when a waiting time begins.
    pub fn new(when: &When, zone: &str, from: Timestamp) -> Result<Self, TimeError> {
        let zone = time_zone(zone)?;
        let times = match when {
            When::At { at } => Times::Once(moment(*at)?),
            When::After { after_ms } => Times::Once(moment(from.plus(std::time::Duration::from_millis(*after_ms)))?),
            When::Local { at } => Times::Once(wall::moment_of(at.civil(), &zone).ok_or(TimeError::TooFar)?),
            When::Cron { expression } => Times::Cron(CronTimes::parse(expression)?),
            When::Event { .. } => Times::Never,
            When::Rrule { rule, start } => Times::Rrule(RruleTimes::parse(rule, start.civil())?),
        };
        Ok(Self { times, zone })
    }

    /// The first moment that is later than this one.
    pub fn next_after(&self, after: Timestamp) -> Option<Timestamp> {
        let after = moment(after).ok()?;
        let next = match &self.times {
            Times::Never => None,
            Times::Once(at) => (*at > after).then_some(*at),
            Times::Cron(times) => wall::next_after(times, &self.zone, after),
            Times::Rrule(times) => {
                let next = wall::next_after(times, &self.zone, after)?;
                match times.end() {
                    Some(RuleEnd::Moment(end)) => (next <= end).then_some(next),
                    _ => Some(next),
                }
            }
        };
        next.map(|next| Timestamp::from_millis(next.as_millisecond()))
    }

    /// The next runs, at most this many.
    pub fn preview(&self, after: Timestamp, runs: usize) -> Vec<Timestamp> {
        std::iter::successors(self.next_after(after), |last| self.next_after(*last)).take(runs).collect()
    }

    /// The runs later than `after` and not later than `until`, at most this many.
    pub fn between(&self, after: Timestamp, until: Timestamp, runs_max: usize) -> Vec<Timestamp> {
        std::iter::successors(self.next_after(after), |last| self.next_after(*last))
            .take_while(|moment| *moment <= until)
            .take(runs_max)
            .collect()
    }
}

fn moment(at: Timestamp) -> Result<Moment, TimeError> {
    Moment::from_millisecond(at.as_millis()).map_err(|_| TimeError::TooFar)
}
