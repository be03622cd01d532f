//! Parses periods of time as people name them, on the home's own clock.

use jiff::{
    ToSpan, Unit, Zoned,
    civil::{DateTime, Time, Weekday},
};
use ports::ToolFailure;
use protocol::Timestamp;

use super::answer::HomeClock;
use crate::Period;

/// The longest period.
const DAYS_MAX: i64 = 31;
/// The hour at which the night begins.
const NIGHT_BEGINS: i8 = 21;
/// The hour at which the night ends.
const NIGHT_ENDS: i8 = 7;
/// Before this hour, "last night" may mean the current night or the one before.
const STILL_NIGHT: i8 = 5;

/// Parses a period; `other` is the default.
pub(super) fn read(
    period: Option<&str>,
    from: Option<&str>,
    until: Option<&str>,
    now: Timestamp,
    clock: &HomeClock,
    other: &str,
) -> Result<Period, ToolFailure> {
    let here = clock.zoned(now);
    let read = match (period.map(str::trim).filter(|words| !words.is_empty()), from) {
        (Some(_), Some(_)) => return Err(ToolFailure::Invalid("name either `period` or `from`, not both".to_owned())),
        (None, Some(from)) => {
            let until = until.map_or(Ok(now), |until| moment(until, &here))?;
            Period { from: moment(from, &here)?, until }
        }
        (words, None) => {
            let words = words.unwrap_or(other);
            let Some((from, until)) = in_words(words, &here) else {
                let known =
                    "`last night`, `yesterday`, `yesterday evening`, `today`, `this morning`, `monday`, `last 6 hours`";
                return Err(ToolFailure::Invalid(format!(
                    "`{words}` is not a known period; use {known}, or give `from` and `until`"
                )));
            };
            let until = until.min(here.clone());
            Period { from: stamp(&from), until: stamp(&until) }
        }
    };
    let until = read.until.min(now);
    if read.from >= until {
        return Err(ToolFailure::Invalid("the period ends before it begins, or lies in the future".to_owned()));
    }
    let earliest = stamp(&here.saturating_sub(DAYS_MAX.days()));
    Ok(Period { from: read.from.max(earliest), until })
}

fn stamp(zoned: &Zoned) -> Timestamp {
    Timestamp::from_millis(zoned.timestamp().as_millisecond())
}

/// Parses a moment as a model writes it.
fn moment(text: &str, here: &Zoned) -> Result<Timestamp, ToolFailure> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(moment);
    }
    let civil = text.parse::<DateTime>().ok().or_else(|| Some(here.date().to_datetime(text.parse::<Time>().ok()?)));
    let zoned = civil.and_then(|civil| civil.to_zoned(here.time_zone().clone()).ok());
    zoned.map(|zoned| stamp(&zoned)).ok_or_else(|| {
        ToolFailure::Invalid(format!("`{text}` is not a valid time; write it as `2026-05-12 20:00` or `20:00`"))
    })
}

/// The day this many days ago, at an hour.
fn day(here: &Zoned, days_before: i64, hour: i8) -> Option<Zoned> {
    let date = here.date().checked_sub(days_before.days()).ok()?;
    date.at(hour, 0, 0, 0).to_zoned(here.time_zone().clone()).ok()
}

fn in_words(words: &str, here: &Zoned) -> Option<(Zoned, Zoned)> {
    let words = crate::plain(words);
    let words = words.strip_prefix("in the ").or(words.strip_prefix("during the ")).unwrap_or(&words);
    let words = words.strip_prefix("the ").or(words.strip_prefix("on ")).unwrap_or(words);
    let within = |days: i64, from: i8, until: i8| Some((day(here, days, from)?, day(here, days, until)?));
    match words {
        // In the early hours, this may mean the current night.
        "last night" | "night" | "overnight" if here.hour() < STILL_NIGHT => {
            Some((day(here, 2, NIGHT_BEGINS)?, here.clone()))
        }
        "last night" | "night" | "overnight" | "yesterday night" => {
            Some((day(here, 1, NIGHT_BEGINS)?, day(here, 0, NIGHT_ENDS)?))
        }
        "tonight" => Some((day(here, 0, 18)?, here.clone())),
        "today" | "this day" => Some((day(here, 0, 0)?, here.clone())),
        "this morning" => within(0, 5, 12),
        "this afternoon" => within(0, 12, 18),
        "this evening" => Some((day(here, 0, 17)?, here.clone())),
        "yesterday" => Some((day(here, 1, 0)?, day(here, 0, 0)?)),
        "yesterday morning" => within(1, 5, 12),
        "yesterday afternoon" => within(1, 12, 18),
        "yesterday evening" | "last evening" => within(1, 17, 23),
        "day before yesterday" => Some((day(here, 2, 0)?, day(here, 1, 0)?)),
        "this week" => Some((day(here, i64::from(here.weekday().to_monday_zero_offset()), 0)?, here.clone())),
        _ => weekday(words, here).or_else(|| last(words, here)),
    }
}

/// A day of the week: the most recent one.
fn weekday(words: &str, here: &Zoned) -> Option<(Zoned, Zoned)> {
    let name = words.strip_prefix("last ").unwrap_or(words);
    let days = [
        ("monday", Weekday::Monday),
        ("tuesday", Weekday::Tuesday),
        ("wednesday", Weekday::Wednesday),
        ("thursday", Weekday::Thursday),
        ("friday", Weekday::Friday),
        ("saturday", Weekday::Saturday),
        ("sunday", Weekday::Sunday),
    ];
    let (_, wanted) = days.iter().find(|(known, _)| *known == name)?;
    let ago = i64::from(here.weekday().since(*wanted));
    let ago = if ago == 0 { 7 } else { ago };
    Some((day(here, ago, 0)?, day(here, ago - 1, 0)?))
}

