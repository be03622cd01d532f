//! `reset`: open turns are cancelled and the conversation starts over; the journal keeps what was.

use protocol::{Body, Reset, StatusChanged, Transition};

use super::{agent, check_active, check_version};
use crate::{
    decision::{Decision, Outcome},
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, reason: Option<String>, version: Option<u64>) -> Result<Decision, Refusal> {
    check_active(state)?;
    check_version(state, version)?;
    let mut decision = Decision::nothing(Outcome::Done);
    let change = StatusChanged::to(Transition::Cancelled).because("the session was reset");
    agent::close_all(state, &mut decision, &change);
    agent::release_all(state, &mut decision);
    decision.session_event(Body::SessionReset(Reset { reason }));
    Ok(decision)
}
