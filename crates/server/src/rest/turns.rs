//! Turns.

use std::time::Duration;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use protocol::{
    Accepted, CallOutcome, Cancel, Cancelled, ChatSend, ClientResult, EventPage, Forgotten, Offer, Order, PassagePage,
    SessionId, ToolAnswer, ToolAnswered, TurnId, TurnPage, TurnResume, TurnView,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    extract::{Body, Id, Ids, Params, idempotency_key, invalid},
    sessions::Range,
};
use crate::{
    access::{Principal, Way},
    app::App,
    problem::Outcome,
};

/// The longest one request waits for a turn; who wants to wait longer asks again.
const WAIT_MAX: Duration = Duration::from_secs(120);

/// Which turns.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    #[serde(default)]
    cursor: Option<String>,
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    order: Order,
}

pub(crate) async fn list(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
    Params(Which { cursor, limit, order }): Params<Which>,
) -> Outcome<Json<TurnPage>> {
    Ok(Json(app.hub.turns(&owner, &id.into(), order, cursor.as_deref(), limit).await?))
}

pub(crate) async fn events(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<TurnId>,
    Params(range): Params<Range>,
) -> Outcome<Json<EventPage>> {
    Ok(Json(app.hub.turn_events(&owner, id, range.after, range.limit).await?))
}

pub(crate) async fn passages(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<TurnId>,
) -> Outcome<Json<PassagePage>> {
    Ok(Json(app.hub.passages(&owner, id).await?))
}

pub(crate) async fn send(
    State(app): State<App>,
    Principal(owner): Principal,
    Way(way): Way,
    headers: HeaderMap,
    Id(id): Id<SessionId>,
    Body(mut send): Body<ChatSend>,
) -> Outcome<(StatusCode, Json<Accepted>)> {
    send.way = way;
    send.idempotency_key = idempotency_key(&headers, send.idempotency_key)?;
    Ok((StatusCode::ACCEPTED, Json(app.hub.send(&owner, &id.into(), send).await?)))
}

/// How long to wait.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Patience {
    #[serde(default)]
    wait_ms: u64,
}

pub(crate) async fn get(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<TurnId>,
    Params(Patience { wait_ms }): Params<Patience>,
) -> Outcome<Json<TurnView>> {
    let patience = Duration::from_millis(wait_ms).min(WAIT_MAX);
    Ok(Json(app.hub.wait_for_end(&owner, id, patience).await?))
}

pub(crate) async fn delete(
    State(app): State<App>,
    Principal(owner): Principal,
    Ids((session_id, turn_id)): Ids<(SessionId, TurnId)>,
) -> Outcome<Json<Forgotten>> {
    Ok(Json(app.hub.delete_turn(&owner, &session_id.into(), turn_id).await?))
}

/// Why.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Why {
    #[serde(default)]
    reason: Option<String>,
}

pub(crate) async fn cancel(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<TurnId>,
    Params(Why { reason }): Params<Why>,
) -> Outcome<Json<Cancelled>> {
    Ok(Json(app.hub.cancel_turn(&owner, id, reason).await?))
}

pub(crate) async fn cancel_all(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
    Params(Why { reason }): Params<Why>,
) -> Outcome<Json<Cancelled>> {
    Ok(Json(app.hub.cancel(&owner, Cancel { session: id.into(), turn_id: None, reason }).await?))
}

/// What became of the calls in doubt.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct InDoubt {
    /// What became of them.
    outcome: Option<CallOutcome>,
    /// Which of them; none means all.
    call_id: Option<String>,
}

pub(crate) async fn resume(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(turn_id): Id<TurnId>,
    Body(InDoubt { outcome, call_id }): Body<InDoubt>,
) -> Outcome<(StatusCode, Json<Accepted>)> {
    let asked = TurnResume { turn_id, outcome, call_id };
    Ok((StatusCode::ACCEPTED, Json(app.hub.resume_turn(&owner, asked).await?)))
}

/// What came of calls that the client has run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Results {
    /// What came of them.
    results: Vec<ClientResult>,
    /// What the client offers from now on; as before unless told.
    #[serde(default)]
    offer: Option<Offer>,
}

pub(crate) async fn tool_results(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(turn_id): Id<TurnId>,
    Body(Results { results, offer }): Body<Results>,
) -> Outcome<(StatusCode, Json<ToolAnswered>)> {
    let asked = ToolAnswer { turn_id, results, offer };
    Ok((StatusCode::ACCEPTED, Json(app.hub.answer_calls(&owner, asked).await?)))
}

pub(crate) async fn ask(
    State(app): State<App>,
    Principal(owner): Principal,
    Params(Patience { wait_ms }): Params<Patience>,
    headers: HeaderMap,
    Body(send): Body<ChatSend>,
) -> Outcome<Json<TurnView>> {
    if idempotency_key(&headers, send.idempotency_key.clone())?.is_some() {
        return Err(invalid(
            "a question that is removed with its session cannot be remembered by a key; use a session",
        ));
    }
    let patience = if wait_ms == 0 { WAIT_MAX } else { Duration::from_millis(wait_ms).min(WAIT_MAX) };
    Ok(Json(app.hub.ask_once(&owner, send, patience).await?))
}

pub(crate) async fn retry(
    State(app): State<App>,
    Principal(owner): Principal,
    Way(way): Way,
    headers: HeaderMap,
    Id(id): Id<TurnId>,
) -> Outcome<(StatusCode, Json<Accepted>)> {
    let key = idempotency_key(&headers, None)?;
    Ok((StatusCode::ACCEPTED, Json(app.hub.retry_turn(&owner, id, key, way).await?)))
}
