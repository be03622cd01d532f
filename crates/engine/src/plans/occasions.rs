//! Which events of a session raise an alert.

use protocol::{
    Alert, AlertId, AlertKind, Body, Event, MessageChannel, RunOutcome, ScheduleEvent, ScheduleId, ScheduledAction,
    Transition,
};
use session::{OpenTurn, State};

use crate::hub::Services;

/// Characters of an answer that an alert carries.
const TEXT_CHARS_MAX: usize = 2_000;
/// Characters of a title.
const TITLE_CHARS_MAX: usize = 120;

/// The alert that an event raises; `state` is the state before it.
pub(crate) fn occasion(services: &Services, state: &State, event: &Event) -> Option<Alert> {
    match &event.body {
        Body::ApprovalRequested(request) => {
            let is_wanted =
                services.alerts.is_followed(&state.owner) || is_taken(services, state, AlertKind::ApprovalWaiting);
            let title = request.question.clone().unwrap_or_else(|| format!("Allow {}?", request.tool));
            let alert = Alert {
                turn_id: Some(request.turn_id),
                approval_id: Some(request.approval_id),
                text: cut(&request.reason, TEXT_CHARS_MAX),
                ..alert(
                    state,
                    event,
                    AlertId::from_bytes(request.approval_id.to_bytes()),
                    AlertKind::ApprovalWaiting,
                    &title,
                )
            };
            is_wanted.then_some(alert)
        }
        Body::TurnStatus(change) if change.status.status().is_final() => {
            let turn = state.open_turn(event.turn_id?)?;
            let reason = change.error.as_ref().map(|error| &error.message).or(change.reason.as_ref());
            ended(services, state, event, turn, change.status, reason.map(String::as_str))
        }
        Body::TurnStatus(change) if change.status == Transition::Waiting => {
            let turn = state.open_turn(event.turn_id?)?;
            let is_waiting = change.question.is_some() || turn.doings.awaits_answer();
            let question = change.question.as_ref().map_or("It has a question for you.", |question| &question.text);
            is_waiting.then(|| waits(state, event, turn, question)).flatten()
        }
        // An interruption has a reason if the turn is not taken up again by itself.
        Body::TurnStatus(change) if change.status == Transition::Interrupted => {
            waits(state, event, state.open_turn(event.turn_id?)?, change.reason.as_ref()?)
        }
        Body::Schedule(happened) => of_schedule(services, state, event, happened),
        _ => None,
    }
}

fn ended(
    services: &Services,
    state: &State,
    event: &Event,
    turn: &OpenTurn,
    status: Transition,
    reason: Option<&str>,
) -> Option<Alert> {
    let schedule_id = match turn.request.via {
        MessageChannel::Schedule(id) => Some(id),
        _ => None,
    };
    // A message that was planned is answered to a person. A call that was planned is told only if
    // it failed: its effect is what was wanted.
    let kind = match (schedule_id, status) {
        (Some(_), Transition::Completed) if turn.request.calls.is_empty() => AlertKind::Answer,
        (Some(_), status) if status != Transition::Completed => AlertKind::ScheduleFailed,
        // Who cancels it knows.
        (None, Transition::Completed) if turn.request.background => AlertKind::Answer,
        (None, Transition::Failed | Transition::Expired) if turn.request.background => AlertKind::TurnFailed,
        _ if is_taken(services, state, AlertKind::TurnEnded) => AlertKind::TurnEnded,
        _ => return None,
    };
    let name = schedule_id.and_then(|id| state.schedules.get(id)).and_then(|schedule| schedule.spec.name.clone());
    let title = name.unwrap_or_else(|| turn.request.message.clone());
    let text = match (turn.response(), status) {
        (Some(response), Transition::Completed) => response.message.clone(),
        _ => reason.unwrap_or("The turn did not complete.").to_owned(),
    };
    // The id of a turn has its own time: the alert is younger.
    let id = derived(event, turn.id.to_bytes());
    Some(Alert {
        turn_id: Some(turn.id),
        schedule_id,
        text: cut(&text, TEXT_CHARS_MAX),
        satellite: schedule_id.and_then(|id| satellite(state, id)),
        ..alert(state, event, id, kind, &title)
    })
}

