//! Dates as people write them, and as answers write them.

use protocol::Timestamp;

use super::{
    arithmetic::number_word,
    words::{Word, fits},
};

const DAY_MILLIS: i64 = 86_400_000;

const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const WEEKDAYS: &[&str] = &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Days with a name that fall on the same date every year.
const FEASTS: &[(&str, u8, u8)] = &[
    ("christmas eve", 12, 24),
    ("christmas day?", 12, 25),
    ("new year's eve", 12, 31),
    ("new year's day?", 1, 1),
    ("new year", 1, 1),
    ("valentine's day", 2, 14),
    ("halloween", 10, 31),
];

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: i32,
    month: u8,
    day: u8,
}

/// Whether a date without a year is in the future or in the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateDirection {
    /// Today or after it.
    Ahead,
    /// Today or before it.
    Behind,
}

impl Date {
    /// The day in UTC; there is none before the year 0.
    pub fn of(moment: Timestamp) -> Option<Self> {
        Self::from_iso(&moment.to_string())
    }

    /// The day at the beginning of an ISO date or moment.
    pub fn from_iso(text: &str) -> Option<Self> {
        let mut parts = text.get(..10)?.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        Self::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)
    }

    fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        ((1..=days).contains(&day) && (1..=9999).contains(&year)).then_some(Self { year, month, day })
    }

    /// As in `2026-12-24`.
    pub fn iso(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }

    /// As in `24 December 2026`.
    pub fn spoken(self) -> String {
        let month = MONTHS.get(usize::from(self.month) - 1).unwrap_or(&"");
        format!("{} {month} {}", self.day, self.year)
    }
}

/// The day of a time in words.
pub fn spoken(moment: Timestamp) -> String {
    Date::of(moment).map_or_else(|| moment.to_string(), Date::spoken)
}

/// The weekday of a time, in UTC.
pub fn weekday(moment: Timestamp) -> &'static str {
    WEEKDAYS.get(weekday_index(moment)).unwrap_or(&"")
}

/// Monday is 0; the first day of 1970 was a Thursday.
fn weekday_index(moment: Timestamp) -> usize {
    let days = moment.as_millis().div_euclid(DAY_MILLIS);
    usize::try_from((days + 3).rem_euclid(7)).unwrap_or(0)
}

fn days_later(now: Timestamp, days: i64) -> Option<Date> {
    Date::of(Timestamp::from_millis(now.as_millis().saturating_add(days * DAY_MILLIS)))
}

/// The date at the beginning of the words and how many of them it takes.
pub fn date(words: &[Word], now: Timestamp, side: DateDirection) -> Option<(Date, usize)> {
    let skipped = fits(words, "on? the?")?;
    let rest = &words[skipped..];
    let (date, used) = relative(rest, now, side)
        .or_else(|| feast(rest, now, side))
        .or_else(|| in_numbers(rest))
        .or_else(|| with_month(rest, now, side))?;
    Some((date, skipped + used))
}

fn relative(words: &[Word], now: Timestamp, side: DateDirection) -> Option<(Date, usize)> {
    for (rule, days) in
        [("day after tomorrow", 2), ("tomorrow", 1), ("today", 0), ("day before yesterday", -2), ("yesterday", -1)]
    {
        if let Some(used) = fits(words, rule) {
            return Some((days_later(now, days)?, used));
        }
    }
    let skipped = fits(words, "next|this|coming|last?")?;
    let name = &words.get(skipped)?.text;
    let index = WEEKDAYS.iter().position(|day| day.eq_ignore_ascii_case(name))?;
    let ahead = i64::try_from((index + 7 - weekday_index(now)) % 7).ok()?;
    // Today's weekday means the next one, in seven days.
    let days = if ahead == 0 { 7 } else { ahead };
    let days = if side == DateDirection::Ahead { days } else { ahead - 7 };
    // With a date after it the weekday adds nothing: "Thursday, 24 December".
    let followed = &words[skipped + 1..];
    let full = in_numbers(followed).or_else(|| with_month(followed, now, side));
    match full {
        Some((date, used)) => Some((date, skipped + 1 + used)),
        None => Some((days_later(now, days)?, skipped + 1)),
    }
}

