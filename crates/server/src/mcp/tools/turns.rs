//! Turns: begun by a message, awaited, cancelled, resumed, tried again.

use std::time::Duration;

use engine::Error;
use protocol::{
    Accepted, Budgets, CallOutcome, CancelOutcome, ChatSend, Code, End, Image, OnBusy, PlannerHints, Problem,
    SessionName, SessionRef, Start, TurnId, TurnResume, WayIn,
};
use rmcp::{
    RoleServer,
    model::{CallToolRequestParams, CallToolResponse},
    service::RequestContext,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Own, Touch, done, read, sessions::session};
use crate::mcp::{
    Mcp,
    continuation::Continuation,
    progress::Progress,
    seal::call_of,
    tasks,
    trouble::Trouble,
    waiting::{self, Form, Wait},
};

/// How long a request waits unless told.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long a request may wait.
const PATIENCE_MAX: Duration = Duration::from_secs(30 * 60);

pub(super) fn tools() -> Vec<Own> {
    vec![
        Own::new::<SendMessage, Sent>(
            "send_message",
            Touch::Adds,
            "Says something in a session. The answer comes at once and names the turn (`continuation_id`): await it with \
             `await_continuation`, or pass `timeout_ms` to wait here. With `idempotency_key` sending again joins the same turn.",
        ),
        Own::new::<AwaitContinuation, Continuation>(
            "await_continuation",
            Touch::Looks,
            "Waits until a turn has ended or needs something, and shows it. When the time is up it shows the turn as it \
             stands; the turn goes on.",
        ),
        Own::new::<CancelTurn, Cancelled>(
            "cancel",
            Touch::Ends,
            "Cancels a turn, whether it waits or works; one that has ended stays as it is.",
        ),
        Own::new::<Ask, Continuation>(
            "ask",
            Touch::Adds,
            "Asks one question in a session of its own, which is removed afterwards, and waits for the answer.",
        ),
        Own::new::<Resume, Continuation>(
            "resume",
            Touch::Adds,
            "Lets a turn go on that was interrupted, or that waits to be told what became of a call, and waits for it.",
        ),
        Own::new::<Retry, Continuation>(
            "retry",
            Touch::Adds,
            "Asks the same as an ended turn again, in a new turn, and waits for the answer.",
        ),
    ]
}

/// A message.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SendMessage {
    /// The session: its id, or a name of your own, which makes one on first use.
    session_id: String,
    /// What to say.
    message: String,
    /// Pictures that go with the words.
    #[serde(default)]
    images: Vec<Image>,
    /// A model for this turn only.
    #[serde(default)]
    model: Option<String>,
    /// Whether tools may be called; true unless told.
    #[serde(default)]
    allow_tools: Option<bool>,
    /// Hints for the planner.
    #[serde(default)]
    planner_hints: Option<PlannerHints>,
    /// Rounds of thinking and acting.
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
    /// How long to wait for the answer here; not at all unless told.
    #[serde(default)]
    timeout_ms: Option<u64>,
    /// Accepted for clients that follow `/events/{session_id}`: a turn always streams there.
    #[serde(default)]
    #[allow(dead_code, reason = "streaming needs no asking for")]
    stream: Option<bool>,
}

/// A message that was taken in.
#[derive(Debug, Serialize, JsonSchema)]
struct Sent {
    /// Always true: it is written down.
    acknowledged: bool,
    /// Whether the key was known, and this is the turn of the first time.
    duplicate: bool,
    /// The turn as it stands.
    #[serde(flatten)]
    continuation: Continuation,
}

/// A turn to wait for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AwaitContinuation {
    /// The turn.
    continuation_id: TurnId,
    /// How long to wait, 120,000 unless told.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// A turn to cancel.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CancelTurn {
    /// The turn.
    continuation_id: TurnId,
    /// Why.
    #[serde(default)]
    reason: Option<String>,
}

