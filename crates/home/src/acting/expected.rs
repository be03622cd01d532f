//! What a service should lead to, so that it can be seen whether it did.

use serde_json::{Map, Value};

use super::{call::Outcome, colour};
use crate::house::State;

/// How far a value may be off and still be what stood there before.
const EXACT: f64 = 0.011;

/// Percent between two speeds of a fan that does not say: it has three.
const SPEED_STEP: f64 = 33.4;

/// How an entity should stand after a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expected {
    /// As described.
    State(Described),
    /// Another word than before.
    Change,
    /// Nothing that could be seen.
    Nothing,
}

/// How an entity should stand.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Described {
    /// One of these words; any if there are none.
    words: Vec<String>,
    /// Words that lead there.
    on_the_way: Vec<&'static str>,
    /// Words that will do if the entity stood otherwise before.
    if_changed: Vec<&'static str>,
    attributes: Vec<Wanted>,
    /// Whether something was asked for that cannot be seen.
    is_partial: bool,
}

/// An attribute as it should be.
#[derive(Debug, Clone, PartialEq)]
struct Wanted {
    attribute: &'static str,
    value: Value,
    /// How far it may be off.
    off: f64,
}

impl Expected {
    /// What a call should lead to for one entity, which stood like this before.
    pub(super) fn of(domain: &str, service: &str, data: &Map<String, Value>, before: Option<&State>) -> Self {
        let word = before.map(|state| state.state.as_str());
        let has_position = before.is_some_and(|state| state.number("current_position").is_some());
        let moves = |words: &[&str], on_the_way: &[&'static str], position: f64| {
            let mut described = Described::words(words).by_way_of(on_the_way);
            if has_position {
                described.attributes.push(Wanted { attribute: "current_position", value: position.into(), off: 1.0 });
            }
            described
        };
        let described = match (domain, service) {
            ("scene" | "button" | "input_button" | "script" | "automation" | "todo", _) => return Self::Nothing,
            ("cover" | "valve", "toggle") => return Self::Change,
            ("climate", "turn_on") => Described::words(&["heat", "cool", "heat_cool", "auto", "dry", "fan_only"]),
            ("cover", "open_cover" | "turn_on") | ("valve", "open_valve" | "turn_on") => {
                moves(&["open"], &["opening"], 100.0)
            }
            ("cover", "close_cover" | "turn_off") | ("valve", "close_valve" | "turn_off") => {
                moves(&["closed"], &["closing"], 0.0)
            }
            ("cover", "set_cover_position") | ("valve", "set_valve_position") => {
                Described::default().by_way_of(&["opening", "closing"]).with(data, "position", "current_position", 2.0)
            }
            ("lock", "lock" | "turn_on") => Described::words(&["locked"]).by_way_of(&["locking"]),
            ("lock", "unlock" | "turn_off") => Described::words(&["unlocked", "open"]).by_way_of(&["unlocking"]),
            ("alarm_control_panel", "alarm_disarm") => Described::words(&["disarmed"]).by_way_of(&["disarming"]),
            ("alarm_control_panel", arm) if arm.starts_with("alarm_arm_") => {
                Described::words(&[&arm.replacen("alarm_arm", "armed", 1)]).by_way_of(&["arming", "pending"])
            }
            ("media_player", "turn_off") => Described::words(&["off", "standby"]).or_if_changed(&["idle"]),
            ("media_player", "turn_on") => Described::words(&["on", "idle", "playing", "paused", "buffering"]),
            ("media_player", "media_play") => Described::words(&["playing"]).by_way_of(&["buffering"]),
            ("media_player", "media_pause") => Described::words(&["paused"]).or_if_changed(&["idle"]),
            ("media_player", "media_stop") => Described::words(&["off", "standby"]).or_if_changed(&["idle"]),
            ("media_player", "volume_set") => Described::default().with(data, "volume_level", "volume_level", 0.02),
            ("media_player", "volume_mute") => {
                Described::default().with(data, "is_volume_muted", "is_volume_muted", 0.0)
            }
            ("climate", "set_temperature") => Described::default()
                .with(data, "temperature", "temperature", 0.3)
                .with(data, "target_temp_low", "target_temp_low", 0.3)
                .with(data, "target_temp_high", "target_temp_high", 0.3)
                .with_word(data, "hvac_mode"),
            ("climate", "set_hvac_mode") => Described::default().with_word(data, "hvac_mode"),
            ("climate" | "water_heater", "turn_off") => Described::words(&["off"]),
            ("fan", "set_percentage") => {
                // A fan goes to the next of its speeds, never as far as the one after.
                let step = before.and_then(|state| state.number("percentage_step")).unwrap_or(SPEED_STEP);
                Described::default().with(data, "percentage", "percentage", (step - 0.5).max(0.5))
            }
            ("vacuum", "start") => Described::words(&["cleaning"]),
            ("vacuum", "return_to_base") => Described::words(&["returning", "docked"]),
            ("lawn_mower", "start_mowing") => Described::words(&["mowing"]),
            ("lawn_mower", "dock") => Described::words(&["docked", "returning"]),
            ("light", "turn_on") => light(data),
            ("number" | "input_number", "set_value") => Described::default().with_word(data, "value"),
            (_, "turn_on") => Described::words(&["on"]),
            (_, "turn_off") => Described::words(&["off"]),
            (_, "toggle") => match word {
                Some("on") => Described::words(&["off"]),
                Some("off") => Described::words(&["on"]),
                _ => return Self::Change,
            },
            _ => return Self::Nothing,
        };
        let described = described.covering(data);
        // What asks for nothing that can be seen is not met by everything.
        if described.words.is_empty() && described.attributes.is_empty() {
            Self::Nothing
        } else {
            Self::State(described)
        }
    }

