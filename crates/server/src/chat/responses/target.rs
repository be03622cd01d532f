//! The session that a request belongs to: that of the previous response or of the conversation, one
//! that is named otherwise, a temporary one, or one that the conversation is matched with.

use std::collections::BTreeMap;

use axum::http::HeaderMap;
use engine::{Hub, Subscription};
use protocol::{
    AgentId, Body, Code, Order, OwnerId, Problem, SessionEnd, SessionFork, SessionId, SessionRef, SessionStart,
    Settings, TurnStatus, TurnView,
};
use serde_json::{Value, json};

use super::{
    super::{
        calls,
        conversation::{by_header, by_name},
        ignored::IgnoredFields,
        message::ChatHistory,
        tools::refused,
    },
    ids::{ResponseId, session_name},
    parts::TurnParts,
    request::CreateResponse,
};

/// The newest turns that are compared with the previous response.
const TURNS_READ: usize = 50;

/// The session of a request.
#[derive(Default)]
pub(super) struct ResponseTarget {
    /// The session, unless the conversation has to be matched with one.
    pub(super) session: Option<SessionRef>,
    /// The session, if it is removed after the response.
    pub(super) temporary: Option<SessionId>,
    /// A temporary session is removed when its turns have ended and no client follows it. Until the
    /// turn itself is followed, this does.
    _follows: Option<Subscription>,
}

impl ResponseTarget {
    /// Finds the session.
    pub(super) async fn find(
        hub: &Hub,
        owner: &OwnerId,
        headers: &HeaderMap,
        asked: &CreateResponse,
        history: &ChatHistory,
        key: Option<&str>,
        ignored: &mut IgnoredFields,
    ) -> Result<Self, Problem> {
        let is_stored = asked.store != Some(false);
        let session = match &asked.previous_response_id {
            Some(previous) => Some(follow(hub, owner, previous, history, key).await?),
            None => named(headers, asked)?,
        };
        if !history.results.is_empty() {
            let follows = follows(hub, owner, history).await?;
            let temporary = match &follows {
                Some((session_id, _)) if !is_stored && is_temporary(hub, owner, *session_id).await? => {
                    Some(*session_id)
                }
                _ => None,
            };
            return Ok(Self { session, temporary, _follows: follows.map(|(_, follows)| follows) });
        }
        if session.is_some() {
            if !is_stored {
                ignored.add("store");
            }
            return Ok(Self { session, ..Self::default() });
        }
        if !is_stored {
            return Self::temporary(hub, owner, history).await;
        }
        let user = asked.user.as_deref().filter(|user| !user.is_empty()).map(|user| format!("user:{user}"));
        Ok(Self { session: user.as_deref().map(by_name).transpose()?, ..Self::default() })
    }

    async fn temporary(hub: &Hub, owner: &OwnerId, history: &ChatHistory) -> Result<Self, Problem> {
        let earlier = history.newest_earlier();
        let preferences = [
            (Settings::INSTRUCTIONS, history.instructions.as_ref().map(|text| json!(text))),
            (Settings::EARLIER, (!earlier.is_empty()).then(|| json!(earlier))),
        ];
        let preferences: BTreeMap<String, Value> =
            preferences.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        let start = SessionStart { preferences, temporary: true, ..SessionStart::default() };
        let session_id = hub.start(owner, start).await?.session_id;
        let follows = hub.subscribe(owner, session_id, 0).await?;
        Ok(Self { session: Some(session_id.into()), temporary: Some(session_id), _follows: Some(follows) })
    }
}

/// Removes a temporary session.
pub(super) async fn remove(hub: &Hub, owner: &OwnerId, session_id: SessionId) {
    // If that fails, recovery removes it later.
    let _ = hub.end(owner, SessionEnd { session: session_id.into(), ..SessionEnd::default() }).await;
}

/// Whether a session is removed when its turns have ended.
async fn is_temporary(hub: &Hub, owner: &OwnerId, session_id: SessionId) -> Result<bool, Problem> {
    let first = hub.events(owner, &session_id.into(), 0, Some(1)).await?;
    Ok(matches!(first.data.first().map(|event| &event.body), Some(Body::SessionStarted(started)) if started.temporary))
}

