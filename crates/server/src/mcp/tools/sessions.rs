//! Sessions: started, looked at, listed, ended.

use protocol::{
    Budgets, Code, Delete, Deleted, End, Origin, Policy, Problem, SessionId, SessionList, SessionName, SessionRef,
    SessionStatus, SessionView, Start, WayIn,
};
use rmcp::{RoleServer, model::CallToolResponse, service::RequestContext};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Own, Touch, done, read};
use crate::mcp::{Mcp, trouble::Trouble};

/// Sessions that are looked at for one page where only some of them are wanted.
const LOOKED_AT_MAX: u32 = 200;

pub(super) fn tools() -> Vec<Own> {
    vec![
        Own::new::<StartSession, Started>(
            "start_session",
            Touch::Adds,
            "Starts a conversation that lasts: it keeps what was said, survives restarts, and can be gone on with after days. \
             With `key` the same call gives the same session again.",
        ),
        Own::new::<WhichSession, Looked>(
            "get_session",
            Touch::Looks,
            "Shows a session as it stands: settings, what it has used, open turns.",
        ),
        Own::new::<ListSessions, Listed>("list_sessions", Touch::Looks, "Lists sessions, newest activity first."),
        Own::new::<EndSession, Ended>(
            "end_session",
            Touch::Ends,
            "Ends a session: open turns are cancelled and it takes no more messages. What was said stays readable.",
        ),
        Own::new::<DeleteSession, Deleted>(
            "delete_session",
            Touch::Ends,
            "Deletes a session for good, with all that was said in it and its artifacts. This cannot be undone. With `memories` \
             what was remembered of it is forgotten as well.",
        ),
    ]
}

/// How a session is to be.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StartSession {
    /// Your own name for the session. Starting again with the same key gives the same session.
    #[serde(default)]
    key: Option<SessionName>,
    /// The model as `provider/model`, if not the server's default.
    #[serde(default)]
    model: Option<String>,
    /// Budgets of each turn.
    #[serde(default)]
    budgets: Option<Budgets>,
    /// What tools may do in it; it can only take away from what the server allows.
    #[serde(default)]
    policy: Option<Policy>,
    /// Free preferences, told to the model.
    #[serde(default)]
    preferences: std::collections::BTreeMap<String, Value>,
}

/// A session that was started.
#[derive(Debug, Serialize, JsonSchema)]
struct Started {
    /// Its id.
    session_id: SessionId,
}

/// Which session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WhichSession {
    /// Its id, or your own name for it.
    session_id: String,
}

/// A session as it stands.
#[derive(Debug, Serialize, JsonSchema)]
struct Looked {
    /// The session.
    session: SessionView,
}

/// Which sessions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListSessions {
    /// Only those that stand so.
    #[serde(default)]
    status: Option<SessionStatus>,
    /// At most this many, 50 unless told, 200 at most.
    #[serde(default)]
    limit: Option<u32>,
    /// Where to go on, from `next_cursor`.
    #[serde(default)]
    cursor: Option<String>,
}

/// Sessions.
#[derive(Debug, Serialize, JsonSchema)]
struct Listed {
    /// The sessions.
    sessions: Vec<SessionView>,
    /// Where the next page begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// Which session is to end.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EndSession {
    /// Its id, or your own name for it.
    session_id: String,
    /// Why.
    #[serde(default)]
    reason: Option<String>,
}

/// A session that has ended.
#[derive(Debug, Serialize, JsonSchema)]
struct Ended {
    /// How it stands.
    status: SessionStatus,
}

/// Which session is to be gone.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DeleteSession {
    /// Its id, or your own name for it.
    session_id: String,
    /// Whether what was remembered of it is forgotten as well.
    #[serde(default)]
    memories: bool,
}

/// The session that a client names by its id or its own name.
pub(in crate::mcp) fn session(named: &str) -> Result<SessionRef, Trouble> {
    if let Ok(id) = named.parse::<SessionId>() {
        return Ok(id.into());
    }
    let name = named.parse::<SessionName>().map_err(|error| {
        Problem::new(Code::InvalidRequest, error.to_string(), "Pass what `start_session` gave, or its `key`.")
    })?;
    Ok(SessionRef { session_id: None, conversation_id: Some(name) })
}

pub(super) async fn call(
    mcp: &Mcp,
    name: &str,
    arguments: Value,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Trouble> {
    let (hub, owner) = (&mcp.hub, &mcp.owner);
    match name {
        "start_session" => {
            let StartSession { key, model, budgets, policy, preferences } = read(arguments)?;
            let start = Start { key, model, budgets, policy, preferences, ..Start::default() };
            let WayIn { origin, .. } = mcp.way(context).await?;
            done(&Started { session_id: hub.start_as(owner, start, origin).await?.session_id })
        }
        "get_session" => {
            let which: WhichSession = read(arguments)?;
            let session = hub.session(owner, &session(&which.session_id)?).await?;
            mcp.shows(context, session.origin, name).await?;
            done(&Looked { session })
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
                let message = "this client has read text from outside, and deleting for good cannot be taken back";
                return Err(Problem::new(Code::PolicyDenied, message, hint).into());
            }
            let delete = Delete { session: session(&session_id)?, memories, version: None };
            done(&hub.delete(owner, delete).await?)
        }
        _ => {
            let EndSession { session_id, reason } = read(arguments)?;
            let end = End { session: session(&session_id)?, reason, version: None };
            done(&Ended { status: hub.end(owner, end).await?.status })
        }
    }
}

async fn list(mcp: &Mcp, asked: ListSessions) -> Result<Listed, Trouble> {
    let ListSessions { status, limit, cursor } = asked;
    let Some(status) = status else {
        let page = mcp.hub.sessions(&mcp.owner, &SessionList { cursor, limit, ..SessionList::default() }).await?;
        return Ok(Listed { sessions: page.data, next_cursor: page.next_cursor });
    };
    // A page may have fewer than were asked for; whether there is more is told by the cursor.
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
    Ok(Listed { sessions, next_cursor: cut.or(page.next_cursor) })
}
