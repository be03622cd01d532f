//! Moments on the terminal's own clock.

use jiff::{Timestamp as Moment, tz::TimeZone};
use protocol::Timestamp;

/// A moment on the clock of the terminal, with the name of its zone.
pub(super) fn local_time(at: Timestamp) -> String {
    on_clock(at, TimeZone::system())
}

fn on_clock(at: Timestamp, zone: TimeZone) -> String {
    match Moment::from_millisecond(at.as_millis()) {
        Ok(moment) => moment.to_zoned(zone).strftime("%a %Y-%m-%d %H:%M:%S %Z").to_string(),
        Err(_) => at.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_shown_on_the_clock_of_a_place() {
        let at = Timestamp::from_millis(1_795_068_000_000);
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        assert_eq!(on_clock(at, berlin), "Thu 2026-11-19 07:00:00 CET");
        assert_eq!(on_clock(at, TimeZone::UTC), "Thu 2026-11-19 06:00:00 UTC");
    }
}
