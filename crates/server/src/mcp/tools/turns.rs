//! Turn tools: send a message, await, cancel, ask, resume, retry.

use std::time::Duration;

use engine::Error;
use protocol::{
    BackgroundList, BackgroundPage, Budgets, CallOutcome, CancelOutcome, ChatSend, Code, Image, MessageTrust, OnBusy,
    PauseResult, PlannerHints, Problem, ResponseSchema, SessionEnd, SessionName, SessionRef, SessionStart,
    TurnAccepted, TurnId, TurnResume,
};
use rmcp::{
    RoleServer,
    model::{CallToolRequestParams, CallToolResponse},
    service::RequestContext,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ToolDefinition, ToolImpact, done, read, sessions::session};
use crate::mcp::{
    McpHandler,
    continuation::Continuation,
    error::McpError,
    progress::ProgressReporter,
    seal::call_of,
    tasks,
    turn_wait::{self, ResultForm, TurnWait},
};

/// How long a request waits by default.
const PATIENCE: Duration = Duration::from_secs(120);
/// The longest that a request may wait.
const PATIENCE_MAX: Duration = Duration::from_secs(30 * 60);

pub(super) fn tools() -> Vec<ToolDefinition> {
    vec![
        ToolDefinition::new::<SendMessage, SendMessageResult>(
            "send_message",
            ToolImpact::Adds,
            "Sends a message to a session. Returns the turn (`continuation_id`) at once: await it with \
             `await_continuation`, or pass `timeout_ms` to wait here. With `idempotency_key` sending again joins the same turn.",
        ),
        ToolDefinition::new::<AwaitContinuation, Continuation>(
            "await_continuation",
            ToolImpact::Looks,
            "Waits until a turn has ended or needs an answer, and shows it. After the timeout it shows the turn as it \
             is; the turn continues.",
        ),
        ToolDefinition::new::<PauseArgs, PauseResult>(
            "pause",
            ToolImpact::Adds,
            "Pauses a running turn until `resume`. Calls that run get their results first.",
        ),
        ToolDefinition::new::<BackgroundList, BackgroundPage>(
            "list_background",
            ToolImpact::Looks,
            "Lists the turns in the background of all sessions, newest first.",
        ),
        ToolDefinition::new::<CancelTurn, CancelTurnResult>(
            "cancel",
            ToolImpact::Ends,
            "Cancels an open turn; an ended one stays as it is.",
        ),
        ToolDefinition::new::<AskArgs, Continuation>(
            "ask",
            ToolImpact::Adds,
            "Asks one question in a temporary session, and waits for the answer.",
        ),
        ToolDefinition::new::<ResumeArgs, Continuation>(
            "resume",
            ToolImpact::Adds,
            "Resumes a turn that was interrupted or waits for the outcome of a call, and waits for it.",
        ),
        ToolDefinition::new::<RetryArgs, Continuation>(
            "retry",
            ToolImpact::Adds,
            "Repeats an ended turn's message in a new turn, and waits for the answer.",
        ),
    ]
}

/// A message.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SendMessage {
    /// The session's id, or your own name, which creates one on first use.
    session_id: String,
    /// The message.
    message: String,
    /// Images of the message.
    #[serde(default)]
    images: Vec<Image>,
    /// A model for this turn only.
    #[serde(default)]
    model: Option<String>,
    /// Whether tools may be called; true by default.
    #[serde(default)]
    allow_tools: Option<bool>,
    /// JSON Schema of the answer, which is then a JSON text; plain text by default.
    #[serde(default)]
    response_schema: Option<ResponseSchema>,
    /// Hints for the planner.
    #[serde(default)]
    planner_hints: Option<PlannerHints>,
    /// Maximum rounds of model calls.
    #[serde(default)]
    max_steps: Option<u32>,
    /// Milliseconds the turn may take.
    #[serde(default)]
    time_budget_ms: Option<u64>,
    /// Sending again with the same key joins the same turn, for 24 hours.
    #[serde(default)]
    idempotency_key: Option<String>,
    /// What to do while another turn runs.
    #[serde(default)]
    on_busy: OnBusy,
    /// Whether it runs in the background, beside the conversation, for hours if need be.
    #[serde(default)]
    background: bool,
    /// Milliseconds to wait for the answer; 0 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
    /// Accepted for clients that follow `/events/{session_id}`: a turn always streams there.
    #[serde(default)]
    #[allow(dead_code, reason = "turns always stream")]
    stream: Option<bool>,
}

/// An accepted message.
#[derive(Debug, Serialize, JsonSchema)]
struct SendMessageResult {
    /// Always true: it is durable.
    acknowledged: bool,
    /// Whether the key was known, so that this is the earlier turn.
    duplicate: bool,
    /// The turn.
    #[serde(flatten)]
    continuation: Continuation,
}

/// A turn to wait for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AwaitContinuation {
    /// The turn.
    continuation_id: TurnId,
    /// Timeout in ms, 120,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// A turn to pause.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PauseArgs {
    /// The turn.
    continuation_id: TurnId,
}

