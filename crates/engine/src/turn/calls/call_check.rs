//! Checks before a call runs: the tool exists, the arguments fit, policy allows it, and the user
//! has approved it if needed.

use std::{sync::Arc, time::Duration};

use protocol::{
    ApprovalDecision, ApprovalId, ApprovalRequest, CallStatus, Effect, MessageChannel, Origin, Safety, ToolResult,
};
use session::{ThreadCall, TurnReport};
use tools::{
    CallContext, PastDecision, PolicyInput, QuestionContext, Verdict, denial_reason, digest, judge, simulation_off,
};

use super::super::{
    Halt,
    budget::Budget,
    client_tools,
    plan::{RESEARCH, TurnPlan, TurnRoute},
    reflex,
    research_port::TurnResearchPort,
    state::TurnState,
    tool_selection::{FIND_TOOLS, USE_TOOL, find},
};
use crate::{memory_tools, schedule_tools};

/// Maximum age of a reflex that is resumed after the server was down.
const REFLEX_AGE_MAX: Duration = Duration::from_secs(5 * 60);
/// The preference of a session that names the voice satellite it belongs to.
const SATELLITE: &str = "satellite";
const ASK_ANEW: &str = "It needs a confirmation each time, so it was not repeated; ask again to have it done now";

/// The result of the checks.
pub(super) enum CallCheck {
    /// It does not run; this is the result for the model.
    Settled(ToolResult),
    /// It may run.
    Runnable(Box<RunnableCall>),
}

/// A call that may run.
pub(super) struct RunnableCall {
    pub(super) call: ThreadCall,
    pub(super) effect: Effect,
    /// The idempotency key: derived from the call's position, never from what the model wrote.
    pub(super) key: String,
    pub(super) approval_id: Option<ApprovalId>,
    /// The origin of its arguments.
    pub(super) origin: Origin,
    /// Why it may not run again, if it was started and policy has changed since.
    pub(super) forbidden: Option<String>,
}

impl RunnableCall {
    pub(super) fn is_parallel(&self, state: &TurnState) -> bool {
        state.services.tools.get(&self.call.planned.tool).is_some_and(|entry| entry.declaration.parallel)
    }

    /// What the tool gets beside its arguments.
    pub(super) fn context(&self, state: &TurnState) -> CallContext {
        let (said, mut inbox) = tokio::sync::mpsc::channel::<String>(tools::PROGRESS_MAX);
        let (reporter, redactor) = (state.reporter.clone(), state.services.redactor.clone());
        let (call_id, tool) = (self.call.planned.call_id.clone(), self.call.planned.tool.clone());
        // It ends with the call, which holds the other end.
        tokio::spawn(async move {
            while let Some(message) = inbox.recv().await {
                let (call_id, tool, message) = (call_id.clone(), tool.clone(), redactor.redact(&message).into_owned());
                reporter.say(protocol::Progress {
                    call_id,
                    tool,
                    status: "running".to_owned(),
                    message,
                    progress: None,
                });
            }
        });
        CallContext {
            owner: state.input.owner.clone(),
            session_id: state.input.session_id,
            turn_id: state.input.turn.id,
            call_id: self.call.planned.call_id.clone(),
            place: place(state, &self.call),
            key: self.key.clone(),
            now: state.services.world.now(),
            origin: self.origin,
            schedule_id: match state.input.turn.request.via {
                MessageChannel::Schedule(id) => Some(id),
                _ => None,
            },
            satellite: reflex::preference(state, SATELLITE).map(str::to_owned),
            pin_store: state.session_port.clone(),
            desktop: state.session_port.clone(),
            research: Arc::new(TurnResearchPort::new(state)),
            hold: state.input.hold.clone(),
            progress: said,
        }
    }
}

/// The verdict of policy on a call.
enum Judgement {
    Settled(ToolResult),
    Run { effect: Effect },
    Ask { effect: Effect, safety: Safety, reason: String },
}

