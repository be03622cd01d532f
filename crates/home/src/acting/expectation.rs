//! The expected result of a service, to verify a call.

use serde_json::{Map, Value};

use super::{call::EntityOutcome, colour};
use crate::port::EntityState;

/// The tolerance within which a value counts as unchanged.
const EXACT: f64 = 0.011;

/// The percentage between two speeds of a fan that does not report its steps: it has three.
const SPEED_STEP: f64 = 33.4;

/// The expected state of an entity after a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expectation {
    /// A certain state.
    State(StatePattern),
    /// A state different from the one before.
    Change,
    /// Nothing that can be observed.
    Nothing,
}

/// A pattern for a state.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct StatePattern {
    /// The accepted states; any if empty.
    words: Vec<String>,
    /// Transitional states that lead there.
    on_the_way: Vec<&'static str>,
    /// States that are accepted if the entity had another one before.
    if_changed: Vec<&'static str>,
    attributes: Vec<ExpectedAttribute>,
    /// Whether the call asked for something that cannot be observed.
    is_partial: bool,
}

/// An expected attribute.
#[derive(Debug, Clone, PartialEq)]
struct ExpectedAttribute {
    attribute: &'static str,
    value: Value,
    /// The tolerance.
    off: f64,
}

impl Expectation {
    /// The expectation for one entity, given its state before the call.
    pub(super) fn of(domain: &str, service: &str, data: &Map<String, Value>, before: Option<&EntityState>) -> Self {
        let word = before.map(|state| state.state.as_str());
        let has_position = before.is_some_and(|state| state.number("current_position").is_some());
        let moves = |words: &[&str], on_the_way: &[&'static str], position: f64| {
            let mut described = StatePattern::words(words).by_way_of(on_the_way);
            if has_position {
                described.attributes.push(ExpectedAttribute {
                    attribute: "current_position",
                    value: position.into(),
                    off: 1.0,
                });
            }
            described
        };
        let described = match (domain, service) {
            ("scene" | "button" | "input_button" | "script" | "automation" | "todo", _) => return Self::Nothing,
            ("cover" | "valve", "toggle") => return Self::Change,
            ("climate", "turn_on") => StatePattern::words(&["heat", "cool", "heat_cool", "auto", "dry", "fan_only"]),
            ("cover", "open_cover" | "turn_on") | ("valve", "open_valve" | "turn_on") => {
                moves(&["open"], &["opening"], 100.0)
            }
            ("cover", "close_cover" | "turn_off") | ("valve", "close_valve" | "turn_off") => {
                moves(&["closed"], &["closing"], 0.0)
            }
            ("cover", "set_cover_position") | ("valve", "set_valve_position") => StatePattern::default()
                .by_way_of(&["opening", "closing"])
                .with(data, "position", "current_position", 2.0),
            ("lock", "lock" | "turn_on") => StatePattern::words(&["locked"]).by_way_of(&["locking"]),
            ("lock", "unlock" | "turn_off") => StatePattern::words(&["unlocked", "open"]).by_way_of(&["unlocking"]),
            ("alarm_control_panel", "alarm_disarm") => StatePattern::words(&["disarmed"]).by_way_of(&["disarming"]),
            ("alarm_control_panel", arm) if arm.starts_with("alarm_arm_") => {
                StatePattern::words(&[&arm.replacen("alarm_arm", "armed", 1)]).by_way_of(&["arming", "pending"])
            }
            ("media_player", "turn_off") => StatePattern::words(&["off", "standby"]).or_if_changed(&["idle"]),
            ("media_player", "turn_on") => StatePattern::words(&["on", "idle", "playing", "paused", "buffering"]),
            ("media_player", "media_play") => StatePattern::words(&["playing"]).by_way_of(&["buffering"]),
            ("media_player", "media_pause") => StatePattern::words(&["paused"]).or_if_changed(&["idle"]),
            ("media_player", "media_stop") => StatePattern::words(&["off", "standby"]).or_if_changed(&["idle"]),
            ("media_player", "volume_set") => StatePattern::default().with(data, "volume_level", "volume_level", 0.02),
            ("media_player", "volume_mute") => {
                StatePattern::default().with(data, "is_volume_muted", "is_volume_muted", 0.0)
            }
            ("climate", "set_temperature") => StatePattern::default()
                .with(data, "temperature", "temperature", 0.3)
                .with(data, "target_temp_low", "target_temp_low", 0.3)
                .with(data, "target_temp_high", "target_temp_high", 0.3)
                .with_word(data, "hvac_mode"),
            ("climate", "set_hvac_mode") => StatePattern::default().with_word(data, "hvac_mode"),
            ("climate" | "water_heater", "turn_off") => StatePattern::words(&["off"]),
            ("fan", "set_percentage") => {
                // A fan moves by one of its steps, never by two.
                let step = before.and_then(|state| state.number("percentage_step")).unwrap_or(SPEED_STEP);
                StatePattern::default().with(data, "percentage", "percentage", (step - 0.5).max(0.5))
            }
            ("vacuum", "start") => StatePattern::words(&["cleaning"]),
            ("vacuum", "return_to_base") => StatePattern::words(&["returning", "docked"]),
            ("lawn_mower", "start_mowing") => StatePattern::words(&["mowing"]),
            ("lawn_mower", "dock") => StatePattern::words(&["docked", "returning"]),
            ("light", "turn_on") => light(data),
            ("number" | "input_number", "set_value") => StatePattern::default().with_word(data, "value"),
            (_, "turn_on") => StatePattern::words(&["on"]),
            (_, "turn_off") => StatePattern::words(&["off"]),
            (_, "toggle") => match word {
                Some("on") => StatePattern::words(&["off"]),
                Some("off") => StatePattern::words(&["on"]),
                _ => return Self::Change,
            },
            _ => return Self::Nothing,
        };
        let described = described.covering(data);
        // Without anything to observe, the pattern would match every state.
        if described.words.is_empty() && described.attributes.is_empty() {
            Self::Nothing
        } else {
            Self::State(described)
        }
    }

