//! Times that are named in words ("last week", "in May", "two months ago"), made into spans of days.
//!
//! Only what is certain is understood: no span is better than a wrong one. Days are those of UTC, weeks begin on Monday.

mod calendar;
mod reading;

use jiff::{Timestamp as Moment, civil::Date, tz::TimeZone};
use protocol::Timestamp;

pub(super) use reading::{asks_when, read};

/// Days from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) first: Date,
    pub(super) last: Date,
}

impl Span {
    const fn new(first: Date, last: Date) -> Self {
        Self { first, last }
    }

    const fn day(date: Date) -> Self {
        Self::new(date, date)
    }

    /// Whether the day is in it.
    pub(super) fn holds(self, date: Date) -> bool {
        self.first <= date && date <= self.last
    }

    /// Whether the two have a day in common and neither is vague beside the other: a year says little of a day in it.
    pub(super) fn meets(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last && other.days() <= 2 * self.days().max(7)
    }

    /// How many days it has.
    pub(super) fn days(self) -> i32 {
        self.last.since(self.first).map_or(0, |gap| gap.get_days()) + 1
    }
}

/// The day of a moment.
pub(super) fn day_of(at: Timestamp) -> Date {
    Moment::from_millisecond(at.as_millis()).map_or(Date::ZERO, |moment| moment.to_zoned(TimeZone::UTC).date())
}

#[cfg(test)]
mod tests;
