//! The main agent works on one turn at a time, in the order the turns were accepted. An ephemeral agent has one turn and
//! no line.

use protocol::{AgentId, Body, Stage, StageEntered, StatusChanged, TurnId};

use crate::{
    decision::{Decision, Effect},
    open_turn::OpenTurn,
    state::State,
};

/// Whether a new message for the main agent has to wait.
pub(super) fn is_busy(state: &State) -> bool {
    state.main_turn().is_some() || !state.queue.is_empty()
}

/// The event by which a turn is taken up for the first time.
pub(super) const fn taken_up() -> Body {
    Body::TurnStage(StageEntered { stage: Stage::Receive, detail: None })
}

/// Lets its agent work on a turn, afresh or after an interruption.
pub(super) fn take_up(decision: &mut Decision, turn: &OpenTurn) {
    let body = if turn.attempts == 0 { taken_up() } else { Body::TurnStatus(turn.resumed()) };
    decision.turn_event(turn, body);
    if turn.awaits_approval() {
        decision.turn_event(turn, super::progress::waiting_for_approval());
    }
    decision.effects.push(Effect::Run(turn.id));
}

/// Takes up the next turn in line, given that the one this agent worked on has just been put aside.
pub(super) fn take_up_next(state: &State, decision: &mut Decision, agent_id: &AgentId) {
    if agent_id.is_main()
        && let Some(next) = state.queue.front().and_then(|id| state.open.get(id))
    {
        take_up(decision, next);
    }
}

/// Ends the given turns with the same change, stopping whichever of them runs. Calls and questions they leave open are
/// closed first.
pub(super) fn close(state: &State, decision: &mut Decision, turns: &[TurnId], change: &StatusChanged) {
    let why = change.reason.as_deref().unwrap_or("the turn was cancelled");
    for turn in turns.iter().filter_map(|id| state.open.get(id)) {
        for body in turn.thread.wind_up(why) {
            decision.turn_event(turn, body);
        }
        decision.turn_event(turn, Body::TurnStatus(change.clone()));
        if state.running_turn(turn.id).is_some() {
            decision.effects.push(Effect::Stop(turn.id));
        }
    }
}

/// Ends every open turn; nothing comes after them.
pub(super) fn close_all(state: &State, decision: &mut Decision, change: &StatusChanged) {
    let all: Vec<TurnId> = state.open.keys().copied().collect();
    close(state, decision, &all, change);
}
