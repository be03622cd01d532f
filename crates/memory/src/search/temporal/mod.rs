//! Temporal expressions ("last week", "in May", "two months ago") as spans of days.
//!
//! Only certain expressions are parsed: no span is better than a wrong one. Days are in UTC, weeks
//! begin on Monday.

mod calendar;
mod parser;

use jiff::{Timestamp as Moment, civil::Date, tz::TimeZone};
use protocol::Timestamp;

pub(super) use parser::{asks_when, read};

/// A range of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DateSpan {
    pub(super) first: Date,
    pub(super) last: Date,
}

impl DateSpan {
    const fn new(first: Date, last: Date) -> Self {
        Self { first, last }
    }

    const fn day(date: Date) -> Self {
        Self::new(date, date)
    }

    /// Whether it contains the day.
    pub(super) fn holds(self, date: Date) -> bool {
        self.first <= date && date <= self.last
    }

    /// Whether the two have a day in common and neither is vague beside the other: a year says
    /// little about one of its days.
    pub(super) fn meets(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last && other.days() <= 2 * self.days().max(7)
    }

    /// How many days it has.
    pub(super) fn days(self) -> i32 {
        self.last.since(self.first).map_or(0, |gap| gap.get_days()) + 1
    }
}

/// The day of a time.
pub(super) fn day_of(at: Timestamp) -> Date {
    Moment::from_millisecond(at.as_millis()).map_or(Date::ZERO, |moment| moment.to_zoned(TimeZone::UTC).date())
}

#[cfg(test)]
mod tests;
