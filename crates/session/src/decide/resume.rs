//! `resume`: an interrupted turn goes on, at once or when its agent is free. A turn that waits to be told what became of
//! a call goes on once it is told.

use protocol::{
    Body, CallOutcome, CallStatus, MessageQueued, Observed, ObservedKind, Origin, Step, ToolResult, TurnId, TurnStatus,
};

use super::{agent, check_active};
use crate::{
    decision::{Decision, Outcome},
    limits::QUEUE_MAX,
    open_turn::{Doubt, OpenTurn},
    refusal::Refusal,
    state::State,
    thread::Call,
};

pub(super) fn decide(
    state: &State,
    turn_id: TurnId,
    outcome: Option<CallOutcome>,
    call_id: Option<&str>,
) -> Result<Decision, Refusal> {
    check_active(state)?;
    let turn = state.open.get(&turn_id).ok_or(Refusal::AlreadyFinal)?;
    if state.running_turn(turn_id).is_some() || !matches!(turn.status, TurnStatus::Interrupted | TurnStatus::Waiting) {
        return Err(Refusal::NotInterrupted);
    }
    let mut decision = Decision::nothing(Outcome::Done);
    let still_in_doubt = settle_doubts(&mut decision, turn, outcome, call_id)?;
    let mut position = None;
    if !still_in_doubt.is_empty() {
        decision.turn_event(turn, Body::TurnStatus(turn.in_doubt(&Doubt::Still, still_in_doubt.into_iter())));
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
    decision.outcome = Outcome::Accepted {
        turn_id,
        agent_id: turn.agent_id.clone(),
        seq: turn.accepted_seq,
        position,
        duplicate: false,
    };
    Ok(decision)
}

/// Writes down what became of the calls in doubt; gives those that still are.
fn settle_doubts<'a>(
    decision: &mut Decision,
    turn: &'a OpenTurn,
    outcome: Option<CallOutcome>,
    call_id: Option<&str>,
) -> Result<Vec<&'a Call>, Refusal> {
    let is_asked = |call: &&Call| turn.status == TurnStatus::Waiting && call.is_unsettled();
    let doubtful = turn.thread.calls().filter(|call| call.is_doubtful() || is_asked(call));
    let is_meant = |call: &&Call| call_id.is_none_or(|id| id == call.planned.call_id);
    let (meant, others): (Vec<&Call>, Vec<&Call>) = doubtful.partition(is_meant);
    let Some(outcome) = outcome.filter(|_| !meant.is_empty()) else {
        let in_doubt: Vec<String> = meant.iter().chain(&others).map(|call| call.planned.call_id.clone()).collect();
        return if in_doubt.is_empty() { Ok(others) } else { Err(Refusal::OutcomeNeeded { calls: in_doubt }) };
    };
    for call in meant {
        decision.turn_event(turn, Body::Step(settled(call, outcome)));
    }
    Ok(others)
}

fn settled(call: &Call, outcome: CallOutcome) -> Step {
    let planned = &call.planned;
    match outcome {
        CallOutcome::Happened => Step::ToolResult(ToolResult {
            call_id: planned.call_id.clone(),
            tool: planned.tool.clone(),
            status: CallStatus::Assumed,
            content:
                "Nobody could tell whether the call took effect. The user has checked: it took effect. What it answered \
                 is not known."
                    .to_owned(),
            origin: Origin::Trusted,
            artifact_id: None,
            sources: Vec::new(),
            duration_ms: None,
        }),
        CallOutcome::DidNotHappen => Step::ObservedEvent(Observed {
            kind: ObservedKind::CallDidNotHappen,
            call_id: Some(planned.call_id.clone()),
            message: format!("the user says that `{}` did not take effect", planned.tool),
        }),
    }
}
