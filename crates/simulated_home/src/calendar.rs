//! Local time in the home.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

use jiff::{
    ToSpan,
    civil::{Date, Weekday},
    tz::{TimeZone, TimeZoneDatabase},
};
use protocol::Timestamp;

/// Until this hour the previous night counts as the last one, so that its events are in the past.
const NIGHT_ENDS: i32 = 5;

/// The start and the length of a day, in milliseconds.
#[derive(Debug, Clone, Copy)]
struct DaySpan {
    from: i64,
    length: i64,
}

const DAY: i64 = 86_400_000;

/// A day and the day before.
#[derive(Debug, Clone, Copy)]
struct Day {
    date: Date,
    eve: Date,
    span: DaySpan,
}

/// The home's time zone. Days are cached, since queries repeat the same few.
pub(super) struct Calendar {
    zone: TimeZone,
    days: RefCell<HashMap<Date, DaySpan>>,
    last: Cell<Option<Day>>,
}

impl Calendar {
    /// A time zone of the built-in database.
    pub(super) fn zone(name: &str) -> Option<TimeZone> {
        TimeZoneDatabase::bundled().get(name).ok()
    }

    /// The calendar of a zone.
    pub(super) fn new(zone: TimeZone) -> Self {
        Self { zone, days: RefCell::default(), last: Cell::new(None) }
    }

    fn wall(&self, date: Date, seconds: i64) -> i64 {
        let wall = date.at(0, 0, 0, 0).saturating_add(seconds.seconds());
        wall.to_zoned(self.zone.clone()).map_or(0, |zoned| zoned.timestamp().as_millisecond())
    }

    fn span(&self, date: Date) -> DaySpan {
        if let Some(known) = self.days.borrow().get(&date) {
            return *known;
        }
        let from = self.wall(date, 0);
        let span = DaySpan { from, length: self.wall(date.saturating_add(1.day()), 0) - from };
        self.days.borrow_mut().insert(date, span);
        span
    }

    fn day(&self, at: Timestamp) -> Day {
        let at = at.as_millis();
        let is_in = |span: DaySpan| span.from <= at && at < span.from + span.length;
        if let Some(last) = self.last.get().filter(|last| is_in(last.span)) {
            return last;
        }
        // Timestamps are within the years that jiff supports.
        let moment = jiff::Timestamp::from_millisecond(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let date = moment.to_zoned(self.zone.clone()).date();
        let day = Day { date, eve: date.saturating_sub(1.day()), span: self.span(date) };
        self.last.set(Some(day));
        day
    }

    /// The local date.
    pub(super) fn date(&self, at: Timestamp) -> Date {
        self.day(at).date
    }

    /// The previous day and the current one: events that began on them may be ongoing.
    pub(super) fn eve_and_day(&self, at: Timestamp) -> [Date; 2] {
        let day = self.day(at);
        [day.eve, day.date]
    }

    /// The hour of the day as a fraction. A day with a clock change is stretched or compressed.
    #[allow(clippy::cast_precision_loss, reason = "milliseconds of a day")]
    pub(super) fn hour(&self, at: Timestamp) -> f64 {
        let span = self.day(at).span;
        (at.as_millis() - span.from) as f64 / span.length.max(1) as f64 * 24.0
    }

    /// The moment this many seconds into a day, by local time.
    pub(super) fn at(&self, date: Date, seconds: i64) -> Timestamp {
        let span = self.span(date);
        let is_plain = span.length == DAY && (0..DAY / 1_000).contains(&seconds);
        Timestamp::from_millis(if is_plain { span.from + seconds * 1_000 } else { self.wall(date, seconds) })
    }

    /// The days of a period, and the day before, whose evening may reach into it.
    pub(super) fn days(&self, from: Timestamp, until: Timestamp) -> impl Iterator<Item = Date> {
        let last = self.date(until);
        let mut next = Some(self.date(from).saturating_sub(1.day()));
        std::iter::from_fn(move || {
            let day = next.filter(|day| *day <= last)?;
            next = day.tomorrow().ok();
            Some(day)
        })
    }

    /// The day whose early hours are "last night".
    pub(super) fn anchor(&self, now: Timestamp) -> Date {
        let date = self.date(now);
        if self.hour(now) < f64::from(NIGHT_ENDS) { date.saturating_sub(1.day()) } else { date }
    }

    /// The day this many days before.
    pub(super) fn before(date: Date, days: i32) -> Date {
        date.saturating_sub(days.days())
    }

    /// Whether it is a working day.
    pub(super) fn is_workday(date: Date) -> bool {
        !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday)
    }

    /// A number for a day.
    pub(super) fn number(date: Date) -> i64 {
        i64::from(date.year()) * 366 + i64::from(date.day_of_year())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_night_is_over_when_it_is_named() {
        let calendar = Calendar::new(Calendar::zone("Europe/Berlin").unwrap());
        let anchor = |now: &str| calendar.anchor(now.parse().unwrap()).to_string();
        assert_eq!(anchor("2026-05-10T13:00:00Z"), "2026-05-10");
        assert_eq!(anchor("2026-05-10T02:59:00Z"), "2026-05-09", "four at night by the clock on the wall");
        assert_eq!(anchor("2026-05-10T03:00:00Z"), "2026-05-10");
    }

    #[test]
    fn a_day_of_25_hours_has_all_its_hours() {
        let calendar = Calendar::new(Calendar::zone("Europe/Berlin").unwrap());
        let day: Date = "2026-10-25".parse().unwrap();
        assert_eq!(calendar.at(day, 0).to_string(), "2026-10-24T22:00:00.000Z");
        assert_eq!(calendar.at(day, 12 * 3_600).to_string(), "2026-10-25T11:00:00.000Z");
    }
}
