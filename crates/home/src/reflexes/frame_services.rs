//! The service for an action on an entity, if its kind has one.

use reflex::{Action, Amount};
use serde_json::{Map, Value, json};

use super::act::whole;
use crate::index::EntitySnapshot;

/// One step of brightness or speed, in percent.
const PERCENT_STEP: f64 = 20.0;
/// One step of volume, in percent.
const VOLUME_STEP: f64 = 10.0;
/// One step of temperature, in degrees.
const WARMTH_STEP: f64 = 1.0;
/// The range of temperatures that a sentence may set.
const DEGREES: std::ops::RangeInclusive<f64> = 5.0..=90.0;

/// The modes of heating that a sentence may set.
const HVAC_MODES: &[&str] = &["auto", "heat", "cool", "dry", "fan_only"];

/// A service with its data.
pub(super) type ServiceStep = (&'static str, Map<String, Value>);

/// The service for an action on one entity; `None` if it has none. `kinds` are what the sentence
/// calls the entity: a lamp is not a scene.
pub(super) fn step(
    action: Action,
    amount: Option<&Amount>,
    kinds: &[String],
    snapshot: &EntitySnapshot,
) -> Option<ServiceStep> {
    let domain = snapshot.entity.id.domain();
    if !kinds.iter().all(|kind| fits(kind, domain)) {
        return None;
    }
    if let (Some(Amount::Mode(mode)), "alarm_control_panel") = (amount, domain) {
        let is_armed = matches!(action, Action::Set | Action::Arm | Action::On | Action::Activate);
        return armed(mode).filter(|_| is_armed);
    }
    if let Some(amount) = amount {
        return set(amount, domain, kinds, snapshot).filter(|_| action == Action::Set);
    }
    let service = match domain {
        "light" => return light(action, snapshot),
        "fan" => return fan(action, snapshot),
        "climate" => return climate(action, snapshot),
        "media_player" => return player(action, snapshot),
        "switch" | "input_boolean" | "humidifier" | "siren" => match action {
            Action::On | Action::Start | Action::Activate => "turn_on",
            Action::Off | Action::Stop | Action::Disarm => "turn_off",
            Action::Toggle => "toggle",
            _ => return None,
        },
        "cover" => match action {
            Action::Open | Action::Raise => "open_cover",
            Action::Close | Action::Lower => "close_cover",
            Action::Stop => "stop_cover",
            Action::Toggle => "toggle",
            _ => return None,
        },
        "lock" => match action {
            Action::Lock | Action::Close => "lock",
            Action::Unlock | Action::Open => "unlock",
            _ => return None,
        },
        "vacuum" => match action {
            Action::Start | Action::Clean | Action::On | Action::Resume => "start",
            Action::Dock | Action::Off => "return_to_base",
            Action::Pause => "pause",
            Action::Stop => "stop",
            _ => return None,
        },
        "lawn_mower" => match action {
            Action::Start | Action::Mow | Action::On | Action::Resume => "start_mowing",
            Action::Dock | Action::Off => "dock",
            Action::Pause | Action::Stop => "pause",
            _ => return None,
        },
        "valve" => match action {
            Action::Open | Action::On | Action::Start => "open_valve",
            Action::Close | Action::Off | Action::Stop => "close_valve",
            _ => return None,
        },
        "scene" | "script" => match action {
            Action::On | Action::Activate | Action::Start | Action::Set => "turn_on",
            _ => return None,
        },
        "button" | "input_button" => match action {
            Action::On | Action::Activate | Action::Start => "press",
            _ => return None,
        },
        "alarm_control_panel" => match action {
            Action::Arm | Action::On | Action::Activate => "alarm_arm_away",
            Action::Disarm | Action::Off => "alarm_disarm",
            _ => return None,
        },
        _ => return None,
    };
    Some((service, Map::new()))
}

/// Whether a sentence may call an entity of a domain by a kind.
fn fits(kind: &str, domain: &str) -> bool {
    match kind {
        "light" | "fan" | "climate" | "vacuum" | "valve" | "scene" | "script" | "lock" => kind == domain,
        "blind" | "shutter" | "curtain" | "awning" | "garage" | "gate" | "cover" | "window" => domain == "cover",
        "door" => matches!(domain, "lock" | "cover"),
        "tv" | "radio" | "speaker" | "media" | "volume" => domain == "media_player",
        "mower" => domain == "lawn_mower",
        "alarm" => domain == "alarm_control_panel",
        "list" => domain == "todo",
        "switch" => matches!(domain, "switch" | "input_boolean"),
        "temperature" => domain == "climate",
        "brightness" | "color" => domain == "light",
        "position" => matches!(domain, "cover" | "valve"),
        _ => false,
    }
}

fn with(service: &'static str, field: &str, value: Value) -> Option<ServiceStep> {
    Some((service, Map::from_iter([(field.to_owned(), value)])))
}

fn plain(service: &'static str) -> Option<ServiceStep> {
    Some((service, Map::new()))
}

fn set(amount: &Amount, domain: &str, kinds: &[String], snapshot: &EntitySnapshot) -> Option<ServiceStep> {
    let is_kind = |name: &str| kinds.iter().any(|kind| kind == name);
    let percent = match amount {
        Amount::Percent(percent) | Amount::Plain(percent) => Some(*percent).filter(|it| (0.0..=100.0).contains(it)),
        _ => None,
    };
    match (domain, amount) {
        ("light", Amount::Color(name)) => with("turn_on", "color_name", name.as_str().into()),
        ("light", Amount::Kelvin(kelvin)) if (1000.0..=12_000.0).contains(kelvin) => {
            with("turn_on", "color_temp_kelvin", whole(*kelvin))
        }
        ("light", _) => with("turn_on", "brightness_pct", whole(percent?)),
        ("cover", _) => with("set_cover_position", "position", whole(percent?)),
        ("valve", Amount::Percent(_)) => with("set_valve_position", "position", whole(percent?)),
        ("fan", _) => with("set_percentage", "percentage", whole(percent?)),
        // A number is a volume only if it is called one.
        ("media_player", Amount::Plain(_)) if !is_kind("volume") => None,
        ("media_player", _) => with("volume_set", "volume_level", json!(percent? / 100.0)),
        ("climate", Amount::Degrees(degrees) | Amount::Plain(degrees)) if DEGREES.contains(degrees) => {
            with("set_temperature", "temperature", whole(*degrees))
        }
        ("climate", Amount::Mode(mode)) if HVAC_MODES.contains(&mode.as_str()) => {
            let modes =
                snapshot.state.as_ref().and_then(|state| state.attributes.get("hvac_modes")?.as_array().cloned());
            let has = modes.is_none_or(|modes| modes.iter().any(|known| known.as_str() == Some(mode)));
            with("set_hvac_mode", "hvac_mode", mode.as_str().into()).filter(|_| has)
        }
        _ => None,
    }
}

/// An alarm is armed in the mode that is said, with no guess between them.
fn armed(mode: &str) -> Option<ServiceStep> {
    plain(match mode {
        "night" => "alarm_arm_night",
        "away" => "alarm_arm_away",
        "home" => "alarm_arm_home",
        _ => return None,
    })
}

fn number(snapshot: &EntitySnapshot, attribute: &str) -> Option<f64> {
    snapshot.state.as_ref().and_then(|state| state.number(attribute))
}

fn light(action: Action, snapshot: &EntitySnapshot) -> Option<ServiceStep> {
    let by = match action {
        Action::On | Action::Activate => return plain("turn_on"),
        Action::Off => return plain("turn_off"),
        Action::Toggle => return plain("toggle"),
        Action::Brighter | Action::Raise => PERCENT_STEP,
        Action::Darker | Action::Lower => -PERCENT_STEP,
        // "Quieter" of a lamp is less light, in languages that have one word for both.
        Action::Louder => PERCENT_STEP,
        Action::Quieter => -PERCENT_STEP,
        _ => return None,
    };
    // A light that is off is not made darker.
    let now = number(snapshot, "brightness").filter(|_| snapshot.word() == "on").map(|it| it / 2.55)?;
    with("turn_on", "brightness_pct", whole((now + by).round().clamp(1.0, 100.0)))
}

fn fan(action: Action, snapshot: &EntitySnapshot) -> Option<ServiceStep> {
    let by = match action {
        Action::On | Action::Start | Action::Activate => return plain("turn_on"),
        Action::Off | Action::Stop => return plain("turn_off"),
        Action::Toggle => return plain("toggle"),
        Action::Raise | Action::Louder => PERCENT_STEP,
        Action::Lower | Action::Quieter => -PERCENT_STEP,
        _ => return None,
    };
    let now = number(snapshot, "percentage")?;
    with("set_percentage", "percentage", whole((now + by).clamp(0.0, 100.0)))
}

fn climate(action: Action, snapshot: &EntitySnapshot) -> Option<ServiceStep> {
    let by = match action {
        Action::On | Action::Start | Action::Activate => return plain("turn_on"),
        Action::Off | Action::Stop => return plain("turn_off"),
        Action::Warmer | Action::Raise => WARMTH_STEP,
        Action::Cooler | Action::Lower => -WARMTH_STEP,
        _ => return None,
    };
    with("set_temperature", "temperature", whole(number(snapshot, "temperature")? + by))
}

fn player(action: Action, snapshot: &EntitySnapshot) -> Option<ServiceStep> {
    let by = match action {
        Action::On => return plain("turn_on"),
        Action::Off => return plain("turn_off"),
        Action::Pause => return plain("media_pause"),
        Action::Resume | Action::Start => return plain("media_play"),
        Action::Stop => return plain("media_stop"),
        Action::Next => return plain("media_next_track"),
        Action::Previous => return plain("media_previous_track"),
        Action::Mute => return with("volume_mute", "is_volume_muted", true.into()),
        Action::Unmute => return with("volume_mute", "is_volume_muted", false.into()),
        Action::Louder | Action::Raise => VOLUME_STEP,
        Action::Quieter | Action::Lower => -VOLUME_STEP,
        _ => return None,
    };
    match number(snapshot, "volume_level") {
        Some(now) => with("volume_set", "volume_level", json!(((now * 100.0 + by).clamp(0.0, 100.0)).round() / 100.0)),
        None => plain(if by < 0.0 { "volume_down" } else { "volume_up" }),
    }
}
