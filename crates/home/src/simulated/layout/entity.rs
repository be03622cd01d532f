//! Entities of the simulated home, and their behaviour without commands.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A state: the word, and the attributes that change with it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(in crate::simulated) struct SimulatedState {
    /// The word.
    pub(in crate::simulated) state: String,
    /// The attributes.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(in crate::simulated) attributes: Map<String, Value>,
}

impl SimulatedState {
    /// A state without attributes.
    pub(in crate::simulated) fn word(state: impl Into<String>) -> Self {
        Self { state: state.into(), attributes: Map::new() }
    }

    /// A state with attributes, given as an object.
    pub(in crate::simulated) fn with(state: impl Into<String>, attributes: Value) -> Self {
        Self { state: state.into(), attributes: object(attributes) }
    }

    /// An attribute that is a number.
    pub(in crate::simulated) fn number(&self, attribute: &str) -> Option<f64> {
        self.attributes.get(attribute)?.as_f64()
    }
}

/// The fields of an object.
pub(in crate::simulated) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// A time of every day.
#[derive(Debug, Clone, Copy)]
pub(in crate::simulated) enum TimeOfDay {
    /// Local time; hours past 24 are the next morning.
    Clock(i64, i64),
    /// Minutes after sunrise.
    Sunrise(i64),
    /// Minutes after sunset.
    Sunset(i64),
}

/// The days of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::simulated) enum Days {
    All,
    Work,
    Free,
}

/// A part of the day with another state.
#[derive(Debug, Clone)]
pub(in crate::simulated) struct ScheduledState {
    pub(in crate::simulated) from: TimeOfDay,
    pub(in crate::simulated) until: TimeOfDay,
    pub(in crate::simulated) days: Days,
    /// The probability on such a day, from 0 to 1.
    pub(in crate::simulated) chance: f64,
    /// The variation in minutes.
    pub(in crate::simulated) jitter: f64,
    pub(in crate::simulated) sim_state: SimulatedState,
    /// What starts it, and what ends it.
    pub(in crate::simulated) causes: [Option<&'static str>; 2],
}

impl ScheduledState {
    /// Every day, with a variation of ten minutes.
    pub(in crate::simulated) fn new(from: TimeOfDay, until: TimeOfDay, sim_state: SimulatedState) -> Self {
        Self { from, until, days: Days::All, chance: 1.0, jitter: 10.0, sim_state, causes: [None; 2] }
    }

    /// On some days only.
    pub(in crate::simulated) fn on(mut self, days: Days, chance: f64) -> Self {
        (self.days, self.chance) = (days, chance);
        self
    }

    /// To the minute, since something else causes it.
    pub(in crate::simulated) fn by(mut self, cause: &'static str) -> Self {
        (self.jitter, self.causes) = (0.0, [Some(cause); 2]);
        self
    }

    /// Started by something else, to the minute.
    pub(in crate::simulated) fn begun_by(mut self, cause: &'static str) -> Self {
        (self.jitter, self.causes) = (0.0, [Some(cause), None]);
        self
    }

    /// Ended by something else, to the minute.
    pub(in crate::simulated) fn ended_by(mut self, cause: &'static str) -> Self {
        (self.jitter, self.causes) = (0.0, [None, Some(cause)]);
        self
    }
}

/// What a sensor measures.
#[derive(Debug, Clone)]
pub(in crate::simulated) enum MeterKind {
    /// The outdoor temperature.
    Outdoors,
    /// The temperature of a heated room.
    Room { climate: &'static str },
    /// The temperature of a room without a thermostat.
    Unheated { around: f64 },
    /// Humidity.
    Humidity { around: f64 },
    /// Carbon dioxide: more in these hours.
    Air { from: f64, until: f64 },
    /// The voltage of the mains.
    Voltage,
    /// The power of entities that are on, and the idle power.
    Power { of: &'static [(&'static str, f64)], idle: f64 },
    /// The energy used today, in kilowatt-hours.
    Energy,
    /// A battery level that falls by a percent every few weeks.
    Battery { percent: f64 },
    /// Moisture of the soil.
    Soil,
}

