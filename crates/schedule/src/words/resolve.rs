//! From a time in words to a time: what is left open is decided here.

use jiff::{
    Span, ToSpan,
    civil::{Date, DateTime, Time, Weekday},
};
use protocol::{LocalTime, When};

use super::phrase::{ClockTime, DayName, DayPart, Repetition, TimePhrase, TimeUnit};

/// The time of a day without one.
const HOUR_OF_DAY: i8 = 9;

/// What the phrase means now; `None` if its parts do not fit together, or it has passed.
pub(super) fn when(phrase: &TimePhrase, now: DateTime) -> Option<When> {
    match (&phrase.every, phrase.span) {
        (Some(_), Some(_)) => None,
        (Some(every), None) => repeated(every, phrase, now),
        (None, Some(span)) if span.days == 0 && span.months == 0 => {
            phrase.is_span_only().then(|| span.as_millis()).flatten().map(|after_ms| When::After { after_ms })
        }
        (None, Some(span)) => {
            if phrase.day.is_some() {
                return None;
            }
            let away = Span::new().try_days(span.days).ok()?.try_months(span.months).ok()?;
            let day = now.checked_add(away).ok()?;
            let has_time = phrase.clock.is_some() || phrase.part.is_some();
            if span.seconds > 0 && has_time {
                return None;
            }
            let seconds = i64::try_from(span.seconds).ok()?;
            let time = if has_time { time_of_named_day(phrase)? } else { now.time() };
            local(day.date().to_datetime(time).checked_add(seconds.seconds()).ok()?)
        }
        (None, None) => once(phrase, now),
    }
}

fn local(at: DateTime) -> Option<When> {
    let at = at.with().subsec_nanosecond(0).build().ok()?;
    Some(When::Local { at: LocalTime::from(at) })
}

/// A time on one day.
fn once(phrase: &TimePhrase, now: DateTime) -> Option<When> {
    let Some(day) = phrase.day else { return local(next_time(phrase, now)?) };
    let time = time_of_named_day(phrase)?;
    let later = |date: Date, time: Time| Some(date.to_datetime(time)).filter(|at| *at > now);
    let at = match day {
        // Today at 7 is the 7 that is still to come.
        DayName::In(0) if phrase.clock.is_some() || phrase.part.is_none() => {
            next_time(phrase, now).filter(|at| phrase.clock.is_some() && at.date() == now.date())?
        }
        DayName::In(days) => later(now.date().checked_add(days.days()).ok()?, time)?,
        DayName::Weekday(weekday) => {
            let dates = (0..=7).filter_map(|days: i32| now.date().checked_add(days.days()).ok());
            dates.filter(|date| date.weekday() == weekday).find_map(|date| later(date, time))?
        }
        DayName::MonthDay(day) => {
            let months =
                (0..12).filter_map(|months: i32| now.date().first_of_month().checked_add(months.months()).ok());
            months.filter_map(|month| month.with().day(day).build().ok()).find_map(|date| later(date, time))?
        }
        DayName::Date { month, day } => {
            let years = (0..=8).filter_map(|years| Date::new(now.year().checked_add(years)?, month, day).ok());
            years.into_iter().find_map(|date| later(date, time))?
        }
    };
    local(at)
}

/// The next moment at which the clock shows this, or that part of the day begins.
fn next_time(phrase: &TimePhrase, now: DateTime) -> Option<DateTime> {
    let times = match (phrase.clock, phrase.part) {
        (Some(clock), None) if !clock.is_exact => {
            let hour = clock.hour % 12;
            vec![time(hour, clock.minute)?, time(hour + 12, clock.minute)?]
        }
        (None, None) => return None,
        _ => vec![time_of_named_day(phrase)?],
    };
    let days = [now.date(), now.date().tomorrow().ok()?];
    days.into_iter().flat_map(|date| times.iter().map(move |time| date.to_datetime(*time))).find(|at| *at > now)
}

/// The time on a day that is named: 7 to 11 are in the morning, 1 to 6 in the afternoon.
fn time_of_named_day(phrase: &TimePhrase) -> Option<Time> {
    match (phrase.clock, phrase.part) {
        (Some(clock), Some(part)) => time(hour_in(clock, part)?, clock.minute),
        (Some(clock), None) if clock.is_exact => time(clock.hour, clock.minute),
        (Some(clock), None) => time(if clock.hour < 7 { clock.hour + 12 } else { clock.hour }, clock.minute),
        (None, Some(DayPart::Morning)) => time(8, 0),
        (None, Some(DayPart::Afternoon)) => time(15, 0),
        (None, Some(DayPart::Evening)) => time(19, 0),
        (None, Some(DayPart::Night)) => time(20, 0),
        (None, None) => time(HOUR_OF_DAY, 0),
    }
}

