//! A registered tool, called by the client itself, under the same policy as by an agent.

use std::time::Duration;

use engine::CallAnswer;
use protocol::{CallStatus, DirectCall};
use rmcp::{
    RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, RequestMetaObject},
    service::RequestContext,
};
use serde_json::Value;

use super::{
    Mcp,
    continuation::structured,
    progress::Progress,
    seal::call_of,
    tasks,
    tools::{again, session},
    trouble::Trouble,
    waiting::{Form, Wait},
};

/// The session that calls belong to where the client names none.
const SESSION: &str = "mcp";
/// What a client may say beside a call: the session it belongs to, and the key that makes calling again harmless.
const SESSION_ID: &str = "dwell/session_id";
const IDEMPOTENCY_KEY: &str = "dwell/idempotency_key";
/// How long a call is waited for.
const PATIENCE: Duration = Duration::from_secs(120);

/// Calls a registered tool.
pub(super) async fn call(
    mcp: &Mcp,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Trouble> {
    let arguments = request.arguments.clone().unwrap_or_default();
    let call = call_of(&request.name, &Value::Object(arguments.clone()));
    let progress = Progress::of(context);
    let wait = Wait { mcp, context, call: &call, progress: progress.clone(), patience: PATIENCE, form: Form::Answer };
    if let Some(turn_id) = again(mcp, &request, &call).await? {
        return wait.outcome(turn_id).await;
    }
    let named = text(&context.meta, SESSION_ID);
    let key = text(&context.meta, IDEMPOTENCY_KEY).map(str::to_owned);
    let made = DirectCall { tool: request.name.to_string(), arguments };
    // A session has a policy of its own, so what belongs to one is done in it.
    if named.is_none() {
        let said = move |words: String| {
            let progress = progress.clone();
            tokio::spawn(async move { progress.say(words).await });
        };
        if let Some(answer) = mcp.hub.look(&mcp.owner, &made, said).await {
            return Ok(answered(answer).into());
        }
    }
    let session = session(named.unwrap_or(SESSION))?;
    let accepted = mcp.hub.call(&mcp.owner, &session, made, key).await?;
    if tasks::are_wanted(context) {
        return tasks::create(mcp, accepted.turn_id).await;
    }
    let _began = mcp.began(context, accepted.turn_id);
    wait.outcome_of(&accepted).await
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