/// What a cancel came to.
#[derive(Debug, Serialize, JsonSchema)]
struct Cancelled {
    /// Whether it was cancelled, had ended before, or does not exist.
    status: CancelOutcome,
}

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ask {
    /// The question.
    message: String,
    /// Pictures that go with it.
    #[serde(default)]
    images: Vec<Image>,
    /// The model as `provider/model`, if not the server's default.
    #[serde(default)]
    model: Option<String>,
    /// Budgets of the turn.
    #[serde(default)]
    budgets: Option<Budgets>,
    /// Whether tools may be called; true unless told.
    #[serde(default)]
    allow_tools: Option<bool>,
    /// Asking again with the same key joins the same turn.
    #[serde(default)]
    idempotency_key: Option<String>,
    /// How long to wait, 120,000 unless told.
    #[serde(default)]
    timeout_ms: Option<u64>,
    /// Accepted and of no effect: progress is told to whoever asks for it.
    #[serde(default)]
    #[allow(dead_code, reason = "progress needs no asking for here")]
    stream: Option<bool>,
}

/// A turn to go on with.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Resume {
    /// The turn.
    continuation_id: TurnId,
    /// For a turn that waits to be told what became of a call.
    #[serde(default)]
    outcome: Option<CallOutcome>,
    /// Which call, if not all that are in doubt.
    #[serde(default)]
    call_id: Option<String>,
    /// How long to wait, 120,000 unless told.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// A turn to try again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Retry {
    /// The turn.
    continuation_id: TurnId,
    /// Retrying again with the same key joins the same turn.
    #[serde(default)]
    idempotency_key: Option<String>,
    /// How long to wait, 120,000 unless told.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

