//! Quiet hours: when a channel waits.

use jiff::{civil::Time, tz::TimeZone};
use protocol::{AlertKind, Timestamp};

use crate::declaration::QuietDeclaration;

/// Hours of every day in which a channel waits.
#[derive(Debug, Clone)]
pub struct QuietHours {
    from: Time,
    to: Time,
    zone: TimeZone,
    all: bool,
}

impl QuietHours {
    /// Checks the declaration. The error is the field and what is wrong with it.
    pub fn new(declared: &QuietDeclaration) -> Result<Self, (&'static str, String)> {
        let read = |field: &'static str, text: &str| {
            time(text).ok_or_else(|| (field, format!("must be a time of day as `22:00`, not `{text}`")))
        };
        let (from, to) = (read("quiet.from", &declared.from)?, read("quiet.to", &declared.to)?);
        if from == to {
            return Err(("quiet.to", "must differ from `quiet.from`".to_owned()));
        }
        let zone = TimeZone::get(&declared.zone).map_err(|_| {
            ("quiet.zone", format!("must be a time zone as `Europe/Berlin`, and `{}` is none", declared.zone))
        })?;
        Ok(Self { from, to, zone, all: declared.all })
    }

    /// Until when alerts of this kind wait, if it is quiet now.
    pub fn until(&self, kind: AlertKind, now: Timestamp) -> Option<Timestamp> {
        // They were ordered for this hour.
        if !self.all && matches!(kind, AlertKind::Reminder | AlertKind::Timer) {
            return None;
        }
        let now = jiff::Timestamp::from_millisecond(now.as_millis()).ok()?;
        let today = now.to_zoned(self.zone.clone()).date();
        // Compared as moments, not as times of day: where an hour occurs twice, the hours end once.
        [today.yesterday().ok()?, today].into_iter().find_map(|date| {
            let end_date = if self.from < self.to { date } else { date.tomorrow().ok()? };
            let begin = self.zone.to_timestamp(date.to_datetime(self.from)).ok()?;
            let end = self.zone.to_timestamp(end_date.to_datetime(self.to)).ok()?;
            (begin <= now && now < end).then(|| Timestamp::from_millis(end.as_millisecond()))
        })
    }
}

/// A time of day as `22:00`.
fn time(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    let number = |digits: &str, len: std::ops::RangeInclusive<usize>| {
        (len.contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit()))
            .then(|| digits.parse::<i8>().ok())
            .flatten()
    };
    Time::new(number(hour, 1..=2)?, number(minute, 2..=2)?, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(from: &str, to: &str) -> QuietDeclaration {
        QuietDeclaration { from: from.to_owned(), to: to.to_owned(), zone: "Europe/Berlin".to_owned(), all: false }
    }

    fn check(from: &str, to: &str, now: &str, expected: Option<&str>) {
        let quiet = QuietHours::new(&hours(from, to)).unwrap();
        let until = quiet.until(AlertKind::ApprovalWaiting, now.parse().unwrap());
        assert_eq!(until, expected.map(|text| text.parse().unwrap()), "{from} to {to} at {now}");
    }

    #[test]
    fn hours_over_midnight_begin_in_the_evening_and_end_in_the_morning() {
        check("22:00", "07:00", "2026-01-10T20:59:59.999Z", None);
        check("22:00", "07:00", "2026-01-10T21:00:00Z", Some("2026-01-11T06:00:00Z"));
        check("22:00", "07:00", "2026-01-10T23:30:00Z", Some("2026-01-11T06:00:00Z"));
        check("22:00", "07:00", "2026-01-11T05:59:59.999Z", Some("2026-01-11T06:00:00Z"));
        check("22:00", "07:00", "2026-01-11T06:00:00Z", None);
    }

    #[test]
    fn hours_within_a_day_end_on_that_day() {
        check("13:00", "14:30", "2026-07-10T10:59:00Z", None);
        check("13:00", "14:30", "2026-07-10T11:00:00Z", Some("2026-07-10T12:30:00Z"));
        check("13:00", "14:30", "2026-07-10T12:30:00Z", None);
        check("0:00", "6:00", "2026-07-09T22:00:00Z", Some("2026-07-10T04:00:00Z"));
    }

    #[test]
    fn the_night_in_which_clocks_go_forward_is_an_hour_shorter() {
        // 29 March 2026: 02:00 becomes 03:00.
        check("22:00", "07:00", "2026-03-28T21:00:00Z", Some("2026-03-29T05:00:00Z"));
        // 02:30 does not exist; the hours end as long after 02:00 as they would.
        check("22:00", "02:30", "2026-03-29T00:59:00Z", Some("2026-03-29T01:30:00Z"));
        check("22:00", "02:30", "2026-03-29T01:30:00Z", None);
    }

    #[test]
    fn the_night_in_which_clocks_go_back_is_an_hour_longer() {
        // 25 October 2026: 03:00 becomes 02:00.
        check("22:00", "07:00", "2026-10-24T20:00:00Z", Some("2026-10-25T06:00:00Z"));
        // 02:30 occurs twice; the hours end at the first one and do not begin again.
        check("22:00", "02:30", "2026-10-25T00:29:00Z", Some("2026-10-25T00:30:00Z"));
        check("22:00", "02:30", "2026-10-25T01:15:00Z", None);
    }

    #[test]
    fn reminders_and_timers_are_let_through_unless_all_wait() {
        let at = "2026-01-10T23:30:00Z".parse().unwrap();
        let quiet = QuietHours::new(&hours("22:00", "07:00")).unwrap();
        let strict = QuietHours::new(&QuietDeclaration { all: true, ..hours("22:00", "07:00") }).unwrap();
        for kind in [AlertKind::Reminder, AlertKind::Timer] {
            assert!(quiet.until(kind, at).is_none() && strict.until(kind, at).is_some(), "{kind:?}");
        }
        assert!(quiet.until(AlertKind::ScheduleFailed, at).is_some());
    }

    #[test]
    fn mistakes_are_named() {
        let problem = |declared: QuietDeclaration| QuietHours::new(&declared).unwrap_err();
        for wrong in ["22", "24:00", "22:60", "10 pm", "22:0", "-1:00", "022:00", ""] {
            assert_eq!(problem(hours(wrong, "07:00")).0, "quiet.from", "{wrong}");
        }
        assert_eq!(problem(hours("07:00", "7:00")).0, "quiet.to");
        let (field, text) = problem(QuietDeclaration { zone: "Berlin".to_owned(), ..hours("22:00", "07:00") });
        assert!(field == "quiet.zone" && text.contains("`Berlin`"), "{text}");
    }
}
