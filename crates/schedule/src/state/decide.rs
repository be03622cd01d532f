//! What a command leads to.

use protocol::{RunKey, RunOutcome, ScheduleEvent, ScheduleId, ScheduleSpec, ScheduledAction, Timestamp, When};

use super::{
    ACTION_BYTES_MAX, GENERATION_MAX, NAME_CHARS_MAX, SCHEDULES_MAX, Schedule, ScheduleCommand, ScheduleDecision,
    ScheduleRefusal, ScheduleStatus, Schedules, due, trigger,
};
use crate::times::Timetable;

/// The events of a command and the effects to run once they are committed.
pub fn decide(
    state: &Schedules,
    command: ScheduleCommand,
    now: Timestamp,
) -> Result<ScheduleDecision, ScheduleRefusal> {
    match command {
        ScheduleCommand::Create { id, spec, owner_zone, made_by, needs_approval } => {
            let generation = made_by.map_or(Ok(0), |parent| next_generation(state, parent))?;
            create(state, id, spec, owner_zone, generation, needs_approval, now)
        }
        ScheduleCommand::Approve { id, digest } => approve(open(state, id)?, digest),
        ScheduleCommand::Change { id, spec, needs_approval } => change(open(state, id)?, spec, needs_approval, now),
        ScheduleCommand::Rezone { owner_zone } => rezone(state, &owner_zone, now),
        ScheduleCommand::Pause { id } => pause(open(state, id)?, now),
        ScheduleCommand::Resume { id } => resume(open(state, id)?, now),
        ScheduleCommand::Snooze { id, new_id, after_ms } => snooze(state, id, new_id, after_ms, now),
        ScheduleCommand::Cancel { id } => {
            let schedule_id = open(state, id)?.id;
            Ok(ScheduleDecision::event(ScheduleEvent::Cancelled { schedule_id }))
        }
        // A queue may be behind: a schedule that has ended in the meantime is no error.
        ScheduleCommand::Wake { id } => match state.get(id) {
            Some(schedule) => due::wake(state, schedule, now),
            None => Ok(ScheduleDecision::default()),
        },
        ScheduleCommand::Trigger { id, cause } => trigger::decide(open(state, id)?, cause, now),
        ScheduleCommand::RunNow { id } => run_now(open(state, id)?, now),
        ScheduleCommand::Settle { key, outcome } => Ok(settle(state, key, outcome)),
    }
}

fn open(state: &Schedules, id: ScheduleId) -> Result<&Schedule, ScheduleRefusal> {
    let schedule = state.get(id).ok_or(ScheduleRefusal::NotFound(id))?;
    if schedule.is_open() { Ok(schedule) } else { Err(ScheduleRefusal::Ended) }
}

fn next_generation(state: &Schedules, parent: ScheduleId) -> Result<u8, ScheduleRefusal> {
    let generation = state.get(parent).ok_or(ScheduleRefusal::NotFound(parent))?.generation.saturating_add(1);
    if generation > GENERATION_MAX { Err(ScheduleRefusal::TooDeep) } else { Ok(generation) }
}

fn create(
    state: &Schedules,
    schedule_id: ScheduleId,
    spec: ScheduleSpec,
    owner_zone: String,
    generation: u8,
    needs_approval: bool,
    now: Timestamp,
) -> Result<ScheduleDecision, ScheduleRefusal> {
    if state.get(schedule_id).is_some() {
        return Err(ScheduleRefusal::Exists(schedule_id));
    }
    if state.open().count() >= SCHEDULES_MAX {
        return Err(ScheduleRefusal::TooMany);
    }
    check(&spec)?;
    let next_at = first_run(&spec, &owner_zone, now)?;
    let created = ScheduleEvent::Created { schedule_id, spec, owner_zone, generation, needs_approval, next_at };
    Ok(ScheduleDecision::event(created))
}

fn approve(schedule: &Schedule, digest: String) -> Result<ScheduleDecision, ScheduleRefusal> {
    if schedule.status != ScheduleStatus::Waiting {
        return Err(ScheduleRefusal::NotWaiting);
    }
    let expected = match &schedule.spec.action {
        ScheduledAction::Call { digest, .. } => digest.as_str(),
        ScheduledAction::Remind { .. } | ScheduledAction::Turn { .. } => "",
    };
    if digest != expected {
        return Err(ScheduleRefusal::OtherDigest);
    }
    Ok(ScheduleDecision::event(ScheduleEvent::Approved { schedule_id: schedule.id, digest }))
}

fn change(
    schedule: &Schedule,
    spec: ScheduleSpec,
    needs_approval: bool,
    now: Timestamp,
) -> Result<ScheduleDecision, ScheduleRefusal> {
    check(&spec)?;
    let keeps_its_times = spec.when == schedule.spec.when && spec.zone == schedule.spec.zone;
    let is_paused = matches!(schedule.status, ScheduleStatus::Paused { .. });
    let next_at =
        if keeps_its_times && !is_paused { schedule.next_at } else { first_run(&spec, &schedule.owner_zone, now)? };
    // An approval that is still missing is not avoided by changing something else.
    let still_waits = schedule.status == ScheduleStatus::Waiting && spec.action == schedule.spec.action;
    let (schedule_id, needs_approval) = (schedule.id, needs_approval || still_waits);
    Ok(ScheduleDecision::event(ScheduleEvent::Changed { schedule_id, spec, needs_approval, next_at }))
}

