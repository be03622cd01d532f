//! Before a call runs: does the tool exist, do the arguments fit, may it run, and if a person has to say so, do they.

use std::{sync::Arc, time::Duration};

use protocol::{ApprovalId, ApprovalRequest, CallStatus, Decision, Effect, Origin, Safety, ToolResult};
use session::{Call, Report};
use tools::{Context, Judged, Standing, Verdict, barred, digest, judge};

use super::super::{
    Halt,
    budget::Budget,
    offer,
    plan::{Plan, RESEARCH, Way},
    study::Study,
    tool_selection::{FIND_TOOLS, USE_TOOL, find},
    work::Work,
};

/// How old a reflex may be when it is taken up again after the server was away.
const REFLEX_AGE_MAX: Duration = Duration::from_secs(5 * 60);
const ASK_ANEW: &str = "It is confirmed each time, so it was not done again; say it again to have it done now";

/// How a call stands before it runs.
pub(super) enum Standpoint {
    /// It does not run; this is what the model is told.
    Settled(ToolResult),
    /// It may run.
    Ready(Box<Ready>),
}

/// A call that may run.
pub(super) struct Ready {
    pub(super) call: Call,
    pub(super) effect: Effect,
    /// The same each time the call is run: made of where it stands, never of what the model wrote.
    pub(super) key: String,
    pub(super) approval_id: Option<ApprovalId>,
    /// Whose words its arguments may be made of.
    pub(super) origin: Origin,
    /// Why it may not be run again, where it was begun and policy has changed since.
    pub(super) forbidden: Option<String>,
}

impl Ready {
    pub(super) fn is_parallel(&self, work: &Work) -> bool {
        work.house.tools.get(&self.call.planned.tool).is_some_and(|entry| entry.declaration.parallel)
    }

    /// What the tool is given beside the arguments.
    pub(super) fn context(&self, work: &Work) -> Context {
        let (said, mut heard) = tokio::sync::mpsc::unbounded_channel::<String>();
        let (reporter, redactor) = (work.reporter.clone(), work.house.redactor.clone());
        let (call_id, tool) = (self.call.planned.call_id.clone(), self.call.planned.tool.clone());
        // It ends with the call, which holds the other end.
        tokio::spawn(async move {
            while let Some(message) = heard.recv().await {
                let (call_id, tool, message) = (call_id.clone(), tool.clone(), redactor.redact(&message).into_owned());
                reporter.say(protocol::Progress { call_id, tool, status: "running".to_owned(), message });
            }
        });
        Context {
            owner: work.job.owner.clone(),
            session_id: work.job.session_id,
            turn_id: work.job.turn.id,
            call_id: self.call.planned.call_id.clone(),
            place: place(work, &self.call),
            key: self.key.clone(),
            now: work.house.world.now(),
            origin: self.origin,
            keeper: work.desk.clone(),
            desktop: work.desk.clone(),
            study: Arc::new(Study::new(work)),
            progress: said,
        }
    }
}

/// What policy says to a call.
enum Judgement {
    Settled(ToolResult),
    Run { effect: Effect },
    Ask { effect: Effect, safety: Safety, reason: String },
}

/// Judges the calls of a round, asks where that is needed, and waits for the answers. All questions are asked at once.
pub(super) async fn judge_all(
    work: &mut Work,
    plan: &Plan,
    budget: &Budget,
    open: Vec<Call>,
    is_tainted: bool,
) -> Result<Vec<Standpoint>, Halt> {
    let of_turn = if is_tainted { Origin::Untrusted } else { Origin::Trusted };
    work.desk.set_origin(of_turn);
    let mut left = budget.calls_left(offer::since_client(&work.thread).1);
    let mut standpoints = Vec::new();
    let mut asked: Vec<(usize, Call, Effect)> = Vec::new();
    for call in open {
        let is_tainted = is_tainted && !is_users_own(work, &call);
        let origin = if is_tainted { of_turn } else { Origin::Trusted };
        // What was begun has its place in the budget and was allowed then; what policy forbids since is not run again.
        if let Some(begun) = &call.begun {
            let (key, effect, approval_id) = (begun.key.clone(), begun.effect, begun.approval_id);
            let confirm = confirm(work, &call).await;
            let forbidden = forbidden_since(work, plan, &call).or_else(|| too_late(work, plan));
            // What was confirmed was confirmed for then.
            let forbidden = forbidden.or_else(|| confirm.map(|_| ASK_ANEW.to_owned()));
            standpoints.push(Standpoint::Ready(Box::new(Ready { call, effect, key, approval_id, origin, forbidden })));
            continue;
        }
        if left == 0 {
            let told = "The budget of tool calls is used up: answer from what you have.";
            standpoints.push(Standpoint::Settled(refusal(&call, CallStatus::Denied, told.to_owned())));
            continue;
        }
        if let Some(reason) = too_late(work, plan) {
            standpoints.push(Standpoint::Settled(refusal(&call, CallStatus::Denied, format!("{reason}."))));
            continue;
        }
        let confirm = confirm(work, &call).await;
        let judgement = judge_one(work, plan, &call, is_tainted, confirm.as_deref());
        left -= u32::from(!matches!(judgement, Judgement::Settled(_)));
        match judgement {
            Judgement::Settled(result) => standpoints.push(Standpoint::Settled(result)),
            Judgement::Run { effect } if call.asked.is_none() => {
                standpoints.push(ready(work, call, effect, None, origin));
            }
            // What was asked about waits for its answer, also when it would no longer be asked.
            Judgement::Run { effect } => {
                asked.push((standpoints.len(), call.clone(), effect));
                standpoints.push(Standpoint::Settled(refusal(&call, CallStatus::Denied, String::new())));
            }
            Judgement::Ask { effect, safety, reason } => {
                if call.asked.is_none() {
                    ask(work, &call, effect, safety, reason).await?;
                }
                asked.push((standpoints.len(), call.clone(), effect));
                // Its place is kept until the answer is there.
                standpoints.push(Standpoint::Settled(refusal(&call, CallStatus::Denied, String::new())));
            }
        }
    }
    if !asked.is_empty() {
        wait_for_answers(work, &asked).await;
        for (place, call, effect) in asked {
            standpoints[place] = answered(work, call, effect, of_turn);
        }
        refuse_forbidden(work, &mut standpoints);
    }
    Ok(standpoints)
}

