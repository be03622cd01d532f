//! `retry`: the same words again, in a new turn; the old one stays as it ended.

use protocol::{AgentId, MessageAccepted, OnBusy, Request, Timestamp, TurnId};

use super::{check_active, send, window};
use crate::{decision::Decision, refusal::Refusal, state::State};

pub(super) fn decide(
    state: &State,
    turn_id: TurnId,
    of: TurnId,
    request: Request,
    idempotency_key: Option<String>,
    now: Timestamp,
) -> Result<Decision, Refusal> {
    let agent_id = AgentId::main_of(&request.monitor_id);
    let mut accepted =
        MessageAccepted { turn_id, agent_id, request, idempotency_key, retry_of: Some(of), answers: None };
    if let Some(outcome) = send::repeat(state, &accepted, now)? {
        return Ok(Decision::nothing(outcome));
    }
    check_active(state)?;
    // What was asked in a window is asked there again, as long as it is open.
    if let Some(window) = &accepted.request.window {
        accepted.agent_id = window::agent_of(state, &window.window_id)?;
    }
    if state.open.contains_key(&of) {
        return Err(Refusal::TurnOpen);
    }
    send::check_model(state, accepted.request.model.as_ref())?;
    send::accept(state, accepted, OnBusy::Queue)
}
