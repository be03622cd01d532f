//! The vacuum and the mower.

use super::{PhasesResult, at, now};
use crate::layout::SimulatedState;

const MINUTE: i64 = 60_000;

pub(super) fn tell(service: &str, sim_state: &SimulatedState) -> PhasesResult {
    let works = matches!(sim_state.state.as_str(), "cleaning" | "mowing");
    match service {
        "start" => Ok(Some(vec![
            at(0, SimulatedState::word("cleaning")),
            at(45 * MINUTE, SimulatedState::word("returning")),
            at(47 * MINUTE, SimulatedState::word("docked")),
        ])),
        "start_mowing" => Ok(Some(vec![
            at(0, SimulatedState::word("mowing")),
            at(70 * MINUTE, SimulatedState::word("returning")),
            at(73 * MINUTE, SimulatedState::word("docked")),
        ])),
        "pause" if works => now(SimulatedState::word("paused")),
        "stop" if works => now(SimulatedState::word("idle")),
        "return_to_base" | "dock" if sim_state.state != "docked" => {
            Ok(Some(vec![at(0, SimulatedState::word("returning")), at(MINUTE, SimulatedState::word("docked"))]))
        }
        _ => Ok(None),
    }
}