/// The hour within a part of the day; `None` if it is not in it.
fn hour_in(clock: ClockTime, part: DayPart) -> Option<i8> {
    let hour = match part {
        DayPart::Morning if clock.hour == 12 => return None,
        DayPart::Morning => clock.hour,
        _ if clock.is_exact || clock.hour == 12 => clock.hour,
        // "At 2 in the night" is after midnight.
        DayPart::Night if clock.hour < 6 => clock.hour,
        DayPart::Afternoon | DayPart::Evening | DayPart::Night => clock.hour + 12,
    };
    let fits = match part {
        DayPart::Morning => hour < 12,
        DayPart::Afternoon | DayPart::Evening => hour >= 12,
        DayPart::Night => true,
    };
    fits.then_some(hour)
}

fn time(hour: i8, minute: i8) -> Option<Time> {
    Time::new(hour, minute, 0, 0).ok()
}

/// Again and again, as a rule of RFC 5545.
fn repeated(every: &Repetition, phrase: &TimePhrase, now: DateTime) -> Option<When> {
    let interval = |interval: u32| if interval == 1 { String::new() } else { format!(";INTERVAL={interval}") };
    let at_time = |rule: String, first: &dyn Fn(Date) -> bool| {
        let time = time_of_named_day(phrase)?;
        let dates = (0..=7).filter_map(|days: i32| now.date().checked_add(days.days()).ok());
        let start = dates.map(|date| date.to_datetime(time)).find(|at| *at > now && first(at.date()))?;
        Some(When::Rrule { rule, start: LocalTime::from(start) })
    };
    let any = |_: Date| true;
    match (every, phrase.day) {
        (Repetition::Unit(number, unit @ (TimeUnit::Minute | TimeUnit::Hour)), None) => {
            if phrase.clock.is_some() || phrase.part.is_some() {
                return None;
            }
            let frequency = if *unit == TimeUnit::Hour { "HOURLY" } else { "MINUTELY" };
            let start = LocalTime::from(now.with().subsec_nanosecond(0).build().ok()?);
            Some(When::Rrule { rule: format!("FREQ={frequency}{}", interval(*number)), start })
        }
        (Repetition::Unit(number, TimeUnit::Day), None) => at_time(format!("FREQ=DAILY{}", interval(*number)), &any),
        (Repetition::Unit(number, TimeUnit::Week), day) => {
            let weekday = match day {
                Some(DayName::Weekday(weekday)) => weekday,
                None => now.weekday(),
                Some(_) => return None,
            };
            weekly(*number, &[weekday], &interval, &at_time)
        }
        (Repetition::Weekdays(number, days), None) => weekly(*number, days, &interval, &at_time),
        (Repetition::Unit(number, TimeUnit::Month), Some(DayName::MonthDay(day))) => {
            at_time(format!("FREQ=MONTHLY{};BYMONTHDAY={day}", interval(*number)), &any)
        }
        (Repetition::MonthDay(day), None) => at_time(format!("FREQ=MONTHLY;BYMONTHDAY={day}"), &any),
        (Repetition::NthWeekday(nth, day), None) => at_time(format!("FREQ=MONTHLY;BYDAY={nth}{}", code(*day)), &any),
        (Repetition::Unit(number, TimeUnit::Year), Some(DayName::Date { month, day })) => {
            at_time(format!("FREQ=YEARLY{};BYMONTH={month};BYMONTHDAY={day}", interval(*number)), &any)
        }
        // "Every month" without a day and the like leave too much open.
        _ => None,
    }
}

type Starter<'s> = dyn Fn(String, &dyn Fn(Date) -> bool) -> Option<When> + 's;

fn weekly(number: u32, days: &[Weekday], interval: &dyn Fn(u32) -> String, at_time: &Starter<'_>) -> Option<When> {
    let names: Vec<&str> = days.iter().copied().map(code).collect();
    let rule = format!("FREQ=WEEKLY{};BYDAY={}", interval(number), names.join(","));
    at_time(rule, &|date| days.contains(&date.weekday()))
}

const fn code(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "MO",
        Weekday::Tuesday => "TU",
        Weekday::Wednesday => "WE",
        Weekday::Thursday => "TH",
        Weekday::Friday => "FR",
        Weekday::Saturday => "SA",
        Weekday::Sunday => "SU",
    }
}
