//! `recover`: the session was loaded, so no worker runs the turns that were running. Idempotent.

use protocol::{Body, OnRestart, StatusChanged, Transition};

use super::{agent, schedule};
use crate::{
    decision::{CommandDecision, CommandOutcome},
    limits::ATTEMPTS_MAX,
    open_turn::{DoubtReason, OpenTurn},
    state::State,
    thread::ThreadCall,
};

pub(super) fn decide(state: &State) -> CommandDecision {
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    for turn in state.running() {
        recover(state, &mut decision, turn);
    }
    for agent_id in state.lines.agents().filter(|agent_id| state.turn_of(agent_id).is_none()) {
        agent::take_up_next(state, &mut decision, agent_id);
    }
    schedule::recover(state, &mut decision);
    decision
}

fn recover(state: &State, decision: &mut CommandDecision, turn: &OpenTurn) {
    let given_up = give_up_reason(state, turn);
    let reason = given_up.unwrap_or("the server stopped while the turn ran");
    decision.turn_event(turn, Body::TurnStatus(StatusChanged::to(Transition::Interrupted).because(reason)));
    if turn.thread.is_doubtful() {
        let calls = turn.thread.calls().filter(|call| ThreadCall::is_doubtful(call));
        decision.turn_event(turn, Body::TurnStatus(turn.in_doubt(&DoubtReason::Stopped, calls)));
        agent::take_up_next(state, decision, &turn.agent_id);
    } else if turn.is_pausing {
        decision.turn_event(turn, Body::TurnStatus(StatusChanged::to(Transition::Paused)));
        agent::take_up_next(state, decision, &turn.agent_id);
    } else if given_up.is_some() {
        agent::take_up_next(state, decision, &turn.agent_id);
    } else {
        agent::take_up(decision, turn);
    }
}

fn give_up_reason(state: &State, turn: &OpenTurn) -> Option<&'static str> {
    if state.settings.policy.on_restart == OnRestart::Wait {
        return Some("the server stopped while the turn ran; the session's policy is to wait");
    }
    // A turn that waits for a person or a tool worker may be restarted any number of times.
    (turn.attempts_without_progress() >= ATTEMPTS_MAX && !turn.awaits_input())
        .then_some("the server stopped during each attempt; resume or cancel the turn")
}
