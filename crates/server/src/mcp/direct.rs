//! Direct calls of registered tools by the client, under the same policy as calls by an agent.

use std::time::Duration;

use engine::{CallAnswer, Refusal};
use protocol::{CallStatus, DirectCall, MessageTrust, TurnAccepted};
use rmcp::{
    RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, RequestMetaObject},
    service::RequestContext,
};
use serde_json::Value;

use super::{
    McpHandler,
    continuation::structured,
    error::McpError,
    progress::ProgressReporter,
    seal::call_of,
    tasks,
    tools::{again, session},
    turn_wait::{ResultForm, TurnWait},
};

/// The session of calls for which the client names none.
const SESSION: &str = "mcp";
/// How many successors that session can have.
const SUCCESSORS_MAX: u32 = 100;
/// Metadata of a call: its session, and the idempotency key.
const SESSION_ID: &str = "dwell/session_id";
const IDEMPOTENCY_KEY: &str = "dwell/idempotency_key";
/// How long to wait for a call.
const PATIENCE: Duration = Duration::from_secs(120);

/// Calls a registered tool.
pub(super) async fn call(
    mcp: &McpHandler,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, McpError> {
    let arguments = request.arguments.clone().unwrap_or_default();
    let call = call_of(&request.name, &Value::Object(arguments.clone()));
    let progress = ProgressReporter::of(context);
    let wait = TurnWait {
        mcp,
        context,
        call: &call,
        progress: progress.clone(),
        patience: PATIENCE,
        form: ResultForm::Answer,
    };
    if let Some(turn_id) = again(mcp, &request, &call).await? {
        return wait.outcome(turn_id).await;
    }
    let named = text(&context.meta, SESSION_ID);
    let key = text(&context.meta, IDEMPOTENCY_KEY).map(str::to_owned);
    let made = DirectCall { tool: request.name.to_string(), arguments };
    let way = mcp.way(context).await?;
    // A named session has a policy of its own, so the call runs in that session.
    if named.is_none() {
        let said = move |words: String| {
            let progress = progress.clone();
            tokio::spawn(async move { progress.say(words).await });
        };
        if let Some(answer) = mcp.hub.look(&mcp.owner, &made, way.origin, said).await {
            mcp.shows(context, answer.origin, &made.tool).await?;
            return Ok(answered(answer).into());
        }
    }
    let accepted = match named {
        Some(named) => mcp.hub.call(&mcp.owner, &session(named)?, made, key, way).await?,
        None => call_unnamed(mcp, made, key, way).await?,
    };
    if tasks::are_wanted(context) {
        return tasks::create(mcp, &accepted, context).await;
    }
    let _began = mcp.began(context, accepted.turn_id);
    wait.outcome_of(&accepted).await
}

/// Makes a call in the session for calls without one. If that session has ended, a successor is
/// used, so that clients are not blocked by a session that they do not know.
async fn call_unnamed(
    mcp: &McpHandler,
    made: DirectCall,
    key: Option<String>,
    way: MessageTrust,
) -> Result<TurnAccepted, McpError> {
    let mut refused = None;
    for number in 1..=SUCCESSORS_MAX {
        let name = if number == 1 { SESSION.to_owned() } else { format!("{SESSION}-{number}") };
        match mcp.hub.call(&mcp.owner, &session(&name)?, made.clone(), key.clone(), way.clone()).await {
            Err(error @ engine::Error::Refused(Refusal::Ended | Refusal::Expired)) => refused = Some(error),
            accepted => return Ok(accepted?),
        }
    }
    Err(refused.unwrap_or(engine::Error::NoSession).into())
}

fn answered(answer: CallAnswer) -> CallToolResult {
    let is_ok = answer.status == CallStatus::Ok;
    match answer.value {
        Value::String(text) if is_ok => CallToolResult::success(vec![ContentBlock::text(text)]),
        Value::String(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
        value if value.is_object() => structured(value),
        value => CallToolResult::success(vec![ContentBlock::text(value.to_string())]),
    }
}

fn text<'a>(meta: &'a RequestMetaObject, name: &str) -> Option<&'a str> {
    meta.get(name).and_then(Value::as_str)
}