/// Checks the calls of a round, asks for approvals where needed, and waits for them. All approvals
/// are requested at once.
pub(super) async fn judge_all(
    state: &mut TurnState,
    plan: &TurnPlan,
    budget: &Budget,
    open: Vec<ThreadCall>,
    is_tainted: bool,
) -> Result<Vec<CallCheck>, Halt> {
    let of_turn = if is_tainted { Origin::Untrusted } else { Origin::Trusted };
    state.session_port.set_origin(of_turn);
    let mut left = budget.calls_left(client_tools::since_client(&state.thread).1);
    let mut standpoints = Vec::new();
    let mut asked: Vec<(usize, ThreadCall, Effect)> = Vec::new();
    for call in open {
        let is_tainted = is_tainted && !is_users_own(state, &call);
        let origin = if is_tainted { of_turn } else { Origin::Trusted };
        // A started call was counted and allowed already; if policy forbids it since, it does not
        // run again.
        if let Some(begun) = &call.begun {
            let (key, effect, approval_id) = (begun.key.clone(), begun.effect, begun.approval_id);
            let confirm = confirm(state, &call, false).await;
            let forbidden = forbidden_since(state, plan, &call).or_else(|| too_late(state, plan));
            // A confirmation was valid only at that time.
            let forbidden = forbidden.or_else(|| confirm.map(|_| ASK_ANEW.to_owned()));
            standpoints.push(CallCheck::Runnable(Box::new(RunnableCall {
                call,
                effect,
                key,
                approval_id,
                origin,
                forbidden,
            })));
            continue;
        }
        if left == 0 {
            let told = "The tool call budget is used up: answer from what you have.";
            standpoints.push(CallCheck::Settled(refusal(&call, CallStatus::Denied, told.to_owned())));
            continue;
        }
        if let Some(reason) = too_late(state, plan) {
            standpoints.push(CallCheck::Settled(refusal(&call, CallStatus::Denied, format!("{reason}."))));
            continue;
        }
        let confirm = confirm(state, &call, is_tainted).await;
        let judgement = judge_one(state, plan, &call, is_tainted, confirm.as_deref());
        left -= u32::from(!matches!(judgement, Judgement::Settled(_)));
        match judgement {
            Judgement::Settled(result) => standpoints.push(CallCheck::Settled(result)),
            Judgement::Run { effect } if call.asked.is_none() => {
                standpoints.push(runnable(state, call, effect, None, origin));
            }
            // A call with an open approval request waits for its answer, even if it would no longer
            // need one.
            Judgement::Run { effect } => {
                asked.push((standpoints.len(), call.clone(), effect));
                standpoints.push(CallCheck::Settled(refusal(&call, CallStatus::Denied, String::new())));
            }
            Judgement::Ask { effect, safety, reason } => {
                if call.asked.is_none() {
                    let question = question_words(state, plan, &call).await;
                    ask(state, &call, effect, safety, reason, question).await?;
                }
                asked.push((standpoints.len(), call.clone(), effect));
                // A placeholder until the answer arrives.
                standpoints.push(CallCheck::Settled(refusal(&call, CallStatus::Denied, String::new())));
            }
        }
    }
    if !asked.is_empty() {
        wait_for_answers(state, &asked).await;
        for (place, call, effect) in asked {
            standpoints[place] = answered(state, call, effect, of_turn);
        }
        refuse_forbidden(state, &mut standpoints);
    }
    Ok(standpoints)
}

/// A denial may be about the tool as a whole: then it applies to the other calls of the round too.
fn refuse_forbidden(state: &TurnState, standpoints: &mut [CallCheck]) {
    let standing = state.input.inbox.borrow().standing.clone();
    for standpoint in standpoints {
        if let CallCheck::Runnable(ready) = standpoint
            && ready.call.begun.is_none()
            && standing.forbids(&ready.call.planned.tool)
        {
            let told = "The user was asked and did not allow this tool any more.".to_owned();
            *standpoint = CallCheck::Settled(refusal(&ready.call, CallStatus::Denied, told));
        }
    }
}

