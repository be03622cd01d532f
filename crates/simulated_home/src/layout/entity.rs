//! Entities of the simulated home, and their behaviour without commands.

use home::{AreaId, DeviceId, EntityId};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{calendar::Calendar, weather};

/// A state: the word, and the attributes that change with it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct SimulatedState {
    /// The word.
    pub(crate) state: String,
    /// The attributes.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) attributes: Map<String, Value>,
}

impl SimulatedState {
    /// A state without attributes.
    pub(crate) fn word(state: impl Into<String>) -> Self {
        Self { state: state.into(), attributes: Map::new() }
    }

    /// A state with attributes, given as an object.
    pub(crate) fn with(state: impl Into<String>, attributes: Value) -> Self {
        Self { state: state.into(), attributes: object(attributes) }
    }

    /// An attribute that is a number.
    pub(crate) fn number(&self, attribute: &str) -> Option<f64> {
        self.attributes.get(attribute)?.as_f64()
    }
}

/// The fields of an object.
pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// A time of every day, as `06:35`, `20:12:04`, `sunrise-30` or `sunset+15`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum TimeOfDay {
    /// Local time in seconds; hours past 24 are the next morning.
    Clock(i64),
    /// Seconds after sunrise.
    Sunrise(i64),
    /// Seconds after sunset.
    Sunset(i64),
}

impl TimeOfDay {
    /// Seconds into a day.
    pub(crate) fn seconds(self, date: Date) -> i64 {
        match self {
            Self::Clock(seconds) => seconds,
            Self::Sunrise(seconds) => weather::sunrise(date) + seconds,
            Self::Sunset(seconds) => weather::sunset(date) + seconds,
        }
    }
}

impl TryFrom<String> for TimeOfDay {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let minutes =
            |after: &str| if after.is_empty() { Some(0) } else { after.parse::<i64>().ok().map(|it| it * 60) };
        let time = if let Some(after) = text.strip_prefix("sunrise") {
            minutes(after).map(Self::Sunrise)
        } else if let Some(after) = text.strip_prefix("sunset") {
            minutes(after).map(Self::Sunset)
        } else {
            let parts: Option<Vec<i64>> = text.split(':').map(|part| part.parse().ok()).collect();
            match parts.as_deref() {
                Some([hours, minutes]) => Some(Self::Clock(hours * 3_600 + minutes * 60)),
                Some([hours, minutes, seconds]) => Some(Self::Clock(hours * 3_600 + minutes * 60 + seconds)),
                _ => None,
            }
        };
        time.ok_or_else(|| format!("`{text}` is not a time of day"))
    }
}

/// The days of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Days {
    #[default]
    All,
    Work,
    Free,
}

impl Days {
    pub(crate) fn has(self, date: Date) -> bool {
        match self {
            Self::All => true,
            Self::Work => Calendar::is_workday(date),
            Self::Free => !Calendar::is_workday(date),
        }
    }
}

/// A part of the day with another state.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduledState {
    pub(crate) from: TimeOfDay,
    pub(crate) until: TimeOfDay,
    #[serde(default)]
    pub(crate) days: Days,
    /// The probability on such a day, from 0 to 1.
    #[serde(default = "always")]
    pub(crate) chance: f64,
    /// `None` is the entity's active state.
    pub(crate) state: Option<SimulatedState>,
    /// What starts it.
    pub(crate) begun_by: Option<String>,
    /// What ends it.
    pub(crate) ended_by: Option<String>,
}

const fn always() -> f64 {
    1.0
}

impl ScheduledState {
    /// The variation in minutes. What something else causes happens to the minute.
    pub(crate) fn jitter(&self) -> f64 {
        if self.begun_by.is_some() || self.ended_by.is_some() { 0.0 } else { 10.0 }
    }
}

/// What a sensor measures.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MeterKind {
    /// The outdoor temperature.
    Outdoors,
    /// The temperature of a room with this thermostat.
    Heated(String),
    /// The temperature of a room without a thermostat, around this one.
    Unheated(f64),
    /// Humidity, around this one.
    Humidity(f64),
    /// Carbon dioxide: more between these hours.
    Air(f64, f64),
    /// The voltage of the mains.
    Voltage,
    /// The power of entities that are on, and the idle power.
    Power { of: Vec<(String, f64)>, idle: f64 },
    /// The energy used today, in kilowatt-hours.
    Energy,
    /// A battery level that falls by a percent every few weeks.
    Battery(f64),
    /// Moisture of the soil.
    Soil,
}