    /// Whether the state alone tells if the call happened.
    pub(super) fn tells_all(&self) -> bool {
        matches!(self, Self::State(described) if !described.is_partial)
    }

    /// Whether waiting longer cannot change the result.
    pub(super) fn is_settled(&self, before: Option<&EntityState>, now: Option<&EntityState>) -> bool {
        match self {
            Self::Nothing => true,
            _ => !matches!(self.outcome(before, now), EntityOutcome::Unchanged | EntityOutcome::Unavailable),
        }
    }

    /// The outcome for an entity.
    pub(super) fn outcome(&self, before: Option<&EntityState>, now: Option<&EntityState>) -> EntityOutcome {
        let Some(now) = now else { return EntityOutcome::Unavailable };
        if now.state == EntityState::UNAVAILABLE {
            return EntityOutcome::Unavailable;
        }
        match self {
            Self::Nothing => EntityOutcome::Unverified,
            Self::Change => match before {
                Some(before) if before.state == now.state => EntityOutcome::Unchanged,
                _ => EntityOutcome::Done,
            },
            Self::State(described) => described.outcome(before, now),
        }
    }
}

/// The expectation for `light.turn_on`.
fn light(data: &Map<String, Value>) -> StatePattern {
    let number = |field: &str| data.get(field).and_then(Value::as_f64);
    if number("brightness_pct").or_else(|| number("brightness")) == Some(0.0) {
        return StatePattern::words(&["off"]);
    }
    let mut described = StatePattern::words(&["on"]).with(data, "brightness", "brightness", 3.0);
    described = described.with(data, "color_temp_kelvin", "color_temp_kelvin", 120.0);
    if let Some(percent) = number("brightness_pct") {
        // The call has percent, the attribute has 0 to 255.
        let value = (percent * 2.55).round().into();
        described.attributes.push(ExpectedAttribute { attribute: "brightness", value, off: 3.0 });
    }
    let rgb = data.get("rgb_color").cloned().or_else(|| colour::rgb(data.get("color_name")?.as_str()?));
    if let Some(rgb) = rgb {
        described.attributes.push(ExpectedAttribute { attribute: "rgb_color", value: rgb, off: colour::OFF });
    }
    described
}

/// Fields that the attributes above verify.
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
/// Fields that describe how the change is made, not its result.
const MANNER: &[&str] = &["transition", "flash"];

impl StatePattern {
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

    /// Expects an attribute to have the value given in the call.
    fn with(mut self, data: &Map<String, Value>, field: &str, attribute: &'static str, off: f64) -> Self {
        self.attributes.extend(data.get(field).cloned().map(|value| ExpectedAttribute { attribute, value, off }));
        self
    }

    /// Expects the state to be the value given in the call.
    fn with_word(mut self, data: &Map<String, Value>, field: &str) -> Self {
        let word = data.get(field).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        self.words.extend(word);
        self
    }