/// Why a call that was started before an interruption may not run again, if policy has changed
/// since.
fn forbidden_since(state: &TurnState, plan: &TurnPlan, call: &ThreadCall) -> Option<String> {
    let (tool, arguments) = (call.planned.tool.as_str(), &call.planned.arguments);
    let checked = state.services.tools.check(tool, arguments).ok()?;
    let standing = PastDecision { always: false, never: state.input.inbox.borrow().standing.forbids(tool) };
    let safety = checked.entry.declaration.safety;
    if let Some(reason) = simulation_off(tool, checked.entry.declaration.is_simulated, &plan.rules) {
        return Some(reason);
    }
    let judged = PolicyInput { tool, scope: checked.scope.as_deref(), safety, tainted: false, confirm: None };
    match judge(&judged, &state.services.rules, &plan.rules, standing) {
        Verdict::Deny(reason) => Some(reason),
        Verdict::Allow | Verdict::Ask(_) => None,
    }
}

/// Why the tool requires a confirmation of this call, if it does.
async fn confirm(state: &TurnState, call: &ThreadCall, is_tainted: bool) -> Option<String> {
    // The owner confirmed exactly this call when its schedule was made.
    if is_approved(state, call) {
        return None;
    }
    if let Some(what) = memory_tools::confirmation(&state.services, &state.input.owner, &call.planned).await {
        return Some(what);
    }
    if let Some(what) = schedule_tools::confirmation(&state.services, &call.planned, is_tainted).await {
        return Some(what);
    }
    let entry = state.services.tools.get(&call.planned.tool)?;
    entry.tool.confirm(&call.planned.arguments).await
}

/// Whether the owner approved exactly this call when the schedule of this turn was made.
fn is_approved(state: &TurnState, call: &ThreadCall) -> bool {
    let approved = &state.input.turn.request.approved;
    !approved.is_empty() && approved.contains(&digest(&call.planned.tool, &call.planned.arguments))
}

/// The question whether a call may run, in the words of the user, if the tool has such words.
async fn question_words(state: &TurnState, plan: &TurnPlan, call: &ThreadCall) -> Option<String> {
    let entry = state.services.tools.get(&call.planned.tool)?;
    let understood = plan.reflex.as_ref().map(|reflex| reflex.language.as_str());
    let language = understood.or_else(|| reflex::preference(state, "language")).unwrap_or("en");
    let context = QuestionContext { message: &state.input.turn.request.message, language };
    let question = entry.tool.question(&call.planned.arguments, &context).await?;
    Some(state.services.redactor.redact(&question).into_owned())
}

/// Why a reflex is no longer carried out: a user who said "lights on" last night does not want it
/// this morning.
fn too_late(state: &TurnState, plan: &TurnPlan) -> Option<String> {
    let age = state.services.world.now().since(state.input.turn.accepted_at);
    let is_late = plan.route == TurnRoute::Reflex && state.input.turn.attempts > 1 && age > REFLEX_AGE_MAX;
    is_late
        .then(|| "The server was down since this message, so it was not done; ask again to have it done now".to_owned())
}

