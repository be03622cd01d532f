//! `end`: open turns are cancelled and the session accepts no more commands. Idempotent.

use protocol::{Body, SessionEnded, SessionStatus, StatusChanged, Transition};

use super::{agent, check_version, schedule};
use crate::{
    decision::{CommandDecision, CommandOutcome},
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, reason: Option<String>, version: Option<u64>) -> Result<CommandDecision, Refusal> {
    if state.status != SessionStatus::Active {
        return Ok(CommandDecision::nothing(CommandOutcome::Done));
    }
    check_version(state, version)?;
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    let change = StatusChanged::to(Transition::Cancelled).because("the session was ended");
    agent::close_all(state, &mut decision, &change);
    schedule::cancel_all(state, &mut decision);
    decision.session_event(Body::SessionEnded(SessionEnded { reason, expired: false }));
    Ok(decision)
}