fn feast(words: &[Word], now: Timestamp, side: DateDirection) -> Option<(Date, usize)> {
    FEASTS.iter().find_map(|(rule, month, day)| {
        let used = fits(words, rule)?;
        match words.get(used).and_then(year) {
            Some(year) => Some((Date::new(year, *month, *day)?, used + 1)),
            None => Some((nearest(*month, *day, now, side)?, used)),
        }
    })
}

/// `2026-12-24`, or `24.12.2026` where it can only be read one way.
fn in_numbers(words: &[Word]) -> Option<(Date, usize)> {
    let [first, second, third, ..] = words else {
        return None;
    };
    let date = if first.text.len() == 4 {
        Date::new(year(first)?, second.text.parse().ok()?, third.text.parse().ok()?)
    } else {
        let (one, two): (u8, u8) = (first.text.parse().ok()?, second.text.parse().ok()?);
        match (one, two) {
            _ if one == two || one > 12 => Date::new(year(third)?, two, one),
            _ if two > 12 => Date::new(year(third)?, one, two),
            _ => None,
        }
    };
    Some((date?, 3))
}

/// `24 December`, `the 24th of December 2026`, `Dec 24, 2026`.
fn with_month(words: &[Word], now: Timestamp, side: DateDirection) -> Option<(Date, usize)> {
    let (day, month, used) = match (words.first().and_then(day), words.first().and_then(month)) {
        (Some(day), _) => {
            let skipped = 1 + fits(&words[1..], "of?")?;
            (day, words.get(skipped).and_then(month)?, skipped + 1)
        }
        (_, Some(month)) => {
            let skipped = 1 + fits(&words[1..], "the?")?;
            (words.get(skipped).and_then(day)?, month, skipped + 1)
        }
        _ => return None,
    };
    match words.get(used).and_then(year) {
        Some(year) => Some((Date::new(year, month, day)?, used + 1)),
        None => Some((nearest(month, day, now, side)?, used)),
    }
}

/// That day in the nearest year that has it; 29 February may take eight years.
fn nearest(month: u8, day: u8, now: Timestamp, side: DateDirection) -> Option<Date> {
    let today = Date::of(now)?;
    (0..=8).find_map(|years| {
        let year = if side == DateDirection::Ahead { today.year + years } else { today.year - years };
        let date = Date::new(year, month, day)?;
        (if side == DateDirection::Ahead { date >= today } else { date <= today }).then_some(date)
    })
}

fn year(word: &Word) -> Option<i32> {
    (word.text.len() == 4).then(|| word.text.parse().ok()).flatten()
}

fn day(word: &Word) -> Option<u8> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.text.strip_suffix(end)).unwrap_or(&word.text);
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

/// The whole name, or its first three letters (and "sept").
fn month(word: &Word) -> Option<u8> {
    let is_it = |name: &&str| {
        let name = name.to_lowercase();
        word.text == name
            || (word.text.len() == 3 && name.starts_with(&word.text))
            || (word.text == "sept" && name == "september")
    };
    (1..).zip(MONTHS).find_map(|(number, name)| is_it(name).then_some(number))
}

/// "3 weeks" at the beginning of the words, and how many of them it takes.
pub fn span(words: &[Word]) -> Option<(String, usize)> {
    let [count, unit, ..] = words else {
        return None;
    };
    let count = match count.text.as_str() {
        "a" | "an" => 1,
        text => text.parse().ok().or_else(|| number_word(text))?,
    };
    let unit = unit.text.strip_suffix('s').unwrap_or(&unit.text);
    let is_unit = ["day", "week", "month", "year"].contains(&unit) && count <= 100_000;
    let plural = if count == 1 { "" } else { "s" };
    is_unit.then(|| (format!("{count} {unit}{plural}"), 2))
}
