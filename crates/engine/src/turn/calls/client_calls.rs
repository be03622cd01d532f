//! Client calls: handed to the client or to tool workers, which run them, and awaited.

use std::time::Duration;

use protocol::{CallStatus, Effect, Step, ToolCall};
use session::{ThreadCall, TurnReport};

use super::{
    super::{Halt, Inbox, budget::Budget, client_tools, plan::TurnPlan, state::TurnState},
    call_check, served_calls,
};

/// Hands calls to the client and to tool workers, and waits until all results are there. While it
/// waits, the turn holds no permit and its clock is paused. After results of its client all of its
/// budgets start again, as for a new request.
pub(super) async fn settle(
    state: &mut TurnState,
    plan: &TurnPlan,
    budget: &Budget,
    handed: Vec<ThreadCall>,
) -> Result<(), Halt> {
    if handed.is_empty() {
        return Ok(());
    }
    let fresh: Vec<ThreadCall> = handed.into_iter().filter(|call| call.begun.is_none()).collect();
    if !fresh.is_empty() {
        hand_out(state, plan, budget, fresh).await?;
    }
    let waiting = state.thread.calls().filter(|call| call.awaits_client());
    let ids: Vec<String> = waiting.map(|call| call.planned.call_id.clone()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    let is_clients = state.thread.calls().any(|call| call.awaits_client() && !call.is_served());
    if state.thread.calls().any(|call| call.awaits_client() && call.is_served()) {
        let slot = state.slot.clone();
        slot.while_paused(served_calls::wait(state, &ids)).await?;
        state.read_inbox();
    } else {
        let has_all = |inbox: &Inbox| ids.iter().all(|id| inbox.results.iter().any(|result| result.call_id == *id));
        state.wait_for_person(has_all).await;
    }
    if !is_clients {
        return Ok(());
    }
    state.usage_before = state.usage;
    let time = state.input.turn.time_budget_ms(state.input.settings.budgets.max_duration_ms);
    state.slot.renew(Duration::from_millis(time));
    Ok(())
}

/// Records that the client or a tool worker has to run these calls. It is durable before they are
/// notified.
async fn hand_out(state: &mut TurnState, plan: &TurnPlan, budget: &Budget, fresh: Vec<ThreadCall>) -> Result<(), Halt> {
    let (_, begun) = client_tools::since_client(&state.thread);
    let left = usize::try_from(budget.calls_left(begun)).unwrap_or(usize::MAX);
    let until = state.services.world.now().plus(state.services.options.client_wait);
    let mut calls = Vec::new();
    for (index, call) in fresh.into_iter().enumerate() {
        if index >= left {
            let told = "The tool call budget is used up: answer from what you have.".to_owned();
            state.step(Step::ToolResult(call_check::refusal(&call, CallStatus::Denied, told))).await;
            continue;
        }
        let place = state.thread.calls().position(|own| own.planned.call_id == call.planned.call_id).unwrap_or(0);
        let served = client_tools::served_tool(state, plan, &call.planned.tool);
        calls.push(ToolCall {
            call_id: call.planned.call_id.clone(),
            tool: call.planned.tool.clone(),
            arguments: call.planned.arguments.clone(),
            // Only the client knows whether its call may run again.
            effect: served.map_or(Effect::AtMostOnce, |tool| tool.effect.into()),
            key: format!("{}-{}-{}", state.input.session_id, state.input.turn.id, place),
            approval_id: None,
            client_until: Some(until),
            served: served.is_some(),
        });
    }
    if calls.is_empty() {
        return Ok(());
    }
    for call in &calls {
        state.note(&Step::ToolCall(call.clone()));
    }
    state.reporter.commit(TurnReport::HandOut(calls)).await?;
    Ok(())
}
