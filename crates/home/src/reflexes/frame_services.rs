//! The service for an action on an entity, if its kind has one.

use reflex::{Action, Amount};
use serde_json::{Map, Value, json};

use super::act::{DEGREES, whole};
use crate::index::EntitySnapshot;

/// One step of brightness or speed, in percent.
const PERCENT_STEP: f64 = 20.0;
/// One step of volume, in percent.
const VOLUME_STEP: f64 = 10.0;
/// One step of temperature, in degrees.
const WARMTH_STEP: f64 = 1.0;
/// "Up by 20" is no step of temperature, but where to.
const WARMTH_MOST: f64 = 5.0;

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
    if action.is_relative() {
        return relative(action, amount, domain, snapshot);
    }
    if let Some(amount) = amount {
        return set(amount, domain, kinds, snapshot).filter(|_| action == Action::Set);
    }
    let service = match domain {
        "light" => return light(action),
        "fan" => return fan(action),
        "climate" => return climate(action),
        "media_player" => return player(action),
        "switch" | "input_boolean" | "humidifier" | "siren" => match action {
            Action::On | Action::Start | Action::Activate => "turn_on",
            Action::Off | Action::Stop | Action::Disarm => "turn_off",
            Action::Toggle => "toggle",
            _ => return None,
        },
        "cover" => match action {
            Action::Open => "open_cover",
            Action::Close => "close_cover",
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

/// More or less of what there is: by so much, or by one step.
fn relative(action: Action, by: Option<&Amount>, domain: &str, snapshot: &EntitySnapshot) -> Option<ServiceStep> {
    let is_more = matches!(action, Action::Raise | Action::Brighter | Action::Louder | Action::Warmer);
    let signed = |by: f64| if is_more { by } else { -by };
    let step = |usual: f64, most: f64, is_unit: fn(&Amount) -> Option<f64>| match by {
        None => Some(signed(usual)),
        Some(amount) => is_unit(amount).filter(|by| *by > 0.0 && *by <= most).map(signed),
    };
    let percent = |amount: &Amount| match amount {
        Amount::Percent(by) | Amount::Plain(by) => Some(*by),
        _ => None,
    };
    let degrees = |amount: &Amount| match amount {
        Amount::Degrees(by) | Amount::Plain(by) => Some(*by),
        _ => None,
    };
    match domain {
        // "Quieter" of a lamp is less light, in languages that have one word for both.
        "light" if !matches!(action, Action::Warmer | Action::Cooler) => {
            // A light that is off is not made darker.
            let now = number(snapshot, "brightness").filter(|_| snapshot.word() == "on").map(|it| it / 2.55)?;
            let next = now + step(PERCENT_STEP, 100.0, percent)?;
            with("turn_on", "brightness_pct", whole(next.round().clamp(1.0, 100.0)))
        }
        "fan" if matches!(action, Action::Raise | Action::Louder | Action::Lower | Action::Quieter) => {
            let next = number(snapshot, "percentage")? + step(PERCENT_STEP, 100.0, percent)?;
            with("set_percentage", "percentage", whole(next.clamp(0.0, 100.0)))
        }
        "climate" if matches!(action, Action::Warmer | Action::Raise | Action::Cooler | Action::Lower) => {
            let next = number(snapshot, "temperature")? + step(WARMTH_STEP, WARMTH_MOST, degrees)?;
            with("set_temperature", "temperature", whole(next))
        }
        "media_player" if matches!(action, Action::Louder | Action::Raise | Action::Quieter | Action::Lower) => {
            match number(snapshot, "volume_level") {
                Some(now) => {
                    let next = now * 100.0 + step(VOLUME_STEP, 100.0, percent)?;
                    with("volume_set", "volume_level", json!(next.clamp(0.0, 100.0).round() / 100.0))
                }
                None if by.is_some() => None,
                None => plain(if is_more { "volume_up" } else { "volume_down" }),
            }
        }
        "cover" if by.is_none() && action == Action::Raise => plain("open_cover"),
        "cover" if by.is_none() && action == Action::Lower => plain("close_cover"),
        _ => None,
    }
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

fn light(action: Action) -> Option<ServiceStep> {
    plain(match action {
        Action::On | Action::Activate => "turn_on",
        Action::Off => "turn_off",
        Action::Toggle => "toggle",
        _ => return None,
    })
}

fn fan(action: Action) -> Option<ServiceStep> {
    plain(match action {
        Action::On | Action::Start | Action::Activate => "turn_on",
        Action::Off | Action::Stop => "turn_off",
        Action::Toggle => "toggle",
        _ => return None,
    })
}

fn climate(action: Action) -> Option<ServiceStep> {
    plain(match action {
        Action::On | Action::Start | Action::Activate => "turn_on",
        Action::Off | Action::Stop => "turn_off",
        _ => return None,
    })
}

fn player(action: Action) -> Option<ServiceStep> {
    match action {
        Action::On => plain("turn_on"),
        Action::Off => plain("turn_off"),
        Action::Pause => plain("media_pause"),
        Action::Resume | Action::Start => plain("media_play"),
        Action::Stop => plain("media_stop"),
        Action::Next => plain("media_next_track"),
        Action::Previous => plain("media_previous_track"),
        Action::Mute => with("volume_mute", "is_volume_muted", true.into()),
        Action::Unmute => with("volume_mute", "is_volume_muted", false.into()),
        _ => None,
    }
}
