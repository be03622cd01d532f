//! A schedule that waits for something: it runs each time that happens, within its limits.

use protocol::{EndReason, RunCause, RunKey, ScheduleEvent, ScheduleSpec, Timestamp, Trigger};

use super::{HOURLY_MAX, Schedule, ScheduleDecision, ScheduleRefusal, ScheduleStatus};

/// The time in which runs are counted.
const HOUR_MS: i64 = 60 * 60 * 1_000;
/// How long an id of an entity may be.
const ENTITY_CHARS_MAX: usize = 255;

/// Refuses a trigger that names nothing.
pub(super) fn check(spec: &ScheduleSpec) -> Result<(), ScheduleRefusal> {
    // Causes are remembered for longer than a webhook may be repeated.
    if spec.limits.is_some_and(|limits| limits.hourly_max == 0 || limits.hourly_max > HOURLY_MAX) {
        return Err(ScheduleRefusal::Limits);
    }
    let Some(Trigger::Home { entity_id, .. }) = spec.when.trigger() else { return Ok(()) };
    let is_id = entity_id.contains('.') && entity_id.chars().count() <= ENTITY_CHARS_MAX;
    if is_id { Ok(()) } else { Err(ScheduleRefusal::Trigger) }
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
