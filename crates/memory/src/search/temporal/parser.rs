//! Parses temporal expressions.

use jiff::civil::{Date, Weekday};

use super::{
    DateSpan,
    calendar::{self, CalendarUnit},
};
use crate::search::terms;

/// The times that a text names, relative to the day it was written.
pub(in crate::search) fn read(text: &str, today: Date) -> Vec<DateSpan> {
    let raw: Vec<&str> = terms::words(text).collect();
    let lower: Vec<String> = raw.iter().map(|word| terms::plain(word)).collect();
    let reader = SpanParser { raw: &raw, lower: &lower, today };
    let mut spans = Vec::new();
    let mut index = 0;
    while index < raw.len() {
        let Some((span, length)) = reader.at(index) else {
            index += 1;
            continue;
        };
        // "before May" is not a time in May.
        let is_bounded = index > 0 && matches!(lower[index - 1].as_str(), "before" | "after" | "until" | "till" | "by");
        if !is_bounded && !spans.contains(&span) {
            spans.push(span);
        }
        index += length;
    }
    spans
}

/// Whether a question asks when something happened.
pub(in crate::search) fn asks_when(question: &str) -> bool {
    let lower: Vec<String> = terms::words(question).map(terms::plain).collect();
    let starts = |index: usize, pattern: &[&str]| {
        lower.get(index..index + pattern.len()).is_some_and(|found| found.iter().zip(pattern).all(|(a, b)| a == b))
    };
    const ASKING: [&[&str]; 9] = [
        &["how", "long", "ago"],
        &["what", "date"],
        &["what", "day"],
        &["what", "month"],
        &["what", "year"],
        &["which", "date"],
        &["which", "day"],
        &["which", "month"],
        &["which", "year"],
    ];
    lower.first().is_some_and(|word| word == "when")
        || (0..lower.len()).any(|index| ASKING.iter().any(|pattern| starts(index, pattern)))
}

struct SpanParser<'a> {
    raw: &'a [&'a str],
    lower: &'a [String],
    today: Date,
}

