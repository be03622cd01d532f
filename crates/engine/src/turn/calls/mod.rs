//! Tool calls: checked against policy, approved if needed, recorded, run, and their results
//! recorded.

mod call_check;
mod client_calls;
mod result;
mod served_calls;

use std::{collections::BTreeSet, time::Duration};

use call_check::{CallCheck, RunnableCall};
use futures::future::join_all;
use ports::ToolFailure;
use protocol::{CallStatus, Effect, PlannedCall, Step, ToolCall, ToolResult};
use session::{ThreadCall, TurnReport};
use tools::CallLookup;

use super::{Halt, budget::Budget, client_tools, plan::TurnPlan, state::TurnState, tool_selection::unwrapped};
use crate::observation::call_outcome;

/// Characters of a tool's name as the model writes it; no tool has a longer one.
const TOOL_CHARS_MAX: usize = 64;
/// Calls that run in parallel.
const PARALLEL_MAX: usize = 8;

/// The calls of the model as they are recorded: redacted, and each with an id of its own.
pub(super) fn plan(state: &TurnState, calls: Vec<model::Call>) -> Vec<PlannedCall> {
    let mut taken: BTreeSet<String> = state.thread.calls().map(|call| call.planned.call_id.clone()).collect();
    let round = state.thread.rounds() + 1;
    let named = calls.into_iter().enumerate().map(|(index, call)| {
        let mut call_id = call.id;
        let mut number = index;
        // A provider may use ids like ours.
        while call_id.is_empty() || taken.contains(&call_id) {
            call_id = format!("call_{round}_{number}");
            number += 1;
        }
        taken.insert(call_id.clone());
        let planned = unwrapped(PlannedCall {
            call_id,
            tool: call.tool,
            arguments: state.services.redactor.redact_json(call.arguments),
            signatures: call.signatures.into_iter().map(|signature| kept(state, signature)).collect(),
            looked_up: false,
        });
        PlannedCall { tool: tool_name(&state.services.redactor.redact(&planned.tool)), ..planned }
    });
    named.collect()
}

/// The signature that is sent back with a call. A signature has to stay unchanged; plain text is
/// redacted.
fn kept(state: &TurnState, signature: String) -> String {
    if !model::is_plain_reasoning(&signature) {
        return signature;
    }
    state.services.redactor.redact(&signature).into_owned()
}

/// A tool's name in a form that every provider accepts, even if the model has invented one.
fn tool_name(written: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let plain: String =
        written.chars().take(TOOL_CHARS_MAX).map(|char| if is_plain(char) { char } else { '_' }).collect();
    if plain.is_empty() { "unknown".to_owned() } else { plain }
}

/// Brings every call of the last round to its result. Calls that have one are not touched.
pub(super) async fn settle(state: &mut TurnState, plan: &TurnPlan, budget: &Budget) -> Result<(), Halt> {
    let open: Vec<ThreadCall> = state.thread.calls().filter(|call| call.result.is_none()).cloned().collect();
    if open.is_empty() {
        return Ok(());
    }
    let (handed, open): (Vec<ThreadCall>, Vec<ThreadCall>) =
        open.into_iter().partition(|call| client_tools::is_clients(state, plan, call));
    let mut doubtful: Vec<(String, String)> = Vec::new();
    let mut waiting: Vec<RunnableCall> = Vec::new();
    // The results of this round were unknown when its calls were made.
    let is_tainted = state.is_tainted();
    for standpoint in call_check::judge_all(state, plan, budget, open, is_tainted).await? {
        match standpoint {
            CallCheck::Settled(result) => state.step(Step::ToolResult(result)).await,
            CallCheck::Runnable(ready) => waiting.push(*ready),
        }
    }
    let mut waiting = waiting.into_iter().peekable();
    while let Some(first) = waiting.next() {
        let mut group = vec![first];
        while group[0].is_parallel(state)
            && group.len() < PARALLEL_MAX
            && let Some(next) = waiting.next_if(|next| next.is_parallel(state))
        {
            group.push(next);
        }
        doubtful.extend(run_group(state, group).await?);
    }
    if doubtful.is_empty() {
        // Last, so that the other calls are done while the client or a tool worker works.
        return client_calls::settle(state, plan, budget, handed).await;
    }
    let (call_ids, whys): (Vec<String>, Vec<String>) = doubtful.into_iter().unzip();
    let why = state.services.redactor.redact(&whys.join(" ")).into_owned();
    state.reporter.commit(TurnReport::Doubt { call_ids, why }).await?;
    Err(Halt::Over)
}

/// Runs calls in parallel. Returns those whose outcome is unknown, with what is known about them.
async fn run_group(state: &mut TurnState, group: Vec<RunnableCall>) -> Result<Vec<(String, String)>, Halt> {
    begin(state, &group).await?;
    let outcomes: Vec<RunOutcome> = join_all(group.iter().map(|ready| run_and_tell(state, ready))).await;
    // A call that timed out while the slot was paused could not resume it itself.
    state.slot.resume().await;
    state.settle_side_usage();
    let mut doubtful = Vec::new();
    for (ready, outcome) in group.iter().zip(outcomes) {
        match outcome {
            RunOutcome::Result(result) => {
                state.artifacts.extend(result.artifact_id);
                state.note(&Step::ToolResult(result));
            }
            RunOutcome::Unknown(why) => doubtful.push((ready.call.planned.call_id.clone(), why)),
        }
    }
    Ok(doubtful)
}

