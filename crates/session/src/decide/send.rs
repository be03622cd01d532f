//! `send`: a message becomes a turn, once.

use protocol::{
    AgentId, Body, ChatSend, MessageAccepted, MessageQueued, OnBusy, StatusChanged, Timestamp, Transition, TurnId,
};

use super::{agent, check_active, check_version};
use crate::{
    decision::{Decision, Draft, Effect, Outcome},
    keys::Fingerprint,
    limits::{IDEMPOTENCY_KEY_CHARS_MAX, MESSAGE_BYTES_MAX, QUEUE_MAX, TIME_BUDGET_MS_MAX},
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, turn_id: TurnId, send: &ChatSend, now: Timestamp) -> Result<Decision, Refusal> {
    check_form(send)?;
    let accepted = MessageAccepted {
        turn_id,
        agent_id: AgentId::main(),
        request: send.request(),
        idempotency_key: send.idempotency_key.clone(),
        retry_of: None,
    };
    if let Some(outcome) = repeat(state, &accepted, now)? {
        return Ok(Decision::nothing(outcome));
    }
    check_active(state)?;
    check_version(state, send.version)?;
    accept(state, accepted, send.on_busy)
}

/// Writes the turn down and takes it up, or puts it in line.
pub(super) fn accept(state: &State, accepted: MessageAccepted, on_busy: OnBusy) -> Result<Decision, Refusal> {
    let mut decision = Decision::nothing(Outcome::Done);
    let mut must_wait = agent::is_busy(state);
    if must_wait {
        match on_busy {
            OnBusy::Queue if state.queue.len() >= QUEUE_MAX => {
                return Err(Refusal::queue_full(&accepted.request.message));
            }
            OnBusy::Queue => {}
            OnBusy::Reject => {
                let running = state.running.or_else(|| state.queue.front().copied());
                return Err(Refusal::Busy { running: running.unwrap_or(accepted.turn_id) });
            }
            OnBusy::Interrupt => {
                let change = StatusChanged::to(Transition::Cancelled).because("interrupted by a newer message");
                agent::close(state, &mut decision, state.running.as_slice(), &change);
                must_wait = false;
            }
        }
    }
    let (turn_id, agent_id) = (accepted.turn_id, accepted.agent_id.clone());
    let turn = Some((turn_id, agent_id.clone()));
    let seq = decision.next_seq(state);
    decision.events.push(Draft { turn: turn.clone(), body: Body::MessageAccepted(accepted) });
    let position = must_wait.then(|| u32::try_from(state.queue.len() + 1).unwrap_or(u32::MAX));
    match position {
        Some(position) => {
            decision.events.push(Draft { turn, body: Body::MessageQueued(MessageQueued { turn_id, position }) });
        }
        None => {
            decision.events.push(Draft { turn, body: agent::taken_up() });
            decision.effects.push(Effect::Run(turn_id));
        }
    }
    decision.outcome = Outcome::Accepted { turn_id, agent_id, seq, position, duplicate: false };
    Ok(decision)
}

fn check_form(send: &ChatSend) -> Result<(), Refusal> {
    if send.message.trim().is_empty() {
        return Err(Refusal::EmptyMessage);
    }
    if send.message.len() > MESSAGE_BYTES_MAX {
        return Err(Refusal::MessageTooLarge { bytes: send.message.len() });
    }
    if send.time_budget_ms.is_some_and(|budget| budget == 0 || budget > TIME_BUDGET_MS_MAX) {
        return Err(Refusal::BadTimeBudget);
    }
    if send.max_steps == Some(0) {
        return Err(Refusal::NoSteps);
    }
    Ok(())
}

/// What the key came to the first time. A repeat is answered before anything else is looked at: whoever repeats must
/// learn what the first time came to, also when the session has ended or moved on since.
pub(super) fn repeat(state: &State, accepted: &MessageAccepted, now: Timestamp) -> Result<Option<Outcome>, Refusal> {
    let Some(key) = &accepted.idempotency_key else { return Ok(None) };
    if key.is_empty() || key.chars().count() > IDEMPOTENCY_KEY_CHARS_MAX {
        return Err(Refusal::BadKey);
    }
    let Some(known) = state.keys.get(key, now) else { return Ok(None) };
    if known.fingerprint != Fingerprint::of(&accepted.request, accepted.retry_of) {
        return Err(Refusal::KeyConflict { turn_id: known.turn_id });
    }
    Ok(Some(Outcome::Accepted {
        turn_id: known.turn_id,
        agent_id: AgentId::main(),
        seq: known.seq,
        position: None,
        duplicate: true,
    }))
}
