//! Calls of tools that run outside of the server: sent to the client or to a tool worker, answered,
//! or expired.

use std::collections::BTreeSet;

use protocol::{
    Body, CallStatus, ClientToolOffer, Origin, StatusChanged, Step, Timestamp, ToolCall, ToolResult, Transition, TurnId,
};

use super::{agent, check_active};
use crate::{
    decision::{CommandDecision, CommandOutcome, Effect},
    offer,
    open_turn::OpenTurn,
    refusal::Refusal,
    state::State,
    thread::ThreadCall,
};

/// Hands the calls of a turn to the client or to tool workers, except those that are no longer open
/// or were sent before.
pub(super) fn hand_out(turn: &OpenTurn, calls: Vec<ToolCall>) -> CommandDecision {
    let is_fresh = |begun: &ToolCall| {
        let newest = turn.thread.calls().filter(|call| call.planned.call_id == begun.call_id).last();
        newest.is_some_and(|call| call.begun.is_none() && call.result.is_none())
    };
    let fresh: Vec<ToolCall> = calls.into_iter().filter(|call| call.client_until.is_some()).filter(is_fresh).collect();
    if fresh.is_empty() {
        return CommandDecision::nothing(CommandOutcome::TooLate);
    }
    let mut decision = CommandDecision::nothing(CommandOutcome::Done);
    let waits_for_client = fresh.iter().any(|call| !call.served);
    for call in fresh {
        decision.turn_event(turn, Body::Step(Step::ToolCall(call)));
    }
    // A turn that waits for tool workers only goes on by itself, as far as its client can tell.
    if waits_for_client && !turn.awaits_person() {
        decision.turn_event(turn, waiting_for_client());
    }
    decision
}

/// The turn and its agent wait.
pub(super) fn waiting_for_client() -> Body {
    Body::TurnStatus(StatusChanged::to(Transition::Waiting).because("client_tools"))
}

/// The client reports the results of calls. The first result of a call counts; later ones are
/// ignored. The tools it offers from now on take effect with the first report that is new.
pub(super) fn answer(
    state: &State,
    turn_id: TurnId,
    results: Vec<ToolResult>,
    offered: Option<ClientToolOffer>,
    now: Timestamp,
) -> Result<CommandDecision, Refusal> {
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
    let fresh: Vec<(&ThreadCall, ToolResult)> = results
        .into_iter()
        .filter(|result| seen.insert(result.call_id.clone()))
        .filter_map(|result| waiting(&result.call_id).map(|call| (call, result)))
        .collect();
    // After the deadline no turn waits for the result, even if no event has said so yet.
    if fresh.iter().any(|(call, _)| call.client_until().is_some_and(|until| until <= now)) {
        return Err(Refusal::AlreadyFinal);
    }
    let told: BTreeSet<&str> = fresh.iter().map(|(call, _)| call.planned.call_id.as_str()).collect();
    let open = turn.thread.calls().filter(|call| call.awaits_client());
    let still: Vec<String> =
        open.map(|call| call.planned.call_id.clone()).filter(|id| !told.contains(id.as_str())).collect();
    let (is_new, seq) = (!fresh.is_empty(), state.head);
    let mut decision = CommandDecision::nothing(CommandOutcome::Told {
        agent_id: turn.agent_id.clone(),
        seq,
        still: still.clone(),
        is_new,
    });
    if !is_new {
        return Ok(decision);
    }
    if let Some(offered) = offered.filter(|offered| *offered != turn.request.offer) {
        decision.turn_event(turn, Body::ToolsChanged(offered));
    }
    for (call, result) in fresh {
        // The name of the tool is taken from the call, not from the client's result.
        let result = ToolResult { tool: call.planned.tool.clone(), ..result };
        decision.turn_event(turn, Body::Step(Step::ToolResult(result)));
    }
    // A turn that a restart has interrupted continues when it is resumed.
    if state.running_turn(turn_id).is_some() {
        let was_clients = turn.awaits_client();
        let is_still_clients = still.iter().any(|id| waiting(id).is_some_and(|call| !call.is_served()));
        if was_clients && !is_still_clients && !turn.awaits_approval() && !turn.doings.awaits_answer() {
            decision.turn_event(turn, Body::TurnStatus(turn.continued("client_tools")));
        }
        decision.effects.push(Effect::Nudge(turn_id));
    }
    Ok(decision)
}

/// A client that does not answer by the deadline ends the turn, with that reason. A tool worker
/// that does not only fails its call: the client of the turn is there and gets an answer.
pub(super) fn expire(state: &State, decision: &mut CommandDecision, now: Timestamp) {
    for turn in state.running() {
        let is_late =
            |call: &&ThreadCall| call.awaits_client() && call.client_until().is_some_and(|until| until <= now);
        let (served, late): (Vec<&ThreadCall>, Vec<&ThreadCall>) =
            turn.thread.calls().filter(is_late).partition(|call| call.is_served());
        // If some calls of a turn have just been settled, the next pass settles the rest.
        let is_told = decision.events.iter().any(|draft| draft.turn.as_ref().is_some_and(|(id, _)| *id == turn.id));
        if is_told || (late.is_empty() && served.is_empty()) {
            continue;
        }
        if late.is_empty() {
            for call in served {
                decision.turn_event(turn, Body::Step(Step::ToolResult(unanswered(call))));
            }
            decision.effects.push(Effect::Nudge(turn.id));
            continue;
        }
        let late: Vec<&str> = late.into_iter().map(|call| call.planned.tool.as_str()).collect();
        let why = format!("the client did not send the results of `{}` in time", late.join("`, `"));
        let change = StatusChanged::to(Transition::Expired).because(why);
        agent::close_and_go_on(state, decision, &[turn.id], &change);
    }
}

/// The result of a call that no tool worker has answered by the deadline.
fn unanswered(call: &ThreadCall) -> ToolResult {
    let content = match &call.delivery {
        None => "No tool worker was there to run the call. It was not run.",
        Some(_) => "The tool worker did not answer in time. The call may have taken effect.",
    };
    ToolResult {
        call_id: call.planned.call_id.clone(),
        tool: call.planned.tool.clone(),
        status: CallStatus::Error,
        content: content.to_owned(),
        origin: Origin::Trusted,
        artifact_id: None,
        sources: Vec::new(),
        duration_ms: None,
    }
}
