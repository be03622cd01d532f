//! What is on or off, and the helpers that people make for themselves.

use serde_json::Value;

use super::{Did, climate::one_of, data::Data, now};
use crate::simulated::furniture::{Face, Piece};

pub(super) fn tell(service: &str, piece: &Piece, face: &Face, data: Data<'_>) -> Did {
    let stands = |state: &str| now(Face { state: state.to_owned(), ..face.clone() });
    match (piece.domain(), service) {
        ("input_number", _) => number(service, piece, face, data),
        ("input_select", "select_option") => stands(&one_of(piece, "options", data.needed_text("option")?)?),
        ("input_select", _) => stands(&neighbour(piece, face, service == "select_next")),
        (_, "turn_on") => stands("on"),
        (_, "turn_off") => stands("off"),
        (_, "toggle") => stands(if face.state == "on" { "off" } else { "on" }),
        _ => Ok(None),
    }
}

fn number(service: &str, piece: &Piece, face: &Face, data: Data<'_>) -> Did {
    let limit = |key: &str, other: f64| piece.statics.get(key).and_then(Value::as_f64).unwrap_or(other);
    let (least, most, step) = (limit("min", 0.0), limit("max", 100.0), limit("step", 1.0));
    let value: f64 = face.state.parse().unwrap_or(least);
    let next = match service {
        "increment" => (value + step).min(most),
        "decrement" => (value - step).max(least),
        _ => data.needed_number("value", least, most)?,
    };
    now(Face { state: format!("{next:.1}"), ..face.clone() })
}

fn neighbour(piece: &Piece, face: &Face, forward: bool) -> String {
    let options = piece.statics.get("options").and_then(Value::as_array);
    let options: Vec<&str> = options.into_iter().flatten().filter_map(Value::as_str).collect();
    let here = options.iter().position(|option| *option == face.state).unwrap_or(0);
    let step = if forward { 1 } else { options.len().saturating_sub(1) };
    options.get((here + step) % options.len().max(1)).map_or_else(|| face.state.clone(), |option| (*option).to_owned())
}
