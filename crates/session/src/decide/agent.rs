//! The agent works on one turn at a time, in the order the turns were accepted.

use protocol::{Body, Stage, StageEntered, StatusChanged, TurnId};

use crate::{
    decision::{Decision, Effect},
    open_turn::OpenTurn,
    state::State,
};

/// Whether a new message has to wait.
pub(super) fn is_busy(state: &State) -> bool {
    state.running.is_some() || !state.queue.is_empty()
}

/// The event by which a turn is taken up for the first time.
pub(super) const fn taken_up() -> Body {
    Body::TurnStage(StageEntered { stage: Stage::Receive, detail: None })
}

/// Lets the agent work on a turn, afresh or after an interruption.
pub(super) fn take_up(decision: &mut Decision, turn: &OpenTurn) {
    let body = if turn.attempts == 0 { taken_up() } else { Body::TurnStatus(turn.resumed()) };
    decision.turn_event(turn, body);
    decision.effects.push(Effect::Run(turn.id));
}

/// Takes up the next turn in line, given that the running one has just been put aside.
pub(super) fn take_up_next(state: &State, decision: &mut Decision) {
    if let Some(next) = state.queue.front().and_then(|id| state.open.get(id)) {
        take_up(decision, next);
    }
}

/// Ends the given turns with the same change, stopping whichever of them runs.
pub(super) fn close(state: &State, decision: &mut Decision, turns: &[TurnId], change: &StatusChanged) {
    for turn in turns.iter().filter_map(|id| state.open.get(id)) {
        decision.turn_event(turn, Body::TurnStatus(change.clone()));
        if state.running == Some(turn.id) {
            decision.effects.push(Effect::Stop(turn.id));
        }
    }
}

/// Ends every open turn; nothing comes after them.
pub(super) fn close_all(state: &State, decision: &mut Decision, change: &StatusChanged) {
    let all: Vec<TurnId> = state.open.keys().copied().collect();
    close(state, decision, &all, change);
}
