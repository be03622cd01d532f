//! Which schedules of a session wait for something that has happened.

use std::collections::BTreeSet;

use ports::HomeEvent;
use protocol::{Body, Event, MessageChannel, Origin, OwnerId, RunCause, ScheduleId, Trigger};
use schedule::{Schedule, ScheduleStatus};
use serde_json::{Map, Value};
use session::State;

use crate::plans::{EndedTurn, EntityChange, TOLD_WITHIN, WatchKey};

/// Characters of an event's data that the run is given.
const DATA_CHARS_MAX: usize = 2_000;

/// What the session's schedules wait for outside of it.
pub(super) fn watched(state: &State) -> BTreeSet<String> {
    let waiting = state.schedules.open().filter(|schedule| schedule.status == ScheduleStatus::Active);
    waiting.filter_map(|schedule| key(&state.owner, schedule)).map(|key| key.to_string()).collect()
}

/// What a schedule waits for outside of its session.
pub(super) fn key(owner: &OwnerId, schedule: &Schedule) -> Option<WatchKey> {
    match schedule.spec.when.trigger()? {
        Trigger::Home { entity_id, .. } => Some(WatchKey::Entity(entity_id.clone())),
        Trigger::HomeEvent { event_type, .. } => Some(WatchKey::Event(event_type.clone())),
        Trigger::TurnEnded { any_session: true, .. } => Some(WatchKey::Turns { owner: owner.clone(), session: None }),
        Trigger::TurnEnded { session_id, .. } => {
            session_id.map(|id| WatchKey::Turns { owner: owner.clone(), session: Some(id) })
        }
        Trigger::Hook => None,
    }
}

/// The schedules that a change of the home starts, and why.
pub(super) fn of_home(state: &State, change: &EntityChange) -> Vec<(ScheduleId, RunCause)> {
    let is_meant = |trigger: &Trigger| match trigger {
        Trigger::Home { entity_id, to, from } => {
            *entity_id == change.entity_id
                && to.as_ref().is_none_or(|to| *to == change.to)
                && from.as_ref().is_none_or(|from| *from == change.from)
        }
        _ => false,
    };
    let cause = RunCause {
        // A state may be reached and left within a millisecond.
        id: format!("{}@{}:{}", change.entity_id, change.at.as_millis(), change.to),
        text: format!("{} ({}) has changed from {} to {}.", change.name, change.entity_id, change.from, change.to),
        // Names and states come from the home, where others may have written them.
        origin: Origin::Untrusted,
    };
    started(state, is_meant, &cause)
}

/// The schedules that an event of the home starts, and why.
pub(super) fn of_home_event(state: &State, event: &HomeEvent) -> Vec<(ScheduleId, RunCause)> {
    let is_meant = |trigger: &Trigger| match trigger {
        Trigger::HomeEvent { event_type, data } => *event_type == event.event_type && has(&event.data, data),
        _ => false,
    };
    let data: String = Value::Object(event.data.clone()).to_string().chars().take(DATA_CHARS_MAX).collect();
    let cause = RunCause {
        id: format!("{}#{}", event.event_type, event.id),
        text: format!("The home has reported the event {}: {data}", event.event_type),
        origin: Origin::Untrusted,
    };
    started(state, is_meant, &cause)
}

/// Whether the data of an event has all fields of a filter, also within objects.
fn has(data: &Map<String, Value>, filter: &Map<String, Value>) -> bool {
    filter.iter().all(|(name, wanted)| match (data.get(name), wanted) {
        (Some(Value::Object(found)), Value::Object(wanted)) => has(found, wanted),
        (found, wanted) => found == Some(wanted),
    })
}

/// A turn that an event ends; `state` is the state before the event. A turn that a schedule has
/// begun starts none, so that none begins without end.
pub(super) fn ended(state: &State, event: &Event) -> Option<EndedTurn> {
    let Body::TurnStatus(change) = &event.body else { return None };
    let turn = event.turn_id.filter(|_| change.status.status().is_final()).and_then(|id| state.open_turn(id))?;
    let is_own_work = matches!(turn.request.via, MessageChannel::Schedule(_));
    (!is_own_work && !state.temporary).then(|| EndedTurn {
        owner: state.owner.clone(),
        session_id: state.id,
        turn_id: turn.id,
        at: event.at,
        is_retold: false,
    })
}

/// The schedules that the end of a turn starts, of this session or another.
pub(super) fn of_turn(state: &State, ended: &EndedTurn) -> Vec<(ScheduleId, RunCause)> {
    if ended.owner != state.owner {
        return Vec::new();
    }
    let text = match ended.session_id == state.id {
        true => String::new(),
        false => format!("The turn {} of the session {} has ended.", ended.turn_id, ended.session_id),
    };
    let cause = RunCause { id: ended.turn_id.to_string(), text, origin: Origin::Trusted };
    let is_meant = |trigger: &Trigger| trigger.waits_for_turns_of(ended.session_id, state.id);
    let mut started = started(state, is_meant, &cause);
    // After a crash it may be told of a turn that ended just before the schedule was made. A longer
    // time in between says only that the clock was set back.
    started.retain(|(id, _)| {
        let created_at = state.schedules.get(*id).map_or(ended.at, |schedule| schedule.created_at);
        !(ended.is_retold && created_at > ended.at && created_at.since(ended.at) <= TOLD_WITHIN)
    });
    started
}

fn started(state: &State, is_meant: impl Fn(&Trigger) -> bool, cause: &RunCause) -> Vec<(ScheduleId, RunCause)> {
    let waits = |schedule: &&Schedule| schedule.spec.when.trigger().is_some_and(&is_meant);
    state.schedules.open().filter(waits).map(|schedule| (schedule.id, cause.clone())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_filter_asks_for_some_fields_of_the_data() {
        let data = json!({ "device": "a", "args": { "level": 5, "on": true }, "n": [1] });
        let has = |filter: Value| super::has(data.as_object().unwrap(), filter.as_object().unwrap());
        for fits in [json!({}), json!({ "device": "a" }), json!({ "args": { "level": 5 } }), json!({ "n": [1] })] {
            assert!(has(fits.clone()), "{fits}");
        }
        for other in [json!({ "device": "b" }), json!({ "args": 5 }), json!({ "x": null }), json!({ "n": [1, 2] })] {
            assert!(!has(other.clone()), "{other}");
        }
    }
}
