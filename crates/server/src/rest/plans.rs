//! Schedules and alerts.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use protocol::{
    AlertId, AlertList, AlertPage, AlertView, ScheduleChange, ScheduleCreate, ScheduleDo, ScheduleId, ScheduleList,
    SchedulePage, SchedulePreview, ScheduleStep, ScheduleTimes, ScheduleUpdate, ScheduleView, SessionId, SessionName,
    SessionRef,
};
use serde::Deserialize;

use super::extract::{JsonBody, Params, PathId, idempotency_key};
use crate::{
    access::{Principal, RequestWay},
    app::AppState,
    problem::HttpResult,
};

/// Which schedules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SchedulesQuery {
    #[serde(default)]
    session_id: Option<SessionId>,
    #[serde(default)]
    conversation_id: Option<SessionName>,
    #[serde(default)]
    ended: bool,
}

pub(crate) async fn list(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(query): Params<SchedulesQuery>,
) -> HttpResult<Json<SchedulePage>> {
    let SchedulesQuery { session_id, conversation_id, ended } = query;
    let list = ScheduleList { session: SessionRef { session_id, conversation_id }, ended };
    Ok(Json(app.hub.schedules(&owner, &list).await?))
}

pub(crate) async fn create(
    State(app): State<AppState>,
    Principal(owner): Principal,
    RequestWay(way): RequestWay,
    headers: HeaderMap,
    JsonBody(mut asked): JsonBody<ScheduleCreate>,
) -> HttpResult<(StatusCode, Json<ScheduleView>)> {
    asked.idempotency_key = idempotency_key(&headers, asked.idempotency_key)?;
    Ok((StatusCode::CREATED, Json(app.hub.create_schedule(&owner, asked, (&way).into()).await?)))
}

pub(crate) async fn get(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<ScheduleId>,
) -> HttpResult<Json<ScheduleView>> {
    Ok(Json(app.hub.schedule(&owner, id).await?))
}

pub(crate) async fn update(
    State(app): State<AppState>,
    Principal(owner): Principal,
    RequestWay(way): RequestWay,
    PathId(schedule_id): PathId<ScheduleId>,
    JsonBody(change): JsonBody<ScheduleChange>,
) -> HttpResult<Json<ScheduleView>> {
    let asked = ScheduleUpdate { schedule_id, change };
    Ok(Json(app.hub.update_schedule(&owner, asked, &(&way).into()).await?))
}

pub(crate) async fn step(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(schedule_id): PathId<ScheduleId>,
    JsonBody(step): JsonBody<ScheduleStep>,
) -> HttpResult<Json<ScheduleView>> {
    Ok(Json(app.hub.step_schedule(&owner, ScheduleDo { schedule_id, step }).await?))
}

pub(crate) async fn cancel(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(schedule_id): PathId<ScheduleId>,
) -> HttpResult<Json<ScheduleView>> {
    Ok(Json(app.hub.step_schedule(&owner, ScheduleDo { schedule_id, step: ScheduleStep::Cancel }).await?))
}

pub(crate) async fn preview(
    State(app): State<AppState>,
    Principal(_): Principal,
    JsonBody(asked): JsonBody<SchedulePreview>,
) -> HttpResult<Json<ScheduleTimes>> {
    Ok(Json(app.hub.preview_schedule(&asked)?))
}

pub(crate) async fn alerts(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(list): Params<AlertList>,
) -> HttpResult<Json<AlertPage>> {
    Ok(Json(app.hub.alerts(&owner, list).await?))
}

pub(crate) async fn see_alert(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<AlertId>,
) -> HttpResult<Json<AlertView>> {
    Ok(Json(app.hub.see_alert(&owner, id).await?))
}