/// A no may be about the tool as a whole: then it holds for the calls beside it too.
fn refuse_forbidden(work: &Work, standpoints: &mut [Standpoint]) {
    let standing = work.job.heard.borrow().standing.clone();
    for standpoint in standpoints {
        if let Standpoint::Ready(ready) = standpoint
            && ready.call.begun.is_none()
            && standing.forbids(&ready.call.planned.tool)
        {
            let told = "The user was asked and did not allow this tool any more.".to_owned();
            *standpoint = Standpoint::Settled(refusal(&ready.call, CallStatus::Denied, told));
        }
    }
}

/// Why a call that was begun before an interruption may not be run again, if policy has changed since.
fn forbidden_since(work: &Work, plan: &Plan, call: &Call) -> Option<String> {
    let (tool, arguments) = (call.planned.tool.as_str(), &call.planned.arguments);
    let checked = work.house.tools.check(tool, arguments).ok()?;
    let standing = Standing { always: false, never: work.job.heard.borrow().standing.forbids(tool) };
    let safety = checked.entry.declaration.safety;
    let judged = Judged { tool, scope: checked.scope.as_deref(), safety, tainted: false, confirm: None };
    match judge(&judged, &work.house.rules, &plan.rules, standing) {
        Verdict::Deny(reason) => Some(reason),
        Verdict::Allow | Verdict::Ask(_) => None,
    }
}

/// Why its tool wants a call confirmed, if it does.
async fn confirm(work: &Work, call: &Call) -> Option<String> {
    let entry = work.house.tools.get(&call.planned.tool)?;
    entry.tool.confirm(&call.planned.arguments).await
}

/// Why a reflex is not acted on any more: whoever said "lights on" last night does not mean this morning.
fn too_late(work: &Work, plan: &Plan) -> Option<String> {
    let age = work.house.world.now().since(work.job.turn.accepted_at);
    let is_late = plan.way == Way::Reflex && work.job.turn.attempts > 1 && age > REFLEX_AGE_MAX;
    is_late.then(|| {
        "The server was away since this was said, so it was not done; say it again to have it done now".to_owned()
    })
}

fn judge_one(work: &Work, plan: &Plan, call: &Call, is_tainted: bool, confirm: Option<&str>) -> Judgement {
    let (tool, arguments) = (call.planned.tool.as_str(), &call.planned.arguments);
    if let Some(result) = lookup(work, plan, call) {
        return Judgement::Settled(result);
    }
    let is_offered = plan.tools.iter().any(|offered| offered.name == tool);
    if !is_offered && let Some(entry) = work.house.tools.get(tool) {
        // Whoever asked should hear what stands in the way, and what would let it.
        let never = work.job.heard.borrow().standing.forbids(tool);
        let told = match barred(tool, entry.declaration.safety, &work.house.rules, &plan.rules, never) {
            Some(reason) => format!("The call was refused: {reason}."),
            None => format!("`{tool}` is not available in this turn. {}", available(plan)),
        };
        return Judgement::Settled(refusal(call, CallStatus::Denied, told));
    }
    let checked = match work.house.tools.check(tool, arguments) {
        Ok(checked) => checked,
        Err(what) => return Judgement::Settled(refusal(call, CallStatus::Error, what)),
    };
    let declaration = &checked.entry.declaration;
    let (effect, safety) = (declaration.effect, declaration.safety);
    if let Some(max) = declaration.calls_per_minute_max
        && let Err(too_many) = work.house.take_call(&work.job.owner, tool, max)
    {
        return Judgement::Settled(refusal(call, CallStatus::Error, too_many.to_string()));
    }
    let heard = work.job.heard.borrow();
    let standing =
        Standing { always: heard.standing.allows(&digest(tool, arguments)), never: heard.standing.forbids(tool) };
    let scope = checked.scope.as_deref();
    let judged = Judged { tool, scope, safety, tainted: is_tainted, confirm };
    match judge(&judged, &work.house.rules, &plan.rules, standing) {
        Verdict::Allow => Judgement::Run { effect },
        Verdict::Ask(reason) => Judgement::Ask { effect, safety, reason },
        Verdict::Deny(reason) => {
            Judgement::Settled(refusal(call, CallStatus::Denied, format!("The call was refused: {reason}.")))
        }
    }
}

