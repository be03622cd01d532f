//! Sessions.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use protocol::{
    AgentId, AgentRef, Delete, Deleted, End, EventPage, Fork, SessionId, SessionList, SessionName, SessionPage,
    SessionView, Start, TurnId, Update, WindowView,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{Body, Id, Params, idempotency_key, invalid};
use crate::{access::Principal, app::App, problem::Outcome};

pub(crate) async fn list(
    State(app): State<App>,
    Principal(owner): Principal,
    Params(list): Params<SessionList>,
) -> Outcome<Json<SessionPage>> {
    Ok(Json(app.hub.sessions(&owner, &list).await?))
}

pub(crate) async fn start(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Body(mut asked): Body<Start>,
) -> Outcome<(StatusCode, Json<SessionView>)> {
    asked.key = session_key(&headers, asked.key)?;
    Ok((StatusCode::CREATED, Json(app.hub.start(&owner, asked).await?)))
}

pub(crate) async fn get(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
) -> Outcome<Json<SessionView>> {
    Ok(Json(app.hub.session(&owner, &id.into()).await?))
}

/// Whose context window.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Whose {
    #[serde(default)]
    agent_id: Option<AgentId>,
}

pub(crate) async fn window(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
    Params(Whose { agent_id }): Params<Whose>,
) -> Outcome<Json<WindowView>> {
    Ok(Json(app.hub.window(&owner, &AgentRef { session: id.into(), agent_id }).await?))
}

pub(crate) async fn update(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
    Body(change): Body<Update>,
) -> Outcome<Json<SessionView>> {
    Ok(Json(app.hub.update(&owner, &id.into(), change).await?))
}

/// Why, and what the caller had seen.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Why {
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    version: Option<u64>,
}

/// Whether a session only ends, or is deleted with all that was said in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ending {
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    version: Option<u64>,
    #[serde(default)]
    forever: bool,
    #[serde(default)]
    memories: bool,
}

/// What is left of a session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Over {
    /// It has ended and can be read.
    Ended(Box<SessionView>),
    /// It is gone, and that much was in it.
    Deleted(Deleted),
}

pub(crate) async fn end(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
    Params(Ending { reason, version, forever, memories }): Params<Ending>,
) -> Outcome<Json<Over>> {
    if forever {
        let delete = Delete { session: id.into(), memories, version };
        return Ok(Json(Over::Deleted(app.hub.delete(&owner, delete).await?)));
    }
    if memories {
        return Err(invalid("`memories=true` goes with `forever=true`: a session that only ends keeps all of it"));
    }
    Ok(Json(Over::Ended(Box::new(app.hub.end(&owner, End { session: id.into(), reason, version }).await?))))
}

pub(crate) async fn reset(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
    Params(Why { reason, version }): Params<Why>,
) -> Outcome<Json<SessionView>> {
    Ok(Json(app.hub.reset(&owner, End { session: id.into(), reason, version }).await?))
}

/// Where to fork.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForkBody {
    /// The last turn the new session takes along.
    turn_id: TurnId,
    /// A name for the new session.
    #[serde(default)]
    key: Option<SessionName>,
}

pub(crate) async fn fork(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Id(id): Id<SessionId>,
    Body(body): Body<ForkBody>,
) -> Outcome<(StatusCode, Json<SessionView>)> {
    let key = session_key(&headers, body.key)?;
    let fork = Fork { session: id.into(), turn_id: body.turn_id, key };
    Ok((StatusCode::CREATED, Json(app.hub.fork(&owner, fork).await?)))
}

pub(super) fn session_key(headers: &HeaderMap, in_body: Option<SessionName>) -> Outcome<Option<SessionName>> {
    let key = idempotency_key(headers, in_body.map(String::from))?;
    key.map(SessionName::try_from).transpose().map_err(|error| invalid(error.to_string()))
}

/// Which events.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Range {
    #[serde(default)]
    pub(super) after: u64,
    #[serde(default)]
    pub(super) limit: Option<usize>,
}

pub(crate) async fn events(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
    Params(range): Params<Range>,
) -> Outcome<Json<EventPage>> {
    Ok(Json(app.hub.events(&owner, &id.into(), range.after, range.limit).await?))
}
