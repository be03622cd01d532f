//! Sun and weather.

use std::f64::consts::TAU;

use jiff::civil::Date;
use protocol::Timestamp;

use super::{calendar::Calendar, random::SeededRandom};

/// The local time of the sun's highest point.
const NOON: f64 = 12.9;

/// The conditions of a day, by the names of weather services.
const CONDITIONS: &[&str] = &["sunny", "partlycloudy", "partlycloudy", "cloudy", "rainy"];

/// The position of a day in the year, from 0 to 1.
fn season(date: Date) -> f64 {
    f64::from(date.day_of_year()) / 365.25
}

fn daylight(date: Date) -> f64 {
    12.0 + 4.2 * (TAU * (season(date) - 0.22)).sin()
}

fn seconds(hours: f64) -> i64 {
    #[allow(clippy::cast_possible_truncation, reason = "hours of a day")]
    let whole = (hours * 60.0).round() as i64;
    whole * 60
}

/// Sunrise, in seconds into the day.
pub(super) fn sunrise(date: Date) -> i64 {
    seconds(NOON - daylight(date) / 2.0)
}

/// Sunset, in seconds into the day.
pub(super) fn sunset(date: Date) -> i64 {
    seconds(NOON + daylight(date) / 2.0)
}

/// The elevation of the sun, in degrees.
pub(super) fn elevation(calendar: &Calendar, at: Timestamp) -> f64 {
    let date = calendar.date(at);
    let (light, hours) = (daylight(date), calendar.hour(at) - NOON);
    let highest = 40.0 + 23.0 * (TAU * (season(date) - 0.22)).sin();
    if hours.abs() < light / 2.0 {
        highest * (hours / light * TAU / 2.0).cos()
    } else {
        -30.0 * ((hours.abs() - light / 2.0) / (24.0 - light) * TAU / 2.0).sin()
    }
}

/// The outdoor temperature.
pub(super) fn outdoors(calendar: &Calendar, chance: SeededRandom, at: Timestamp) -> f64 {
    let date = calendar.date(at);
    let hours = hours(at);
    let of_year = 10.5 - 9.0 * (TAU * (season(date) - 0.05)).cos();
    let of_day = 4.2 * (TAU * (calendar.hour(at) - 9.0) / 24.0).sin();
    of_year + of_day + 3.5 * chance.name("weather").curve(hours / 30.0) + 0.3 * chance.name("gusts").curve(hours * 3.0)
}

/// The weather condition of a part of a day.
pub(super) fn condition(calendar: &Calendar, chance: SeededRandom, at: Timestamp) -> &'static str {
    let date = calendar.date(at);
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number below the count of conditions"
    )]
    let index = {
        let part = (calendar.hour(at) / 6.0).floor() as i64;
        let unit = chance.name("sky").number(Calendar::number(date) * 4 + part).unit();
        (unit * CONDITIONS.len() as f64) as usize
    };
    let condition = CONDITIONS.get(index).copied().unwrap_or("cloudy");
    if condition == "sunny" && elevation(calendar, at) < 0.0 { "clear-night" } else { condition }
}

/// Hours since 1970.
#[allow(clippy::cast_precision_loss, reason = "milliseconds of this age")]
pub(super) fn hours(at: Timestamp) -> f64 {
    at.as_millis() as f64 / 3_600_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summer_days_are_long_and_warm_and_the_sun_is_up_at_noon() {
        let calendar = Calendar::new(Calendar::zone("Europe/Berlin").unwrap());
        let (june, december): (Date, Date) = ("2026-06-21".parse().unwrap(), "2026-12-21".parse().unwrap());
        assert!(sunset(june) - sunrise(june) > 15 * 3_600);
        assert!(sunset(december) - sunrise(december) < 9 * 3_600);
        let chance = SeededRandom::of(1);
        for day in [june, december] {
            assert!(elevation(&calendar, calendar.at(day, 13 * 3_600)) > 10.0);
            assert!(elevation(&calendar, calendar.at(day, 3_600)) < 0.0);
        }
        let at = |day| outdoors(&calendar, chance, calendar.at(day, 15 * 3_600));
        assert!(at(june) > at(december) + 8.0);
    }
}
