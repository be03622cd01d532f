//! Which schedules of a session wait for something that has happened.

use std::collections::BTreeSet;

use protocol::{Body, Event, MessageChannel, Origin, RunCause, ScheduleId, Trigger};
use schedule::{Schedule, ScheduleStatus};
use session::State;

use crate::plans::EntityChange;

/// The entities that the session's schedules wait for.
pub(super) fn entities(state: &State) -> BTreeSet<String> {
    let waiting = state.schedules.open().filter(|schedule| schedule.status == ScheduleStatus::Active);
    waiting.filter_map(|schedule| entity(schedule).map(str::to_owned)).collect()
}

/// The entity that a schedule waits for.
pub(super) fn entity(schedule: &Schedule) -> Option<&str> {
    match schedule.spec.when.trigger() {
        Some(Trigger::Home { entity_id, .. }) => Some(entity_id),
        _ => None,
    }
}

/// The schedules that a change of the home starts, and why.
pub(super) fn of_home(state: &State, change: &EntityChange) -> Vec<(ScheduleId, RunCause)> {
    let is_meant = |schedule: &&Schedule| match schedule.spec.when.trigger() {
        Some(Trigger::Home { entity_id, to, from }) => {
            *entity_id == change.entity_id
                && to.as_ref().is_none_or(|to| *to == change.to)
                && from.as_ref().is_none_or(|from| *from == change.from)
        }
        _ => false,
    };
    let cause = RunCause {
        id: format!("{}@{}", change.entity_id, change.at.as_millis()),
        text: format!("{} ({}) has changed from {} to {}.", change.name, change.entity_id, change.from, change.to),
        // Names and states come from the home, where others may have written them.
        origin: Origin::Untrusted,
    };
    state.schedules.open().filter(is_meant).map(|schedule| (schedule.id, cause.clone())).collect()
}

/// The schedules that the end of a turn starts; `state` is the state before the event. A turn that
/// a schedule has begun starts none, so that none begins without end.
pub(super) fn of_turn(state: &State, event: &Event) -> Vec<(ScheduleId, RunCause)> {
    let Body::TurnStatus(change) = &event.body else { return Vec::new() };
    let ended = event.turn_id.filter(|_| change.status.status().is_final()).and_then(|id| state.open_turn(id));
    let Some(turn) = ended.filter(|turn| !matches!(turn.request.via, MessageChannel::Schedule(_))) else {
        return Vec::new();
    };
    let cause = RunCause { id: turn.id.to_string(), text: String::new(), origin: Origin::Trusted };
    let waits = |schedule: &&Schedule| schedule.spec.when.trigger() == Some(&Trigger::TurnEnded);
    state.schedules.open().filter(waits).map(|schedule| (schedule.id, cause.clone())).collect()
}