/// The behaviour of an entity without commands.
#[derive(Debug, Clone)]
pub(in crate::simulated) enum Behaviour {
    /// It keeps its state.
    Still(SimulatedState),
    /// It has a daily schedule.
    Routine { idle: SimulatedState, schedule: Vec<ScheduledState> },
    /// A thermostat: a schedule, and the room temperature.
    Climate { idle: SimulatedState, schedule: Vec<ScheduledState>, room: &'static str },
    /// It is active in short bursts: hours, and the probability in any ten minutes of them.
    Motion { busy: &'static [(f64, f64, f64)] },
    /// It measures at an interval in minutes, with this many digits.
    Meter { meter: MeterKind, minutes: i64, digits: usize },
    /// On while one of its members is.
    Group { members: &'static [&'static str] },
    /// On while one of them is at home.
    Anyone { people: &'static [&'static str] },
    /// How many of them are on.
    Count { members: &'static [&'static str] },
    /// On while the soil is too dry.
    DrySoil { soil: &'static str },
    /// The sun.
    Sun,
    /// The weather.
    Weather,
    /// An automation: when it runs every day, and what sets it off then.
    Rule { runs: &'static [(TimeOfDay, &'static str)] },
    /// A list of things to do, kept with the home.
    List,
}

/// An action of a scene, a script or an automation.
#[derive(Debug, Clone)]
pub(in crate::simulated) struct ServiceAction {
    pub(in crate::simulated) service: (&'static str, &'static str),
    pub(in crate::simulated) entities: &'static [&'static str],
    pub(in crate::simulated) data: Value,
}

/// An entity of the simulated home.
#[derive(Debug, Clone)]
pub(in crate::simulated) struct SimulatedEntity {
    pub(in crate::simulated) id: &'static str,
    pub(in crate::simulated) name: &'static str,
    pub(in crate::simulated) aliases: &'static [&'static str],
    pub(in crate::simulated) area: Option<&'static str>,
    pub(in crate::simulated) device: Option<&'static str>,
    pub(in crate::simulated) class: Option<&'static str>,
    pub(in crate::simulated) platform: &'static str,
    pub(in crate::simulated) exposed: bool,
    pub(in crate::simulated) auxiliary: bool,
    /// Whether it reacts to commands. A dead device reports nothing and does nothing.
    pub(in crate::simulated) reacts: bool,
    /// Constant attributes.
    pub(in crate::simulated) statics: Map<String, Value>,
    pub(in crate::simulated) behaviour: Behaviour,
    /// Entities that it reads.
    pub(in crate::simulated) reads: &'static [&'static str],
    /// Actions that it performs when it is run.
    pub(in crate::simulated) acts: Vec<ServiceAction>,
}

impl SimulatedEntity {
    pub(in crate::simulated) fn new(id: &'static str, name: &'static str, kind: Behaviour) -> Self {
        Self {
            id,
            name,
            aliases: &[],
            area: None,
            device: None,
            class: None,
            platform: "zha",
            exposed: true,
            auxiliary: false,
            reacts: true,
            statics: Map::new(),
            behaviour: kind,
            reads: &[],
            acts: Vec::new(),
        }
    }

    pub(in crate::simulated) fn aka(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    pub(in crate::simulated) fn area(mut self, area: &'static str) -> Self {
        self.area = Some(area);
        self
    }

    pub(in crate::simulated) fn of(mut self, device: &'static str) -> Self {
        self.device = Some(device);
        self
    }

    pub(in crate::simulated) fn class(mut self, class: &'static str) -> Self {
        self.class = Some(class);
        self
    }

    pub(in crate::simulated) fn platform(mut self, platform: &'static str) -> Self {
        self.platform = platform;
        self
    }

    pub(in crate::simulated) fn statics(mut self, statics: Value) -> Self {
        self.statics.extend(object(statics));
        self
    }

    pub(in crate::simulated) fn hidden(mut self) -> Self {
        self.exposed = false;
        self
    }

    pub(in crate::simulated) fn auxiliary(mut self) -> Self {
        self.auxiliary = true;
        self
    }

    pub(in crate::simulated) fn dead(mut self) -> Self {
        self.reacts = false;
        self
    }

    pub(in crate::simulated) fn reads(mut self, reads: &'static [&'static str]) -> Self {
        self.reads = reads;
        self
    }

