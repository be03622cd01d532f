//! Calls: checked, judged, asked about, written down, run, and their results written down.

mod handed;
mod ready;
mod result;

use std::{collections::BTreeSet, time::Duration};

use futures::future::join_all;
use protocol::{CallStatus, Effect, PlannedCall, Step, ToolCall, ToolResult};
use ready::{Ready, Standpoint};
use session::{Call, Report};
use tools::{Failure, Found};

use super::{Halt, budget::Budget, offer, plan::Plan, tool_selection::unwrapped, work::Work};

/// Characters of a tool's name as the model writes it; no tool has a longer one.
const TOOL_CHARS_MAX: usize = 64;
/// Calls that run at once.
const PARALLEL_MAX: usize = 8;

/// What the model asks for, as it is written down: secrets are taken out, and every call has an id of its own.
pub(super) fn plan(work: &Work, calls: Vec<model::Call>) -> Vec<PlannedCall> {
    let mut taken: BTreeSet<String> = work.thread.calls().map(|call| call.planned.call_id.clone()).collect();
    let round = work.thread.rounds() + 1;
    let named = calls.into_iter().enumerate().map(|(index, call)| {
        let mut call_id = call.id;
        let mut number = index;
        // A provider may use names like ours.
        while call_id.is_empty() || taken.contains(&call_id) {
            call_id = format!("call_{round}_{number}");
            number += 1;
        }
        taken.insert(call_id.clone());
        let planned = unwrapped(PlannedCall {
            call_id,
            tool: call.tool,
            arguments: work.house.redactor.redact_json(call.arguments),
            signatures: call.signatures.into_iter().map(|signature| kept(work, signature)).collect(),
            looked_up: false,
        });
        PlannedCall { tool: tool_name(&work.house.redactor.redact(&planned.tool)), ..planned }
    });
    named.collect()
}

/// What goes back with a call. What is signed has to stay as it is; plain words are kept without secrets.
fn kept(work: &Work, signature: String) -> String {
    if !model::is_plain_reasoning(&signature) {
        return signature;
    }
    work.house.redactor.redact(&signature).into_owned()
}

/// A tool's name in a form that every provider takes back, also where the model has made one up.
fn tool_name(written: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let plain: String =
        written.chars().take(TOOL_CHARS_MAX).map(|char| if is_plain(char) { char } else { '_' }).collect();
    if plain.is_empty() { "unknown".to_owned() } else { plain }
}

/// Brings every call of the last round to its result. Those that have one are not touched.
pub(super) async fn settle(work: &mut Work, plan: &Plan, budget: &Budget) -> Result<(), Halt> {
    let open: Vec<Call> = work.thread.calls().filter(|call| call.result.is_none()).cloned().collect();
    if open.is_empty() {
        return Ok(());
    }
    let (handed, open): (Vec<Call>, Vec<Call>) = open.into_iter().partition(|call| offer::is_clients(work, plan, call));
    let mut doubtful: Vec<(String, String)> = Vec::new();
    let mut waiting: Vec<Ready> = Vec::new();
    // What the calls of this round answer was not known when they were asked for.
    let is_tainted = work.is_tainted();
    for standpoint in ready::judge_all(work, plan, budget, open, is_tainted).await? {
        match standpoint {
            Standpoint::Settled(result) => work.step(Step::ToolResult(result)).await,
            Standpoint::Ready(ready) => waiting.push(*ready),
        }
    }
    let mut waiting = waiting.into_iter().peekable();
    while let Some(first) = waiting.next() {
        let mut group = vec![first];
        while group[0].is_parallel(work)
            && group.len() < PARALLEL_MAX
            && let Some(next) = waiting.next_if(|next| next.is_parallel(work))
        {
            group.push(next);
        }
        doubtful.extend(run_group(work, group).await?);
    }
    if doubtful.is_empty() {
        // Last: whoever is waited for outside should find the rest done.
        return handed::settle(work, budget, handed).await;
    }
    let (call_ids, whys): (Vec<String>, Vec<String>) = doubtful.into_iter().unzip();
    let why = work.house.redactor.redact(&whys.join(" ")).into_owned();
    work.reporter.commit(Report::Doubt { call_ids, why }).await?;
    Err(Halt::Over)
}

/// Runs calls at once; gives those of which nobody can tell whether they happened, with what is known of them.
async fn run_group(work: &mut Work, group: Vec<Ready>) -> Result<Vec<(String, String)>, Halt> {
    begin(work, &group).await?;
    let outcomes: Vec<Outcome> = join_all(group.iter().map(|ready| run_and_tell(work, ready))).await;
    // A call whose time was up while it waited for somebody could not do that itself.
    work.shift.come_back().await;
    work.settle_aside();
    let mut doubtful = Vec::new();
    for (ready, outcome) in group.iter().zip(outcomes) {
        match outcome {
            Outcome::Result(result) => {
                work.artifacts.extend(result.artifact_id);
                work.note(&Step::ToolResult(result));
            }
            Outcome::Unknown(why) => doubtful.push((ready.call.planned.call_id.clone(), why)),
        }
    }
    Ok(doubtful)
}