/// Runs a call and reports its result at once, without waiting for the others: a recorded result is
/// not in doubt.
async fn run_and_tell(state: &TurnState, ready: &RunnableCall) -> RunOutcome {
    let span = state.trace.tool_call(&ready.call.planned.tool, &ready.call.planned.call_id);
    let outcome = observe::scope_maybe(span.context(), run(state, ready)).await;
    match &outcome {
        RunOutcome::Result(result) if result.status == CallStatus::Ok => span.finish(),
        RunOutcome::Result(result) => span.fail(call_outcome(result.status)),
        RunOutcome::Unknown(_) => span.fail("unknown"),
    }
    if let RunOutcome::Result(result) = &outcome {
        let report = TurnReport::Step(Step::ToolResult(result.clone()));
        // A read-only call can run again after a crash; the outcome of any other call would be in
        // doubt.
        match ready.effect {
            Effect::Pure => state.reporter.tell(report).await,
            _ => state.reporter.tell_now(report).await,
        }
    }
    outcome
}

/// Records that the calls start. Read-only calls do not wait until that is durable.
async fn begin(state: &mut TurnState, group: &[RunnableCall]) -> Result<(), Halt> {
    let fresh: Vec<Step> = group
        .iter()
        .filter(|ready| ready.call.begun.is_none())
        .map(|ready| {
            Step::ToolCall(ToolCall {
                call_id: ready.call.planned.call_id.clone(),
                tool: ready.call.planned.tool.clone(),
                arguments: ready.call.planned.arguments.clone(),
                effect: ready.effect,
                key: ready.key.clone(),
                approval_id: ready.approval_id,
                client_until: None,
                served: false,
            })
        })
        .collect();
    for step in &fresh {
        state.note(step);
    }
    let is_harmless = group.iter().all(|ready| ready.effect == Effect::Pure);
    let reports = fresh.into_iter().map(TurnReport::Step).collect();
    if is_harmless {
        state.reporter.tell_all(reports).await;
    } else {
        state.reporter.commit_all(reports).await?;
    }
    Ok(())
}

/// The outcome of a call.
enum RunOutcome {
    Result(ToolResult),
    /// It is unknown whether the call took effect; what is known, in a sentence.
    Unknown(String),
}

/// Runs a call, or looks up whether it has happened if a crash interrupted it.
async fn run(state: &TurnState, ready: &RunnableCall) -> RunOutcome {
    let Some(entry) = state.services.tools.get(&ready.call.planned.tool) else { return gone(state, ready).await };
    let begun_at = tokio::time::Instant::now();
    let arguments = ready.call.planned.arguments.clone();
    let was_begun = ready.call.begun.is_some();
    if was_begun && ready.effect == Effect::Verifiable {
        match tools::look_up(&entry, arguments.clone(), ready.context(state)).await {
            Ok(CallLookup::Happened(output)) => {
                return RunOutcome::Result(result::of(state, ready, Ok(output), begun_at.elapsed()).await);
            }
            Ok(CallLookup::DidNotHappen) => {}
            Ok(CallLookup::Unknown) | Err(_) => {
                let tool = &ready.call.planned.tool;
                return RunOutcome::Unknown(format!(
                    "`{tool}` was started before the server stopped, and its outcome is unknown."
                ));
            }
        }
    }
    if let Some(reason) = &ready.forbidden {
        let told = format!("The call was started before the server stopped and may have taken effect then. {reason}.");
        return RunOutcome::Result(call_check::refusal(&ready.call, CallStatus::Denied, told));
    }
    // A node that was suspended since it has recorded the call may have been replaced.
    state.input.hold.until_may_act().await;
    let mut answer = tools::run(&entry, arguments.clone(), ready.context(state)).await;
    if ready.effect == Effect::Idempotent && matches!(answer, Err(ToolFailure::Unknown(_))) {
        // With the same key it happens once; a new call of the model would have another key.
        answer = tools::run(&entry, arguments.clone(), ready.context(state)).await;
    }
    let answer = match (answer, ready.effect) {
        (Err(ToolFailure::Unknown(why)), Effect::AtMostOnce) => return RunOutcome::Unknown(what_is_known(&why)),
        (Err(ToolFailure::Unknown(why)), Effect::Verifiable) => {
            match tools::look_up(&entry, arguments, ready.context(state)).await {
                Ok(CallLookup::Happened(output)) => Ok(output),
                Ok(CallLookup::DidNotHappen) => Err(ToolFailure::Failed(format!(
                    "{why}. A check found that it had not happened by then. It still may: check before trying again"
                ))),
                Ok(CallLookup::Unknown) | Err(_) => return RunOutcome::Unknown(what_is_known(&why)),
            }
        }
        (answer, _) => answer,
    };
    RunOutcome::Result(result::of(state, ready, answer, begun_at.elapsed()).await)
}

/// The first sentence of a tool's error message: the rest is advice to the model.
fn what_is_known(why: &str) -> String {
    let first = why.split(". ").next().unwrap_or(why).trim_end_matches('.');
    format!("{first}.")
}

/// A call of a tool that no longer exists. If it was started before, its outcome matters only if a
/// second run would do harm.
async fn gone(state: &TurnState, ready: &RunnableCall) -> RunOutcome {
    match ready.effect {
        _ if ready.call.begun.is_none() => {
            let told = format!("there is no tool `{}` any more; nothing was done", ready.call.planned.tool);
            RunOutcome::Result(call_check::refusal(&ready.call, CallStatus::Error, told))
        }
        Effect::Pure | Effect::Idempotent => {
            let failure = ToolFailure::Failed(format!("there is no tool `{}` any more", ready.call.planned.tool));
            RunOutcome::Result(result::of(state, ready, Err(failure), Duration::ZERO).await)
        }
        Effect::Verifiable | Effect::AtMostOnce => {
            let tool = &ready.call.planned.tool;
            RunOutcome::Unknown(format!("`{tool}` was started before the server stopped, and does not exist any more."))
        }
    }
}
