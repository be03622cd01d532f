//! A schedule that waits for something: it runs each time that happens, within its limits.

use protocol::{EndReason, RunCause, RunKey, ScheduleEvent, ScheduleSpec, Timestamp, Trigger};

use serde_json::{Map, Value};

use super::{HOURLY_MAX, Schedule, ScheduleDecision, ScheduleRefusal, ScheduleStatus};

/// The time in which runs are counted.
const HOUR_MS: i64 = 60 * 60 * 1_000;
/// How long an id of an entity may be.
const ENTITY_CHARS_MAX: usize = 255;
/// How long the type of an event may be: as long as Home Assistant lets it be.
const EVENT_TYPE_CHARS_MAX: usize = 64;
/// How much of an event's data may be asked for.
const FILTER_FIELDS_MAX: usize = 20;
const FILTER_BYTES_MAX: usize = 4 * 1_024;
/// Events that only repeat the states of entities.
const EVENTS_OF_STATES: [&str; 2] = ["state_changed", "state_reported"];

/// Refuses a trigger that names nothing.
pub(super) fn check(spec: &ScheduleSpec) -> Result<(), ScheduleRefusal> {
    // Causes are remembered for longer than a webhook may be repeated.
    if spec.limits.is_some_and(|limits| limits.hourly_max == 0 || limits.hourly_max > HOURLY_MAX) {
        return Err(ScheduleRefusal::Limits);
    }
    let is_sound = match spec.when.trigger() {
        Some(Trigger::Home { entity_id, .. }) => {
            entity_id.contains('.') && entity_id.chars().count() <= ENTITY_CHARS_MAX
        }
        Some(Trigger::HomeEvent { event_type, data }) => return check_event(event_type, data),
        Some(Trigger::TurnEnded { session_id: Some(_), any_session: true }) => {
            return Err(ScheduleRefusal::TriggerTurns);
        }
        Some(Trigger::Hook | Trigger::TurnEnded { .. }) | None => true,
    };
    if is_sound { Ok(()) } else { Err(ScheduleRefusal::Trigger) }
}

fn check_event(event_type: &str, data: &Map<String, Value>) -> Result<(), ScheduleRefusal> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '-');
    let is_sound = !event_type.is_empty()
        && event_type.len() <= EVENT_TYPE_CHARS_MAX
        && event_type.chars().all(is_name)
        // Every state of the home would come twice.
        && !EVENTS_OF_STATES.contains(&event_type)
        && data.len() <= FILTER_FIELDS_MAX
        && Value::Object(data.clone()).to_string().len() <= FILTER_BYTES_MAX;
    if is_sound { Ok(()) } else { Err(ScheduleRefusal::TriggerEvent) }
}

/// Starts a run, unless this cause has started one before.
pub(super) fn decide(
    schedule: &Schedule,
    cause: RunCause,
    now: Timestamp,
) -> Result<ScheduleDecision, ScheduleRefusal> {
    if schedule.spec.when.trigger().is_none() {
        return Err(ScheduleRefusal::NotWaitingForIt);
    }
    let is_known = schedule.causes.iter().any(|(_, known)| *known == cause.id);
    if is_known || schedule.status != ScheduleStatus::Active {
        return Ok(ScheduleDecision::default());
    }
    let limits = schedule.spec.limits.unwrap_or_default();
    let last = schedule.causes.back().map(|(at, _)| *at);
    let is_too_soon = last.is_some_and(|last| now.since(last).as_millis() < u128::from(limits.gap_ms));
    let recent = schedule.causes.iter().filter(|(at, _)| now.as_millis() - at.as_millis() < HOUR_MS).count();
    if is_too_soon || u32::try_from(recent).unwrap_or(u32::MAX) >= limits.hourly_max {
        return Err(ScheduleRefusal::TooOften);
    }
    // Two causes in one millisecond are two runs, and a clock that was set back starts none twice.
    let planned_at = last.map_or(now, |last| now.max(Timestamp::from_millis(last.as_millis() + 1)));
    let mut decision = ScheduleDecision::default();
    decision.start_because(RunKey { schedule_id: schedule.id, planned_at }, &schedule.spec.action, cause);
    if schedule.spec.runs_max.is_some_and(|runs_max| schedule.runs + 1 >= runs_max) {
        decision.events.push(ScheduleEvent::Ended { schedule_id: schedule.id, reason: EndReason::RunsMax });
    }
    Ok(decision)
}