fn judge_one(
    state: &TurnState,
    plan: &TurnPlan,
    call: &ThreadCall,
    is_tainted: bool,
    confirm: Option<&str>,
) -> Judgement {
    let (tool, arguments) = (call.planned.tool.as_str(), &call.planned.arguments);
    if let Some(result) = lookup(state, plan, call) {
        return Judgement::Settled(result);
    }
    let is_offered = plan.tools.iter().any(|offered| offered.name == tool);
    if !is_offered && let Some(entry) = state.services.tools.get(tool) {
        // The user should learn what blocks the call, and what would allow it.
        let never = state.input.inbox.borrow().standing.forbids(tool);
        let declaration = &entry.declaration;
        let reason = denial_reason(tool, declaration.safety, &state.services.rules, &plan.rules, never);
        let told = match reason.or_else(|| simulation_off(tool, declaration.is_simulated, &plan.rules)) {
            Some(reason) => format!("The call was refused: {reason}."),
            None => format!("`{tool}` is not available in this turn. {}", available(plan)),
        };
        return Judgement::Settled(refusal(call, CallStatus::Denied, told));
    }
    let checked = match state.services.tools.check(tool, arguments) {
        Ok(checked) => checked,
        Err(what) => return Judgement::Settled(refusal(call, CallStatus::Error, what)),
    };
    let declaration = &checked.entry.declaration;
    let (effect, safety) = (declaration.effect, declaration.safety);
    if let Some(reason) = simulation_off(tool, declaration.is_simulated, &plan.rules) {
        return Judgement::Settled(refusal(call, CallStatus::Denied, format!("The call was refused: {reason}.")));
    }
    if let Some(max) = declaration.calls_per_minute_max
        && let Err(too_many) = state.services.take_call(&state.input.owner, tool, max)
    {
        return Judgement::Settled(refusal(call, CallStatus::Error, too_many.to_string()));
    }
    let inbox = state.input.inbox.borrow();
    let is_allowed = inbox.standing.allows(&digest(tool, arguments)) || is_approved(state, call);
    let standing = PastDecision { always: is_allowed, never: inbox.standing.forbids(tool) };
    let scope = checked.scope.as_deref();
    let judged = PolicyInput { tool, scope, safety, tainted: is_tainted, confirm };
    let verdict = match judge(&judged, &state.services.rules, &plan.rules, standing) {
        Verdict::Allow => judge_later(state, plan, call, is_tainted),
        verdict => verdict,
    };
    match verdict {
        Verdict::Allow => Judgement::Run { effect },
        Verdict::Ask(reason) => Judgement::Ask { effect, safety, reason },
        Verdict::Deny(reason) => {
            Judgement::Settled(refusal(call, CallStatus::Denied, format!("The call was refused: {reason}.")))
        }
    }
}

/// The verdict on a call that this one plans for later: it is judged now.
fn judge_later(state: &TurnState, plan: &TurnPlan, call: &ThreadCall, is_tainted: bool) -> Verdict {
    let Some(later) = schedule_tools::later_call(&call.planned) else { return Verdict::Allow };
    let tool = later.tool.as_str();
    let checked = match state.services.tools.check(tool, &later.arguments) {
        Ok(checked) => checked,
        Err(what) => return Verdict::Deny(what),
    };
    let (declaration, inbox) = (&checked.entry.declaration, state.input.inbox.borrow());
    if let Some(reason) = simulation_off(tool, declaration.is_simulated, &plan.rules) {
        return Verdict::Deny(reason);
    }
    let standing = PastDecision { always: false, never: inbox.standing.forbids(tool) };
    let (scope, safety) = (checked.scope.as_deref(), declaration.safety);
    let judged = PolicyInput { tool, scope, safety, tainted: is_tainted, confirm: None };
    judge(&judged, &state.services.rules, &plan.rules, standing)
}

/// The result of a call that looks up tools: it is available at once and has no effects.
fn lookup(state: &TurnState, plan: &TurnPlan, call: &ThreadCall) -> Option<ToolResult> {
    let tool = call.planned.tool.as_str();
    if !matches!(tool, FIND_TOOLS | USE_TOOL) || state.services.tools.get(tool).is_some() {
        return None;
    }
    let found = match tool {
        FIND_TOOLS => find(&plan.tools, &call.planned.arguments),
        _ => Err("`name` is missing: the tool to call, as find_tools listed it".to_owned()),
    };
    Some(match found {
        Ok(told) => refusal(call, CallStatus::Ok, told),
        Err(what) => refusal(call, CallStatus::Error, what),
    })
}

