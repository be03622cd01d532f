//! Lights.

use std::collections::BTreeMap;

use home::HomeError;
use serde_json::{Value, json};

use super::{PhasesResult, at, data::CallData, now};
use crate::{
    actions::StatePhase,
    layout::{SimulatedEntity, SimulatedState},
};

/// Red, green and blue by name.
type Colours = BTreeMap<String, [u8; 3]>;

pub(super) fn tell(
    service: &str,
    entity: &SimulatedEntity,
    sim_state: &SimulatedState,
    data: CallData<'_>,
    colours: &Colours,
) -> PhasesResult {
    let is_on = sim_state.state == "on";
    match service {
        "turn_off" => now(SimulatedState::word("off")),
        "toggle" if is_on => now(SimulatedState::word("off")),
        _ => turn_on(entity, sim_state, data, colours),
    }
}

fn turn_on(
    entity: &SimulatedEntity,
    sim_state: &SimulatedState,
    data: CallData<'_>,
    colours: &Colours,
) -> PhasesResult {
    let can = |mode: &str| {
        let modes = entity.attributes.get("supported_color_modes").and_then(Value::as_array);
        modes.is_some_and(|modes| modes.iter().any(|known| known == mode))
    };
    let (has_colour, has_white) = (can("rgb"), can("color_temp"));
    let dims = has_colour || has_white || can("brightness");
    let before = sim_state.number("brightness");
    let brightness = brightness(data, before)?;
    // As in Home Assistant, a light ignores what it does not support, and refuses invalid values.
    let (rgb, kelvin) = (rgb(data, colours)?, kelvin(data)?);
    if dims && brightness.is_some_and(|brightness| brightness < 0.5) {
        return now(SimulatedState::word("off"));
    }
    let mut attributes = sim_state.attributes.clone();
    if dims {
        #[allow(clippy::cast_possible_truncation, reason = "a brightness")]
        let brightness = brightness.or(before).unwrap_or(255.0).round() as i64;
        attributes.insert("brightness".to_owned(), brightness.into());
    }
    let was = attributes.get("color_mode").cloned();
    let mode = match (rgb, kelvin) {
        (Some(rgb), _) if has_colour => {
            attributes.remove("color_temp_kelvin");
            attributes.insert("rgb_color".to_owned(), json!(rgb));
            "rgb"
        }
        (_, Some(kelvin)) if has_white => {
            let limit = |key: &str, other: f64| entity.attributes.get(key).and_then(Value::as_f64).unwrap_or(other);
            let kelvin = kelvin.clamp(limit("min_color_temp_kelvin", 2_000.0), limit("max_color_temp_kelvin", 6_500.0));
            attributes.remove("rgb_color");
            #[allow(clippy::cast_possible_truncation, reason = "a colour temperature")]
            attributes.insert("color_temp_kelvin".to_owned(), (kelvin.round() as i64).into());
            "color_temp"
        }
        _ if has_white && was.is_none() => {
            attributes.insert("color_temp_kelvin".to_owned(), 3_000.into());
            "color_temp"
        }
        _ if was.is_some() => "",
        _ if dims => "brightness",
        _ => "onoff",
    };
    if !mode.is_empty() {
        attributes.insert("color_mode".to_owned(), mode.into());
    }
    let phases: Vec<StatePhase> = vec![at(0, SimulatedState { state: "on".to_owned(), attributes })];
    Ok(Some(phases))
}

fn brightness(data: CallData<'_>, before: Option<f64>) -> Result<Option<f64>, HomeError> {
    let percent = |percent: f64| percent * 255.0 / 100.0;
    let stepped = |step: f64| (before.unwrap_or(0.0) + step).clamp(0.0, 255.0);
    if let Some(brightness) = data.number("brightness", 0.0, 255.0)? {
        return Ok(Some(brightness));
    }
    if let Some(part) = data.number("brightness_pct", 0.0, 100.0)? {
        return Ok(Some(percent(part)));
    }
    if let Some(step) = data.number("brightness_step", -255.0, 255.0)? {
        return Ok(Some(stepped(step)));
    }
    Ok(data.number("brightness_step_pct", -100.0, 100.0)?.map(|step| stepped(percent(step))))
}

fn rgb(data: CallData<'_>, colours: &Colours) -> Result<Option<[u8; 3]>, HomeError> {
    if let Some(name) = data.text("color_name")? {
        let known = colours.get(&name.trim().to_lowercase().replace([' ', '_'], ""));
        let known = known.ok_or_else(|| HomeError::Invalid(format!("Unknown color: `{name}`")))?;
        return Ok(Some(*known));
    }
    let rgb = data.numbers("rgb_color", 3, 255.0)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be from 0 to 255")]
    Ok(rgb.and_then(|rgb| Some([*rgb.first()? as u8, *rgb.get(1)? as u8, *rgb.get(2)? as u8])))
}

fn kelvin(data: CallData<'_>) -> Result<Option<f64>, HomeError> {
    let kelvin = data.number("color_temp_kelvin", 1_000.0, 20_000.0)?;
    Ok(kelvin.or(data.number("kelvin", 1_000.0, 20_000.0)?))
}