    /// Whether how an entity stands says all about whether the call happened.
    pub(super) fn tells_all(&self) -> bool {
        matches!(self, Self::State(described) if !described.is_partial)
    }

    /// Whether waiting longer could still show something.
    pub(super) fn is_settled(&self, before: Option<&State>, now: Option<&State>) -> bool {
        match self {
            Self::Nothing => true,
            _ => !matches!(self.outcome(before, now), Outcome::Unchanged | Outcome::Unavailable),
        }
    }

    /// What came of it.
    pub(super) fn outcome(&self, before: Option<&State>, now: Option<&State>) -> Outcome {
        let Some(now) = now else { return Outcome::Unavailable };
        if now.state == State::UNAVAILABLE {
            return Outcome::Unavailable;
        }
        match self {
            Self::Nothing => Outcome::Unverified,
            Self::Change => match before {
                Some(before) if before.state == now.state => Outcome::Unchanged,
                _ => Outcome::Done,
            },
            Self::State(described) => described.outcome(before, now),
        }
    }
}

/// A light that is to shine in a certain way.
fn light(data: &Map<String, Value>) -> Described {
    let number = |field: &str| data.get(field).and_then(Value::as_f64);
    if number("brightness_pct").or_else(|| number("brightness")) == Some(0.0) {
        return Described::words(&["off"]);
    }
    let mut described = Described::words(&["on"]).with(data, "brightness", "brightness", 3.0);
    described = described.with(data, "color_temp_kelvin", "color_temp_kelvin", 120.0);
    if let Some(percent) = number("brightness_pct") {
        // Percent as asked, of 255 as told.
        let value = (percent * 2.55).round().into();
        described.attributes.push(Wanted { attribute: "brightness", value, off: 3.0 });
    }
    let rgb = data.get("rgb_color").cloned().or_else(|| colour::rgb(data.get("color_name")?.as_str()?));
    if let Some(rgb) = rgb {
        described.attributes.push(Wanted { attribute: "rgb_color", value: rgb, off: colour::OFF });
    }
    described
}

/// What is asked for and seen by the attributes above.
const SEEN: &[&str] = &[
    "brightness",
    "brightness_pct",
    "color_temp_kelvin",
    "rgb_color",
    "position",
    "volume_level",
    "is_volume_muted",
    "temperature",
    "target_temp_low",
    "target_temp_high",
    "hvac_mode",
    "percentage",
    "value",
];
/// How it is done, rather than what.
const MANNER: &[&str] = &["transition", "flash"];

impl Described {
    fn words(words: &[&str]) -> Self {
        Self { words: words.iter().map(|word| (*word).to_owned()).collect(), ..Self::default() }
    }

