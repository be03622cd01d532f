//! The alarm.

use super::{Did, at, now};
use crate::simulated::furniture::Face;

/// How long one has to leave the house.
const LEAVING_MILLIS: i64 = 5_000;

pub(super) fn tell(service: &str, face: &Face) -> Did {
    let armed = match service {
        "alarm_arm_home" => "armed_home",
        "alarm_arm_away" => "armed_away",
        "alarm_arm_night" => "armed_night",
        "alarm_disarm" => return now(Face::word("disarmed")),
        "alarm_trigger" => return now(Face::word("triggered")),
        _ => return Ok(None),
    };
    if face.state == armed {
        return Ok(None);
    }
    Ok(Some(vec![at(0, Face::word("arming")), at(LEAVING_MILLIS, Face::word(armed))]))
}