/// Runs a call and tells its result at once, without waiting for those beside it: what is written down is not in doubt.
async fn run_and_tell(work: &Work, ready: &Ready) -> Outcome {
    let outcome = run(work, ready).await;
    if let Outcome::Result(result) = &outcome {
        let report = Report::Step(Step::ToolResult(result.clone()));
        // What changes nothing can be done again after a crash; of the rest it would not be known that it is done.
        match ready.effect {
            Effect::Pure => work.reporter.tell(report).await,
            _ => work.reporter.tell_now(report).await,
        }
    }
    outcome
}

/// Writes down that the calls begin. What changes nothing need not wait until that is durable.
async fn begin(work: &mut Work, group: &[Ready]) -> Result<(), Halt> {
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
            })
        })
        .collect();
    for step in &fresh {
        work.note(step);
    }
    let is_harmless = group.iter().all(|ready| ready.effect == Effect::Pure);
    let reports = fresh.into_iter().map(Report::Step).collect();
    if is_harmless {
        work.reporter.tell_all(reports).await;
    } else {
        work.reporter.commit_all(reports).await?;
    }
    Ok(())
}

/// What became of a call.
enum Outcome {
    Result(ToolResult),
    /// Nobody can tell; what is known, in a sentence.
    Unknown(String),
}

/// Runs a call, or looks up whether it has happened where a crash cut it off.
async fn run(work: &Work, ready: &Ready) -> Outcome {
    let Some(entry) = work.house.tools.get(&ready.call.planned.tool) else { return gone(work, ready).await };
    let begun_at = tokio::time::Instant::now();
    let arguments = ready.call.planned.arguments.clone();
    let was_begun = ready.call.begun.is_some();
    if was_begun && ready.effect == Effect::Verifiable {
        match tools::look_up(&entry, arguments.clone(), ready.context(work)).await {
            Ok(Found::Happened(output)) => {
                return Outcome::Result(result::of(work, ready, Ok(output), begun_at.elapsed()).await);
            }
            Ok(Found::DidNotHappen) => {}
            Ok(Found::Unknown) | Err(_) => {
                let tool = &ready.call.planned.tool;
                return Outcome::Unknown(format!("`{tool}` was begun before the server stopped, and left no trace."));
            }
        }
    }
    if let Some(reason) = &ready.forbidden {
        let told = format!("The call was begun before the server stopped and may have taken effect then. {reason}.");
        return Outcome::Result(ready::refusal(&ready.call, CallStatus::Denied, told));
    }
    let mut answer = tools::run(&entry, arguments.clone(), ready.context(work)).await;
    if ready.effect == Effect::Idempotent && matches!(answer, Err(Failure::Unknown(_))) {
        // With the same key it happens once; a call that the model makes anew would have another one.
        answer = tools::run(&entry, arguments.clone(), ready.context(work)).await;
    }
    let answer = match (answer, ready.effect) {
        (Err(Failure::Unknown(why)), Effect::AtMostOnce) => return Outcome::Unknown(what_is_known(&why)),
        (Err(Failure::Unknown(why)), Effect::Verifiable) => {
            match tools::look_up(&entry, arguments, ready.context(work)).await {
                Ok(Found::Happened(output)) => Ok(output),
                Ok(Found::DidNotHappen) => Err(Failure::Failed(format!(
                    "{why}. It was looked up: it had not happened by then. It may still: look before trying again"
                ))),
                Ok(Found::Unknown) | Err(_) => return Outcome::Unknown(what_is_known(&why)),
            }
        }
        (answer, _) => answer,
    };
    Outcome::Result(result::of(work, ready, answer, begun_at.elapsed()).await)
}

/// The first sentence of what a tool says of its failure: the rest is advice to the model.
fn what_is_known(why: &str) -> String {
    let first = why.split(". ").next().unwrap_or(why).trim_end_matches('.');
    format!("{first}.")
}

/// A call of a tool that is no longer there. If it was begun before, whether it happened matters only where a second time would.
async fn gone(work: &Work, ready: &Ready) -> Outcome {
    match ready.effect {
        _ if ready.call.begun.is_none() => {
            let told = format!("there is no tool `{}` any more; nothing was done", ready.call.planned.tool);
            Outcome::Result(ready::refusal(&ready.call, CallStatus::Error, told))
        }
        Effect::Pure | Effect::Idempotent => {
            let failure = Failure::Failed(format!("there is no tool `{}` any more", ready.call.planned.tool));
            Outcome::Result(result::of(work, ready, Err(failure), Duration::ZERO).await)
        }
        Effect::Verifiable | Effect::AtMostOnce => {
            let tool = &ready.call.planned.tool;
            Outcome::Unknown(format!("`{tool}` was begun before the server stopped, and is not there any more."))
        }
    }
}
