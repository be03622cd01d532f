//! `cancel` and `interrupt`: one turn or all open ones, wherever they stand; what an agent works on.

use protocol::{AgentId, StatusChanged, Transition, TurnId};

use super::agent;
use crate::{
    decision::{Decision, Outcome},
    state::State,
};

pub(super) fn decide(state: &State, turn_id: Option<TurnId>, reason: Option<&str>) -> Decision {
    let turns: Vec<TurnId> = match turn_id {
        Some(id) if !state.open.contains_key(&id) => return Decision::nothing(Outcome::AlreadyFinal),
        Some(id) => vec![id],
        None => state.open.keys().copied().collect(),
    };
    let mut change = StatusChanged::to(Transition::Cancelled);
    change.reason = reason.map(str::to_owned);
    cancel(state, turns, &change)
}

/// What waits in line is not what an agent works on: it comes next.
pub(super) fn interrupt(state: &State, agent_id: Option<&AgentId>) -> Decision {
    let is_meant = |agent: &AgentId| agent_id.is_none_or(|meant| meant == agent);
    let turns = state.running.iter().filter(|(agent, _)| is_meant(agent)).map(|(_, turn)| *turn).collect();
    cancel(state, turns, &StatusChanged::to(Transition::Cancelled).because("interrupted"))
}

fn cancel(state: &State, turns: Vec<TurnId>, change: &StatusChanged) -> Decision {
    let mut decision = Decision::nothing(Outcome::Done);
    agent::close_and_go_on(state, &mut decision, &turns, change);
    decision.outcome = Outcome::Cancelled(turns);
    decision
}