/// A turn to cancel.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CancelTurn {
    /// The turn.
    continuation_id: TurnId,
    /// The reason.
    #[serde(default)]
    reason: Option<String>,
}

/// The result of a cancel.
#[derive(Debug, Serialize, JsonSchema)]
struct CancelTurnResult {
    /// Whether it was cancelled, had already ended, or does not exist.
    status: CancelOutcome,
}

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AskArgs {
    /// The question.
    message: String,
    /// Images of the question.
    #[serde(default)]
    images: Vec<Image>,
    /// The model as `provider/model`, if not the server's default.
    #[serde(default)]
    model: Option<String>,
    /// Budgets of the turn.
    #[serde(default)]
    budgets: Option<Budgets>,
    /// Whether tools may be called; true by default.
    #[serde(default)]
    allow_tools: Option<bool>,
    /// JSON Schema of the answer, which is then a JSON text; plain text by default.
    #[serde(default)]
    response_schema: Option<ResponseSchema>,
    /// Asking again with the same key joins the same turn.
    #[serde(default)]
    idempotency_key: Option<String>,
    /// Timeout in ms, 120,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
    /// Ignored: clients get progress by asking for it.
    #[serde(default)]
    #[allow(dead_code, reason = "progress does not depend on it")]
    stream: Option<bool>,
}

/// A turn to resume.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResumeArgs {
    /// The turn.
    continuation_id: TurnId,
    /// The outcome of a call, for a turn that waits for it.
    #[serde(default)]
    outcome: Option<CallOutcome>,
    /// Which call; default: all in doubt.
    #[serde(default)]
    call_id: Option<String>,
    /// Timeout in ms, 120,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// A turn to retry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RetryArgs {
    /// The turn.
    continuation_id: TurnId,
    /// Retrying again with the same key joins the same turn.
    #[serde(default)]
    idempotency_key: Option<String>,
    /// Timeout in ms, 120,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

pub(super) async fn call(
    mcp: &McpHandler,
    request: &CallToolRequestParams,
    arguments: Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, McpError> {
    let call = call_of(&request.name, &arguments);
    let progress = ProgressReporter::of(context);
    let wait = |patience: Duration| TurnWait {
        mcp,
        context,
        call: &call,
        progress: progress.clone(),
        patience,
        form: ResultForm::Continuation,
    };
    if let Some(turn_id) = again(mcp, request, &call).await? {
        // The next round of the same request, with the answers to its questions.
        return wait(patience_of(&arguments)).outcome(turn_id).await;
    }
    match request.name.as_ref() {
        "send_message" => send(mcp, read(arguments)?, context, wait).await,
        "ask" => {
            let asked: AskArgs = read(arguments)?;
            let patience = patience(asked.timeout_ms);
            let is_task = tasks::are_wanted(context);
            // A client that returns, by its task or idempotency key, must find the answer.
            let is_temporary = !is_task && asked.idempotency_key.is_none();
            // A task may take its time, unless the client limits it.
            let is_background = is_task && asked.budgets.is_none();
            let accepted = ask(mcp, asked, is_temporary, is_background, mcp.way(context).await?).await?;
            if is_task {
                return tasks::create(mcp, &accepted, context).await;
            }
            let _began = mcp.began(context, accepted.turn_id);
            let response = wait(patience).outcome_of(&accepted).await?;
            if is_temporary && matches!(response, CallToolResponse::Complete(_)) {
                tidy_up(mcp, &accepted).await;
            }
            Ok(response)
        }
        "await_continuation" => {
            let asked: AwaitContinuation = read(arguments)?;
            wait(patience(asked.timeout_ms)).outcome(asked.continuation_id).await
        }
        "resume" => {
            let ResumeArgs { continuation_id, outcome, call_id, timeout_ms } = read(arguments)?;
            let resume = TurnResume { turn_id: continuation_id, outcome, call_id };
            match mcp.hub.resume_turn(&mcp.owner, resume).await {
                Ok(_) => {}
                // The turn continues by itself, or has already ended, which is just as good.
                Err(Error::Refused(engine::Refusal::NotInterrupted | engine::Refusal::AlreadyFinal)) => {}
                Err(error) => return Err(error.into()),
            }
            wait(patience(timeout_ms)).outcome(continuation_id).await
        }
        "retry" => {
            let RetryArgs { continuation_id, idempotency_key, timeout_ms } = read(arguments)?;
            let accepted =
                mcp.hub.retry_turn(&mcp.owner, continuation_id, idempotency_key, mcp.way(context).await?).await?;
            let _began = mcp.began(context, accepted.turn_id);
            wait(patience(timeout_ms)).outcome_of(&accepted).await
        }
        "pause" => {
            let PauseArgs { continuation_id } = read(arguments)?;
            done(&mcp.hub.pause_turn(&mcp.owner, continuation_id).await?)
        }
        "list_background" => done(&mcp.hub.background_turns(&mcp.owner, read(arguments)?).await?),
        _ => {
            let CancelTurn { continuation_id, reason } = read(arguments)?;
            let cancelled = mcp.hub.cancel_turn(&mcp.owner, continuation_id, reason).await?;
            done(&CancelTurnResult { status: cancelled.status })
        }
    }
}

/// The turn of a repeated request with a request state, after its answers were applied.
pub(in crate::mcp) async fn again(
    mcp: &McpHandler,
    request: &CallToolRequestParams,
    call: &str,
) -> Result<Option<TurnId>, McpError> {
    let Some(state) = &request.request_state else { return Ok(None) };
    let opened = mcp.seal.open(state, &mcp.owner, call);
    let turn_id = opened.map_err(|why| rmcp::ErrorData::invalid_params(why, None))?;
    if let Some(said) = &request.input_responses {
        turn_wait::take(mcp, turn_id, said).await?;
    }
    Ok(Some(turn_id))
}

async fn send<'a>(
    mcp: &McpHandler,
    asked: SendMessage,
    context: &RequestContext<RoleServer>,
    wait: impl Fn(Duration) -> TurnWait<'a>,
) -> Result<CallToolResponse, McpError> {
    let session = session(&asked.session_id)?;
    let send = ChatSend {
        images: asked.images,
        model: asked.model,
        allow_tools: asked.allow_tools.unwrap_or(true),
        response_schema: asked.response_schema,
        planner_hints: asked.planner_hints,
        max_steps: asked.max_steps,
        time_budget_ms: asked.time_budget_ms,
        idempotency_key: asked.idempotency_key,
        on_busy: asked.on_busy,
        background: asked.background,
        way: mcp.way(context).await?,
        ..ChatSend::text(asked.message)
    };
    let accepted = mcp.hub.send(&mcp.owner, &session, send).await?;
    if tasks::are_wanted(context) {
        return tasks::create(mcp, &accepted, context).await;
    }
    match asked.timeout_ms {
        Some(timeout) if timeout > 0 => {
            let _began = mcp.began(context, accepted.turn_id);
            let patience = Duration::from_millis(timeout).min(PATIENCE_MAX);
            let response = wait(patience).outcome_of(&accepted).await?;
            Ok(acknowledged(response, accepted.duplicate))
        }
        _ => {
            let _log = mcp.log_turn(context, accepted.turn_id, Some(accepted.seq)).await;
            let turn = mcp.hub.turn(&mcp.owner, accepted.turn_id).await?;
            mcp.shows_turn(context, &turn).await?;
            let continuation = Continuation::of(&turn, []);
            done(&SendMessageResult { acknowledged: true, duplicate: accepted.duplicate, continuation })
        }
    }
}

