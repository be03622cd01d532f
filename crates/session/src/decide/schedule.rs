//! Schedules: what a command about them leads to. A run that reminds is an alert in the same
//! commit; any other run is an effect that is settled once it has begun.

use protocol::{
    Alert, AlertEvent, AlertId, AlertKind, Body, Origin, RunKey, RunOutcome, ScheduleEvent, ScheduledAction, Timestamp,
};
use schedule::{ScheduleCommand, ScheduleDecision, ScheduleEffect, ScheduleStatus};

use super::check_active;
use crate::{
    decision::{CommandDecision, CommandOutcome, Effect},
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, command: ScheduleCommand, now: Timestamp) -> Result<CommandDecision, Refusal> {
    // How a run went is recorded whatever became of the session.
    if !matches!(command, ScheduleCommand::Settle { .. }) {
        check_active(state)?;
    }
    if state.temporary {
        return Err(Refusal::TemporarySchedule);
    }
    let is_trigger = matches!(command, ScheduleCommand::Trigger { .. });
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    let decided = schedule::decide(&state.schedules, command, now)?;
    if is_trigger && decided.events.is_empty() {
        decision.outcome = CommandOutcome::TooLate;
    }
    take_in(state, &mut decision, decided, now);
    Ok(decision)
}

/// Starts or misses what is due.
pub(super) fn wake(state: &State, now: Timestamp) -> CommandDecision {
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    if check_active(state).is_err() {
        return decision;
    }
    for id in state.schedules.due(now) {
        // A rule that was accepted can be calculated; should it fail all the same, the others
        // still run.
        if let Ok(decided) = schedule::decide(&state.schedules, ScheduleCommand::Wake { id }, now) {
            take_in(state, &mut decision, decided, now);
        }
    }
    decision
}

/// Starts again what had begun when the server stopped, and goes on with the outbox.
pub(super) fn recover(state: &State, decision: &mut CommandDecision) {
    for (key, cause) in state.schedules.open_runs() {
        match state.schedules.get(key.schedule_id) {
            Some(schedule) => {
                let (action, origin) = (schedule.spec.action.clone(), schedule.spec.origin);
                decision.effects.push(Effect::StartRun { key, action, origin, cause: cause.cloned() });
            }
            None => {
                let outcome = RunOutcome::Failed { message: "the schedule is no longer known".to_owned() };
                decision.session_event(Body::Schedule(ScheduleEvent::Settled { key, outcome }));
            }
        }
    }
    let open = state.alerts.open().map(|entry| Effect::Deliver(entry.alert.alert_id));
    decision.effects.extend(open);
}

/// An ended session has no later.
pub(super) fn cancel_all(state: &State, decision: &mut CommandDecision) {
    for schedule in state.schedules.open() {
        decision.session_event(Body::Schedule(ScheduleEvent::Cancelled { schedule_id: schedule.id }));
    }
}

fn take_in(state: &State, decision: &mut CommandDecision, decided: ScheduleDecision, now: Timestamp) {
    let missed: Vec<_> = decided.events.iter().filter_map(|event| missed_alert(state, event, now)).collect();
    for event in decided.events {
        decision.session_event(Body::Schedule(event));
    }
    for alert in missed {
        raise(decision, alert);
    }
    for ScheduleEffect::Start { key, action, cause } in decided.effects {
        match &action {
            ScheduledAction::Remind { text, timer } => {
                raise(decision, reminder(state, key, text, *timer, now));
                let outcome = RunOutcome::Done;
                decision.session_event(Body::Schedule(ScheduleEvent::Settled { key, outcome }));
            }
            ScheduledAction::Turn { .. } | ScheduledAction::Call { .. } => {
                let origin = state.schedules.get(key.schedule_id).map_or(Origin::Untrusted, |it| it.spec.origin);
                decision.effects.push(Effect::StartRun { key, action, origin, cause });
            }
        }
    }
}

fn raise(decision: &mut CommandDecision, alert: Alert) {
    decision.effects.push(Effect::Deliver(alert.alert_id));
    decision.session_event(Body::Alert(AlertEvent::Raised { alert }));
}

/// Made from the run, so that a run has one alert.
fn alert_id(key: RunKey) -> AlertId {
    let mut bytes = key.schedule_id.to_bytes();
    // The first six bytes of an id are its time. Two runs of a schedule have different times.
    bytes[..6].copy_from_slice(&key.planned_at.as_millis().to_be_bytes()[2..]);
    AlertId::from_bytes(bytes)
}

fn reminder(state: &State, key: RunKey, text: &str, is_timer: bool, now: Timestamp) -> Alert {
    let schedule = state.schedules.get(key.schedule_id);
    let name = schedule.and_then(|schedule| schedule.spec.name.clone());
    let (kind, title, text) = match (is_timer, name) {
        (true, Some(name)) => (AlertKind::Timer, name, text.to_owned()),
        (true, None) if text.is_empty() => (AlertKind::Timer, "Timer".to_owned(), String::new()),
        (true, None) => (AlertKind::Timer, text.to_owned(), String::new()),
        (false, Some(name)) => (AlertKind::Reminder, name, text.to_owned()),
        (false, None) => (AlertKind::Reminder, text.to_owned(), String::new()),
    };
    Alert {
        alert_id: alert_id(key),
        session_id: state.id,
        at: now,
        kind,
        title,
        text,
        turn_id: None,
        approval_id: None,
        schedule_id: Some(key.schedule_id),
        satellite: schedule.and_then(|schedule| schedule.spec.satellite.clone()),
        language: state.settings.language().map(str::to_owned),
    }
}

/// A run that was missed is told.
fn missed_alert(state: &State, event: &ScheduleEvent, now: Timestamp) -> Option<Alert> {
    let ScheduleEvent::Missed { schedule_id, first_at, count, .. } = event else { return None };
    let schedule = state.schedules.get(*schedule_id)?;
    let key = RunKey { schedule_id: *schedule_id, planned_at: *first_at };
    let what = match (&schedule.spec.name, &schedule.spec.action) {
        (Some(name), _) => name.clone(),
        (None, ScheduledAction::Remind { text, .. }) => text.clone(),
        (None, ScheduledAction::Turn { message }) => message.clone(),
        (None, ScheduledAction::Call { tool, .. }) => tool.clone(),
    };
    let why = if schedule.status == ScheduleStatus::Waiting { "it was not approved" } else { "it was too late" };
    let runs = if *count == 1 { "A run was".to_owned() } else { format!("{count} runs were") };
    Some(Alert {
        alert_id: alert_id(key),
        session_id: state.id,
        at: now,
        kind: AlertKind::ScheduleFailed,
        title: what,
        text: format!("{runs} missed, since {why}. The first was planned for {first_at}."),
        turn_id: None,
        approval_id: None,
        schedule_id: Some(*schedule_id),
        satellite: None,
        language: None,
    })
}
