//! Health, readiness, statistics, the description of the API, tickets.

use axum::{Json, extract::State, http::StatusCode};
use protocol::ServerStats;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    access::{Pass, Ticket},
    app::App,
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

pub(crate) async fn openapi() -> Json<serde_json::Value> {
    Json(crate::openapi::openapi())
}

pub(crate) async fn ticket(State(app): State<App>, pass: Pass) -> (StatusCode, Json<Ticket>) {
    // Two ids hold 160 random bits between them, drawn from the same source as everything secret here.
    let secret = format!("{}{}", app.hub.ulid(), app.hub.ulid());
    (StatusCode::CREATED, Json(app.tickets.issue(pass, secret, app.hub.now())))
}