    pub(in crate::simulated) fn does(
        mut self,
        domain: &'static str,
        service: &'static str,
        entities: &'static [&'static str],
        data: Value,
    ) -> Self {
        self.acts.push(ServiceAction { service: (domain, service), entities, data });
        self
    }

    /// The domain.
    pub(in crate::simulated) fn domain(&self) -> &'static str {
        self.id.split_once('.').map_or("", |(domain, _)| domain)
    }

    /// What it is computed from.
    pub(in crate::simulated) fn made_of(&self) -> Vec<&'static str> {
        match &self.behaviour {
            Behaviour::Group { members } | Behaviour::Anyone { people: members } | Behaviour::Count { members } => {
                members.to_vec()
            }
            Behaviour::DrySoil { soil } => vec![soil],
            Behaviour::Climate { room, .. } => vec![room],
            _ => Vec::new(),
        }
    }

    /// What its state depends on.
    pub(in crate::simulated) fn depends_on(&self) -> Vec<&'static str> {
        match &self.behaviour {
            Behaviour::Meter { meter: MeterKind::Power { of, .. }, .. } => of.iter().map(|(id, _)| *id).collect(),
            Behaviour::Meter { meter: MeterKind::Room { climate }, .. } => vec![climate],
            _ => self.made_of(),
        }
    }

    /// What it reads or changes when it is run.
    pub(in crate::simulated) fn uses(&self) -> impl Iterator<Item = &'static str> {
        self.reads.iter().copied().chain(self.acts.iter().flat_map(|act| act.entities.iter().copied()))
    }
}

/// A light with a daily schedule.
pub(in crate::simulated) fn light(
    id: &'static str,
    name: &'static str,
    can: Light,
    hours: &[(TimeOfDay, TimeOfDay, f64)],
) -> SimulatedEntity {
    let on = can.on();
    let scheduled = |(from, until, chance): &(TimeOfDay, TimeOfDay, f64)| {
        ScheduledState::new(*from, *until, on.clone()).on(Days::All, *chance)
    };
    let schedule = hours.iter().map(scheduled).collect();
    SimulatedEntity::new(id, name, Behaviour::Routine { idle: SimulatedState::word("off"), schedule })
        .statics(can.statics())
}

/// The features of a light.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::simulated) enum Light {
    /// On and off.
    Plain,
    /// Brightness.
    Dims,
    /// Colour temperature.
    White,
    /// All colours.
    Colour,
}

impl Light {
    fn on(self) -> SimulatedState {
        match self {
            Self::Plain => SimulatedState::with("on", json!({"color_mode": "onoff"})),
            Self::Dims => SimulatedState::with("on", json!({"color_mode": "brightness", "brightness": 204})),
            Self::White | Self::Colour => SimulatedState::with(
                "on",
                json!({"color_mode": "color_temp", "brightness": 204, "color_temp_kelvin": 3_000}),
            ),
        }
    }

    fn statics(self) -> Value {
        match self {
            Self::Plain => json!({"supported_color_modes": ["onoff"]}),
            Self::Dims => json!({"supported_color_modes": ["brightness"]}),
            Self::White => {
                json!({"supported_color_modes": ["color_temp"], "min_color_temp_kelvin": 2_200, "max_color_temp_kelvin": 6_500})
            }
            Self::Colour => json!({
                "supported_color_modes": ["color_temp", "rgb"], "min_color_temp_kelvin": 2_000, "max_color_temp_kelvin": 6_500,
            }),
        }
    }
}

/// A sensor that measures.
pub(in crate::simulated) fn meter(
    id: &'static str,
    name: &'static str,
    class: &'static str,
    unit: &'static str,
    meter: MeterKind,
) -> SimulatedEntity {
    let (minutes, digits) = match meter {
        MeterKind::Battery { .. } => (720, 0),
        MeterKind::Humidity { .. } | MeterKind::Air { .. } | MeterKind::Soil => (10, 0),
        MeterKind::Voltage => (2, 1),
        MeterKind::Energy => (15, 2),
        _ => (5, 1),
    };
    let is_total = matches!(meter, MeterKind::Energy);
    let entity = SimulatedEntity::new(id, name, Behaviour::Meter { meter, minutes, digits });
    let state_class = if is_total { "total_increasing" } else { "measurement" };
    entity.class(class).statics(json!({"unit_of_measurement": unit, "state_class": state_class}))
}

/// The battery level of a device.
pub(in crate::simulated) fn battery(
    id: &'static str,
    name: &'static str,
    device: &'static str,
    percent: f64,
) -> SimulatedEntity {
    meter(id, name, "battery", "%", MeterKind::Battery { percent }).of(device).auxiliary()
}

/// An entity that is on or off by a schedule.
pub(in crate::simulated) fn routine(
    id: &'static str,
    name: &'static str,
    idle: &'static str,
    other: &'static str,
    hours: &[(TimeOfDay, TimeOfDay, Days, f64)],
) -> SimulatedEntity {
    let scheduled = |(from, until, days, chance): &(TimeOfDay, TimeOfDay, Days, f64)| {
        ScheduledState::new(*from, *until, SimulatedState::word(other)).on(*days, *chance)
    };
    SimulatedEntity::new(
        id,
        name,
        Behaviour::Routine { idle: SimulatedState::word(idle), schedule: hours.iter().map(scheduled).collect() },
    )
}
