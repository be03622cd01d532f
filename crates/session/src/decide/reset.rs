//! `reset`: open turns are cancelled and the conversation starts over; the journal keeps its
//! events.

use protocol::{Body, SessionReset, StatusChanged, Transition};

use super::{agent, check_active, check_version};
use crate::{
    decision::{CommandDecision, CommandOutcome},
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, reason: Option<String>, version: Option<u64>) -> Result<CommandDecision, Refusal> {
    check_active(state)?;
    check_version(state, version)?;
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    let change = StatusChanged::to(Transition::Cancelled).because("the session was reset");
    agent::close_all(state, &mut decision, &change);
    agent::release_all(state, &mut decision);
    decision.session_event(Body::SessionReset(SessionReset { reason }));
    Ok(decision)
}