fn available(plan: &TurnPlan) -> String {
    let names: Vec<&str> = plan.tools.iter().map(|tool| tool.name.as_str()).collect();
    if names.is_empty() { "There are none.".to_owned() } else { format!("Available: {}.", names.join(", ")) }
}

/// Requests an approval. The request is durable before any client sees it.
async fn ask(
    state: &mut TurnState,
    call: &ThreadCall,
    effect: Effect,
    safety: Safety,
    reason: String,
    question: Option<String>,
) -> Result<(), Halt> {
    let planned = &call.planned;
    let options = &state.services.options;
    let patience = if state.input.turn.request.background {
        options.background.approval_wait
    } else if state.services.alerts.is_followed(&state.input.owner) {
        options.connected_approval_wait
    } else {
        options.approval_wait
    };
    let request = ApprovalRequest {
        approval_id: ApprovalId::new(state.services.world.ulid()),
        turn_id: state.input.turn.id,
        call_id: planned.call_id.clone(),
        tool: planned.tool.clone(),
        arguments: planned.arguments.clone(),
        digest: digest(&planned.tool, &planned.arguments),
        safety,
        effect,
        reason,
        question,
        expires_at: state.services.world.now().plus(patience),
    };
    state.thread.ask(&request);
    state.reporter.commit(TurnReport::Ask(request)).await?;
    Ok(())
}

async fn wait_for_answers(state: &mut TurnState, asked: &[(usize, ThreadCall, Effect)]) {
    let ids: Vec<ApprovalId> =
        asked.iter().filter_map(|(_, call, _)| question(state, call).map(|(id, _)| id)).collect();
    state.wait_for_person(|inbox| ids.iter().all(|id| inbox.decisions.iter().any(|(decided, _)| decided == id))).await;
}

/// The approval request of a call and its decision, as the turn knows them.
fn question(state: &TurnState, call: &ThreadCall) -> Option<(ApprovalId, Option<ApprovalDecision>)> {
    let own = state.thread.calls().filter(|own| own.planned.call_id == call.planned.call_id).last()?;
    own.asked.as_ref().map(|asked| (asked.request.approval_id, asked.decision))
}

fn answered(state: &TurnState, call: ThreadCall, effect: Effect, origin: Origin) -> CallCheck {
    match question(state, &call) {
        Some((id, Some(decision))) if decision.allows() => runnable(state, call, effect, Some(id), origin),
        _ => {
            let told = "The user was asked and did not allow it. Do not try it again in another form.";
            CallCheck::Settled(refusal(&call, CallStatus::Denied, told.to_owned()))
        }
    }
}

fn runnable(
    state: &TurnState,
    call: ThreadCall,
    effect: Effect,
    approval_id: Option<ApprovalId>,
    origin: Origin,
) -> CallCheck {
    let key = format!("{}-{}-{}", state.input.session_id, state.input.turn.id, place(state, &call));
    CallCheck::Runnable(Box::new(RunnableCall { call, effect, key, approval_id, origin, forbidden: None }))
}

/// The position of a call among those of the turn.
fn place(state: &TurnState, call: &ThreadCall) -> usize {
    state.thread.calls().position(|own| own.planned.call_id == call.planned.call_id).unwrap_or(0)
}

/// Whether a call consists only of the user's own message: then other text that the turn has read
/// does not matter.
fn is_users_own(state: &TurnState, call: &ThreadCall) -> bool {
    let request = &state.input.turn.request;
    let is_message = || call.planned.arguments == serde_json::json!({ "query": request.message });
    call.planned.tool == RESEARCH && request.origin.is_trusted() && request.window.is_none() && is_message()
}

/// A result that is known without running the call.
pub(super) fn refusal(call: &ThreadCall, status: CallStatus, content: String) -> ToolResult {
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