    /// Records whether the call has fields that cannot be verified.
    fn covering(mut self, data: &Map<String, Value>) -> Self {
        let is_colour =
            |name: &str| name == "color_name" && self.attributes.iter().any(|it| it.attribute == "rgb_color");
        let is_seen =
            |name: &String| SEEN.contains(&name.as_str()) || MANNER.contains(&name.as_str()) || is_colour(name);
        self.is_partial = !data.keys().all(is_seen);
        self
    }

    fn outcome(&self, before: Option<&EntityState>, now: &EntityState) -> EntityOutcome {
        let was_so = before.is_some_and(|before| self.is_met(before, true));
        let has_changed = before.is_some_and(|before| before.state != now.state);
        let is_so = self.is_met(now, false) || has_changed && self.if_changed.contains(&now.state.as_str());
        match (is_so, was_so) {
            (true, _) if self.is_partial => EntityOutcome::Unverified,
            (true, true) => EntityOutcome::Already,
            (true, false) => EntityOutcome::Done,
            (false, _) if self.on_the_way.contains(&now.state.as_str()) => EntityOutcome::OnTheWay,
            (false, _) => EntityOutcome::Unchanged,
        }
    }

    fn is_met(&self, state: &EntityState, exactly: bool) -> bool {
        let is_word = self.words.is_empty() || self.words.iter().any(|word| same_word(word, &state.state));
        let is_attribute = |wanted: &ExpectedAttribute| {
            let off = if exactly && wanted.attribute != "rgb_color" { EXACT } else { wanted.off };
            state.attributes.get(wanted.attribute).is_some_and(|is| is_near(is, &wanted.value, off))
        };
        is_word && self.attributes.iter().all(is_attribute)
    }
}

/// Whether two states are equal; `21` and `21.0` are.
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

    fn state(id: &str, word: &str, attributes: Value) -> EntityState {
        let at = Timestamp::from_millis(0);
        let attributes = attributes.as_object().cloned().unwrap_or_default();
        EntityState {
            entity_id: id.parse().unwrap(),
            state: word.to_owned(),
            attributes,
            changed_at: at,
            updated_at: at,
        }
    }

    /// The outcome of a service, given the states before and after.
    fn came(service: &str, data: &Value, before: &EntityState, now: &EntityState) -> EntityOutcome {
        let data = data.as_object().cloned().unwrap_or_default();
        Expectation::of(before.entity_id.domain(), service, &data, Some(before)).outcome(Some(before), Some(now))
    }

    #[test]
    fn a_fan_goes_to_one_of_its_speeds() {
        let fan =
            |percent: i32, step: f64| state("fan.a", "on", json!({ "percentage": percent, "percentage_step": step }));
        let set = |percent: i32, before: &EntityState, now: &EntityState| {
            came("set_percentage", &json!({ "percentage": percent }), before, now)
        };
        assert_eq!(set(75, &fan(50, 25.0), &fan(75, 25.0)), EntityOutcome::Done);
        assert_eq!(set(75, &fan(50, 25.0), &fan(50, 25.0)), EntityOutcome::Unchanged);
        assert_eq!(set(75, &fan(75, 25.0), &fan(75, 25.0)), EntityOutcome::Already);
        assert_eq!(set(40, &fan(33, 33.33), &fan(66, 33.33)), EntityOutcome::Done, "the next of three");
    }

    #[test]
    fn a_lamp_in_another_colour_was_not_as_it_should_be() {
        let lamp = |colour: [i32; 3]| state("light.a", "on", json!({ "brightness": 255, "rgb_color": colour }));
        let (red, blue) = (lamp([255, 0, 0]), lamp([0, 0, 255]));
        assert_eq!(came("turn_on", &json!({ "color_name": "blue" }), &red, &blue), EntityOutcome::Done);
        assert_eq!(came("turn_on", &json!({ "color_name": "blue" }), &blue, &blue), EntityOutcome::Already);
    }

    #[test]
    fn what_was_so_before_is_so_already() {
        let heats = state("climate.a", "heat", Value::Null);
        let off = state("climate.a", "off", Value::Null);
        assert_eq!(came("turn_on", &Value::Null, &heats, &heats), EntityOutcome::Already);
        assert_eq!(came("turn_on", &Value::Null, &off, &off), EntityOutcome::Unchanged);
        let number = |word: &str| state("input_number.a", word, Value::Null);
        assert_eq!(came("set_value", &json!({ "value": 2 }), &number("2.0"), &number("2.0")), EntityOutcome::Already);
        assert_eq!(came("set_value", &json!({ "value": 2 }), &number("1.0"), &number("2.0")), EntityOutcome::Done);
        assert_eq!(came("set_value", &json!({ "value": 2 }), &number("1.0"), &number("1.0")), EntityOutcome::Unchanged);
    }
}
