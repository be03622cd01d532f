//! `expire idle`: a session without activity for too long accepts no more commands.
//!
//! Running turns and schedules keep it from expiring. Turns that have waited for a person all that
//! time are ended first.

use protocol::{Body, SessionEnded, SessionStatus, StatusChanged, Timestamp, Transition};

use super::agent;
use crate::{
    decision::{CommandDecision, CommandOutcome},
    state::State,
};

/// The reason, as clients read it.
const REASON: &str = "idle for too long";

pub(super) fn decide(state: &State, before: Timestamp) -> CommandDecision {
    let has_plans = state.schedules.open().next().is_some() || state.alerts.open().next().is_some();
    let is_at_work = has_plans || !state.lines.is_empty() || state.running().any(|turn| !turn.awaits_person());
    let is_exempt = state.temporary || state.settings.is_kept() || state.status == SessionStatus::Expired;
    if is_exempt || is_at_work || state.updated_at >= before {
        return CommandDecision::nothing(CommandOutcome::TooLate);
    }
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    let change = StatusChanged::to(Transition::Expired).because("the session has expired");
    agent::close_all(state, &mut decision, &change);
    decision.session_event(Body::SessionEnded(SessionEnded { reason: Some(REASON.to_owned()), expired: true }));
    decision
}
