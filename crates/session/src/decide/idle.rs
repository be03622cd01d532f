//! `expire idle`: a session in which nothing has happened for too long takes nothing more.
//!
//! What goes on by itself keeps it from expiring. Turns that have waited for a person all that time are ended first.

use protocol::{Body, Ended, SessionStatus, StatusChanged, Timestamp, Transition};

use super::agent;
use crate::{
    decision::{Decision, Outcome},
    state::State,
};

/// Why it ends, as clients read it.
const REASON: &str = "nothing had happened in it for too long";

pub(super) fn decide(state: &State, before: Timestamp) -> Decision {
    let is_at_work = !state.lines.is_empty() || state.running().any(|turn| !turn.awaits_person());
    let is_exempt = state.temporary || state.settings.is_kept() || state.status == SessionStatus::Expired;
    if is_exempt || is_at_work || state.updated_at >= before {
        return Decision::nothing(Outcome::TooLate);
    }
    let mut decision = Decision::nothing(Outcome::Done);
    let change = StatusChanged::to(Transition::Expired).because("the session has expired");
    agent::close_all(state, &mut decision, &change);
    decision.session_event(Body::SessionEnded(Ended { reason: Some(REASON.to_owned()), expired: true }));
    decision
}
