//! `cancel`: one turn or all open ones, wherever they stand.

use protocol::{StatusChanged, Transition, TurnId};

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
    let mut decision = Decision::nothing(Outcome::Cancelled(turns.clone()));
    let mut change = StatusChanged::to(Transition::Cancelled);
    change.reason = reason.map(str::to_owned);
    agent::close(state, &mut decision, &turns, &change);
    if turn_id.is_some() && turn_id == state.running {
        agent::take_up_next(state, &mut decision);
    }
    decision
}
