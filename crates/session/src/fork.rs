//! Forking: a new session with a copy of another session's history up to a turn.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{Action, ApprovalDecision, Body, Event, ForkOrigin, SessionId, SessionName, Timestamp, TurnId};

use crate::state::State;

/// The events of a new session, numbered from 1: a copy of the events up to the end of turn `at`.
/// Only turns that had ended by then are copied, since an open turn continues in its own session.
/// Each copied turn gets a new id from `new_turn_id`, since an id names one turn in one session.
///
/// `None` if `at` has not ended in these events.
pub fn fork(
    origin: &[Event],
    at: TurnId,
    new_id: SessionId,
    key: Option<SessionName>,
    now: Timestamp,
    mut new_turn_id: impl FnMut() -> TurnId,
) -> Option<Vec<Event>> {
    let last = origin.iter().position(|event| event.turn_id == Some(at) && ends_turn(event))?;
    copy(&origin[..=last], at, new_id, key, now, |_| new_turn_id())
}

/// The events of a new session that continues another one: a copy up to its last ended turn, and
/// the session events since. `None` if no turn has ended in it.
pub fn restore(
    origin: &[Event],
    new_id: SessionId,
    key: Option<SessionName>,
    now: Timestamp,
    mut new_turn_id: impl FnMut() -> TurnId,
) -> Option<Vec<Event>> {
    let last = origin.iter().rev().find(|event| ends_turn(event)).and_then(|event| event.turn_id)?;
    copy(origin, last, new_id, key, now, |_| new_turn_id())
}

pub(crate) fn copy(
    shared: &[Event],
    at: TurnId,
    new_id: SessionId,
    key: Option<SessionName>,
    now: Timestamp,
    mut new_turn_id: impl FnMut(TurnId) -> TurnId,
) -> Option<Vec<Event>> {
    let ended: BTreeSet<TurnId> =
        shared.iter().filter(|event| ends_turn(event)).filter_map(|event| event.turn_id).collect();
    let mut new_ids: BTreeMap<TurnId, TurnId> = BTreeMap::new();
    let mut events: Vec<Event> = Vec::with_capacity(shared.len());
    for event in shared {
        let mut copy = event.clone();
        if event.turn_id.is_some_and(|turn| !ended.contains(&turn)) {
            let Some(body) = on_desktop(event) else { continue };
            (copy.turn_id, copy.agent_id, copy.body) = (None, None, body);
        }
        // The new session has not ended, and what is planned stays in the session in which it was
        // planned: it would happen twice.
        if matches!(copy.body, Body::SessionEnded(_) | Body::Schedule(_) | Body::Alert(_)) {
            continue;
        }
        copy.session_id = new_id;
        copy.seq = events.len() as u64 + 1;
        copy.turn_id = copy.turn_id.map(|turn| *new_ids.entry(turn).or_insert_with(|| new_turn_id(turn)));
        rewrite(&mut copy, event.session_id, at, key.as_ref(), now, &new_ids);
        events.push(copy);
    }
    events.first().and_then(State::begin)?;
    in_order(&mut events[1..]);
    Some(events)
}

/// Makes times non-decreasing: the copied events may come from a clock that was set back.
fn in_order(events: &mut [Event]) {
    let mut latest = None;
    for event in events {
        event.at = latest.map_or(event.at, |latest| event.at.max(latest));
        latest = Some(event.at);
    }
}

/// The desktop actions of a turn that is not copied. Their effects are kept, except for questions.
fn on_desktop(event: &Event) -> Option<Body> {
    let Body::Actions(done) = &event.body else { return None };
    let mut done = done.clone();
    done.actions.retain(|action| !matches!(action, Action::Dialog(_) | Action::Prompt(_)));
    (done.key, done.replay_of) = (None, None);
    (!done.actions.is_empty()).then_some(Body::Actions(done))
}

pub(crate) fn ends_turn(event: &Event) -> bool {
    matches!(&event.body, Body::TurnStatus(change) if change.status.status().is_final())
}

fn rewrite(
    copy: &mut Event,
    origin: SessionId,
    at: TurnId,
    key: Option<&SessionName>,
    now: Timestamp,
    new_ids: &BTreeMap<TurnId, TurnId>,
) {
    let renamed = |id: &TurnId| new_ids.get(id).copied();
    match &mut copy.body {
        Body::SessionStarted(started) => {
            started.key = key.cloned();
            started.temporary = false;
            started.imported = None;
            started.forked_from = Some(ForkOrigin { session_id: origin, turn_id: at });
            // The follower uses this time to tell the events before the fork from those after it.
            copy.at = now;
        }
        Body::MessageAccepted(accepted) => {
            accepted.turn_id = renamed(&accepted.turn_id).unwrap_or(accepted.turn_id);
            accepted.retry_of = accepted.retry_of.as_ref().and_then(renamed);
            accepted.answers = accepted.answers.as_ref().and_then(renamed);
            // An idempotency key guards one session; the fork is another one.
            accepted.idempotency_key = None;
        }
        Body::MessageSteered(steered) => {
            steered.turn_id = renamed(&steered.turn_id).unwrap_or(steered.turn_id);
            steered.idempotency_key = None;
        }
        // A permanent approval counts only in the session in which the user gave it.
        Body::ApprovalResolved(resolved) if resolved.decision == ApprovalDecision::Always => {
            resolved.decision = ApprovalDecision::Once;
        }
        Body::ApprovalRequested(request) => request.turn_id = renamed(&request.turn_id).unwrap_or(request.turn_id),
        Body::Actions(done) => {
            done.replay_of = done.replay_of.as_ref().and_then(renamed);
            for action in &mut done.actions {
                match action {
                    Action::Dialog(dialog) | Action::Prompt(dialog) => {
                        dialog.turn_id = renamed(&dialog.turn_id).unwrap_or(dialog.turn_id);
                    }
                    Action::Toast(toast) => toast.replay_of = toast.replay_of.as_ref().and_then(renamed),
                    _ => {}
                }
            }
        }
        Body::ToastActed(acted) => acted.replay_of = acted.replay_of.as_ref().and_then(renamed),
        Body::MessageQueued(queued) => queued.turn_id = renamed(&queued.turn_id).unwrap_or(queued.turn_id),
        _ => {}
    }
}
