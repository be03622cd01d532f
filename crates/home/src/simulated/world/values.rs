//! What is measured, and what is computed from others.

use protocol::Timestamp;
use serde_json::json;

use super::World;
use crate::{
    Period, State,
    simulated::{
        calendar::Calendar,
        furniture::{Face, Kind, Meter, Piece},
        nature,
    },
};

/// How long a room takes to come most of the way to what its thermostat wants, in hours.
const WARMS_IN_HOURS: f64 = 1.6;
/// How far back a thermostat's wishes are felt.
const FELT_MILLIS: i64 = 14 * 3_600_000;

impl World<'_> {
    /// How something stands by itself.
    pub(super) fn own(&self, piece: &Piece, at: Timestamp) -> Face {
        match &piece.kind {
            Kind::Still(face) => face.clone(),
            Kind::Routine { idle, spells } | Kind::Climate { idle, spells, .. } => {
                self.routine(piece, idle, spells, at)
            }
            Kind::Motion { busy } => self.motion(piece, busy, at),
            Kind::Meter { meter, minutes, digits } => {
                // A battery of sensors does not report in chorus.
                let offset = self.offset(piece, *minutes);
                let slot = at.as_millis() - (at.as_millis() - offset).rem_euclid(minutes * 60_000);
                // What hangs on a switch is felt at once.
                let moment = if matches!(meter, Meter::Power { .. }) { at } else { Timestamp::from_millis(slot) };
                let value = self.measured(piece, meter, moment, Timestamp::from_millis(slot));
                // There is no minus nothing.
                Face::word(format!("{:.digits$}", if value.abs() < 0.05 { 0.0 } else { value }))
            }
            Kind::Group { members } => self.group(members, at),
            Kind::Anyone { people } => self.of_known(people, at, |faces| {
                let home = faces.iter().any(|face| face.state == "home");
                Face::word(if home { "on" } else { "off" })
            }),
            Kind::Count { members } => {
                let on = members.iter().filter(|id| self.face(id, at).state == "on").count();
                Face::word(on.to_string())
            }
            Kind::Thirst { soil } => self.of_known(&[soil], at, |faces| {
                let moisture: f64 = faces.first().and_then(|face| face.state.parse().ok()).unwrap_or(100.0);
                Face::word(if moisture < 32.0 { "on" } else { "off" })
            }),
            Kind::Sun => self.sun(at),
            Kind::Weather => self.weather(at),
            Kind::Rule { .. } => Face::with("on", json!({"mode": "single", "current": 0})),
            Kind::List => Face::word(self.deeds.open_items(piece.id).to_string()),
        }
    }

    /// What is made of others is as unavailable as they are.
    fn of_known(&self, ids: &[&str], at: Timestamp, make: impl FnOnce(&[Face]) -> Face) -> Face {
        let faces: Vec<Face> = ids.iter().map(|id| self.face(id, at)).collect();
        if faces.iter().all(|face| face.state == State::UNAVAILABLE) {
            return Face::word(State::UNAVAILABLE);
        }
        make(&faces)
    }

    fn group(&self, members: &[&str], at: Timestamp) -> Face {
        self.of_known(members, at, |faces| {
            let on: Vec<&Face> = faces.iter().filter(|face| face.state == "on").collect();
            let Some(first) = on.first() else { return Face::word("off") };
            let mut face = (*first).clone();
            let bright: Vec<f64> = on.iter().filter_map(|face| face.number("brightness")).collect();
            if !bright.is_empty() {
                #[allow(clippy::cast_precision_loss, reason = "a handful of lights")]
                let mean = bright.iter().sum::<f64>() / bright.len() as f64;
                #[allow(clippy::cast_possible_truncation, reason = "a brightness")]
                face.attributes.insert("brightness".to_owned(), (mean.round() as i64).into());
            }
            face
        })
    }

    /// What a meter shows: `moment` is when, `slot` since when it shows it.
    fn measured(&self, piece: &Piece, meter: &Meter, moment: Timestamp, slot: Timestamp) -> f64 {
        let own = self.chance.name(piece.id);
        let hours = nature::hours(slot);
        let hour = self.calendar.hour(slot);
        match meter {
            Meter::Outdoors => nature::outdoors(&self.calendar, self.chance, slot),
            Meter::Room { climate } => self.room(climate, slot) + 0.15 * own.curve(hours * 1.3),
            Meter::Unheated { around } => {
                let outdoors = nature::outdoors(&self.calendar, self.chance, slot);
                around + (outdoors - 12.0) * 0.08 + 0.5 * own.curve(hours / 3.0)
            }
            Meter::Humidity { around } => around + 6.0 * own.curve(hours / 4.0) + 2.0 * own.name("fast").curve(hours),
            Meter::Air { from, until } => {
                let since = if *from <= hour && hour < *until { (hour - from).min(3.0) } else { 0.0 };
                455.0 + since * 190.0 + 40.0 * own.curve(hours * 2.0)
            }
            Meter::Voltage => 230.4 + 1.6 * own.curve(hours / 2.0) + 0.5 * own.name("fast").curve(hours * 30.0),
            Meter::Power { of, idle } => {
                let on =
                    |id: &str| matches!(self.face(id, moment).state.as_str(), "on" | "playing" | "paused" | "idle");
                let taken: f64 = of.iter().filter(|(id, _)| on(id)).map(|(_, watts)| watts).sum();
                (taken + idle) * (1.0 + 0.03 * own.curve(hours * 12.0))
            }
            Meter::Energy => {
                let of_day = own.number(Calendar::number(self.calendar.date(slot))).unit() * 0.2 + 0.45;
                hour * of_day + 1.5 * (hour - 6.0).clamp(0.0, 2.0)
            }
            Meter::Battery { percent } => {
                let weeks = Calendar::number(self.calendar.date(slot)).div_euclid(17).rem_euclid(9);
                #[allow(clippy::cast_precision_loss, reason = "a single digit")]
                let used = weeks as f64;
                (percent - used).max(0.0)
            }
            Meter::Soil => 46.0 + 6.0 * own.curve(hours / 40.0) - 4.0 * (hour / 24.0),
        }
    }

    /// The temperature of a room: it follows what the thermostat wanted in the hours before.
    fn room(&self, climate: &str, at: Timestamp) -> f64 {
        let Some(piece) = self.furniture.get(climate) else { return 20.0 };
        let outdoors = nature::outdoors(&self.calendar, self.chance, at);
        let wanted = |moment: Timestamp| {
            let face = self.told(piece, moment).unwrap_or_else(|| self.own(piece, moment));
            let floor = 16.0 + (outdoors - 10.0) * 0.3;
            if face.state == "off" { floor } else { face.number("temperature").unwrap_or(20.0).max(floor) }
        };
        let from = Timestamp::from_millis(at.as_millis() - FELT_MILLIS);
        let mut edges = vec![from];
        self.routine_edges(piece, Period { from, until: at }, &mut edges);
        edges.extend(self.deeds.moments(climate));
        edges.retain(|edge| from <= *edge && *edge <= at);
        edges.sort_unstable();
        let mut temperature = wanted(from);
        for (number, edge) in edges.iter().enumerate() {
            let until = edges.get(number + 1).copied().unwrap_or(at);
            let target = wanted(*edge);
            let part = (-(nature::hours(until) - nature::hours(*edge)) / WARMS_IN_HOURS).exp();
            temperature = target + (temperature - target) * part;
        }
        temperature
    }

    pub(super) fn dress_climate(&self, room: &str, face: &mut Face, at: Timestamp) {
        let Ok(now) = self.face(room, at).state.parse::<f64>() else { return };
        let target = face.number("temperature").unwrap_or(now);
        let action = match face.state.as_str() {
            "off" => "off",
            _ if now < target - 0.2 => "heating",
            _ => "idle",
        };
        face.attributes.insert("current_temperature".to_owned(), json!(now));
        face.attributes.insert("hvac_action".to_owned(), action.into());
    }

    fn sun(&self, at: Timestamp) -> Face {
        let slot = Timestamp::from_millis(at.as_millis() - at.as_millis().rem_euclid(240_000));
        let elevation = nature::elevation(&self.calendar, slot);
        let date = self.calendar.date(at);
        let (rises, sets) =
            (self.calendar.at(date, nature::sunrise(date)), self.calendar.at(date, nature::sunset(date)));
        let is_up = rises <= at && at < sets;
        let rounded = (elevation * 10.0).round() / 10.0;
        Face::with(if is_up { "above_horizon" } else { "below_horizon" }, json!({"elevation": rounded}))
    }

    fn weather(&self, at: Timestamp) -> Face {
        let slot = Timestamp::from_millis(at.as_millis() - at.as_millis().rem_euclid(3_600_000));
        let warm = nature::outdoors(&self.calendar, self.chance, slot);
        let humidity = 62.0 + 18.0 * self.chance.name("humidity").curve(nature::hours(slot) / 9.0);
        let wind = 11.0 + 8.0 * self.chance.name("wind").curve(nature::hours(slot) / 5.0);
        Face::with(
            nature::condition(&self.calendar, self.chance, slot),
            json!({"temperature": (warm * 10.0).round() / 10.0, "humidity": humidity.round(), "wind_speed": wind.round()}),
        )
    }

    fn offset(&self, piece: &Piece, minutes: i64) -> i64 {
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "minutes of a day")]
        let offset = (self.chance.name(piece.id).name("offset").unit() * (minutes * 60) as f64) as i64;
        offset * 1_000
    }

    /// Moments at which something may change by itself.
    pub(super) fn own_edges(&self, piece: &Piece, period: Period, edges: &mut Vec<Timestamp>) {
        let mut every = |millis: i64, offset: i64| {
            let first = period.from.as_millis() - (period.from.as_millis() - offset).rem_euclid(millis);
            let count = (period.until.as_millis() - first) / millis;
            edges.extend((0..=count).map(|number| Timestamp::from_millis(first + number * millis)));
        };
        match &piece.kind {
            Kind::Still(_) | Kind::List => {}
            Kind::Routine { .. } => self.routine_edges(piece, period, edges),
            Kind::Climate { room, .. } => {
                self.routine_edges(piece, period, edges);
                self.edges(room, period, edges);
            }
            Kind::Motion { busy } => self.motion_edges(piece, busy, period, edges),
            Kind::Meter { meter, minutes, .. } => {
                every(minutes * 60_000, self.offset(piece, *minutes));
                if let Meter::Power { of, .. } = meter {
                    of.iter().for_each(|(id, _)| self.edges(id, period, edges));
                }
            }
            Kind::Group { members } | Kind::Anyone { people: members } | Kind::Count { members } => {
                members.iter().for_each(|id| self.edges(id, period, edges));
            }
            Kind::Thirst { soil } => self.edges(soil, period, edges),
            Kind::Sun => {
                every(240_000, 0);
                self.sun_edges(period, edges);
            }
            Kind::Weather => every(3_600_000, 0),
            Kind::Rule { runs } => {
                edges.extend(self.runs(runs, period).into_iter().map(|(run, _)| run));
            }
        }
    }
}
