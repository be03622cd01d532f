//! Session tools: start, get, list, end, delete.

use protocol::{
    Budgets, Code, DeletedSession, MessageTrust, Origin, Policy, Problem, SessionDelete, SessionEnd, SessionId,
    SessionList, SessionName, SessionRef, SessionStart, SessionStatus, SessionView,
};
use rmcp::{RoleServer, model::CallToolResponse, service::RequestContext};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ToolDefinition, ToolImpact, done, read};
use crate::mcp::{McpHandler, error::McpError};

/// Most sessions that are read for one page with a filter.
const LOOKED_AT_MAX: u32 = 200;

pub(super) fn tools() -> Vec<ToolDefinition> {
    vec![
        ToolDefinition::new::<StartSession, StartSessionResult>(
            "start_session",
            ToolImpact::Adds,
            "Starts a durable conversation: it keeps its messages, survives restarts, and can be continued days later. \
             With `key` the same call gives the same session again.",
        ),
        ToolDefinition::new::<SessionArgs, GetSessionResult>(
            "get_session",
            ToolImpact::Looks,
            "Shows a session: settings, usage, open turns.",
        ),
        ToolDefinition::new::<ListSessions, ListSessionsResult>(
            "list_sessions",
            ToolImpact::Looks,
            "Lists sessions, newest activity first.",
        ),
        ToolDefinition::new::<EndSession, EndSessionResult>(
            "end_session",
            ToolImpact::Ends,
            "Ends a session: open turns are cancelled and it takes no more messages. It stays readable.",
        ),
        ToolDefinition::new::<DeleteSession, DeletedSession>(
            "delete_session",
            ToolImpact::Ends,
            "Permanently deletes a session with its messages and artifacts. With `memories` \
             its memories are forgotten as well.",
        ),
    ]
}

/// Settings of a new session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StartSession {
    /// Your own name for the session. The same key gives the same session.
    #[serde(default)]
    key: Option<SessionName>,
    /// The model as `provider/model`, if not the server's default.
    #[serde(default)]
    model: Option<String>,
    /// Budgets of each turn.
    #[serde(default)]
    budgets: Option<Budgets>,
    /// What tools may do in it, at most what the server allows.
    #[serde(default)]
    policy: Option<Policy>,
    /// Free preferences, shown to the model.
    #[serde(default)]
    preferences: std::collections::BTreeMap<String, Value>,
}

/// The started session.
#[derive(Debug, Serialize, JsonSchema)]
struct StartSessionResult {
    /// Its id.
    session_id: SessionId,
}

/// Which session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SessionArgs {
    /// Its id, or your own name for it.
    session_id: String,
}

/// The session.
#[derive(Debug, Serialize, JsonSchema)]
struct GetSessionResult {
    /// The session.
    session: SessionView,
}

/// Which sessions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListSessions {
    /// Only this status.
    #[serde(default)]
    status: Option<SessionStatus>,
    /// At most this many: 50 by default, up to 200.
    #[serde(default)]
    limit: Option<u32>,
    /// Continue from `next_cursor`.
    #[serde(default)]
    cursor: Option<String>,
}

/// Sessions.
#[derive(Debug, Serialize, JsonSchema)]
struct ListSessionsResult {
    /// The sessions.
    sessions: Vec<SessionView>,
    /// Where the next page begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// The session to end.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EndSession {
    /// Its id, or your own name for it.
    session_id: String,
    /// Why.
    #[serde(default)]
    reason: Option<String>,
}

/// The ended session.
#[derive(Debug, Serialize, JsonSchema)]
struct EndSessionResult {
    /// Its status.
    status: SessionStatus,
}

/// The session to delete.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeleteSession {
    /// Its id, or your own name for it.
    session_id: String,
    /// Whether to forget its memories too.
    #[serde(default)]
    memories: bool,
}

/// The session that a client names by its id or its own name.
pub(in crate::mcp) fn session(named: &str) -> Result<SessionRef, McpError> {
    if let Ok(id) = named.parse::<SessionId>() {
        return Ok(id.into());
    }
    let name = named.parse::<SessionName>().map_err(|error| {
        Problem::new(Code::InvalidRequest, error.to_string(), "Pass what `start_session` gave, or its `key`.")
    })?;
    Ok(SessionRef { session_id: None, conversation_id: Some(name) })
}

pub(super) async fn call(
    mcp: &McpHandler,
    name: &str,
    arguments: Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, McpError> {
    let (hub, owner) = (&mcp.hub, &mcp.owner);
    match name {
        "start_session" => {
            let StartSession { key, model, budgets, policy, preferences } = read(arguments)?;
            let start = SessionStart { key, model, budgets, policy, preferences, ..SessionStart::default() };
            let MessageTrust { origin, .. } = mcp.way(context).await?;
            done(&StartSessionResult { session_id: hub.start_as(owner, start, origin).await?.session_id })
        }
        "get_session" => {
            let which: SessionArgs = read(arguments)?;
            let session = hub.session(owner, &session(&which.session_id)?).await?;
            mcp.shows(context, session.origin, name).await?;
            done(&GetSessionResult { session })
        }
        "list_sessions" => {
            let listed = list(mcp, read(arguments)?).await?;
            let origin = listed.sessions.iter().fold(Origin::Trusted, |origin, view| origin.and(view.origin));
            mcp.shows(context, origin, name).await?;
            done(&listed)
        }
        "delete_session" => {
            let DeleteSession { session_id, memories } = read(arguments)?;
            if !mcp.way(context).await?.origin.is_trusted() {
                let hint = "Delete it in the page, or with `dwell sessions delete`.";
                let message = "this client has read text from outside, and a deletion cannot be undone";
                return Err(Problem::new(Code::PolicyDenied, message, hint).into());
            }
            let delete = SessionDelete { session: session(&session_id)?, memories, version: None };
            done(&hub.delete(owner, delete).await?)
        }
        _ => {
            let EndSession { session_id, reason } = read(arguments)?;
            let end = SessionEnd { session: session(&session_id)?, reason, version: None };
            done(&EndSessionResult { status: hub.end(owner, end).await?.status })
        }
    }
}

async fn list(mcp: &McpHandler, asked: ListSessions) -> Result<ListSessionsResult, McpError> {
    let ListSessions { status, limit, cursor } = asked;
    let Some(status) = status else {
        let page = mcp.hub.sessions(&mcp.owner, &SessionList { cursor, limit, ..SessionList::default() }).await?;
        return Ok(ListSessionsResult { sessions: page.data, next_cursor: page.next_cursor });
    };
    // A page may have fewer sessions than the limit; the cursor says whether there are more.
    let page = mcp
        .hub
        .sessions(&mcp.owner, &SessionList { cursor, limit: Some(LOOKED_AT_MAX), ..SessionList::default() })
        .await?;
    let wanted = usize::try_from(limit.unwrap_or(50).clamp(1, LOOKED_AT_MAX)).unwrap_or(50);
    let mut sessions: Vec<SessionView> = page.data.into_iter().filter(|view| view.status == status).collect();
    let is_cut = sessions.len() > wanted;
    sessions.truncate(wanted);
    let last = sessions.last().filter(|_| is_cut);
    let cut = last.map(|view| format!("{}.{}", view.updated_at.as_millis(), view.session_id));
    Ok(ListSessionsResult { sessions, next_cursor: cut.or(page.next_cursor) })
}
