//! A registered tool, called by the client itself, under the same policy as by an agent.

use std::time::Duration;

use engine::{CallAnswer, Refusal};
use protocol::{Accepted, CallStatus, DirectCall, WayIn};
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
/// How often that session can be over.
const SUCCESSORS_MAX: u32 = 100;
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
    let way = mcp.way(context).await?;
    // A session has a policy of its own, so what belongs to one is done in it.
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
        return tasks::create(mcp, accepted.turn_id).await;
    }
    let _began = mcp.began(context, accepted.turn_id);
    wait.outcome_of(&accepted).await
}

/// Makes a call in the session for those who name none. One that is over has a successor, so that nobody is kept from
/// calling by a session that the client has never heard of.
async fn call_unnamed(mcp: &Mcp, made: DirectCall, key: Option<String>, way: WayIn) -> Result<Accepted, Trouble> {
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
