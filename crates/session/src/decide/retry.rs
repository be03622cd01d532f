//! `retry`: the same words again, in a new turn; the old one stays as it ended.

use protocol::{AgentId, MessageAccepted, OnBusy, Request, TurnId};

use super::{check_active, send};
use crate::{decision::Decision, refusal::Refusal, state::State};

pub(super) fn decide(state: &State, turn_id: TurnId, of: TurnId, request: &Request) -> Result<Decision, Refusal> {
    check_active(state)?;
    if state.open.contains_key(&of) {
        return Err(Refusal::TurnOpen);
    }
    let accepted = MessageAccepted {
        turn_id,
        agent_id: AgentId::main(),
        request: request.clone(),
        idempotency_key: None,
        retry_of: Some(of),
    };
    send::accept(state, accepted, OnBusy::Queue)
}