/// Follows the session of the calls whose results a request contains, which may be a temporary one.
async fn follows(
    hub: &Hub,
    owner: &OwnerId,
    history: &ChatHistory,
) -> Result<Option<(SessionId, Subscription)>, Problem> {
    let name = history.results.first().and_then(|result| result.name.as_deref());
    let Some((turn_id, _)) = name.and_then(calls::read) else { return Ok(None) };
    let turn = hub.turn(owner, turn_id).await?;
    Ok(Some((turn.session_id, hub.subscribe(owner, turn.session_id, turn.last_seq).await?)))
}

/// The session that the conversation, the header or the metadata names.
fn named(headers: &HeaderMap, asked: &CreateResponse) -> Result<Option<SessionRef>, Problem> {
    let conversation = match &asked.conversation {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(name.as_str()),
        Some(other) => match other["id"].as_str() {
            Some(name) => Some(name),
            None => return Err(refused("`conversation` must be a text or an object with an `id`".to_owned())),
        },
    };
    if let Some(name) = conversation {
        return by_name(session_name(name)).map(Some);
    }
    if let Some(session) = by_header(headers)? {
        return Ok(Some(session));
    }
    let data = asked.metadata.as_ref();
    let named = data.and_then(|data| data.get("session_id").or_else(|| data.get("session"))).and_then(Value::as_str);
    named.map(by_name).transpose()
}

/// The session that continues after a response: its own if nothing follows the response there, else
/// a fork of it.
async fn follow(
    hub: &Hub,
    owner: &OwnerId,
    previous: &str,
    history: &ChatHistory,
    key: Option<&str>,
) -> Result<SessionRef, Problem> {
    let id = ResponseId::read(previous).ok_or_else(|| unknown(previous))?;
    let turn = match TurnParts::read(hub, owner, id.turn_id).await {
        Err(engine::Error::NoTurn) => return Err(unknown(previous)),
        turn => turn?,
    };
    let Some((_, is_last)) = turn.find(id) else { return Err(unknown(previous)) };
    let session_id = turn.turn.session_id;
    if !history.results.is_empty() {
        return Ok(session_id.into());
    }
    if !is_last {
        let message = format!("the outputs of the calls of `{previous}` were sent already");
        let hint = format!("Use `{}` as `previous_response_id`.", turn.last());
        return Err(Problem::new(Code::InvalidRequest, message, hint));
    }
    if is_newest(hub, owner, &turn.turn, history, key).await? {
        return Ok(session_id.into());
    }
    let fork = SessionFork { session: session_id.into(), turn_id: id.turn_id, key: None };
    Ok(hub.fork(owner, fork).await?.session_id.into())
}

/// Whether nothing that counts follows a turn, or only the same message under the same key.
async fn is_newest(
    hub: &Hub,
    owner: &OwnerId,
    turn: &TurnView,
    history: &ChatHistory,
    key: Option<&str>,
) -> Result<bool, Problem> {
    let page = hub.turns(owner, &turn.session_id.into(), Order::Newest, None, Some(TURNS_READ)).await?;
    let is_tried_in_vain =
        |turn: &TurnView| matches!(turn.status, TurnStatus::Failed | TurnStatus::Cancelled | TurnStatus::Expired);
    let newer = page.data.iter().take_while(|newer| newer.turn_id != turn.turn_id);
    let counts: Vec<&TurnView> =
        newer.filter(|newer| newer.agent_id == AgentId::main() && !is_tried_in_vain(newer)).collect();
    Ok(match counts.as_slice() {
        [] => true,
        [only] => key.is_some() && only.request.message == history.message,
        _ => false,
    })
}

pub(super) fn unknown(id: &str) -> Problem {
    let message = format!("there is no response with the id `{id}`");
    Problem::new(Code::NotFound, message, "Responses with `store: false` are gone when they are complete.")
}
