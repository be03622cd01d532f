//! The alarm.

use super::{PhasesResult, at, now};
use crate::layout::SimulatedState;

/// The delay before the alarm is armed.
const LEAVING_MILLIS: i64 = 5_000;

pub(super) fn tell(service: &str, sim_state: &SimulatedState) -> PhasesResult {
    let armed = match service {
        "alarm_arm_home" => "armed_home",
        "alarm_arm_away" => "armed_away",
        "alarm_arm_night" => "armed_night",
        "alarm_disarm" => return now(SimulatedState::word("disarmed")),
        "alarm_trigger" => return now(SimulatedState::word("triggered")),
        _ => return Ok(None),
    };
    if sim_state.state == armed {
        return Ok(None);
    }
    Ok(Some(vec![at(0, SimulatedState::word("arming")), at(LEAVING_MILLIS, SimulatedState::word(armed))]))
}
