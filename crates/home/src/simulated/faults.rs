//! Faults injected into the simulated home, so that there is something to diagnose. Their age never
//! changes: they move on with the days, while everything else stays as it was.
//!
//! 1. Last night the mains voltage dipped, and the bedroom's ceiling light flickered.
//! 2. Two days ago the battery of the soil sensor ran out.
//! 3. Yesterday evening the router restarted; the printer has been unreachable since.
//! 4. An automation that announces coffee cannot notify a phone that no longer exists.

use std::collections::HashMap;

use jiff::civil::Date;
use protocol::Timestamp;
use serde_json::{Value, json};

use super::{
    calendar::Calendar,
    layout::{SimulatedState, object},
};
use crate::EntityState;

/// A fault of an entity for some time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InjectedFault {
    pub(super) from: Timestamp,
    pub(super) until: Timestamp,
    /// Its state during the fault.
    pub(super) sim_state: SimulatedState,
}

type FaultsByEntity = HashMap<&'static str, Vec<InjectedFault>>;

/// The times of all faults, for the day whose early hours are "last night".
#[derive(Debug, Clone)]
pub(super) struct InjectedFaults {
    /// The dips: start, end and voltage.
    pub(super) dips: Vec<(Timestamp, Timestamp, f64)>,
    /// When the battery ran out.
    pub(super) battery_died: Timestamp,
    /// When the router went down, and when it was back.
    pub(super) router: (Timestamp, Timestamp),
    /// All faults, by entity.
    pub(super) faults_by_entity: FaultsByEntity,
}

/// The dips: seconds into last night, duration, and voltage.
const DIPS: &[(i64, i64, f64)] = &[
    (2 * 3_600 + 14 * 60 + 6, 2, 192.4),
    (2 * 3_600 + 14 * 60 + 13, 1, 196.1),
    (2 * 3_600 + 17 * 60 + 41, 3, 188.7),
    (2 * 3_600 + 23 * 60 + 2, 2, 190.3),
];

/// What goes down with the router: after how many seconds, and for how many more than the router.
const CASCADE: &[(&str, i64, i64)] = &[
    ("media_player.kitchen_speaker", 14, 35),
    ("media_player.television", 16, 50),
    ("vacuum.dusty", 31, 95),
    ("lawn_mower.garden", 33, 80),
    ("weather.home", 60, 240),
];

impl InjectedFaults {
    pub(super) fn of(calendar: &Calendar, anchor: Date) -> Self {
        let dips: Vec<_> = DIPS
            .iter()
            .map(|(at, length, volts)| (calendar.at(anchor, *at), calendar.at(anchor, at + length), *volts))
            .collect();
        let battery_died = calendar.at(Calendar::before(anchor, 2), 11 * 3_600 + 22 * 60);
        let evening = Calendar::before(anchor, 1);
        let router = (calendar.at(evening, 20 * 3_600 + 12 * 60 + 4), calendar.at(evening, 20 * 3_600 + 15 * 60 + 37));
        let mut faults_by_entity = FaultsByEntity::new();
        night(calendar, anchor, &dips, &mut faults_by_entity);
        soil(calendar, anchor, battery_died, &mut faults_by_entity);
        network(router, &mut faults_by_entity);
        Self { dips, battery_died, router, faults_by_entity }
    }
}

fn inject(
    faults_by_entity: &mut FaultsByEntity,
    id: &'static str,
    from: Timestamp,
    until: Timestamp,
    sim_state: SimulatedState,
) {
    faults_by_entity.entry(id).or_default().push(InjectedFault { from, until, sim_state });
}

/// The lights are on during the night, and follow the voltage.
fn night(
    calendar: &Calendar,
    anchor: Date,
    dips: &[(Timestamp, Timestamp, f64)],
    faults_by_entity: &mut FaultsByEntity,
) {
    let (from, until) = (calendar.at(anchor, 2 * 3_600 + 5 * 60 + 12), calendar.at(anchor, 2 * 3_600 + 41 * 60 + 30));
    let on = |brightness: i64, more: Value| {
        let mut sim_state = SimulatedState::with("on", json!({"brightness": brightness, "color_mode": "brightness"}));
        sim_state.attributes.extend(object(more));
        sim_state
    };
    let white = json!({"color_mode": "color_temp", "color_temp_kelvin": 2_400});
    inject(faults_by_entity, "light.bedroom_ceiling", from, until, on(140, Value::Null));
    inject(faults_by_entity, "light.bedside_lamp", from, until, on(90, white.clone()));
    inject(faults_by_entity, "light.landing", from, until, on(51, Value::Null));
    for (began, ended, volts) in dips {
        let later = |moment: Timestamp, millis: i64| Timestamp::from_millis(moment.as_millis() + millis);
        let volts = SimulatedState::word(format!("{volts:.1}"));
        inject(faults_by_entity, "sensor.mains_voltage", *began, *ended, volts);
        // The driver fails half a second into a dip, and takes as long to recover.
        inject(
            faults_by_entity,
            "light.bedroom_ceiling",
            later(*began, 480),
            later(*ended, 350),
            SimulatedState::word("off"),
        );
        inject(faults_by_entity, "light.bedside_lamp", later(*began, 210), later(*ended, 90), on(41, white.clone()));
        inject(faults_by_entity, "light.landing", later(*began, 240), later(*ended, 120), on(22, Value::Null));
    }
}

/// The battery level falls day by day; then the sensor is unavailable.
fn soil(calendar: &Calendar, anchor: Date, died: Timestamp, faults_by_entity: &mut FaultsByEntity) {
    let forever = calendar.at(anchor, 40 * 86_400);
    let day = |days: i32| calendar.at(Calendar::before(anchor, days), 7 * 3_600 + 30 * 60);
    for (days, percent) in [(11, 21), (10, 19), (9, 17), (8, 14), (7, 11), (6, 9), (5, 6), (4, 3), (3, 1)] {
        let until = if days == 3 { died } else { day(days - 1) };
        inject(
            faults_by_entity,
            "sensor.soil_sensor_battery",
            day(days),
            until,
            SimulatedState::word(percent.to_string()),
        );
    }
    for id in ["sensor.soil_sensor_battery", "sensor.soil_moisture", "sensor.soil_temperature"] {
        inject(faults_by_entity, id, died, forever, SimulatedState::word(EntityState::UNAVAILABLE));
    }
}

/// The router goes down, and with it what is connected through it; the printer does not come back.
fn network((went, came): (Timestamp, Timestamp), faults_by_entity: &mut FaultsByEntity) {
    let later = |moment: Timestamp, seconds: i64| Timestamp::from_millis(moment.as_millis() + seconds * 1_000);
    inject(faults_by_entity, "binary_sensor.internet", went, came, SimulatedState::word("off"));
    for (id, after, more) in CASCADE {
        inject(
            faults_by_entity,
            id,
            later(went, *after),
            later(came, *more),
            SimulatedState::word(EntityState::UNAVAILABLE),
        );
    }
    for id in ["sensor.printer", "sensor.printer_black_ink"] {
        inject(
            faults_by_entity,
            id,
            later(went, 45),
            later(came, 40 * 86_400),
            SimulatedState::word(EntityState::UNAVAILABLE),
        );
    }
}
