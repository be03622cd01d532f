//! `cancel` and `interrupt`: end one turn or all open ones in any state; end what an agent is
//! running.

use protocol::{AgentId, StatusChanged, Transition, TurnId};

use super::agent;
use crate::{
    decision::{CommandDecision, CommandOutcome},
    state::State,
};

pub(super) fn decide(state: &State, turn_id: Option<TurnId>, reason: Option<&str>) -> CommandDecision {
    let turns: Vec<TurnId> = match turn_id {
        Some(id) if !state.open.contains_key(&id) => return CommandDecision::nothing(CommandOutcome::AlreadyFinal),
        Some(id) => vec![id],
        None => state.open.keys().copied().collect(),
    };
    let mut change = StatusChanged::to(Transition::Cancelled);
    change.reason = reason.map(str::to_owned);
    cancel(state, turns, &change)
}

/// Ends only the running turn: queued turns run next.
pub(super) fn interrupt(state: &State, agent_id: Option<&AgentId>) -> CommandDecision {
    let is_meant = |agent: &AgentId| agent_id.is_none_or(|meant| meant == agent);
    let turns = state.running.iter().filter(|(agent, _)| is_meant(agent)).map(|(_, turn)| *turn).collect();
    cancel(state, turns, &StatusChanged::to(Transition::Cancelled).because("interrupted"))
}

fn cancel(state: &State, turns: Vec<TurnId>, change: &StatusChanged) -> CommandDecision {
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    agent::close_and_go_on(state, &mut decision, &turns, change);
    decision.outcome = CommandOutcome::Cancelled(turns);
    decision
}