impl SpanParser<'_> {
    fn word(&self, index: usize) -> &str {
        self.lower.get(index).map_or("", String::as_str)
    }

    /// The expression that begins at this word, and its number of words.
    fn at(&self, index: usize) -> Option<(DateSpan, usize)> {
        self.named_day(index)
            .or_else(|| self.unit(index))
            .or_else(|| self.count(index))
            .or_else(|| self.weekday(index))
            .or_else(|| self.date(index))
            .or_else(|| self.year(index))
    }

    fn named_day(&self, index: usize) -> Option<(DateSpan, usize)> {
        let (offset, length) = match (self.word(index), self.word(index + 1), self.word(index + 2)) {
            ("day", "before", "yesterday") => (-2, 3),
            ("day", "after", "tomorrow") => (2, 3),
            ("yesterday", ..) => (-1, 1),
            ("last", "night" | "evening", _) => (-1, 2),
            ("today" | "tonight", ..) => (0, 1),
            ("this", "morning" | "afternoon" | "evening", _) => (0, 2),
            ("tomorrow", ..) => (1, 1),
            _ => return None,
        };
        Some((DateSpan::day(calendar::shifted(self.today, offset)?), length))
    }

    /// "last week", "this month", "the past year", "the last two weeks".
    fn unit(&self, index: usize) -> Option<(DateSpan, usize)> {
        let offset = match self.word(index) {
            "last" | "previous" | "past" => -1,
            "this" => 0,
            "next" => 1,
            _ => return None,
        };
        if let Some(unit) = CalendarUnit::named(self.word(index + 1)) {
            let span = match (self.word(index), unit) {
                ("past", _) => calendar::past(self.today, unit, 1)?,
                (_, CalendarUnit::Day) => return None,
                _ => calendar::around(self.today, unit, offset)?,
            };
            return Some((span, 2));
        }
        let count = number(self.word(index + 1))?;
        let unit = CalendarUnit::named(self.word(index + 2))?;
        (offset == -1).then(|| calendar::past(self.today, unit, count))?.map(|span| (span, 3))
    }

    /// "two months ago", "a couple of days ago".
    fn count(&self, index: usize) -> Option<(DateSpan, usize)> {
        let (count, length) = match (self.word(index), self.word(index + 1), self.word(index + 2)) {
            ("a", "couple", "of") => (2, 3),
            (word, ..) => (number(word)?, 1),
        };
        let unit = CalendarUnit::named(self.word(index + length))?;
        (self.word(index + length + 1) == "ago")
            .then(|| calendar::ago(self.today, unit, count))?
            .map(|span| (span, length + 2))
    }

    fn weekday(&self, index: usize) -> Option<(DateSpan, usize)> {
        let is_past = match self.word(index) {
            "last" | "past" => true,
            "next" => false,
            _ => return None,
        };
        let weekday = weekday(self.word(index + 1))?;
        Some((calendar::nearest(self.today, weekday, is_past)?, 2))
    }

    /// "2023-05-08", "8 May 2023", "May 8th", "in May", "May 2023", "last May".
    fn date(&self, index: usize) -> Option<(DateSpan, usize)> {
        if let Ok(date) = self.raw[index].parse::<Date>() {
            return (date.year() > 0).then_some((DateSpan::day(date), 1));
        }
        if let Some(day) = day_number(self.word(index)) {
            let of = usize::from(self.word(index + 1) == "of");
            let month = self.month(index + 1 + of, true)?;
            let (year, extra) = self.year_after(index + 2 + of);
            return Some((DateSpan::day(self.complete(year, month, day)?), 2 + of + extra));
        }
        let is_led = matches!(
            self.word(index),
            "in" | "last" | "this" | "of" | "during" | "early" | "mid" | "late" | "since" | "around"
        );
        if let Some(month) = is_led.then(|| self.month(index + 1, true)).flatten()
            && day_number(self.word(index + 2)).is_none()
        {
            let (year, extra) = self.year_after(index + 2);
            return Some((self.whole(year, month)?, 2 + extra));
        }
        let month = self.month(index, false)?;
        if let Some(day) = day_number(self.word(index + 1)) {
            let (year, extra) = self.year_after(index + 2);
            return Some((DateSpan::day(self.complete(year, month, day)?), 2 + extra));
        }
        let (year, extra) = self.year_after(index + 1);
        year.and_then(|_| self.whole(year, month)).map(|span| (span, 1 + extra))
    }

    /// "in 2021"
    fn year(&self, index: usize) -> Option<(DateSpan, usize)> {
        let is_led = matches!(self.word(index), "in" | "during" | "since" | "of" | "year");
        let number = is_led.then(|| year_number(self.word(index + 1))).flatten()?;
        calendar::year(number).map(|span| (span, 2))
    }

    /// The month that a word names. "May" and "March" have other meanings unless they are
    /// capitalized.
    fn month(&self, index: usize, is_certain: bool) -> Option<i8> {
        let word = self.word(index);
        let is_capital = || self.raw[index].starts_with(char::is_uppercase);
        let number = MONTHS.iter().position(|names| names.contains(&word))? + 1;
        let is_ambiguous = matches!(word, "may" | "march" | "mar" | "dec" | "sun");
        (is_certain || !is_ambiguous || is_capital()).then_some(i8::try_from(number).ok()?)
    }

    fn year_after(&self, index: usize) -> (Option<i16>, usize) {
        match year_number(self.word(index)) {
            Some(year) => (Some(year), 1),
            None => (None, 0),
        }
    }

    /// The day; without a year, in the latest year in which it is not in the future.
    fn complete(&self, year: Option<i16>, month: i8, day: i8) -> Option<Date> {
        let date = Date::new(year.unwrap_or(self.today.year()), month, day).ok()?;
        if year.is_none() && date > self.today {
            return Date::new(self.today.year() - 1, month, day).ok();
        }
        Some(date)
    }

    fn whole(&self, year: Option<i16>, month: i8) -> Option<DateSpan> {
        match year {
            Some(year) => Date::new(year, month, 1).ok().map(calendar::month),
            None => calendar::latest_month(self.today, month),
        }
    }
}

const MONTHS: [&[&str]; 12] = [
    &["january", "jan"],
    &["february", "feb"],
    &["march", "mar"],
    &["april", "apr"],
    &["may"],
    &["june", "jun"],
    &["july", "jul"],
    &["august", "aug"],
    &["september", "sep", "sept"],
    &["october", "oct"],
    &["november", "nov"],
    &["december", "dec"],
];

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

fn number(word: &str) -> Option<i64> {
    const NAMES: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    if matches!(word, "a" | "an") {
        return Some(1);
    }
    let named = NAMES.iter().position(|name| *name == word).and_then(|index| i64::try_from(index).ok());
    named.or_else(|| word.parse().ok()).filter(|number| (1..=366).contains(number))
}

fn day_number(word: &str) -> Option<i8> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|suffix| word.strip_suffix(suffix)).unwrap_or(word);
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

fn year_number(word: &str) -> Option<i16> {
    (word.len() == 4).then(|| word.parse().ok())?.filter(|year| (1900..=2100).contains(year))
}
