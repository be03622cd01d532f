//! Thermostats.

use home::HomeError;
use serde_json::{Value, json};

use super::{PhasesResult, data::CallData, now, unable};
use crate::layout::{SimulatedEntity, SimulatedState};

pub(super) fn tell(
    service: &str,
    entity: &SimulatedEntity,
    sim_state: &SimulatedState,
    data: CallData<'_>,
) -> PhasesResult {
    let mut next = sim_state.clone();
    // These come from the room.
    next.attributes.retain(|key, _| key != "current_temperature" && key != "hvac_action");
    match service {
        "set_temperature" => {
            if data.has("target_temp_high") || data.has("target_temp_low") {
                return Err(unable(entity, "a range of temperatures"));
            }
            let limit = |key: &str, other: f64| entity.attributes.get(key).and_then(Value::as_f64).unwrap_or(other);
            let (least, most) = (limit("min_temp", 7.0), limit("max_temp", 35.0));
            let wanted = data.needed_number("temperature", -273.0, 1_000.0)?;
            if !(least..=most).contains(&wanted) {
                return Err(HomeError::Invalid(format!(
                    "Provided temperature {wanted} is not valid. Accepted range is {least} to {most}"
                )));
            }
            if data.has("hvac_mode") {
                next.state = mode(entity, data)?;
            }
            next.attributes.insert("temperature".to_owned(), json!((wanted * 2.0).round() / 2.0));
        }
        "set_hvac_mode" => next.state = mode(entity, data)?,
        "set_preset_mode" => {
            let preset = one_of(entity, "preset_modes", data.needed_text("preset_mode")?)?;
            next.attributes.insert("preset_mode".to_owned(), preset.into());
        }
        "turn_off" => "off".clone_into(&mut next.state),
        "toggle" if sim_state.state != "off" => "off".clone_into(&mut next.state),
        _ => "heat".clone_into(&mut next.state),
    }
    now(next)
}

fn mode(entity: &SimulatedEntity, data: CallData<'_>) -> Result<String, HomeError> {
    one_of(entity, "hvac_modes", data.needed_text("hvac_mode")?)
}

/// A value out of those that an entity supports.
pub(super) fn one_of(entity: &SimulatedEntity, among: &str, word: &str) -> Result<String, HomeError> {
    let known = entity.attributes.get(among).and_then(Value::as_array);
    let known: Vec<&str> = known.into_iter().flatten().filter_map(Value::as_str).collect();
    if known.contains(&word) {
        return Ok(word.to_owned());
    }
    Err(HomeError::Invalid(format!("`{word}` is not valid for {}. Valid are: {}", entity.id, known.join(", "))))
}
