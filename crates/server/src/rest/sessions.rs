//! Sessions.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use protocol::{
    AgentId, AgentRef, ContextWindowView, DeletedSession, EventPage, SessionDelete, SessionEnd, SessionFork, SessionId,
    SessionList, SessionName, SessionPage, SessionStart, SessionView, TurnId, Update,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{JsonBody, Params, PathId, idempotency_key, invalid};
use crate::{access::Principal, app::AppState, problem::HttpResult};

pub(crate) async fn list(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(list): Params<SessionList>,
) -> HttpResult<Json<SessionPage>> {
    Ok(Json(app.hub.sessions(&owner, &list).await?))
}

pub(crate) async fn start(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    JsonBody(mut asked): JsonBody<SessionStart>,
) -> HttpResult<(StatusCode, Json<SessionView>)> {
    asked.key = session_key(&headers, asked.key)?;
    Ok((StatusCode::CREATED, Json(app.hub.start(&owner, asked).await?)))
}

pub(crate) async fn get(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
) -> HttpResult<Json<SessionView>> {
    Ok(Json(app.hub.session(&owner, &id.into()).await?))
}

/// Which agent's context window.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WindowQuery {
    #[serde(default)]
    agent_id: Option<AgentId>,
}

pub(crate) async fn window(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
    Params(WindowQuery { agent_id }): Params<WindowQuery>,
) -> HttpResult<Json<ContextWindowView>> {
    Ok(Json(app.hub.window(&owner, &AgentRef { session: id.into(), agent_id }).await?))
}

pub(crate) async fn update(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
    JsonBody(change): JsonBody<Update>,
) -> HttpResult<Json<SessionView>> {
    Ok(Json(app.hub.update(&owner, &id.into(), change).await?))
}

/// The reason, and the version that the caller has seen.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResetQuery {
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    version: Option<u64>,
}

/// Whether to only end a session, or to delete it with all its messages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndQuery {
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    version: Option<u64>,
    #[serde(default)]
    forever: bool,
    #[serde(default)]
    memories: bool,
}

/// The result of ending a session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum SessionEndView {
    /// It has ended and stays readable.
    Ended(Box<SessionView>),
    /// It was deleted; the counts say how much.
    Deleted(DeletedSession),
}

pub(crate) async fn end(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
    Params(EndQuery { reason, version, forever, memories }): Params<EndQuery>,
) -> HttpResult<Json<SessionEndView>> {
    if forever {
        let delete = SessionDelete { session: id.into(), memories, version };
        return Ok(Json(SessionEndView::Deleted(app.hub.delete(&owner, delete).await?)));
    }
    if memories {
        return Err(invalid("`memories=true` needs `forever=true`: a session that only ends keeps its memories"));
    }
    Ok(Json(SessionEndView::Ended(Box::new(
        app.hub.end(&owner, SessionEnd { session: id.into(), reason, version }).await?,
    ))))
}

pub(crate) async fn reset(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
    Params(ResetQuery { reason, version }): Params<ResetQuery>,
) -> HttpResult<Json<SessionView>> {
    Ok(Json(app.hub.reset(&owner, SessionEnd { session: id.into(), reason, version }).await?))
}

/// Where to fork.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForkBody {
    /// The last turn that the new session includes.
    turn_id: TurnId,
    /// A name for the new session.
    #[serde(default)]
    key: Option<SessionName>,
}

pub(crate) async fn fork(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    PathId(id): PathId<SessionId>,
    JsonBody(body): JsonBody<ForkBody>,
) -> HttpResult<(StatusCode, Json<SessionView>)> {
    let key = session_key(&headers, body.key)?;
    let fork = SessionFork { session: id.into(), turn_id: body.turn_id, key };
    Ok((StatusCode::CREATED, Json(app.hub.fork(&owner, fork).await?)))
}

pub(super) fn session_key(headers: &HeaderMap, in_body: Option<SessionName>) -> HttpResult<Option<SessionName>> {
    let key = idempotency_key(headers, in_body.map(String::from))?;
    key.map(SessionName::try_from).transpose().map_err(|error| invalid(error.to_string()))
}

/// Which events.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventQuery {
    #[serde(default)]
    pub(super) after: u64,
    #[serde(default)]
    pub(super) limit: Option<usize>,
}

pub(crate) async fn events(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
    Params(range): Params<EventQuery>,
) -> HttpResult<Json<EventPage>> {
    Ok(Json(app.hub.events(&owner, &id.into(), range.after, range.limit).await?))
}
