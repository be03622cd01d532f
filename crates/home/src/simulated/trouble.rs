//! The problems that are planted in the simulated home, so that there is something to be found out. They are always as old
//! as they are told to be: they move on with the days, while everything else stays as it was.
//!
//! 1. Last night the voltage of the mains dipped, and the bedroom's ceiling light flickered.
//! 2. Two days ago the battery of the soil sensor ran out.
//! 3. Yesterday evening the router restarted; the printer has not been reached since.
//! 4. An automation that tells when the coffee is ready cannot reach a phone that is no more.

use std::collections::HashMap;

use jiff::civil::Date;
use protocol::Timestamp;
use serde_json::{Value, json};

use super::{
    calendar::Calendar,
    furniture::{Face, object},
};
use crate::State;

/// What a planted problem does to an entity for a while.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plant {
    pub(super) from: Timestamp,
    pub(super) until: Timestamp,
    /// How it stands meanwhile.
    pub(super) face: Face,
}

type Plants = HashMap<&'static str, Vec<Plant>>;

/// When what happened, for the day whose small hours are "last night".
#[derive(Debug, Clone)]
pub(super) struct Troubles {
    /// Beginnings and ends of the dips, with how low the voltage fell.
    pub(super) dips: Vec<(Timestamp, Timestamp, f64)>,
    /// When the battery ran out.
    pub(super) battery_died: Timestamp,
    /// When the router went, and when it was back.
    pub(super) router: (Timestamp, Timestamp),
    /// Everything that stands otherwise, by entity.
    pub(super) plants: Plants,
}

/// Seconds into last night at which the voltage dips, for how long, and to what.
const DIPS: &[(i64, i64, f64)] = &[
    (2 * 3_600 + 14 * 60 + 6, 2, 192.4),
    (2 * 3_600 + 14 * 60 + 13, 1, 196.1),
    (2 * 3_600 + 17 * 60 + 41, 3, 188.7),
    (2 * 3_600 + 23 * 60 + 2, 2, 190.3),
];

/// What goes with the router, after how many seconds, and for how many more than it itself.
const CASCADE: &[(&str, i64, i64)] = &[
    ("media_player.kitchen_speaker", 14, 35),
    ("media_player.television", 16, 50),
    ("vacuum.dusty", 31, 95),
    ("lawn_mower.garden", 33, 80),
    ("weather.home", 60, 240),
];

impl Troubles {
    pub(super) fn of(calendar: &Calendar, anchor: Date) -> Self {
        let dips: Vec<_> = DIPS
            .iter()
            .map(|(at, length, volts)| (calendar.at(anchor, *at), calendar.at(anchor, at + length), *volts))
            .collect();
        let battery_died = calendar.at(Calendar::before(anchor, 2), 11 * 3_600 + 22 * 60);
        let evening = Calendar::before(anchor, 1);
        let router = (calendar.at(evening, 20 * 3_600 + 12 * 60 + 4), calendar.at(evening, 20 * 3_600 + 15 * 60 + 37));
        let mut plants = Plants::new();
        night(calendar, anchor, &dips, &mut plants);
        soil(calendar, anchor, battery_died, &mut plants);
        network(router, &mut plants);
        Self { dips, battery_died, router, plants }
    }
}

fn plant(plants: &mut Plants, id: &'static str, from: Timestamp, until: Timestamp, face: Face) {
    plants.entry(id).or_default().push(Plant { from, until, face });
}

/// Somebody is up; the lights are on, and follow the voltage.
fn night(calendar: &Calendar, anchor: Date, dips: &[(Timestamp, Timestamp, f64)], plants: &mut Plants) {
    let (from, until) = (calendar.at(anchor, 2 * 3_600 + 5 * 60 + 12), calendar.at(anchor, 2 * 3_600 + 41 * 60 + 30));
    let on = |brightness: i64, more: Value| {
        let mut face = Face::with("on", json!({"brightness": brightness, "color_mode": "brightness"}));
        face.attributes.extend(object(more));
        face
    };
    let white = json!({"color_mode": "color_temp", "color_temp_kelvin": 2_400});
    plant(plants, "light.bedroom_ceiling", from, until, on(140, Value::Null));
    plant(plants, "light.bedside_lamp", from, until, on(90, white.clone()));
    plant(plants, "light.landing", from, until, on(51, Value::Null));
    for (began, ended, volts) in dips {
        let later = |moment: Timestamp, millis: i64| Timestamp::from_millis(moment.as_millis() + millis);
        let volts = Face::word(format!("{volts:.1}"));
        plant(plants, "sensor.mains_voltage", *began, *ended, volts);
        // The driver gives up half a second into a dip, and takes as long to come back.
        plant(plants, "light.bedroom_ceiling", later(*began, 480), later(*ended, 350), Face::word("off"));
        plant(plants, "light.bedside_lamp", later(*began, 210), later(*ended, 90), on(41, white.clone()));
        plant(plants, "light.landing", later(*began, 240), later(*ended, 120), on(22, Value::Null));
    }
}

/// The battery goes down day by day; then nothing is heard of the sensor.
fn soil(calendar: &Calendar, anchor: Date, died: Timestamp, plants: &mut Plants) {
    let forever = calendar.at(anchor, 40 * 86_400);
    let day = |days: i32| calendar.at(Calendar::before(anchor, days), 7 * 3_600 + 30 * 60);
    for (days, percent) in [(11, 21), (10, 19), (9, 17), (8, 14), (7, 11), (6, 9), (5, 6), (4, 3), (3, 1)] {
        let until = if days == 3 { died } else { day(days - 1) };
        plant(plants, "sensor.soil_sensor_battery", day(days), until, Face::word(percent.to_string()));
    }
    for id in ["sensor.soil_sensor_battery", "sensor.soil_moisture", "sensor.soil_temperature"] {
        plant(plants, id, died, forever, Face::word(State::UNAVAILABLE));
    }
}

/// The router goes, and with it what is reached through it; the printer does not come back.
fn network((went, came): (Timestamp, Timestamp), plants: &mut Plants) {
    let later = |moment: Timestamp, seconds: i64| Timestamp::from_millis(moment.as_millis() + seconds * 1_000);
    plant(plants, "binary_sensor.internet", went, came, Face::word("off"));
    for (id, after, more) in CASCADE {
        plant(plants, id, later(went, *after), later(came, *more), Face::word(State::UNAVAILABLE));
    }
    for id in ["sensor.printer", "sensor.printer_black_ink"] {
        plant(plants, id, later(went, 45), later(came, 40 * 86_400), Face::word(State::UNAVAILABLE));
    }
}