/// Plans all schedules anew that follow the owner's time zone.
fn rezone(state: &Schedules, owner_zone: &str, now: Timestamp) -> Result<ScheduleDecision, ScheduleRefusal> {
    crate::times::time_zone(owner_zone)?;
    let mut decision = ScheduleDecision::default();
    for schedule in state.open().filter(|schedule| schedule.owner_zone != owner_zone) {
        let follows = schedule.spec.zone.is_none();
        let is_due = schedule.next_at.is_some_and(|at| at <= now);
        let next_at = match &schedule.spec.when {
            // A run that is due already stays due.
            _ if !follows || is_due => schedule.next_at,
            When::At { .. } | When::After { .. } | When::Event { .. } => schedule.next_at,
            When::Local { .. } => {
                Timetable::new(&schedule.spec.when, owner_zone, now)?.next_after(Timestamp::from_millis(0))
            }
            When::Cron { .. } | When::Rrule { .. } => {
                Timetable::new(&schedule.spec.when, owner_zone, now)?.next_after(now)
            }
        };
        let (schedule_id, owner_zone) = (schedule.id, owner_zone.to_owned());
        decision.events.push(ScheduleEvent::Rezoned { schedule_id, owner_zone, next_at });
    }
    Ok(decision)
}

fn pause(schedule: &Schedule, now: Timestamp) -> Result<ScheduleDecision, ScheduleRefusal> {
    if schedule.status != ScheduleStatus::Active {
        return Err(ScheduleRefusal::NotActive);
    }
    let left_ms = match schedule.spec.when {
        When::After { .. } => schedule.next_at.map(|at| millis(at.since(now))),
        _ => None,
    };
    Ok(ScheduleDecision::event(ScheduleEvent::Paused { schedule_id: schedule.id, left_ms }))
}

fn resume(schedule: &Schedule, now: Timestamp) -> Result<ScheduleDecision, ScheduleRefusal> {
    let ScheduleStatus::Paused { left_ms } = schedule.status else { return Err(ScheduleRefusal::NotPaused) };
    let next_at = match (&schedule.spec.when, left_ms) {
        (When::After { .. }, Some(left_ms)) => Some(now.plus(std::time::Duration::from_millis(left_ms))),
        (when, _) if when.recurs() => Timetable::new(when, schedule.zone(), now)?.next_after(now),
        // A moment that has passed in the meantime is late, and the policy says what that means.
        _ => schedule.next_at,
    };
    let schedule_id = schedule.id;
    let mut decision = ScheduleDecision::event(ScheduleEvent::Resumed { schedule_id, next_at });
    if next_at.is_none() && schedule.spec.when.trigger().is_none() {
        decision.events.push(ScheduleEvent::Ended { schedule_id, reason: protocol::EndReason::Done });
    }
    Ok(decision)
}

fn snooze(
    state: &Schedules,
    id: ScheduleId,
    new_id: ScheduleId,
    after_ms: u64,
    now: Timestamp,
) -> Result<ScheduleDecision, ScheduleRefusal> {
    let schedule = state.get(id).ok_or(ScheduleRefusal::NotFound(id))?;
    if schedule.runs == 0 || !matches!(schedule.spec.action, ScheduledAction::Remind { .. }) {
        return Err(ScheduleRefusal::NotSnoozable);
    }
    let spec = ScheduleSpec { when: When::After { after_ms }, runs_max: None, ..schedule.spec.clone() };
    create(state, new_id, spec, schedule.owner_zone.clone(), schedule.generation, false, now)
}

fn run_now(schedule: &Schedule, now: Timestamp) -> Result<ScheduleDecision, ScheduleRefusal> {
    if schedule.status == ScheduleStatus::Waiting {
        return Err(ScheduleRefusal::NotActive);
    }
    let key = RunKey { schedule_id: schedule.id, planned_at: now };
    let mut decision = ScheduleDecision::default();
    // The same moment as a planned run, or asked twice in one millisecond: one run.
    let is_known = schedule.last_run.as_ref().is_some_and(|(last, _)| *last == key) || schedule.next_at == Some(now);
    if !is_known {
        decision.start(key, &schedule.spec.action, 0, schedule.next_at);
    }
    Ok(decision)
}

fn settle(state: &Schedules, key: RunKey, outcome: RunOutcome) -> ScheduleDecision {
    if state.open_runs.contains_key(&key) {
        ScheduleDecision::event(ScheduleEvent::Settled { key, outcome })
    } else {
        ScheduleDecision::default()
    }
}

/// The first run of a schedule that is made now.
fn first_run(spec: &ScheduleSpec, owner_zone: &str, now: Timestamp) -> Result<Option<Timestamp>, ScheduleRefusal> {
    // Both are checked: the owner's may be needed later.
    crate::times::time_zone(owner_zone)?;
    let timetable = Timetable::new(&spec.when, spec.zone.as_deref().unwrap_or(owner_zone), now)?;
    if spec.when.trigger().is_some() {
        return Ok(None);
    }
    timetable.next_after(now).ok_or(ScheduleRefusal::Past).map(Some)
}

fn check(spec: &ScheduleSpec) -> Result<(), ScheduleRefusal> {
    let is_name =
        |name: &String| (1..=NAME_CHARS_MAX).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if !spec.name.as_ref().is_none_or(is_name) {
        return Err(ScheduleRefusal::Name);
    }
    let bytes = match &spec.action {
        ScheduledAction::Remind { text, timer: true } => text.len().max(1),
        ScheduledAction::Remind { text, .. } => text.len(),
        ScheduledAction::Turn { message } => message.len(),
        ScheduledAction::Call { tool, arguments, .. } => tool.len().min(1) + arguments.to_string().len(),
    };
    if !(1..=ACTION_BYTES_MAX).contains(&bytes) {
        return Err(ScheduleRefusal::Action);
    }
    trigger::check(spec)?;
    if spec.runs_max == Some(0) { Err(ScheduleRefusal::NoRuns) } else { Ok(()) }
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
