//! What an entity of the simulated home is, and how it behaves when nobody tells it anything.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// How something stands: the word, and the attributes that change with it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(in crate::simulated) struct Face {
    /// In one word.
    pub(in crate::simulated) state: String,
    /// All else that changes.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(in crate::simulated) attributes: Map<String, Value>,
}

impl Face {
    /// A word alone.
    pub(in crate::simulated) fn word(state: impl Into<String>) -> Self {
        Self { state: state.into(), attributes: Map::new() }
    }

    /// A word with attributes, which are an object.
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

/// A moment of every day.
#[derive(Debug, Clone, Copy)]
pub(in crate::simulated) enum When {
    /// By the clock; past 24 it is the next morning.
    Clock(i64, i64),
    /// So many minutes after the sun rises.
    Sunrise(i64),
    /// So many minutes after it sets.
    Sunset(i64),
}

/// On which days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::simulated) enum Days {
    All,
    Work,
    Free,
}

/// A part of the day in which something stands otherwise.
#[derive(Debug, Clone)]
pub(in crate::simulated) struct Spell {
    pub(in crate::simulated) from: When,
    pub(in crate::simulated) until: When,
    pub(in crate::simulated) days: Days,
    /// On how many of those days, from 0 to 1.
    pub(in crate::simulated) chance: f64,
    /// How many minutes earlier or later it may be.
    pub(in crate::simulated) jitter: f64,
    pub(in crate::simulated) face: Face,
    /// What begins it, and what ends it.
    pub(in crate::simulated) causes: [Option<&'static str>; 2],
}

impl Spell {
    /// Every day, give or take ten minutes.
    pub(in crate::simulated) fn new(from: When, until: When, face: Face) -> Self {
        Self { from, until, days: Days::All, chance: 1.0, jitter: 10.0, face, causes: [None; 2] }
    }

    /// On some days only.
    pub(in crate::simulated) fn on(mut self, days: Days, chance: f64) -> Self {
        (self.days, self.chance) = (days, chance);
        self
    }

    /// To the minute, since something else brings it about.
    pub(in crate::simulated) fn by(mut self, cause: &'static str) -> Self {
        (self.jitter, self.causes) = (0.0, [Some(cause); 2]);
        self
    }

    /// Begun by something else, to the minute.
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

/// What a meter measures.
#[derive(Debug, Clone)]
pub(in crate::simulated) enum Meter {
    /// The temperature outdoors.
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
    /// What things take while they are on, and what is taken always.
    Power { of: &'static [(&'static str, f64)], idle: f64 },
    /// What was used today, in kilowatt-hours.
    Energy,
    /// A charge that falls by a percent every few weeks.
    Battery { percent: f64 },
    /// Moisture of the soil.
    Soil,
}

/// How an entity behaves when nobody tells it anything.
#[derive(Debug, Clone)]
pub(in crate::simulated) enum Kind {
    /// It stays as it was left.
    Still(Face),
    /// It has its hours.
    Routine { idle: Face, spells: Vec<Spell> },
    /// A thermostat: a routine, and the room's temperature beside it.
    Climate { idle: Face, spells: Vec<Spell>, room: &'static str },
    /// It moves in short bursts: hours, and how likely in any ten minutes of them.
    Motion { busy: &'static [(f64, f64, f64)] },
    /// It measures every so many minutes, to so many digits.
    Meter { meter: Meter, minutes: i64, digits: usize },
    /// On while one of its members is.
    Group { members: &'static [&'static str] },
    /// On while one of them is at home.
    Anyone { people: &'static [&'static str] },
    /// How many of them are on.
    Count { members: &'static [&'static str] },
    /// On while the soil is too dry.
    Thirst { soil: &'static str },
    /// The sun.
    Sun,
    /// The weather.
    Weather,
    /// An automation: when it runs every day, and what sets it off then.
    Rule { runs: &'static [(When, &'static str)] },
    /// A list of things to do, kept with the home.
    List,
}

/// Something that a scene, a script or an automation does.
#[derive(Debug, Clone)]
pub(in crate::simulated) struct Act {
    pub(in crate::simulated) service: (&'static str, &'static str),
    pub(in crate::simulated) entities: &'static [&'static str],
    pub(in crate::simulated) data: Value,
}

