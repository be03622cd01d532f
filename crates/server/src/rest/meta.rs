//! Health, readiness, statistics, the models, the home, the settings, sweeping, the description of the API, tickets.

use axum::{Json, extract::State, http::StatusCode};
use protocol::{Code, ConfigPage, HomeView, ModelPage, OwnerId, Problem, ServerStats, Swept};
use schemars::JsonSchema;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};

use super::extract::Origin;
use crate::{
    access::{Pass, Principal, Ticket},
    app::{App, Operator},
    problem::Outcome,
    rest::extract::Params,
};

/// How the server is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
    /// The program's version.
    version: &'static str,
    /// Sessions that were found damaged since the start; told by `/readyz`.
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged_sessions: Option<u64>,
}

const OK: Health = Health { status: "ok", version: env!("CARGO_PKG_VERSION"), damaged_sessions: None };

pub(crate) async fn healthz() -> Json<Health> {
    Json(OK)
}

pub(crate) async fn readyz(State(app): State<App>) -> Outcome<Json<Health>> {
    app.hub.check().await?;
    Ok(Json(Health { damaged_sessions: Some(app.hub.damaged_sessions()), ..OK }))
}

pub(crate) async fn stats(State(app): State<App>, Principal(owner): Principal) -> Outcome<Json<ServerStats>> {
    let is_operator = app.operator.as_ref().is_some_and(|operator| operator.owner == owner);
    let stats = app.hub.stats_for(&owner, is_operator).await?;
    Ok(Json(ServerStats { connections: app.connection_stats(&owner), ..stats }))
}

pub(crate) async fn models(State(app): State<App>) -> Json<ModelPage> {
    Json(app.hub.model_page().await)
}

pub(crate) async fn refresh_models(State(app): State<App>, Principal(owner): Principal) -> Outcome<Json<ModelPage>> {
    operator(&app, &owner, "asking the providers again is for the operator alone")?;
    Ok(Json(app.hub.refresh_models().await))
}

pub(crate) async fn home(State(app): State<App>) -> Outcome<Json<HomeView>> {
    Ok(Json(app.hub.home()?))
}

pub(crate) async fn config(State(app): State<App>, Principal(owner): Principal) -> Outcome<Json<ConfigPage>> {
    let operator = operator(&app, &owner, "the settings are for the operator alone")?;
    Ok(Json(ConfigPage { data: operator.settings.clone() }))
}

/// How to sweep.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Sweep {
    /// Whether the operator says that the clock is right.
    trust_clock: bool,
}

pub(crate) async fn sweep(
    State(app): State<App>,
    Principal(owner): Principal,
    Params(asked): Params<Sweep>,
) -> Outcome<Json<Swept>> {
    operator(&app, &owner, "sweeping is for the operator alone: it collects what is everybody's")?;
    if asked.trust_clock {
        app.hub.trust_clock().await?;
    }
    Ok(Json(app.hub.sweep_now().await?))
}

/// Who runs the server, if it is they who ask.
fn operator<'a>(app: &'a App, owner: &OwnerId, refusal: &str) -> Result<&'a Operator, Problem> {
    let asks = app.operator.as_ref().filter(|operator| operator.owner == *owner);
    asks.ok_or_else(|| {
        let hint = "Use the token of the file `token` in the data folder, or ask whoever runs the server.";
        Problem::new(Code::Forbidden, refusal, hint)
    })
}

pub(crate) async fn openapi() -> Json<serde_json::Value> {
    Json(crate::openapi::openapi())
}

pub(crate) async fn ticket(
    State(app): State<App>,
    pass: Pass,
    Origin(peer): Origin,
) -> Outcome<(StatusCode, Json<Ticket>)> {
    let (secret, expires_at) = app.tickets.issue(pass, app.hub.now())?;
    app.failures.succeeded(peer, secret.digest());
    Ok((StatusCode::CREATED, Json(Ticket { ticket: secret.text().expose_secret().to_owned(), expires_at })))
}
