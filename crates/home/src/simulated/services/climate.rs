//! Thermostats.

use serde_json::{Value, json};

use super::{Did, data::Data, now, unable};
use crate::{
    HouseError,
    simulated::furniture::{Face, Piece},
};

pub(super) fn tell(service: &str, piece: &Piece, face: &Face, data: Data<'_>) -> Did {
    let mut next = face.clone();
    // The room says these by itself.
    next.attributes.retain(|key, _| key != "current_temperature" && key != "hvac_action");
    match service {
        "set_temperature" => {
            if data.has("target_temp_high") || data.has("target_temp_low") {
                return Err(unable(piece, "a range of temperatures"));
            }
            let limit = |key: &str, other: f64| piece.statics.get(key).and_then(Value::as_f64).unwrap_or(other);
            let (least, most) = (limit("min_temp", 7.0), limit("max_temp", 35.0));
            let wanted = data.needed_number("temperature", -273.0, 1_000.0)?;
            if !(least..=most).contains(&wanted) {
                return Err(HouseError::Invalid(format!(
                    "Provided temperature {wanted} is not valid. Accepted range is {least} to {most}"
                )));
            }
            if data.has("hvac_mode") {
                next.state = mode(piece, data)?;
            }
            next.attributes.insert("temperature".to_owned(), json!((wanted * 2.0).round() / 2.0));
        }
        "set_hvac_mode" => next.state = mode(piece, data)?,
        "set_preset_mode" => {
            let preset = one_of(piece, "preset_modes", data.needed_text("preset_mode")?)?;
            next.attributes.insert("preset_mode".to_owned(), preset.into());
        }
        "turn_off" => "off".clone_into(&mut next.state),
        "toggle" if face.state != "off" => "off".clone_into(&mut next.state),
        _ => "heat".clone_into(&mut next.state),
    }
    now(next)
}

fn mode(piece: &Piece, data: Data<'_>) -> Result<String, HouseError> {
    one_of(piece, "hvac_modes", data.needed_text("hvac_mode")?)
}

/// A word out of those that an entity knows.
pub(super) fn one_of(piece: &Piece, among: &str, word: &str) -> Result<String, HouseError> {
    let known = piece.statics.get(among).and_then(Value::as_array);
    let known: Vec<&str> = known.into_iter().flatten().filter_map(Value::as_str).collect();
    if known.contains(&word) {
        return Ok(word.to_owned());
    }
    Err(HouseError::Invalid(format!("`{word}` is not valid for {}. Valid are: {}", piece.id, known.join(", "))))
}
