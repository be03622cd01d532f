//! Covers, valves and locks, which take some time to move.

use super::{PhasesResult, at, data::CallData, now, unable};
use crate::layout::{SimulatedEntity, SimulatedState};

/// The time that blinds take from end to end.
const BLINDS_MILLIS: f64 = 4_000.0;
/// The time that a garage door takes.
const GARAGE_MILLIS: i64 = 6_000;
/// The time that a valve takes.
const VALVE_MILLIS: i64 = 1_500;
/// The time that a lock takes.
const BOLT_MILLIS: i64 = 900;

pub(super) fn tell(
    service: &str,
    entity: &SimulatedEntity,
    sim_state: &SimulatedState,
    data: CallData<'_>,
) -> PhasesResult {
    let is_open = matches!(sim_state.state.as_str(), "open" | "opening");
    match service {
        "lock" => turn(sim_state, "locking", "locked", BOLT_MILLIS),
        "unlock" => turn(sim_state, "unlocking", "unlocked", BOLT_MILLIS),
        "open" => Err(unable(entity, "opening the latch")),
        "open_valve" => turn(sim_state, "opening", "open", VALVE_MILLIS),
        "close_valve" => turn(sim_state, "closing", "closed", VALVE_MILLIS),
        "toggle" if entity.domain() == "valve" => {
            tell(if is_open { "close_valve" } else { "open_valve" }, entity, sim_state, data)
        }
        "set_valve_position" => Err(unable(entity, "a position")),
        "open_cover" => go(entity, sim_state, 100.0),
        "close_cover" => go(entity, sim_state, 0.0),
        "toggle" => go(entity, sim_state, if is_open { 0.0 } else { 100.0 }),
        "set_cover_position" => {
            let position = data.needed_number("position", 0.0, 100.0)?;
            if position_of(sim_state).is_none() {
                return Err(unable(entity, "a position"));
            }
            go(entity, sim_state, position)
        }
        // A moving cover stops where it is.
        _ if matches!(sim_state.state.as_str(), "opening" | "closing") => {
            let state = if position_of(sim_state) == Some(0.0) { "closed" } else { "open" };
            now(SimulatedState { state: state.to_owned(), ..sim_state.clone() })
        }
        _ => Ok(None),
    }
}

fn turn(sim_state: &SimulatedState, moving: &str, moved: &str, millis: i64) -> PhasesResult {
    if sim_state.state == moved {
        return Ok(None);
    }
    Ok(Some(vec![at(0, SimulatedState::word(moving)), at(millis, SimulatedState::word(moved))]))
}

fn position_of(sim_state: &SimulatedState) -> Option<f64> {
    sim_state.number("current_position")
}

fn go(entity: &SimulatedEntity, sim_state: &SimulatedState, position: f64) -> PhasesResult {
    let Some(from) = position_of(sim_state) else {
        let (moving, moved) = if position > 0.0 { ("opening", "open") } else { ("closing", "closed") };
        let millis = if entity.class.as_deref() == Some("garage") { GARAGE_MILLIS } else { VALVE_MILLIS };
        return turn(sim_state, moving, moved, millis);
    };
    let stands = |state: &str, position: f64| {
        let mut sim_state = SimulatedState { state: state.to_owned(), ..sim_state.clone() };
        #[allow(clippy::cast_possible_truncation, reason = "a percentage")]
        sim_state.attributes.insert("current_position".to_owned(), (position.round() as i64).into());
        sim_state
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