pub(super) async fn call(
    mcp: &Mcp,
    request: &CallToolRequestParams,
    arguments: Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Trouble> {
    let call = call_of(&request.name, &arguments);
    let progress = Progress::of(context);
    let wait = |patience: Duration| Wait {
        mcp,
        context,
        call: &call,
        progress: progress.clone(),
        patience,
        form: Form::Continuation,
    };
    if let Some(turn_id) = again(mcp, request, &call).await? {
        // The same request, with what it was sent back for.
        return wait(patience_of(&arguments)).outcome(turn_id).await;
    }
    match request.name.as_ref() {
        "send_message" => send(mcp, read(arguments)?, context, wait).await,
        "ask" => {
            let asked: Ask = read(arguments)?;
            let patience = patience(asked.timeout_ms);
            let is_task = tasks::are_wanted(context);
            // Whoever comes again, by a task or by a key, is to find the answer.
            let is_temporary = !is_task && asked.idempotency_key.is_none();
            let accepted = ask(mcp, asked, is_temporary, mcp.way(context).await?).await?;
            if is_task {
                return tasks::create(mcp, accepted.turn_id).await;
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
            let Resume { continuation_id, outcome, call_id, timeout_ms } = read(arguments)?;
            let resume = TurnResume { turn_id: continuation_id, outcome, call_id };
            match mcp.hub.resume_turn(&mcp.owner, resume).await {
                Ok(_) => {}
                // It goes on by itself, or went on before we asked: that is what was wanted.
                Err(Error::Refused(engine::Refusal::NotInterrupted | engine::Refusal::AlreadyFinal)) => {}
                Err(error) => return Err(error.into()),
            }
            wait(patience(timeout_ms)).outcome(continuation_id).await
        }
        "retry" => {
            let Retry { continuation_id, idempotency_key, timeout_ms } = read(arguments)?;
            let accepted =
                mcp.hub.retry_turn(&mcp.owner, continuation_id, idempotency_key, mcp.way(context).await?).await?;
            let _began = mcp.began(context, accepted.turn_id);
            wait(patience(timeout_ms)).outcome_of(&accepted).await
        }
        _ => {
            let CancelTurn { continuation_id, reason } = read(arguments)?;
            let cancelled = mcp.hub.cancel_turn(&mcp.owner, continuation_id, reason).await?;
            done(&Cancelled { status: cancelled.status })
        }
    }
}

/// The turn of a request that comes again with the state it was given, after what it brings was taken in.
pub(in crate::mcp) async fn again(
    mcp: &Mcp,
    request: &CallToolRequestParams,
    call: &str,
) -> Result<Option<TurnId>, Trouble> {
    let Some(state) = &request.request_state else { return Ok(None) };
    let opened = mcp.seal.open(state, &mcp.owner, call);
    let turn_id = opened.map_err(|why| rmcp::ErrorData::invalid_params(why, None))?;
    if let Some(said) = &request.input_responses {
        waiting::take(mcp, turn_id, said).await?;
    }
    Ok(Some(turn_id))
}

async fn send<'a>(
    mcp: &Mcp,
    asked: SendMessage,
    context: &RequestContext<RoleServer>,
    wait: impl Fn(Duration) -> Wait<'a>,
) -> Result<CallToolResponse, Trouble> {
    let session = session(&asked.session_id)?;
    let send = ChatSend {
        images: asked.images,
        model: asked.model,
        allow_tools: asked.allow_tools.unwrap_or(true),
        planner_hints: asked.planner_hints,
        max_steps: asked.max_steps,
        time_budget_ms: asked.time_budget_ms,
        idempotency_key: asked.idempotency_key,
        on_busy: asked.on_busy,
        way: mcp.way(context).await?,
        ..ChatSend::text(asked.message)
    };
    let accepted = mcp.hub.send(&mcp.owner, &session, send).await?;
    if tasks::are_wanted(context) {
        return tasks::create(mcp, accepted.turn_id).await;
    }
    match asked.timeout_ms {
        Some(timeout) if timeout > 0 => {
            let _began = mcp.began(context, accepted.turn_id);
            let patience = Duration::from_millis(timeout).min(PATIENCE_MAX);
            let response = wait(patience).outcome_of(&accepted).await?;
            Ok(acknowledged(response, accepted.duplicate))
        }
        _ => {
            let turn = mcp.hub.turn(&mcp.owner, accepted.turn_id).await?;
            mcp.shows_turn(context, &turn).await?;
            let continuation = Continuation::of(&turn, []);
            done(&Sent { acknowledged: true, duplicate: accepted.duplicate, continuation })
        }
    }
}

/// The answer to a message that was waited for has what every answer to a message has.
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

/// Removes the session of a question that is answered. One that is not goes by itself, once its turn has ended and nobody
/// looks at it any more.
async fn tidy_up(mcp: &Mcp, accepted: &Accepted) {
    let (hub, owner) = (&mcp.hub, &mcp.owner);
    if hub.turn(owner, accepted.turn_id).await.is_ok_and(|turn| turn.status.is_final()) {
        let end = End { session: accepted.session_id.into(), reason: None, version: None };
        // If that fails, it is removed when the server looks after it next.
        let _ = hub.end(owner, end).await;
    }
}

/// Begins a turn in a session of its own.
async fn ask(mcp: &Mcp, asked: Ask, temporary: bool, way: WayIn) -> Result<Accepted, Trouble> {
    let (hub, owner) = (&mcp.hub, &mcp.owner);
    let key = asked.idempotency_key.as_ref().map(|key| SessionName::try_from(format!("ask:{key}"))).transpose();
    let key = key.map_err(|error| {
        Problem::new(Code::InvalidRequest, error.to_string(), "Use a short unique text, for example a UUID.")
    })?;
    let start = Start { key, temporary, budgets: asked.budgets, ..Start::default() };
    let session: SessionRef = match hub.start(owner, start).await {
        Ok(view) => view.session_id.into(),
        Err(Error::NameConflict(existing)) => existing.into(),
        Err(error) => return Err(error.into()),
    };
    let send = ChatSend {
        images: asked.images,
        model: asked.model,
        allow_tools: asked.allow_tools.unwrap_or(true),
        idempotency_key: asked.idempotency_key,
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
