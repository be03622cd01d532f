//! Days, weeks, months and years around a day.

use jiff::{
    ToSpan,
    civil::{Date, Weekday, date},
};

use super::Span;

/// A length of time that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Weekend,
    Month,
    Year,
}

impl Unit {
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

/// The unit that lies that many units after the one the day is in.
pub(super) fn around(day: Date, unit: Unit, offset: i64) -> Option<Span> {
    let monday = shifted(day, -i64::from(day.weekday().to_monday_zero_offset()))?;
    Some(match unit {
        Unit::Day => Span::day(shifted(day, offset)?),
        Unit::Week => {
            let first = shifted(monday, 7 * offset)?;
            Span::new(first, shifted(first, 6)?)
        }
        Unit::Weekend => {
            // On a weekend, the last one is a week ago.
            let saturday = shifted(monday, 5 + 7 * offset)?;
            Span::new(saturday, shifted(saturday, 1)?)
        }
        Unit::Month => month(day.first_of_month().checked_add(offset.months()).ok()?),
        Unit::Year => year(day.checked_add(offset.years()).ok()?.year())?,
    })
}

/// What "so many units ago" means: the longer ago, the vaguer.
pub(super) fn ago(day: Date, unit: Unit, count: i64) -> Option<Span> {
    let (then, slack) = match unit {
        Unit::Day => (shifted(day, -count)?, i64::from(count > 6)),
        Unit::Week => (shifted(day, -7 * count)?, 3),
        Unit::Weekend => return around(day, unit, -count),
        Unit::Month => (day.checked_sub(count.months()).ok()?, 15),
        Unit::Year => return year(day.checked_sub(count.years()).ok()?.year()),
    };
    Some(Span::new(shifted(then, -slack)?, shifted(then, slack)?))
}

/// The last so many units up to the day.
pub(super) fn past(day: Date, unit: Unit, count: i64) -> Option<Span> {
    let first = match unit {
        Unit::Day => shifted(day, -count)?,
        Unit::Week | Unit::Weekend => shifted(day, -7 * count)?,
        Unit::Month => day.checked_sub(count.months()).ok()?,
        Unit::Year => day.checked_sub(count.years()).ok()?,
    };
    Some(Span::new(first, day))
}

/// The last such weekday before the day, or the next one after it.
pub(super) fn nearest(day: Date, weekday: Weekday, is_past: bool) -> Option<Span> {
    day.nth_weekday(if is_past { -1 } else { 1 }, weekday).ok().map(Span::day)
}

/// The whole month a day is in.
pub(super) fn month(day: Date) -> Span {
    Span::new(day.first_of_month(), day.last_of_month())
}

/// The last month of that number that had begun by the day.
pub(super) fn latest_month(day: Date, number: i8) -> Option<Span> {
    let year = if number <= day.month() { day.year() } else { day.year().checked_sub(1)? };
    Date::new(year, number, 1).ok().map(month)
}

/// The whole year.
pub(super) fn year(number: i16) -> Option<Span> {
    (1..=9999).contains(&number).then(|| Span::new(date(number, 1, 1), date(number, 12, 31)))
}
