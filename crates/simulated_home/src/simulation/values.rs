//! Measured and derived values.

use home::{EntityState, Period};
use protocol::Timestamp;
use serde_json::json;

use super::Simulation;
use crate::{
    calendar::Calendar,
    layout::{Behaviour, MeterKind, SimulatedEntity, SimulatedState},
    weather,
};

/// The time constant of a room's temperature, in hours.
const WARMS_IN_HOURS: f64 = 1.6;
/// How far back the thermostat influences the temperature.
const FELT_MILLIS: i64 = 14 * 3_600_000;

impl Simulation<'_> {
    /// The state of an entity by its own behaviour.
    pub(super) fn own(&self, entity: &'static SimulatedEntity, at: Timestamp) -> SimulatedState {
        match &entity.behaviour {
            Behaviour::Routine | Behaviour::Climate(_) => self.routine(entity, at),
            Behaviour::Motion(busy) => self.motion(entity, busy, at),
            Behaviour::Meter(meter) => {
                let (minutes, digits) = (meter.minutes(), meter.digits());
                // Sensors do not all report at the same time.
                let offset = self.offset(entity, minutes);
                let slot = at.as_millis() - (at.as_millis() - offset).rem_euclid(minutes * 60_000);
                // A change of power is measured at once.
                let moment = if matches!(meter, MeterKind::Power { .. }) { at } else { Timestamp::from_millis(slot) };
                let value = self.measured(entity, meter, moment, Timestamp::from_millis(slot));
                // Avoids a negative zero.
                SimulatedState::word(format!("{:.digits$}", if value.abs() < 0.05 { 0.0 } else { value }))
            }
            Behaviour::Group(members) => self.group(members, at),
            Behaviour::Anyone(people) => self.of_known(people, at, |faces| {
                let home = faces.iter().any(|sim_state| sim_state.state == "home");
                SimulatedState::word(if home { "on" } else { "off" })
            }),
            Behaviour::Count(members) => {
                let on = members.iter().filter(|id| self.sim_state(id, at).state == "on").count();
                SimulatedState::word(on.to_string())
            }
            Behaviour::DrySoil(soil) => self.of_known(std::slice::from_ref(soil), at, |faces| {
                let moisture: f64 = faces.first().and_then(|sim_state| sim_state.state.parse().ok()).unwrap_or(100.0);
                SimulatedState::word(if moisture < 32.0 { "on" } else { "off" })
            }),
            Behaviour::Sun => self.sun(at),
            Behaviour::Weather => self.weather(at),
            Behaviour::Rule(_) => SimulatedState::with("on", json!({"mode": "single", "current": 0})),
            Behaviour::List(_) => SimulatedState::word(self.actions.open_items(entity.id.as_str()).to_string()),
        }
    }

    /// A derived state is unavailable if its sources are.
    fn of_known(
        &self,
        ids: &[String],
        at: Timestamp,
        make: impl FnOnce(&[SimulatedState]) -> SimulatedState,
    ) -> SimulatedState {
        let faces: Vec<SimulatedState> = ids.iter().map(|id| self.sim_state(id, at)).collect();
        if faces.iter().all(|sim_state| sim_state.state == EntityState::UNAVAILABLE) {
            return SimulatedState::word(EntityState::UNAVAILABLE);
        }
        make(&faces)
    }

    fn group(&self, members: &[String], at: Timestamp) -> SimulatedState {
        self.of_known(members, at, |faces| {
            let on: Vec<&SimulatedState> = faces.iter().filter(|sim_state| sim_state.state == "on").collect();
            let Some(first) = on.first() else { return SimulatedState::word("off") };
            let mut sim_state = (*first).clone();
            let bright: Vec<f64> = on.iter().filter_map(|sim_state| sim_state.number("brightness")).collect();
            if !bright.is_empty() {
                #[allow(clippy::cast_precision_loss, reason = "a handful of lights")]
                let mean = bright.iter().sum::<f64>() / bright.len() as f64;
                #[allow(clippy::cast_possible_truncation, reason = "a brightness")]
                sim_state.attributes.insert("brightness".to_owned(), (mean.round() as i64).into());
            }
            sim_state
        })
    }

    /// The value of a sensor at `moment`, reported since `slot`.
    fn measured(&self, entity: &'static SimulatedEntity, meter: &MeterKind, moment: Timestamp, slot: Timestamp) -> f64 {
        let own = self.random.name(entity.id.as_str());
        let hours = weather::hours(slot);
        let hour = self.calendar.hour(slot);
        match meter {
            MeterKind::Outdoors => weather::outdoors(&self.calendar, self.random, slot),
            MeterKind::Heated(climate) => self.room(climate, slot) + 0.15 * own.curve(hours * 1.3),
            MeterKind::Unheated(around) => {
                let outdoors = weather::outdoors(&self.calendar, self.random, slot);
                around + (outdoors - 12.0) * 0.08 + 0.5 * own.curve(hours / 3.0)
            }
            MeterKind::Humidity(around) => around + 6.0 * own.curve(hours / 4.0) + 2.0 * own.name("fast").curve(hours),
            MeterKind::Air(from, until) => {
                let since = if *from <= hour && hour < *until { (hour - from).min(3.0) } else { 0.0 };
                455.0 + since * 190.0 + 40.0 * own.curve(hours * 2.0)
            }
            MeterKind::Voltage => 230.4 + 1.6 * own.curve(hours / 2.0) + 0.5 * own.name("fast").curve(hours * 30.0),
            MeterKind::Power { of, idle } => {
                let on = |id: &str| {
                    matches!(self.sim_state(id, moment).state.as_str(), "on" | "playing" | "paused" | "idle")
                };
                let taken: f64 = of.iter().filter(|(id, _)| on(id)).map(|(_, watts)| watts).sum();
                (taken + idle) * (1.0 + 0.03 * own.curve(hours * 12.0))
            }
            MeterKind::Energy => {
                let of_day = own.number(Calendar::number(self.calendar.date(slot))).unit() * 0.2 + 0.45;
                hour * of_day + 1.5 * (hour - 6.0).clamp(0.0, 2.0)
            }
            MeterKind::Battery(percent) => {
                let weeks = Calendar::number(self.calendar.date(slot)).div_euclid(17).rem_euclid(9);
                #[allow(clippy::cast_precision_loss, reason = "a single digit")]
                let used = weeks as f64;
                (percent - used).max(0.0)
            }
            MeterKind::Soil => 46.0 + 6.0 * own.curve(hours / 40.0) - 4.0 * (hour / 24.0),
        }
    }

    /// The temperature of a room: it follows the thermostat's target of the hours before.
    fn room(&self, climate: &str, at: Timestamp) -> f64 {
        let Some(entity) = self.layout.get(climate) else { return 20.0 };
        let outdoors = weather::outdoors(&self.calendar, self.random, at);
        let wanted = |moment: Timestamp| {
            let sim_state = self.told(entity, moment).unwrap_or_else(|| self.own(entity, moment));
            let floor = 16.0 + (outdoors - 10.0) * 0.3;
            if sim_state.state == "off" { floor } else { sim_state.number("temperature").unwrap_or(20.0).max(floor) }
        };
        let from = Timestamp::from_millis(at.as_millis() - FELT_MILLIS);
        let mut edges = vec![from];
        self.routine_edges(entity, Period { from, until: at }, &mut edges);
        edges.extend(self.actions.moments(climate));
        edges.retain(|edge| from <= *edge && *edge <= at);
        edges.sort_unstable();
        let mut temperature = wanted(from);
        for (number, edge) in edges.iter().enumerate() {
            let until = edges.get(number + 1).copied().unwrap_or(at);
            let target = wanted(*edge);
            let part = (-(weather::hours(until) - weather::hours(*edge)) / WARMS_IN_HOURS).exp();
            temperature = target + (temperature - target) * part;
        }
        temperature
    }

    pub(super) fn dress_climate(&self, room: &str, sim_state: &mut SimulatedState, at: Timestamp) {
        let Ok(now) = self.sim_state(room, at).state.parse::<f64>() else { return };
        let target = sim_state.number("temperature").unwrap_or(now);
        let action = match sim_state.state.as_str() {
            "off" => "off",
            _ if now < target - 0.2 => "heating",
            _ => "idle",
        };
        sim_state.attributes.insert("current_temperature".to_owned(), json!(now));
        sim_state.attributes.insert("hvac_action".to_owned(), action.into());
    }

    fn sun(&self, at: Timestamp) -> SimulatedState {
        let slot = Timestamp::from_millis(at.as_millis() - at.as_millis().rem_euclid(240_000));
        let elevation = weather::elevation(&self.calendar, slot);
        let date = self.calendar.date(at);
        let (rises, sets) =
            (self.calendar.at(date, weather::sunrise(date)), self.calendar.at(date, weather::sunset(date)));
        let is_up = rises <= at && at < sets;
        let rounded = (elevation * 10.0).round() / 10.0;
        SimulatedState::with(if is_up { "above_horizon" } else { "below_horizon" }, json!({"elevation": rounded}))
    }

    fn weather(&self, at: Timestamp) -> SimulatedState {
        let slot = Timestamp::from_millis(at.as_millis() - at.as_millis().rem_euclid(3_600_000));
        let warm = weather::outdoors(&self.calendar, self.random, slot);
        let humidity = 62.0 + 18.0 * self.random.name("humidity").curve(weather::hours(slot) / 9.0);
        let wind = 11.0 + 8.0 * self.random.name("wind").curve(weather::hours(slot) / 5.0);
        SimulatedState::with(
            weather::condition(&self.calendar, self.random, slot),
            json!({"temperature": (warm * 10.0).round() / 10.0, "humidity": humidity.round(), "wind_speed": wind.round()}),
        )
    }

    fn offset(&self, entity: &'static SimulatedEntity, minutes: i64) -> i64 {
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "minutes of a day")]
        let offset = (self.random.name(entity.id.as_str()).name("offset").unit() * (minutes * 60) as f64) as i64;
        offset * 1_000
    }

    /// Moments at which an entity may change by itself.
    pub(super) fn own_edges(&self, entity: &'static SimulatedEntity, period: Period, edges: &mut Vec<Timestamp>) {
        let mut every = |millis: i64, offset: i64| {
            let first = period.from.as_millis() - (period.from.as_millis() - offset).rem_euclid(millis);
            let count = (period.until.as_millis() - first) / millis;
            edges.extend((0..=count).map(|number| Timestamp::from_millis(first + number * millis)));
        };
        match &entity.behaviour {
            Behaviour::List(_) => {}
            Behaviour::Routine => self.routine_edges(entity, period, edges),
            Behaviour::Climate(room) => {
                self.routine_edges(entity, period, edges);
                self.edges(room, period, edges);
            }
            Behaviour::Motion(busy) => self.motion_edges(entity, busy, period, edges),
            Behaviour::Meter(meter) => {
                every(meter.minutes() * 60_000, self.offset(entity, meter.minutes()));
                if let MeterKind::Power { of, .. } = meter {
                    of.iter().for_each(|(id, _)| self.edges(id, period, edges));
                }
            }
            Behaviour::Group(members) | Behaviour::Anyone(members) | Behaviour::Count(members) => {
                members.iter().for_each(|id| self.edges(id, period, edges));
            }
            Behaviour::DrySoil(soil) => self.edges(soil, period, edges),
            Behaviour::Sun => {
                every(240_000, 0);
                self.sun_edges(period, edges);
            }
            Behaviour::Weather => every(3_600_000, 0),
            Behaviour::Rule(runs) => {
                edges.extend(self.runs(runs, period).into_iter().map(|(run, _)| run));
            }
        }
    }
}
