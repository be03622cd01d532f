//! `resume`: an interrupted or paused turn continues, at once or when its agent is free. A turn
//! that waits for the outcome of a call continues once the caller states it.

use protocol::{
    Body, CallOutcome, CallStatus, MessageQueued, Observation, ObservationKind, Origin, Step, ToolResult, TurnId,
    TurnStatus,
};

use super::{agent, check_active};
use crate::{
    decision::{CommandDecision, CommandOutcome},
    limits::QUEUE_MAX,
    open_turn::{DoubtReason, OpenTurn},
    refusal::Refusal,
    state::State,
    thread::ThreadCall,
};

pub(super) fn decide(
    state: &State,
    turn_id: TurnId,
    outcome: Option<CallOutcome>,
    call_id: Option<&str>,
) -> Result<CommandDecision, Refusal> {
    check_active(state)?;
    let turn = state.open.get(&turn_id).ok_or(Refusal::AlreadyFinal)?;
    if state.running_turn(turn_id).is_some() || !is_resting(turn.status) {
        return Err(Refusal::NotInterrupted);
    }
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    let still_in_doubt = settle_doubts(&mut decision, turn, outcome, call_id)?;
    let mut position = None;
    if !still_in_doubt.is_empty() {
        decision.turn_event(turn, Body::TurnStatus(turn.in_doubt(&DoubtReason::Still, still_in_doubt.into_iter())));
    } else if agent::is_busy(state, &turn.agent_id) {
        if state.lines.len(&turn.agent_id) >= QUEUE_MAX {
            return Err(Refusal::queue_full(&turn.request.message));
        }
        let place = u32::try_from(state.lines.len(&turn.agent_id) + 1).unwrap_or(u32::MAX);
        decision.turn_event(turn, Body::MessageQueued(MessageQueued { turn_id, position: place }));
        position = Some(place);
    } else {
        agent::take_up(&mut decision, turn);
    }
    decision.outcome = CommandOutcome::Accepted {
        turn_id,
        agent_id: turn.agent_id.clone(),
        seq: turn.accepted_seq,
        position,
        duplicate: false,
    };
    Ok(decision)
}

/// Whether a turn of this status goes on only when it is resumed.
const fn is_resting(status: TurnStatus) -> bool {
    matches!(status, TurnStatus::Interrupted | TurnStatus::Paused | TurnStatus::Waiting)
}

/// Records the outcome of the calls in doubt and returns those that remain in doubt.
fn settle_doubts<'a>(
    decision: &mut CommandDecision,
    turn: &'a OpenTurn,
    outcome: Option<CallOutcome>,
    call_id: Option<&str>,
) -> Result<Vec<&'a ThreadCall>, Refusal> {
    let is_asked = |call: &&ThreadCall| turn.status == TurnStatus::Waiting && call.is_unsettled();
    let doubtful = turn.thread.calls().filter(|call| call.is_doubtful() || is_asked(call));
    let is_meant = |call: &&ThreadCall| call_id.is_none_or(|id| id == call.planned.call_id);
    let (meant, others): (Vec<&ThreadCall>, Vec<&ThreadCall>) = doubtful.partition(is_meant);
    let Some(outcome) = outcome.filter(|_| !meant.is_empty()) else {
        let in_doubt: Vec<String> = meant.iter().chain(&others).map(|call| call.planned.call_id.clone()).collect();
        return if in_doubt.is_empty() { Ok(others) } else { Err(Refusal::OutcomeNeeded { calls: in_doubt }) };
    };
    for call in meant {
        decision.turn_event(turn, Body::Step(settled(call, outcome)));
    }
    Ok(others)
}

fn settled(call: &ThreadCall, outcome: CallOutcome) -> Step {
    let planned = &call.planned;
    match outcome {
        CallOutcome::Happened => Step::ToolResult(ToolResult {
            call_id: planned.call_id.clone(),
            tool: planned.tool.clone(),
            status: CallStatus::Assumed,
            content:
                "It was unknown whether the call took effect. The user has checked: it took effect. Its result is \
                 unknown."
                    .to_owned(),
            origin: Origin::Trusted,
            artifact_id: None,
            sources: Vec::new(),
            duration_ms: None,
        }),
        CallOutcome::DidNotHappen => Step::ObservedEvent(Observation {
            kind: ObservationKind::CallDidNotHappen,
            call_id: Some(planned.call_id.clone()),
            message: format!("the user says that `{}` did not take effect", planned.tool),
            worker: None,
        }),
    }
}
