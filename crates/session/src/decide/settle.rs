//! `finish`, `fail`, `expire`: the running turn ends by itself. Whoever comes second comes too late.

use protocol::{Body, Response, Stage, StageEntered, StatusChanged, Transition, TurnError, TurnId};

use super::agent;
use crate::{
    decision::{Decision, Outcome},
    open_turn::OpenTurn,
    state::State,
};

pub(super) fn finish(state: &State, turn_id: TurnId, response: Response) -> Decision {
    settle(state, turn_id, |decision, turn| {
        decision.turn_event(turn, Body::TurnStage(StageEntered { stage: Stage::Complete, detail: None }));
        decision.turn_event(turn, Body::Final(response));
        StatusChanged::to(Transition::Completed)
    })
}

pub(super) fn fail(state: &State, turn_id: TurnId, error: TurnError) -> Decision {
    settle(state, turn_id, |_, _| StatusChanged { error: Some(error), ..StatusChanged::to(Transition::Failed) })
}

pub(super) fn expire(state: &State, turn_id: TurnId, reason: String) -> Decision {
    settle(state, turn_id, |_, _| StatusChanged::to(Transition::Expired).because(reason))
}

fn settle(state: &State, turn_id: TurnId, end: impl FnOnce(&mut Decision, &OpenTurn) -> StatusChanged) -> Decision {
    let Some(turn) = state.running().filter(|turn| turn.id == turn_id) else {
        return Decision::nothing(Outcome::TooLate);
    };
    let mut decision = Decision::nothing(Outcome::Done);
    let change = end(&mut decision, turn);
    decision.turn_event(turn, Body::TurnStatus(change));
    agent::take_up_next(state, &mut decision);
    decision
}
