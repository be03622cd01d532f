//! `pause`: a turn stops where it can be continued without doubt. A call that runs is never cut
//! off: the turn pauses once its running calls have their results.

use protocol::{Body, StatusChanged, Transition, TurnId, TurnStatus};

use super::{agent, check_active};
use crate::{
    decision::{CommandDecision, CommandOutcome, Effect},
    open_turn::OpenTurn,
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, turn_id: TurnId) -> Result<CommandDecision, Refusal> {
    check_active(state)?;
    let turn = state.open.get(&turn_id).ok_or(Refusal::AlreadyFinal)?;
    let mut decision = CommandDecision::nothing(CommandOutcome::Paused(TurnStatus::Paused));
    match turn.status {
        TurnStatus::Paused => {}
        TurnStatus::Pending | TurnStatus::Running | TurnStatus::Streaming => {
            if !turn.has_running_calls() {
                pause(state, &mut decision, turn);
            } else {
                decision.outcome = CommandOutcome::Paused(TurnStatus::Running);
                if !turn.is_pausing {
                    decision
                        .turn_event(turn, Body::TurnStatus(StatusChanged::to(Transition::Pausing).because("pausing")));
                }
            }
        }
        _ => return Err(Refusal::NotRunning),
    }
    Ok(decision)
}

/// A running call of a turn has its result: if it was the last one, a turn that is to be paused
/// pauses now. `decision` contains the result already.
pub(super) fn after_result(state: &State, decision: &mut CommandDecision, turn: &OpenTurn, call_id: &str) {
    let is_last = turn.running_calls().all(|call| call.planned.call_id == call_id);
    if turn.is_pausing && is_last {
        pause(state, decision, turn);
    }
}

fn pause(state: &State, decision: &mut CommandDecision, turn: &OpenTurn) {
    let is_running = state.running_turn(turn.id).is_some();
    decision.turn_event(turn, Body::TurnStatus(StatusChanged::to(Transition::Paused)));
    if is_running {
        decision.effects.push(Effect::Stop(turn.id));
        agent::take_up_next(state, decision, &turn.agent_id);
    }
}
