//! Health, readiness, statistics, models, the home, settings, sweeps, the API description, tickets.

use axum::{Json, extract::State, http::StatusCode};
use protocol::{Code, ConfigPage, HomeView, ModelPage, OwnerId, Problem, ServerStats, SweepResult};
use schemars::JsonSchema;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::extract::ClientPeer;
use crate::{
    access::{AccessGrant, Principal, Ticket},
    app::{AppState, Operator},
    cluster,
    problem::HttpResult,
    rest::extract::Params,
};

/// The state of the server.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
    /// The program's version.
    version: &'static str,
    /// Sessions that were found damaged since the start; only in `/readyz`.
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged_sessions: Option<u64>,
}

const OK: Health = Health { status: "ok", version: env!("CARGO_PKG_VERSION"), damaged_sessions: None };

pub(crate) async fn healthz() -> Json<Health> {
    Json(OK)
}

pub(crate) async fn readyz(State(app): State<AppState>) -> HttpResult<Json<Health>> {
    app.hub.check().await?;
    Ok(Json(Health { damaged_sessions: Some(app.hub.damaged_sessions()), ..OK }))
}

pub(crate) async fn stats(State(app): State<AppState>, Principal(owner): Principal) -> HttpResult<Json<ServerStats>> {
    let is_operator = app.operator.as_ref().is_some_and(|operator| operator.owner == owner);
    let stats = app.hub.stats_for(&owner, is_operator).await?;
    Ok(Json(ServerStats { connections: app.connection_stats(&owner), ..stats }))
}

pub(crate) async fn models(State(app): State<AppState>) -> Json<ModelPage> {
    Json(app.hub.model_page().await)
}

pub(crate) async fn refresh_models(
    State(app): State<AppState>,
    Principal(owner): Principal,
) -> HttpResult<Json<ModelPage>> {
    operator(&app, &owner, "only the operator can refresh the models")?;
    Ok(Json(app.hub.refresh_models().await))
}

pub(crate) async fn home(State(app): State<AppState>) -> HttpResult<Json<HomeView>> {
    Ok(Json(app.hub.home()?))
}

pub(crate) async fn config(State(app): State<AppState>, Principal(owner): Principal) -> HttpResult<Json<ConfigPage>> {
    let operator = operator(&app, &owner, "only the operator can read the settings")?;
    Ok(Json(ConfigPage { data: operator.settings.clone() }))
}

/// Options of a sweep.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SweepQuery {
    /// Whether to trust the clock.
    trust_clock: bool,
}

pub(crate) async fn sweep(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(asked): Params<SweepQuery>,
) -> HttpResult<Json<SweepResult>> {
    operator(&app, &owner, "only the operator can sweep: it affects all owners")?;
    if asked.trust_clock {
        app.hub.trust_clock().await?;
    }
    Ok(Json(app.hub.sweep_now().await?))
}

/// The operator, if the request is theirs.
pub(super) fn operator<'a>(app: &'a AppState, owner: &OwnerId, refusal: &str) -> Result<&'a Operator, Problem> {
    let asks = app.operator.as_ref().filter(|operator| operator.owner == *owner);
    asks.ok_or_else(|| {
        let hint = "Use the token of the file `token` in the data folder, or ask the operator.";
        Problem::new(Code::Forbidden, refusal, hint)
    })
}

/// The OpenAPI description.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub(crate) struct ApiDescription {
    /// The version of OpenAPI.
    openapi: String,
    /// The title and version of this API.
    info: Map<String, Value>,
    /// The operations, by path and method.
    paths: Map<String, Value>,
    /// The schemas.
    components: Map<String, Value>,
}

pub(crate) async fn openapi() -> Json<Value> {
    Json(crate::openapi::openapi())
}

pub(crate) async fn ticket(
    State(app): State<AppState>,
    grant: AccessGrant,
    ClientPeer(peer): ClientPeer,
) -> HttpResult<(StatusCode, Json<Ticket>)> {
    let (secret, expires_at) = app.tickets.issue(grant.clone(), app.hub.now())?;
    app.failures.succeeded(peer, secret.digest());
    let ticket = cluster::hint_owner(&app, secret.text().expose_secret().to_owned(), &grant);
    Ok((StatusCode::CREATED, Json(Ticket { ticket, expires_at })))
}
