//! `resume`: an interrupted turn goes on, at once or when the agent is free.

use protocol::{Body, MessageQueued, TurnId, TurnStatus};

use super::{agent, check_active};
use crate::{
    decision::{Decision, Outcome},
    limits::QUEUE_MAX,
    refusal::Refusal,
    state::State,
};

pub(super) fn decide(state: &State, turn_id: TurnId) -> Result<Decision, Refusal> {
    check_active(state)?;
    let turn = state.open.get(&turn_id).ok_or(Refusal::AlreadyFinal)?;
    if turn.status != TurnStatus::Interrupted {
        return Err(Refusal::NotInterrupted);
    }
    let mut decision = Decision::nothing(Outcome::Done);
    let mut position = None;
    if agent::is_busy(state) {
        if state.queue.len() >= QUEUE_MAX {
            return Err(Refusal::queue_full(&turn.request.message));
        }
        let place = u32::try_from(state.queue.len() + 1).unwrap_or(u32::MAX);
        decision.turn_event(turn, Body::MessageQueued(MessageQueued { turn_id, position: place }));
        position = Some(place);
    } else {
        agent::take_up(&mut decision, turn);
    }
    decision.outcome = Outcome::Accepted {
        turn_id,
        agent_id: turn.agent_id.clone(),
        seq: turn.accepted_seq,
        position,
        duplicate: false,
    };
    Ok(decision)
}
