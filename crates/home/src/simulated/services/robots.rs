//! What drives about: the vacuum and the mower.

use super::{Did, at, now};
use crate::simulated::furniture::Face;

const MINUTE: i64 = 60_000;

pub(super) fn tell(service: &str, face: &Face) -> Did {
    let works = matches!(face.state.as_str(), "cleaning" | "mowing");
    match service {
        "start" => Ok(Some(vec![
            at(0, Face::word("cleaning")),
            at(45 * MINUTE, Face::word("returning")),
            at(47 * MINUTE, Face::word("docked")),
        ])),
        "start_mowing" => Ok(Some(vec![
            at(0, Face::word("mowing")),
            at(70 * MINUTE, Face::word("returning")),
            at(73 * MINUTE, Face::word("docked")),
        ])),
        "pause" if works => now(Face::word("paused")),
        "stop" if works => now(Face::word("idle")),
        "return_to_base" | "dock" if face.state != "docked" => {
            Ok(Some(vec![at(0, Face::word("returning")), at(MINUTE, Face::word("docked"))]))
        }
        _ => Ok(None),
    }
}
