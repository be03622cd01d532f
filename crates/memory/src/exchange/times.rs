//! Parses times as other programs write them.

use jiff::{
    civil::{Date, DateTime},
    tz::TimeZone,
};
use protocol::Timestamp;
use serde_json::Value;

/// Seconds since 1970 beyond this are milliseconds: they would be in the year 5138.
const SECONDS_MAX: f64 = 1e11;

/// Counts of what the user should be told.
#[derive(Debug, Default)]
pub(super) struct Notices {
    naive: u64,
    unread: u64,
    empty: u64,
}

impl Notices {
    /// Counts a message or note without text.
    pub(super) fn empty(&mut self) {
        self.empty += 1;
    }

    /// The notices as texts, in a fixed order.
    pub(super) fn told(self) -> Vec<String> {
        let counted = [
            (self.naive, "times without a zone, read as UTC"),
            (self.unread, "times that could not be read, left out"),
            (self.empty, "messages without text, left out"),
        ];
        counted.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{what}: {count}")).collect()
    }
}

/// Parses a time: RFC 3339 with any offset, a date and time without one (UTC), a date, or seconds
/// or milliseconds since 1970.
pub(super) fn moment(value: &Value, notices: &mut Notices) -> Option<Timestamp> {
    let read = match value {
        Value::Number(number) => number.as_f64().and_then(since_1970),
        Value::String(text) if text.trim().is_empty() => return None,
        Value::String(text) => written(text.trim(), notices),
        _ => return None,
    };
    if read.is_none() {
        notices.unread += 1;
    }
    read
}

#[allow(clippy::cast_possible_truncation, reason = "checked to be within a million years")]
fn since_1970(number: f64) -> Option<Timestamp> {
    let millis = if number.abs() > SECONDS_MAX { number } else { number * 1000.0 };
    (millis.is_finite() && millis.abs() < 1e15).then(|| Timestamp::from_millis(millis as i64))
}

fn written(text: &str, notices: &mut Notices) -> Option<Timestamp> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    // "+0000" and the like are offsets too.
    let zoned = jiff::fmt::strtime::parse("%Y-%m-%dT%H:%M:%S%.f%z", text.replacen(' ', "T", 1))
        .and_then(|parts| parts.to_timestamp());
    if let Ok(moment) = zoned {
        return Some(Timestamp::from_millis(moment.as_millisecond()));
    }
    let local = text.parse::<DateTime>().or_else(|_| text.parse::<Date>().map(|date| date.at(0, 0, 0, 0))).ok()?;
    let moment = local.to_zoned(TimeZone::UTC).ok()?.timestamp();
    notices.naive += 1;
    Some(Timestamp::from_millis(moment.as_millisecond()))
}
