//! `retry`: the same request in a new turn; the old turn stays as it ended.

use protocol::{AgentId, MessageAccepted, OnBusy, Request, Timestamp, TurnId};

use super::{check_active, send, window};
use crate::{decision::CommandDecision, refusal::Refusal, state::State};

pub(super) fn decide(
    state: &State,
    turn_id: TurnId,
    of: TurnId,
    request: Request,
    idempotency_key: Option<String>,
    now: Timestamp,
) -> Result<CommandDecision, Refusal> {
    let agent_id = AgentId::main_of(&request.monitor_id);
    let mut accepted =
        MessageAccepted { turn_id, agent_id, request, idempotency_key, retry_of: Some(of), answers: None };
    if let Some(outcome) = send::repeat(state, &accepted, now)? {
        return Ok(CommandDecision::nothing(outcome));
    }
    check_active(state)?;
    // A request from a window runs in that window again, as long as it is open.
    if let Some(window) = &accepted.request.window {
        accepted.agent_id = window::agent_of(state, &window.window_id)?;
    }
    if state.open.contains_key(&of) {
        return Err(Refusal::TurnOpen);
    }
    send::check_model(state, accepted.request.model.as_ref())?;
    send::accept(state, accepted, OnBusy::Queue)
}
