//! Calls of the client's own tools: handed out, and waited for. They are run elsewhere, by whoever asked.

use std::time::Duration;

use protocol::{CallStatus, Effect, Step, ToolCall};
use session::{Call, Report};

use super::{
    super::{Halt, budget::Budget, work::Work},
    ready,
};

/// Hands calls out and waits until the client has told what came of all of them. While it waits, the turn has no place
/// among those at work and its time stands still; then it has all its budgets anew, as for another request.
pub(super) async fn settle(work: &mut Work, budget: &Budget, handed: Vec<Call>) -> Result<(), Halt> {
    if handed.is_empty() {
        return Ok(());
    }
    let fresh: Vec<Call> = handed.into_iter().filter(|call| call.begun.is_none()).collect();
    if !fresh.is_empty() {
        hand_out(work, budget, fresh).await?;
    }
    let waiting = work.thread.calls().filter(|call| call.awaits_client());
    let ids: Vec<String> = waiting.map(|call| call.planned.call_id.clone()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    work.wait_for_person(|heard| ids.iter().all(|id| heard.results.iter().any(|result| result.call_id == *id))).await;
    work.usage_before = work.usage;
    let time = work.job.turn.time_budget_ms(work.job.settings.budgets.max_duration_ms);
    work.shift.renew(Duration::from_millis(time));
    Ok(())
}

/// Writes down that the client is to run these calls. It is durable before anybody is told.
async fn hand_out(work: &mut Work, budget: &Budget, fresh: Vec<Call>) -> Result<(), Halt> {
    let (_, begun) = super::offer::since_client(&work.thread);
    let left = usize::try_from(budget.calls_left(begun)).unwrap_or(usize::MAX);
    let until = work.house.world.now().plus(work.house.options.client_wait);
    let mut calls = Vec::new();
    for (index, call) in fresh.into_iter().enumerate() {
        if index >= left {
            let told = "The budget of tool calls is used up: answer from what you have.".to_owned();
            work.step(Step::ToolResult(ready::refusal(&call, CallStatus::Denied, told))).await;
            continue;
        }
        let place = work.thread.calls().position(|own| own.planned.call_id == call.planned.call_id).unwrap_or(0);
        calls.push(ToolCall {
            call_id: call.planned.call_id.clone(),
            tool: call.planned.tool.clone(),
            arguments: call.planned.arguments.clone(),
            // What running it again would do is known to the client alone.
            effect: Effect::AtMostOnce,
            key: format!("{}-{}-{}", work.job.session_id, work.job.turn.id, place),
            approval_id: None,
            client_until: Some(until),
        });
    }
    if calls.is_empty() {
        return Ok(());
    }
    for call in &calls {
        work.note(&Step::ToolCall(call.clone()));
    }
    work.reporter.commit(Report::HandOut(calls)).await?;
    Ok(())
}
