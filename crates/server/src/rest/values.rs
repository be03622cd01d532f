//! Values of programs.

use axum::{Json, extract::State};
use protocol::{ValueList, ValuePage, ValueRead, ValueWrite, ValueWriteResult};

use super::extract::JsonBody;
use crate::{access::Principal, app::AppState, problem::HttpResult};

pub(crate) async fn write(
    State(app): State<AppState>,
    Principal(owner): Principal,
    JsonBody(asked): JsonBody<ValueWrite>,
) -> HttpResult<Json<ValueWriteResult>> {
    Ok(Json(app.hub.write_values(&owner, asked).await?))
}

pub(crate) async fn read(
    State(app): State<AppState>,
    Principal(owner): Principal,
    JsonBody(asked): JsonBody<ValueRead>,
) -> HttpResult<Json<ValuePage>> {
    Ok(Json(app.hub.read_values(&owner, asked).await?))
}

pub(crate) async fn list(
    State(app): State<AppState>,
    Principal(owner): Principal,
    JsonBody(asked): JsonBody<ValueList>,
) -> HttpResult<Json<ValuePage>> {
    Ok(Json(app.hub.list_values(&owner, asked).await?))
}
