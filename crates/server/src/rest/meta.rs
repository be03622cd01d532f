//! Health, readiness, statistics, the models, the home, the settings, sweeping, the description of the API, tickets.

use axum::{Json, extract::State, http::StatusCode};
use protocol::{Code, ConfigPage, HomeView, OwnerId, Problem, ServerStats, Swept};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    access::{Pass, Principal, Ticket},
    app::{App, Operator},
    problem::Outcome,
};

/// How the server is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
    /// The program's version.
    version: &'static str,
}

const OK: Health = Health { status: "ok", version: env!("CARGO_PKG_VERSION") };

pub(crate) async fn healthz() -> Json<Health> {
    Json(OK)
}

pub(crate) async fn readyz(State(app): State<App>) -> Outcome<Json<Health>> {
    app.hub.check().await?;
    Ok(Json(OK))
}

pub(crate) async fn stats(State(app): State<App>) -> Json<ServerStats> {
    Json(app.hub.stats())
}

/// The models that can be named, and which one answers unless another is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ModelPage {
    /// Their names.
    data: Vec<String>,
    /// The one that answers unless a session or a turn names another.
    default: String,
}

pub(crate) async fn models(State(app): State<App>) -> Json<ModelPage> {
    Json(ModelPage { data: app.hub.models(), default: app.hub.model_name(None) })
}

pub(crate) async fn home(State(app): State<App>) -> Outcome<Json<HomeView>> {
    Ok(Json(app.hub.home()?))
}

pub(crate) async fn config(State(app): State<App>, Principal(owner): Principal) -> Outcome<Json<ConfigPage>> {
    let operator = operator(&app, &owner, "the settings are for the operator alone")?;
    Ok(Json(ConfigPage { data: operator.settings.clone() }))
}

pub(crate) async fn sweep(State(app): State<App>, Principal(owner): Principal) -> Outcome<Json<Swept>> {
    operator(&app, &owner, "sweeping is for the operator alone: it collects what is everybody's")?;
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

pub(crate) async fn ticket(State(app): State<App>, pass: Pass) -> (StatusCode, Json<Ticket>) {
    // Two ids hold 160 random bits between them, drawn from the same source as everything secret here.
    let secret = format!("{}{}", app.hub.ulid(), app.hub.ulid());
    (StatusCode::CREATED, Json(app.tickets.issue(pass, secret, app.hub.now())))
}