    fn by_way_of(mut self, words: &[&'static str]) -> Self {
        self.on_the_way = words.to_vec();
        self
    }

    fn or_if_changed(mut self, words: &[&'static str]) -> Self {
        self.if_changed = words.to_vec();
        self
    }

    /// An attribute that should be what the call was given.
    fn with(mut self, data: &Map<String, Value>, field: &str, attribute: &'static str, off: f64) -> Self {
        self.attributes.extend(data.get(field).cloned().map(|value| Wanted { attribute, value, off }));
        self
    }

    /// A word that should be what the call was given.
    fn with_word(mut self, data: &Map<String, Value>, field: &str) -> Self {
        let word = data.get(field).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        self.words.extend(word);
        self
    }

    /// Notes whether more was asked for than can be seen.
    fn covering(mut self, data: &Map<String, Value>) -> Self {
        let is_colour =
            |name: &str| name == "color_name" && self.attributes.iter().any(|it| it.attribute == "rgb_color");
        let is_seen =
            |name: &String| SEEN.contains(&name.as_str()) || MANNER.contains(&name.as_str()) || is_colour(name);
        self.is_partial = !data.keys().all(is_seen);
        self
    }

    fn outcome(&self, before: Option<&State>, now: &State) -> Outcome {
        let was_so = before.is_some_and(|before| self.is_met(before, true));
        let has_changed = before.is_some_and(|before| before.state != now.state);
        let is_so = self.is_met(now, false) || has_changed && self.if_changed.contains(&now.state.as_str());
        match (is_so, was_so) {
            (true, _) if self.is_partial => Outcome::Unverified,
            (true, true) => Outcome::Already,
            (true, false) => Outcome::Done,
            (false, _) if self.on_the_way.contains(&now.state.as_str()) => Outcome::OnTheWay,
            (false, _) => Outcome::Unchanged,
        }
    }

    fn is_met(&self, state: &State, exactly: bool) -> bool {
        let is_word = self.words.is_empty() || self.words.iter().any(|word| same_word(word, &state.state));
        let is_attribute = |wanted: &Wanted| {
            let off = if exactly && wanted.attribute != "rgb_color" { EXACT } else { wanted.off };
            state.attributes.get(wanted.attribute).is_some_and(|is| is_near(is, &wanted.value, off))
        };
        is_word && self.attributes.iter().all(is_attribute)
    }
}

/// Whether two words are the same, `21` and `21.0` too.
fn same_word(wanted: &str, is: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    wanted == is || number(wanted).zip(number(is)).is_some_and(|(wanted, is)| (wanted - is).abs() < EXACT)
}

fn is_near(is: &Value, wanted: &Value, off: f64) -> bool {
    match (is.as_f64(), wanted.as_f64(), is.as_array(), wanted.as_array()) {
        (Some(is), Some(wanted), ..) => (is - wanted).abs() <= off,
        (_, _, Some(is), Some(wanted)) => {
            is.len() == wanted.len() && is.iter().zip(wanted).all(|(is, wanted)| is_near(is, wanted, off))
        }
        _ => is == wanted,
    }
}

#[cfg(test)]
mod tests {
    use protocol::Timestamp;
    use serde_json::json;

    use super::*;

    fn state(id: &str, word: &str, attributes: Value) -> State {
        let at = Timestamp::from_millis(0);
        let attributes = attributes.as_object().cloned().unwrap_or_default();
        State { entity_id: id.parse().unwrap(), state: word.to_owned(), attributes, changed_at: at, updated_at: at }
    }

    /// What came of a service, by how the entity stood before and stands now.
    fn came(service: &str, data: &Value, before: &State, now: &State) -> Outcome {
        let data = data.as_object().cloned().unwrap_or_default();
        Expected::of(before.entity_id.domain(), service, &data, Some(before)).outcome(Some(before), Some(now))
    }

    #[test]
    fn a_fan_goes_to_one_of_its_speeds() {
        let fan =
            |percent: i32, step: f64| state("fan.a", "on", json!({ "percentage": percent, "percentage_step": step }));
        let set = |percent: i32, before: &State, now: &State| {
            came("set_percentage", &json!({ "percentage": percent }), before, now)
        };
        assert_eq!(set(75, &fan(50, 25.0), &fan(75, 25.0)), Outcome::Done);
        assert_eq!(set(75, &fan(50, 25.0), &fan(50, 25.0)), Outcome::Unchanged);
        assert_eq!(set(75, &fan(75, 25.0), &fan(75, 25.0)), Outcome::Already);
        assert_eq!(set(40, &fan(33, 33.33), &fan(66, 33.33)), Outcome::Done, "the next of three");
    }

    #[test]
    fn a_lamp_in_another_colour_was_not_as_it_should_be() {
        let lamp = |colour: [i32; 3]| state("light.a", "on", json!({ "brightness": 255, "rgb_color": colour }));
        let (red, blue) = (lamp([255, 0, 0]), lamp([0, 0, 255]));
        assert_eq!(came("turn_on", &json!({ "color_name": "blue" }), &red, &blue), Outcome::Done);
        assert_eq!(came("turn_on", &json!({ "color_name": "blue" }), &blue, &blue), Outcome::Already);
    }

    #[test]
    fn what_was_so_before_is_so_already() {
        let heats = state("climate.a", "heat", Value::Null);
        let off = state("climate.a", "off", Value::Null);
        assert_eq!(came("turn_on", &Value::Null, &heats, &heats), Outcome::Already);
        assert_eq!(came("turn_on", &Value::Null, &off, &off), Outcome::Unchanged);
        let number = |word: &str| state("input_number.a", word, Value::Null);
        assert_eq!(came("set_value", &json!({ "value": 2 }), &number("2.0"), &number("2.0")), Outcome::Already);
        assert_eq!(came("set_value", &json!({ "value": 2 }), &number("1.0"), &number("2.0")), Outcome::Done);
        assert_eq!(came("set_value", &json!({ "value": 2 }), &number("1.0"), &number("1.0")), Outcome::Unchanged);
    }
}
