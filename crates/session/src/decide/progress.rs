//! What the running turn reports on its way: stages, steps, text. From any other turn it comes too late.

use protocol::{Body, Stage, StageEntered, Step, Text, TurnId};

use crate::{
    decision::{Decision, Outcome},
    state::State,
};

pub(super) fn enter(state: &State, turn_id: TurnId, stage: Stage) -> Decision {
    report(state, turn_id, |_| Body::TurnStage(StageEntered { stage, detail: None }))
}

pub(super) fn step(state: &State, turn_id: TurnId, step: Step) -> Decision {
    report(state, turn_id, |_| Body::Step(step))
}

pub(super) fn text(state: &State, turn_id: TurnId, delta: String) -> Decision {
    if delta.is_empty() {
        return Decision::nothing(Outcome::Done);
    }
    report(state, turn_id, |offset| Body::Text(Text { offset, delta }))
}

fn report(state: &State, turn_id: TurnId, body: impl FnOnce(u64) -> Body) -> Decision {
    let Some(turn) = state.running().filter(|turn| turn.id == turn_id) else {
        return Decision::nothing(Outcome::TooLate);
    };
    let mut decision = Decision::nothing(Outcome::Done);
    decision.turn_event(turn, body(turn.text_chars));
    decision
}
