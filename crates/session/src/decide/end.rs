//! `end`: open turns are cancelled and the session takes nothing more. Ending twice is ending once.

use protocol::{Body, Ended, SessionStatus, StatusChanged, Transition};

use super::{agent, check_version};
use crate::{
    decision::{Decision, Outcome},
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, reason: Option<String>, version: Option<u64>) -> Result<Decision, Refusal> {
    if state.status != SessionStatus::Active {
        return Ok(Decision::nothing(Outcome::Done));
    }
    check_version(state, version)?;
    let mut decision = Decision::nothing(Outcome::Done);
    let change = StatusChanged::to(Transition::Cancelled).because("the session was ended");
    agent::close_all(state, &mut decision, &change);
    decision.session_event(Body::SessionEnded(Ended { reason, expired: false }));
    Ok(decision)
}
