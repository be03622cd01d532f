//! What opens and closes, and takes its time: covers, valves, locks.

use super::{Did, at, data::Data, now, unable};
use crate::simulated::furniture::{Face, Piece};

/// How long blinds take for all the way.
const BLINDS_MILLIS: f64 = 4_000.0;
/// How long a garage's door takes.
const GARAGE_MILLIS: i64 = 6_000;
/// How long a valve takes.
const VALVE_MILLIS: i64 = 1_500;
/// How long a bolt takes.
const BOLT_MILLIS: i64 = 900;

pub(super) fn tell(service: &str, piece: &Piece, face: &Face, data: Data<'_>) -> Did {
    let is_open = matches!(face.state.as_str(), "open" | "opening");
    match service {
        "lock" => turn(face, "locking", "locked", BOLT_MILLIS),
        "unlock" => turn(face, "unlocking", "unlocked", BOLT_MILLIS),
        "open" => Err(unable(piece, "being opened without a hand")),
        "open_valve" => turn(face, "opening", "open", VALVE_MILLIS),
        "close_valve" => turn(face, "closing", "closed", VALVE_MILLIS),
        "toggle" if piece.domain() == "valve" => {
            tell(if is_open { "close_valve" } else { "open_valve" }, piece, face, data)
        }
        "set_valve_position" => Err(unable(piece, "a position")),
        "open_cover" => go(piece, face, 100.0),
        "close_cover" => go(piece, face, 0.0),
        "toggle" => go(piece, face, if is_open { 0.0 } else { 100.0 }),
        "set_cover_position" => {
            let position = data.needed_number("position", 0.0, 100.0)?;
            if position_of(face).is_none() {
                return Err(unable(piece, "a position"));
            }
            go(piece, face, position)
        }
        // Whatever moves stops where it is.
        _ if matches!(face.state.as_str(), "opening" | "closing") => {
            let state = if position_of(face) == Some(0.0) { "closed" } else { "open" };
            now(Face { state: state.to_owned(), ..face.clone() })
        }
        _ => Ok(None),
    }
}

fn turn(face: &Face, moving: &str, moved: &str, millis: i64) -> Did {
    if face.state == moved {
        return Ok(None);
    }
    Ok(Some(vec![at(0, Face::word(moving)), at(millis, Face::word(moved))]))
}

fn position_of(face: &Face) -> Option<f64> {
    face.number("current_position")
}

fn go(piece: &Piece, face: &Face, position: f64) -> Did {
    let Some(from) = position_of(face) else {
        let (moving, moved) = if position > 0.0 { ("opening", "open") } else { ("closing", "closed") };
        let millis = if piece.class == Some("garage") { GARAGE_MILLIS } else { VALVE_MILLIS };
        return turn(face, moving, moved, millis);
    };
    let stands = |state: &str, position: f64| {
        let mut face = Face { state: state.to_owned(), ..face.clone() };
        #[allow(clippy::cast_possible_truncation, reason = "a percentage")]
        face.attributes.insert("current_position".to_owned(), (position.round() as i64).into());
        face
    };
    let arrived = if position < 0.5 { "closed" } else { "open" };
    if (from - position).abs() < 0.5 {
        return now(stands(arrived, position));
    }
    let moving = if position > from { "opening" } else { "closing" };
    #[allow(clippy::cast_possible_truncation, reason = "seconds")]
    let millis = ((position - from).abs() / 100.0 * BLINDS_MILLIS).max(500.0) as i64;
    Ok(Some(vec![
        at(0, stands(moving, from)),
        at(millis / 2, stands(moving, f64::midpoint(from, position))),
        at(millis, stands(arrived, position)),
    ]))
}