impl MeterKind {
    /// It measures at this interval, in minutes.
    pub(crate) fn minutes(&self) -> i64 {
        match self {
            Self::Battery(_) => 720,
            Self::Energy => 15,
            Self::Humidity(_) | Self::Air(..) | Self::Soil => 10,
            Self::Voltage => 2,
            _ => 5,
        }
    }

    /// The digits after the point.
    pub(crate) fn digits(&self) -> usize {
        match self {
            Self::Battery(_) | Self::Humidity(_) | Self::Air(..) | Self::Soil => 0,
            Self::Energy => 2,
            _ => 1,
        }
    }
}

/// The behaviour of an entity without commands.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Behaviour {
    /// It follows its schedule, and keeps its state without one.
    #[default]
    Routine,
    /// A thermostat: a schedule, and the sensor of the room temperature.
    Climate(String),
    /// It is active in short bursts: hours, and the probability in any ten minutes of them.
    Motion(Vec<(f64, f64, f64)>),
    /// It measures.
    Meter(MeterKind),
    /// On while one of its members is.
    Group(Vec<String>),
    /// On while one of them is at home.
    Anyone(Vec<String>),
    /// How many of them are on.
    Count(Vec<String>),
    /// On while the soil is too dry.
    DrySoil(String),
    /// The sun.
    Sun,
    /// The weather.
    Weather,
    /// An automation: when it runs every day, and what sets it off then.
    Rule(Vec<(TimeOfDay, String)>),
    /// A list of things to do, kept with the home; these are on it at first.
    List(Vec<String>),
}

/// An action of a scene, a script or an automation.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServiceAction {
    /// As `light.turn_on`.
    service: String,
    #[serde(default)]
    pub(crate) entities: Vec<String>,
    #[serde(default)]
    pub(crate) data: Map<String, Value>,
}

impl ServiceAction {
    /// The domain and the name of the service.
    pub(crate) fn service(&self) -> (&str, &str) {
        self.service.split_once('.').unwrap_or((&self.service, ""))
    }
}

/// An entity of the simulated home.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SimulatedEntity {
    pub(crate) id: EntityId,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    pub(crate) area: Option<AreaId>,
    pub(crate) device: Option<DeviceId>,
    pub(crate) class: Option<String>,
    #[serde(default = "zigbee")]
    pub(crate) platform: String,
    #[serde(default = "yes")]
    pub(crate) exposed: bool,
    #[serde(default)]
    pub(crate) auxiliary: bool,
    /// Whether it reacts to commands. A dead device reports nothing and does nothing.
    #[serde(default = "yes")]
    pub(crate) reacts: bool,
    /// Constant attributes.
    #[serde(default)]
    pub(crate) attributes: Map<String, Value>,
    /// Attributes without a value, which the format of the file does not have.
    #[serde(default)]
    pub(super) null_attributes: Vec<String>,
    #[serde(default)]
    pub(crate) behaviour: Behaviour,
    /// The state outside of its schedule.
    #[serde(default)]
    pub(crate) idle: SimulatedState,
    /// The state within its schedule.
    #[serde(default)]
    pub(crate) active: SimulatedState,
    #[serde(default)]
    pub(crate) schedule: Vec<ScheduledState>,
    /// Entities that it reads.
    #[serde(default)]
    pub(crate) reads: Vec<String>,
    /// Actions that it performs when it is run.
    #[serde(default)]
    pub(crate) acts: Vec<ServiceAction>,
}

fn zigbee() -> String {
    "zha".to_owned()
}

const fn yes() -> bool {
    true
}

impl SimulatedEntity {
    /// The domain.
    pub(crate) fn domain(&self) -> &str {
        self.id.domain()
    }

    /// What it is computed from.
    pub(crate) fn made_of(&self) -> Vec<&str> {
        match &self.behaviour {
            Behaviour::Group(members) | Behaviour::Anyone(members) | Behaviour::Count(members) => {
                members.iter().map(String::as_str).collect()
            }
            Behaviour::DrySoil(sensor) | Behaviour::Climate(sensor) => vec![sensor],
            _ => Vec::new(),
        }
    }

    /// What its state depends on.
    pub(crate) fn depends_on(&self) -> Vec<&str> {
        match &self.behaviour {
            Behaviour::Meter(MeterKind::Power { of, .. }) => of.iter().map(|(id, _)| id.as_str()).collect(),
            Behaviour::Meter(MeterKind::Heated(climate)) => vec![climate],
            _ => self.made_of(),
        }
    }

    /// What it reads or changes when it is run.
    pub(crate) fn uses(&self) -> impl Iterator<Item = &str> {
        self.reads.iter().chain(self.acts.iter().flat_map(|act| &act.entities)).map(String::as_str)
    }
}
