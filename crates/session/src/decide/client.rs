//! Calls of the client's own tools: handed out, answered, or waited for in vain.

use std::collections::BTreeSet;

use protocol::{Body, Offer, StatusChanged, Step, Timestamp, ToolCall, ToolResult, Transition, TurnId};

use super::{agent, check_active};
use crate::{
    decision::{Decision, Effect, Outcome},
    offer,
    open_turn::OpenTurn,
    refusal::Refusal,
    state::State,
    thread::Call,
};

/// A turn hands calls out. Those that are no longer open, or were handed out before, are not.
pub(super) fn hand_out(turn: &OpenTurn, calls: Vec<ToolCall>) -> Decision {
    let is_fresh = |begun: &ToolCall| {
        let newest = turn.thread.calls().filter(|call| call.planned.call_id == begun.call_id).last();
        newest.is_some_and(|call| call.begun.is_none() && call.result.is_none())
    };
    let fresh: Vec<ToolCall> = calls.into_iter().filter(|call| call.client_until.is_some()).filter(is_fresh).collect();
    if fresh.is_empty() {
        return Decision::nothing(Outcome::TooLate);
    }
    let mut decision = Decision::nothing(Outcome::Done);
    for call in fresh {
        decision.turn_event(turn, Body::Step(Step::ToolCall(call)));
    }
    if !turn.awaits_person() {
        decision.turn_event(turn, waiting_for_client());
    }
    decision
}

/// The turn waits, and its agent with it.
pub(super) fn waiting_for_client() -> Body {
    Body::TurnStatus(StatusChanged::to(Transition::Waiting).because("client_tools"))
}

/// The client tells what came of calls. Each is told once; what was told before is passed over. What it offers from now
/// on counts with the first telling.
pub(super) fn answer(
    state: &State,
    turn_id: TurnId,
    results: Vec<ToolResult>,
    offered: Option<Offer>,
    now: Timestamp,
) -> Result<Decision, Refusal> {
    check_active(state)?;
    let turn = state.open.get(&turn_id).ok_or(Refusal::AlreadyFinal)?;
    let is_clients = |id: &str| turn.thread.calls().any(|call| call.is_clients() && call.planned.call_id == id);
    let unknown: Vec<String> =
        results.iter().filter(|result| !is_clients(&result.call_id)).map(|result| result.call_id.clone()).collect();
    if !unknown.is_empty() {
        return Err(Refusal::UnknownCalls { calls: unknown });
    }
    if let Some(offered) = &offered {
        offer::check(offered)?;
    }
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let waiting = |id: &str| turn.thread.calls().find(|call| call.awaits_client() && call.planned.call_id == id);
    let fresh: Vec<(&Call, ToolResult)> = results
        .into_iter()
        .filter(|result| seen.insert(result.call_id.clone()))
        .filter_map(|result| waiting(&result.call_id).map(|call| (call, result)))
        .collect();
    // What comes after the time is up finds nobody waiting, also when nobody has noticed yet.
    if fresh.iter().any(|(call, _)| call.client_until().is_some_and(|until| until <= now)) {
        return Err(Refusal::AlreadyFinal);
    }
    let told: BTreeSet<&str> = fresh.iter().map(|(call, _)| call.planned.call_id.as_str()).collect();
    let open = turn.thread.calls().filter(|call| call.awaits_client());
    let still: Vec<String> =
        open.map(|call| call.planned.call_id.clone()).filter(|id| !told.contains(id.as_str())).collect();
    let (is_new, seq) = (!fresh.is_empty(), state.head);
    let mut decision =
        Decision::nothing(Outcome::Told { agent_id: turn.agent_id.clone(), seq, still: still.clone(), is_new });
    if !is_new {
        return Ok(decision);
    }
    if let Some(offered) = offered.filter(|offered| *offered != turn.request.offer) {
        decision.turn_event(turn, Body::ToolsChanged(offered));
    }
    for (call, result) in fresh {
        // Which tool it was is known here better than by whoever answers.
        let result = ToolResult { tool: call.planned.tool.clone(), ..result };
        decision.turn_event(turn, Body::Step(Step::ToolResult(result)));
    }
    // One that a restart has put aside goes on when it is resumed.
    if state.running_turn(turn_id).is_some() {
        if still.is_empty() && !turn.awaits_approval() && !turn.doings.awaits_answer() {
            decision.turn_event(turn, Body::TurnStatus(turn.continued("client_tools")));
        }
        decision.effects.push(Effect::Nudge(turn_id));
    }
    Ok(decision)
}

/// Whoever is waited for in vain ends the turn, which says so.
pub(super) fn expire(state: &State, decision: &mut Decision, now: Timestamp) {
    for turn in state.running() {
        let is_late = |call: &&Call| call.awaits_client() && call.client_until().is_some_and(|until| until <= now);
        let late: Vec<&str> = turn.thread.calls().filter(is_late).map(|call| call.planned.tool.as_str()).collect();
        // Of one that has just been told something, the rest is settled in a moment.
        let is_told = decision.events.iter().any(|draft| draft.turn.as_ref().is_some_and(|(id, _)| *id == turn.id));
        if late.is_empty() || is_told {
            continue;
        }
        let why = format!("the client did not tell in time what came of `{}`", late.join("`, `"));
        let change = StatusChanged::to(Transition::Expired).because(why);
        agent::close_and_go_on(state, decision, &[turn.id], &change);
    }
}
