//! Fans.

use serde_json::json;

use super::{PhasesResult, data::CallData, now, unable};
use crate::layout::{SimulatedEntity, SimulatedState};

pub(super) fn tell(
    service: &str,
    entity: &SimulatedEntity,
    sim_state: &SimulatedState,
    data: CallData<'_>,
) -> PhasesResult {
    let speed = sim_state.number("percentage").unwrap_or(0.0);
    if data.has("preset_mode") {
        return Err(unable(entity, "preset modes"));
    }
    let step = data.number("percentage_step", 0.0, 100.0)?.unwrap_or(25.0);
    let wanted = match service {
        "turn_off" => 0.0,
        "toggle" if sim_state.state == "on" => 0.0,
        "set_percentage" => data.needed_number("percentage", 0.0, 100.0)?,
        "increase_speed" => (speed + step).min(100.0),
        "decrease_speed" => (speed - step).max(0.0),
        _ => data.number("percentage", 0.0, 100.0)?.unwrap_or(if speed > 0.0 { speed } else { 50.0 }),
    };
    let state = if wanted > 0.0 { "on" } else { "off" };
    #[allow(clippy::cast_possible_truncation, reason = "a percentage")]
    now(SimulatedState::with(state, json!({"percentage": wanted.round() as i64})))
}
