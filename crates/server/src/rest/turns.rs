//! Turns.

use std::time::Duration;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use protocol::{
    BackgroundList, BackgroundPage, CallOutcome, Cancel, CancelResult, ChatSend, ClientResult, ClientToolOffer,
    EventPage, ForgetResult, Order, PassagePage, PauseResult, SessionId, ToolAnswer, ToolAnswered, TurnAccepted,
    TurnId, TurnPage, TurnResume, TurnView,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    extract::{JsonBody, Params, PathId, PathIds, idempotency_key, invalid},
    sessions::EventQuery,
};
use crate::{
    access::{AccessGrant, Principal, RequestWay, scopes},
    app::AppState,
    problem::HttpResult,
};

/// The longest that one request waits for a turn; to wait longer, clients repeat it.
const WAIT_MAX: Duration = Duration::from_secs(120);

/// Which turns.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TurnQuery {
    #[serde(default)]
    cursor: Option<String>,
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    order: Order,
}

pub(crate) async fn list(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
    Params(TurnQuery { cursor, limit, order }): Params<TurnQuery>,
) -> HttpResult<Json<TurnPage>> {
    Ok(Json(app.hub.turns(&owner, &id.into(), order, cursor.as_deref(), limit).await?))
}

pub(crate) async fn events(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<TurnId>,
    Params(range): Params<EventQuery>,
) -> HttpResult<Json<EventPage>> {
    Ok(Json(app.hub.turn_events(&owner, id, range.after, range.limit).await?))
}

pub(crate) async fn passages(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<TurnId>,
) -> HttpResult<Json<PassagePage>> {
    Ok(Json(app.hub.passages(&owner, id).await?))
}

pub(crate) async fn send(
    State(app): State<AppState>,
    Principal(owner): Principal,
    RequestWay(way): RequestWay,
    headers: HeaderMap,
    PathId(id): PathId<SessionId>,
    JsonBody(mut send): JsonBody<ChatSend>,
) -> HttpResult<(StatusCode, Json<TurnAccepted>)> {
    send.way = way;
    send.idempotency_key = idempotency_key(&headers, send.idempotency_key)?;
    Ok((StatusCode::ACCEPTED, Json(app.hub.send(&owner, &id.into(), send).await?)))
}

/// How long to wait.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaitQuery {
    #[serde(default)]
    wait_ms: u64,
}

pub(crate) async fn get(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<TurnId>,
    Params(WaitQuery { wait_ms }): Params<WaitQuery>,
) -> HttpResult<Json<TurnView>> {
    let patience = Duration::from_millis(wait_ms).min(WAIT_MAX);
    Ok(Json(app.hub.wait_for_end(&owner, id, patience).await?))
}

pub(crate) async fn delete(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathIds((session_id, turn_id)): PathIds<(SessionId, TurnId)>,
) -> HttpResult<Json<ForgetResult>> {
    Ok(Json(app.hub.delete_turn(&owner, &session_id.into(), turn_id).await?))
}

/// The reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelQuery {
    #[serde(default)]
    reason: Option<String>,
}

pub(crate) async fn cancel(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<TurnId>,
    Params(CancelQuery { reason }): Params<CancelQuery>,
) -> HttpResult<Json<CancelResult>> {
    Ok(Json(app.hub.cancel_turn(&owner, id, reason).await?))
}

pub(crate) async fn cancel_all(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
    Params(CancelQuery { reason }): Params<CancelQuery>,
) -> HttpResult<Json<CancelResult>> {
    Ok(Json(app.hub.cancel(&owner, Cancel { session: id.into(), turn_id: None, reason }).await?))
}

pub(crate) async fn pause(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<TurnId>,
) -> HttpResult<Json<PauseResult>> {
    Ok(Json(app.hub.pause_turn(&owner, id).await?))
}

pub(crate) async fn background(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(list): Params<BackgroundList>,
) -> HttpResult<Json<BackgroundPage>> {
    Ok(Json(app.hub.background_turns(&owner, list).await?))
}

/// The outcome of the calls in doubt.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ResumeBody {
    /// The outcome.
    outcome: Option<CallOutcome>,
    /// Which call; all by default.
    call_id: Option<String>,
}

pub(crate) async fn resume(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(turn_id): PathId<TurnId>,
    JsonBody(ResumeBody { outcome, call_id }): JsonBody<ResumeBody>,
) -> HttpResult<(StatusCode, Json<TurnAccepted>)> {
    let asked = TurnResume { turn_id, outcome, call_id };
    Ok((StatusCode::ACCEPTED, Json(app.hub.resume_turn(&owner, asked).await?)))
}

/// Results of calls that the client has run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolResultsBody {
    /// The results.
    #[schemars(length(min = 1))]
    results: Vec<ClientResult>,
    /// The tools that the client offers from now on; unchanged by default.
    #[serde(default)]
    offer: Option<ClientToolOffer>,
}

pub(crate) async fn tool_results(
    State(app): State<AppState>,
    grant: AccessGrant,
    PathId(turn_id): PathId<TurnId>,
    JsonBody(ToolResultsBody { results, offer }): JsonBody<ToolResultsBody>,
) -> HttpResult<(StatusCode, Json<ToolAnswered>)> {
    if grant.reads_only() {
        scopes::check_turn(true, &app.hub.turn(&grant.owner, turn_id).await?)?;
    }
    let asked = ToolAnswer { turn_id, results, offer };
    Ok((StatusCode::ACCEPTED, Json(app.hub.answer_calls(&grant.owner, asked).await?)))
}

pub(crate) async fn ask(
    State(app): State<AppState>,
    grant: AccessGrant,
    Params(WaitQuery { wait_ms }): Params<WaitQuery>,
    headers: HeaderMap,
    JsonBody(mut send): JsonBody<ChatSend>,
) -> HttpResult<Json<TurnView>> {
    send.way.reads_only = grant.reads_only();
    if idempotency_key(&headers, send.idempotency_key.clone())?.is_some() {
        return Err(invalid("an idempotency key does not work with temporary sessions; use a session"));
    }
    let patience = if wait_ms == 0 { WAIT_MAX } else { Duration::from_millis(wait_ms).min(WAIT_MAX) };
    Ok(Json(app.hub.ask_once(&grant.owner, send, patience).await?))
}

pub(crate) async fn retry(
    State(app): State<AppState>,
    Principal(owner): Principal,
    RequestWay(way): RequestWay,
    headers: HeaderMap,
    PathId(id): PathId<TurnId>,
) -> HttpResult<(StatusCode, Json<TurnAccepted>)> {
    let key = idempotency_key(&headers, None)?;
    Ok((StatusCode::ACCEPTED, Json(app.hub.retry_turn(&owner, id, key, way).await?)))
}