/// Adds the fields of every answer to `send_message` to one that waited for the turn.
fn acknowledged(mut response: CallToolResponse, duplicate: bool) -> CallToolResponse {
    if let CallToolResponse::Complete(answer) = &mut response
        && let Some(Value::Object(fields)) = &mut answer.structured_content
    {
        fields.insert("acknowledged".to_owned(), Value::Bool(true));
        fields.insert("duplicate".to_owned(), Value::Bool(duplicate));
        answer.content = vec![rmcp::model::ContentBlock::text(Value::Object(fields.clone()).to_string())];
    }
    response
}

/// Removes the temporary session of an answered question. Otherwise the session is removed once its
/// turn has ended and it has no followers.
async fn tidy_up(mcp: &McpHandler, accepted: &TurnAccepted) {
    let (hub, owner) = (&mcp.hub, &mcp.owner);
    if hub.turn(owner, accepted.turn_id).await.is_ok_and(|turn| turn.status.is_final()) {
        let end = SessionEnd { session: accepted.session_id.into(), reason: None, version: None };
        // If that fails, a later cleanup removes it.
        let _ = hub.end(owner, end).await;
    }
}

/// Starts a turn in a session of its own.
async fn ask(
    mcp: &McpHandler,
    asked: AskArgs,
    temporary: bool,
    background: bool,
    way: MessageTrust,
) -> Result<TurnAccepted, McpError> {
    let (hub, owner) = (&mcp.hub, &mcp.owner);
    let key = asked.idempotency_key.as_ref().map(|key| SessionName::try_from(format!("ask:{key}"))).transpose();
    let key = key.map_err(|error| {
        Problem::new(Code::InvalidRequest, error.to_string(), "Use a short unique text, for example a UUID.")
    })?;
    let start = SessionStart { key, temporary, budgets: asked.budgets, ..SessionStart::default() };
    let session: SessionRef = match hub.start(owner, start).await {
        Ok(view) => view.session_id.into(),
        Err(Error::NameConflict(existing)) => existing.into(),
        Err(error) => return Err(error.into()),
    };
    let send = ChatSend {
        images: asked.images,
        model: asked.model,
        allow_tools: asked.allow_tools.unwrap_or(true),
        response_schema: asked.response_schema,
        idempotency_key: asked.idempotency_key,
        background,
        way,
        ..ChatSend::text(asked.message)
    };
    Ok(hub.send(owner, &session, send).await?)
}

fn patience(timeout_ms: Option<u64>) -> Duration {
    timeout_ms.map_or(PATIENCE, Duration::from_millis).min(PATIENCE_MAX)
}

fn patience_of(arguments: &Value) -> Duration {
    patience(arguments.get("timeout_ms").and_then(Value::as_u64))
}