/// The last hours or days.
fn last(words: &str, here: &Zoned) -> Option<(Zoned, Zoned)> {
    let rest = ["last ", "past ", "previous "].iter().find_map(|prefix| words.strip_prefix(prefix)).unwrap_or(words);
    let rest = rest.strip_suffix(" ago").unwrap_or(rest);
    let (number, unit) = match rest.split_once(' ') {
        Some((number, unit)) => (number_of(number)?, unit),
        None => match rest.find(|char: char| !char.is_ascii_digit()) {
            Some(0) | None => (1, rest),
            Some(end) => (rest[..end].parse().ok()?, &rest[end..]),
        },
    };
    let unit = match unit.strip_suffix('s').unwrap_or(unit) {
        "minute" | "min" => Unit::Minute,
        "hour" | "h" => Unit::Hour,
        "day" | "d" => Unit::Day,
        "week" => Unit::Week,
        "month" => Unit::Month,
        _ => return None,
    };
    let span = match unit {
        Unit::Minute => number.minutes(),
        Unit::Hour => number.hours(),
        Unit::Day => number.days(),
        Unit::Week => number.weeks(),
        _ => (number * 30).days(),
    };
    Some((here.checked_sub(span).ok()?, here.clone()))
}

fn number_of(word: &str) -> Option<i64> {
    const WORDS: &[&str] =
        &["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    let named = || WORDS.iter().position(|known| *known == word).and_then(|number| i64::try_from(number).ok());
    match word {
        "a" | "an" => Some(1),
        "few" | "couple" => Some(3),
        _ => word.parse().ok().filter(|number| (1..=10_000).contains(number)).or_else(named),
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZoneDatabase;

    use super::*;

    fn clock() -> HomeClock {
        HomeClock { zone: TimeZoneDatabase::bundled().get("Europe/Berlin").unwrap(), name: "Europe/Berlin".to_owned() }
    }

    fn told(words: &str, now: &str) -> (String, String) {
        let clock = clock();
        let read = read(Some(words), None, None, now.parse().unwrap(), &clock, "today").unwrap();
        (clock.at(read.from), clock.at(read.until))
    }

    #[test]
    fn words_are_read_on_the_clock_of_the_home() {
        let now = "2026-05-12T13:30:00Z";
        let read = |words| told(words, now);
        let pair = |from: &str, until: &str| (from.to_owned(), until.to_owned());
        assert_eq!(read("last night"), pair("2026-05-11 21:00:00", "2026-05-12 07:00:00"));
        assert_eq!(read("Yesterday evening"), pair("2026-05-11 17:00:00", "2026-05-11 23:00:00"));
        assert_eq!(read("last 6 hours"), pair("2026-05-12 09:30:00", "2026-05-12 15:30:00"));
        assert_eq!(read("past two days"), pair("2026-05-10 15:30:00", "2026-05-12 15:30:00"));
        assert_eq!(read("24h"), pair("2026-05-11 15:30:00", "2026-05-12 15:30:00"));
        assert_eq!(read("today"), pair("2026-05-12 00:00:00", "2026-05-12 15:30:00"));
        assert_eq!(read("on Sunday"), pair("2026-05-10 00:00:00", "2026-05-11 00:00:00"));
        assert_eq!(read("last tuesday"), pair("2026-05-05 00:00:00", "2026-05-06 00:00:00"));
    }

    #[test]
    fn in_the_small_hours_last_night_is_the_one_before_and_this_one() {
        assert_eq!(told("last night", "2026-05-12T00:30:00Z").0, "2026-05-10 21:00:00");
        assert_eq!(told("last night", "2026-05-12T00:30:00Z").1, "2026-05-12 02:30:00");
    }

    #[test]
    fn moments_are_read_and_nonsense_is_refused_in_words() {
        let (clock, now) = (clock(), "2026-05-12T13:30:00Z".parse().unwrap());
        let read_from = |from, until| read(None, Some(from), until, now, &clock, "today");
        assert_eq!(clock.at(read_from("02:00", Some("03:00")).unwrap().until), "2026-05-12 03:00:00");
        assert_eq!(clock.at(read_from("2026-05-11 20:00", None).unwrap().from), "2026-05-11 20:00:00");
        assert_eq!(clock.at(read_from("2026-05-11T20:00:00Z", None).unwrap().from), "2026-05-11 22:00:00");
        for (period, from) in [(Some("mañana"), None), (None, Some("soon")), (None, Some("2027-01-01 00:00"))] {
            assert!(read(period, from, None, now, &clock, "today").is_err());
        }
        let long = read(None, Some("2020-01-01 00:00"), None, now, &clock, "today").unwrap();
        assert_eq!(clock.at(long.from), "2026-04-11 15:30:00", "a month is as far as one looks");
    }

    #[test]
    fn a_night_in_which_the_clocks_change_is_whole() {
        let (from, until) = told("last night", "2026-03-29T10:00:00Z");
        assert_eq!((from.as_str(), until.as_str()), ("2026-03-28 21:00:00", "2026-03-29 07:00:00"));
    }
}