/// The answer to a call that looks tools up: it is known at once and touches nothing.
fn lookup(work: &Work, plan: &Plan, call: &Call) -> Option<ToolResult> {
    let tool = call.planned.tool.as_str();
    if !matches!(tool, FIND_TOOLS | USE_TOOL) || work.house.tools.get(tool).is_some() {
        return None;
    }
    let found = match tool {
        FIND_TOOLS => find(&plan.tools, &call.planned.arguments),
        _ => Err("`name` is missing: the tool to call, as find_tools has told it".to_owned()),
    };
    Some(match found {
        Ok(told) => refusal(call, CallStatus::Ok, told),
        Err(what) => refusal(call, CallStatus::Error, what),
    })
}

fn available(plan: &Plan) -> String {
    let names: Vec<&str> = plan.tools.iter().map(|tool| tool.name.as_str()).collect();
    if names.is_empty() { "There are none.".to_owned() } else { format!("Available: {}.", names.join(", ")) }
}

/// Asks a person. The question is durable before anybody sees it.
async fn ask(work: &mut Work, call: &Call, effect: Effect, safety: Safety, reason: String) -> Result<(), Halt> {
    let planned = &call.planned;
    let request = ApprovalRequest {
        approval_id: ApprovalId::new(work.house.world.ulid()),
        turn_id: work.job.turn.id,
        call_id: planned.call_id.clone(),
        tool: planned.tool.clone(),
        arguments: planned.arguments.clone(),
        digest: digest(&planned.tool, &planned.arguments),
        safety,
        effect,
        reason,
        expires_at: work.house.world.now().plus(work.house.options.approval_wait),
    };
    work.thread.ask(&request);
    work.reporter.commit(Report::Ask(request)).await?;
    Ok(())
}

async fn wait_for_answers(work: &mut Work, asked: &[(usize, Call, Effect)]) {
    let ids: Vec<ApprovalId> = asked.iter().filter_map(|(_, call, _)| question(work, call).map(|(id, _)| id)).collect();
    work.wait_for_person(|heard| ids.iter().all(|id| heard.decisions.iter().any(|(decided, _)| decided == id))).await;
}

/// The question about a call and its answer, as the turn knows them.
fn question(work: &Work, call: &Call) -> Option<(ApprovalId, Option<Decision>)> {
    let own = work.thread.calls().filter(|own| own.planned.call_id == call.planned.call_id).last()?;
    own.asked.as_ref().map(|asked| (asked.request.approval_id, asked.decision))
}

fn answered(work: &Work, call: Call, effect: Effect, origin: Origin) -> Standpoint {
    match question(work, &call) {
        Some((id, Some(decision))) if decision.allows() => ready(work, call, effect, Some(id), origin),
        _ => {
            let told = "The user was asked and did not allow it. Do not try it again in another form.";
            Standpoint::Settled(refusal(&call, CallStatus::Denied, told.to_owned()))
        }
    }
}

fn ready(work: &Work, call: Call, effect: Effect, approval_id: Option<ApprovalId>, origin: Origin) -> Standpoint {
    let key = format!("{}-{}-{}", work.job.session_id, work.job.turn.id, place(work, &call));
    Standpoint::Ready(Box::new(Ready { call, effect, key, approval_id, origin, forbidden: None }))
}

/// Where a call stands among those of the turn.
fn place(work: &Work, call: &Call) -> usize {
    work.thread.calls().position(|own| own.planned.call_id == call.planned.call_id).unwrap_or(0)
}

/// Whether a call is made of nothing but the user's own message: then it does not matter what else the turn has read.
fn is_users_own(work: &Work, call: &Call) -> bool {
    let request = &work.job.turn.request;
    let is_message = || call.planned.arguments == serde_json::json!({ "query": request.message });
    call.planned.tool == RESEARCH && request.origin.is_trusted() && request.window.is_none() && is_message()
}

/// A result that is known without running the call.
pub(super) fn refusal(call: &Call, status: CallStatus, content: String) -> ToolResult {
    ToolResult {
        call_id: call.planned.call_id.clone(),
        tool: call.planned.tool.clone(),
        status,
        content,
        origin: Origin::Trusted,
        artifact_id: None,
        sources: Vec::new(),
        duration_ms: None,
    }
}