/// An entity of the simulated home.
#[derive(Debug, Clone)]
pub(in crate::simulated) struct Piece {
    pub(in crate::simulated) id: &'static str,
    pub(in crate::simulated) name: &'static str,
    pub(in crate::simulated) aliases: &'static [&'static str],
    pub(in crate::simulated) area: Option<&'static str>,
    pub(in crate::simulated) device: Option<&'static str>,
    pub(in crate::simulated) class: Option<&'static str>,
    pub(in crate::simulated) platform: &'static str,
    pub(in crate::simulated) exposed: bool,
    pub(in crate::simulated) auxiliary: bool,
    /// Whether it does what it is told. A dead device says nothing and does nothing.
    pub(in crate::simulated) reacts: bool,
    /// Attributes that never change.
    pub(in crate::simulated) statics: Map<String, Value>,
    pub(in crate::simulated) kind: Kind,
    /// What it looks at without changing it.
    pub(in crate::simulated) reads: &'static [&'static str],
    /// What it does when it is run.
    pub(in crate::simulated) acts: Vec<Act>,
}

impl Piece {
    pub(in crate::simulated) fn new(id: &'static str, name: &'static str, kind: Kind) -> Self {
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
            kind,
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
        self.acts.push(Act { service: (domain, service), entities, data });
        self
    }

    /// What kind of thing it is.
    pub(in crate::simulated) fn domain(&self) -> &'static str {
        self.id.split_once('.').map_or("", |(domain, _)| domain)
    }

    /// What it is computed from.
    pub(in crate::simulated) fn made_of(&self) -> Vec<&'static str> {
        match &self.kind {
            Kind::Group { members } | Kind::Anyone { people: members } | Kind::Count { members } => members.to_vec(),
            Kind::Thirst { soil } => vec![soil],
            Kind::Climate { room, .. } => vec![room],
            _ => Vec::new(),
        }
    }

    /// What its state hangs on.
    pub(in crate::simulated) fn hangs_on(&self) -> Vec<&'static str> {
        match &self.kind {
            Kind::Meter { meter: Meter::Power { of, .. }, .. } => of.iter().map(|(id, _)| *id).collect(),
            Kind::Meter { meter: Meter::Room { climate }, .. } => vec![climate],
            _ => self.made_of(),
        }
    }

    /// What it looks at or changes when it is run.
    pub(in crate::simulated) fn uses(&self) -> impl Iterator<Item = &'static str> {
        self.reads.iter().copied().chain(self.acts.iter().flat_map(|act| act.entities.iter().copied()))
    }
}

/// A light that is on or off by its hours.
pub(in crate::simulated) fn light(
    id: &'static str,
    name: &'static str,
    can: Light,
    hours: &[(When, When, f64)],
) -> Piece {
    let on = can.on();
    let spell =
        |(from, until, chance): &(When, When, f64)| Spell::new(*from, *until, on.clone()).on(Days::All, *chance);
    let spells = hours.iter().map(spell).collect();
    Piece::new(id, name, Kind::Routine { idle: Face::word("off"), spells }).statics(can.statics())
}

/// What a light can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::simulated) enum Light {
    /// On and off.
    Plain,
    /// Dimmed.
    Dims,
    /// Warmer and colder.
    White,
    /// All colours.
    Colour,
}

impl Light {
    fn on(self) -> Face {
        match self {
            Self::Plain => Face::with("on", json!({"color_mode": "onoff"})),
            Self::Dims => Face::with("on", json!({"color_mode": "brightness", "brightness": 204})),
            Self::White | Self::Colour => {
                Face::with("on", json!({"color_mode": "color_temp", "brightness": 204, "color_temp_kelvin": 3_000}))
            }
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
    meter: Meter,
) -> Piece {
    let (minutes, digits) = match meter {
        Meter::Battery { .. } => (720, 0),
        Meter::Humidity { .. } | Meter::Air { .. } | Meter::Soil => (10, 0),
        Meter::Voltage => (2, 1),
        Meter::Energy => (15, 2),
        _ => (5, 1),
    };
    let is_total = matches!(meter, Meter::Energy);
    let piece = Piece::new(id, name, Kind::Meter { meter, minutes, digits });
    let state_class = if is_total { "total_increasing" } else { "measurement" };
    piece.class(class).statics(json!({"unit_of_measurement": unit, "state_class": state_class}))
}

/// The charge of a device.
pub(in crate::simulated) fn battery(id: &'static str, name: &'static str, device: &'static str, percent: f64) -> Piece {
    meter(id, name, "battery", "%", Meter::Battery { percent }).of(device).auxiliary()
}

/// Something that is on or off by its hours.
pub(in crate::simulated) fn routine(
    id: &'static str,
    name: &'static str,
    idle: &'static str,
    other: &'static str,
    hours: &[(When, When, Days, f64)],
) -> Piece {
    let spell = |(from, until, days, chance): &(When, When, Days, f64)| {
        Spell::new(*from, *until, Face::word(other)).on(*days, *chance)
    };
    Piece::new(id, name, Kind::Routine { idle: Face::word(idle), spells: hours.iter().map(spell).collect() })
}