/// A turn that no person watches waits for a person. An approval has an alert of its own.
fn waits(state: &State, event: &Event, turn: &OpenTurn, why: &str) -> Option<Alert> {
    let schedule_id = match turn.request.via {
        MessageChannel::Schedule(id) => Some(id),
        _ => None,
    };
    let is_unwatched = turn.request.background || schedule_id.is_some();
    if !is_unwatched {
        return None;
    }
    Some(Alert {
        turn_id: Some(turn.id),
        schedule_id,
        text: cut(why, TEXT_CHARS_MAX),
        ..alert(state, event, derived(event, turn.id.to_bytes()), AlertKind::TurnWaiting, &turn.request.message)
    })
}

fn of_schedule(services: &Services, state: &State, event: &Event, happened: &ScheduleEvent) -> Option<Alert> {
    let id = happened.schedule_id();
    let (kind, text, title) = match happened {
        ScheduleEvent::Created { spec, needs_approval: true, .. }
        | ScheduleEvent::Changed { spec, needs_approval: true, .. } => {
            let title = format!("Allow \"{}\"?", called(spec.name.as_deref(), &spec.action));
            (AlertKind::ScheduleWaiting, "It runs only if you approve it.".to_owned(), title)
        }
        ScheduleEvent::Settled { outcome: RunOutcome::Failed { message }, .. } => {
            (AlertKind::ScheduleFailed, message.clone(), title_of(state, id))
        }
        ScheduleEvent::Fired { .. } if is_taken(services, state, AlertKind::ScheduleFired) => {
            (AlertKind::ScheduleFired, String::new(), title_of(state, id))
        }
        _ => return None,
    };
    let alert_id = derived(event, id.to_bytes());
    Some(Alert {
        schedule_id: Some(id),
        text: cut(&text, TEXT_CHARS_MAX),
        satellite: satellite(state, id),
        ..alert(state, event, alert_id, kind, &title)
    })
}

/// An id of an alert that is the same each time, from the event that raises it.
fn derived(event: &Event, about: [u8; 16]) -> AlertId {
    let mut bytes = about;
    bytes[..6].copy_from_slice(&event.at.as_millis().to_be_bytes()[2..]);
    for (byte, number) in bytes[6..14].iter_mut().zip(event.seq.to_be_bytes()) {
        *byte ^= number;
    }
    AlertId::from_bytes(bytes)
}

fn alert(state: &State, event: &Event, alert_id: AlertId, kind: AlertKind, title: &str) -> Alert {
    Alert {
        alert_id,
        session_id: state.id,
        at: event.at,
        kind,
        title: cut(title, TITLE_CHARS_MAX),
        text: String::new(),
        turn_id: None,
        approval_id: None,
        schedule_id: None,
        satellite: None,
        language: state.settings.language().map(str::to_owned),
    }
}

fn is_taken(services: &Services, state: &State, kind: AlertKind) -> bool {
    services.alerts.channels(&state.owner, kind).next().is_some()
}

fn satellite(state: &State, id: ScheduleId) -> Option<String> {
    state.schedules.get(id).and_then(|schedule| schedule.spec.satellite.clone())
}

fn title_of(state: &State, id: ScheduleId) -> String {
    let schedule = state.schedules.get(id);
    schedule.map_or_else(String::new, |it| called(it.spec.name.as_deref(), &it.spec.action))
}

fn called(name: Option<&str>, action: &ScheduledAction) -> String {
    match (name, action) {
        (Some(name), _) => name.to_owned(),
        (None, ScheduledAction::Remind { text, .. }) => text.clone(),
        (None, ScheduledAction::Turn { message }) => message.clone(),
        (None, ScheduledAction::Call { tool, arguments, .. }) => format!("{tool} {arguments}"),
    }
}

fn cut(text: &str, chars_max: usize) -> String {
    let mut cut: String = text.chars().take(chars_max).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}
