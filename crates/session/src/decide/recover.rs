//! `recover`: the session was loaded and nobody works on what was running. Harmless to repeat.

use protocol::{Body, OnRestart, StatusChanged, Transition};

use super::agent;
use crate::{
    decision::{Decision, Effect, Outcome},
    limits::ATTEMPTS_MAX,
    open_turn::OpenTurn,
    state::State,
};

pub(super) fn decide(state: &State) -> Decision {
    let mut decision = Decision::nothing(Outcome::Done);
    let Some(turn) = state.running() else {
        agent::take_up_next(state, &mut decision);
        return decision;
    };
    let given_up = give_up_reason(state, turn);
    let reason = given_up.unwrap_or("the server stopped while the turn ran");
    decision.turn_event(turn, Body::TurnStatus(StatusChanged::to(Transition::Interrupted).because(reason)));
    if given_up.is_none() {
        decision.turn_event(turn, Body::TurnStatus(turn.resumed()));
        decision.effects.push(Effect::Run(turn.id));
    } else {
        agent::take_up_next(state, &mut decision);
    }
    decision
}

fn give_up_reason(state: &State, turn: &OpenTurn) -> Option<&'static str> {
    if state.settings.policy.on_restart == OnRestart::Wait {
        return Some("the server stopped while the turn ran; the session's policy is to wait");
    }
    (turn.attempts >= ATTEMPTS_MAX).then_some("the server stopped during each attempt; resume or cancel the turn")
}
