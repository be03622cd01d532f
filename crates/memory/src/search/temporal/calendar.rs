//! Days, weeks, months and years around a day.

use jiff::{
    ToSpan,
    civil::{Date, Weekday, date},
};

use super::DateSpan;

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CalendarUnit {
    Day,
    Week,
    Weekend,
    Month,
    Year,
}

impl CalendarUnit {
    pub(super) fn named(word: &str) -> Option<Self> {
        Some(match word {
            "day" | "days" => Self::Day,
            "week" | "weeks" => Self::Week,
            "weekend" | "weekends" => Self::Weekend,
            "month" | "months" => Self::Month,
            "year" | "years" => Self::Year,
            _ => return None,
        })
    }
}

/// The day that many days later.
pub(super) fn shifted(day: Date, days: i64) -> Option<Date> {
    day.checked_add(days.days()).ok()
}

/// The unit that is `offset` units after the one the day is in.
pub(super) fn around(day: Date, unit: CalendarUnit, offset: i64) -> Option<DateSpan> {
    let monday = shifted(day, -i64::from(day.weekday().to_monday_zero_offset()))?;
    Some(match unit {
        CalendarUnit::Day => DateSpan::day(shifted(day, offset)?),
        CalendarUnit::Week => {
            let first = shifted(monday, 7 * offset)?;
            DateSpan::new(first, shifted(first, 6)?)
        }
        CalendarUnit::Weekend => {
            // On a weekend, the last one is a week ago.
            let saturday = shifted(monday, 5 + 7 * offset)?;
            DateSpan::new(saturday, shifted(saturday, 1)?)
        }
        CalendarUnit::Month => month(day.first_of_month().checked_add(offset.months()).ok()?),
        CalendarUnit::Year => year(day.checked_add(offset.years()).ok()?.year())?,
    })
}

/// What "so many units ago" means: the longer ago, the vaguer.
pub(super) fn ago(day: Date, unit: CalendarUnit, count: i64) -> Option<DateSpan> {
    let (then, slack) = match unit {
        CalendarUnit::Day => (shifted(day, -count)?, i64::from(count > 6)),
        CalendarUnit::Week => (shifted(day, -7 * count)?, 3),
        CalendarUnit::Weekend => return around(day, unit, -count),
        CalendarUnit::Month => (day.checked_sub(count.months()).ok()?, 15),
        CalendarUnit::Year => return year(day.checked_sub(count.years()).ok()?.year()),
    };
    Some(DateSpan::new(shifted(then, -slack)?, shifted(then, slack)?))
}

/// The last `count` units up to the day.
pub(super) fn past(day: Date, unit: CalendarUnit, count: i64) -> Option<DateSpan> {
    let first = match unit {
        CalendarUnit::Day => shifted(day, -count)?,
        CalendarUnit::Week | CalendarUnit::Weekend => shifted(day, -7 * count)?,
        CalendarUnit::Month => day.checked_sub(count.months()).ok()?,
        CalendarUnit::Year => day.checked_sub(count.years()).ok()?,
    };
    Some(DateSpan::new(first, day))
}

/// The last such weekday before the day, or the next one after it.
pub(super) fn nearest(day: Date, weekday: Weekday, is_past: bool) -> Option<DateSpan> {
    day.nth_weekday(if is_past { -1 } else { 1 }, weekday).ok().map(DateSpan::day)
}

/// The whole month a day is in.
pub(super) fn month(day: Date) -> DateSpan {
    DateSpan::new(day.first_of_month(), day.last_of_month())
}

/// The latest month of that number that had begun by the day.
pub(super) fn latest_month(day: Date, number: i8) -> Option<DateSpan> {
    let year = if number <= day.month() { day.year() } else { day.year().checked_sub(1)? };
    Date::new(year, number, 1).ok().map(month)
}

/// The whole year.
pub(super) fn year(number: i16) -> Option<DateSpan> {
    (1..=9999).contains(&number).then(|| DateSpan::new(date(number, 1, 1), date(number, 12, 31)))
}
