//! The browsers that show alerts as notifications.

use axum::{Json, extract::State, http::StatusCode};
use protocol::{Code, Problem, PushDevice, PushSubscribe, PushView};

use super::extract::{JsonBody, PathId};
use crate::{access::Principal, app::AppState, problem::HttpResult, push::PushDevices};

/// The key and the owner's browsers. A server without Web Push has neither, which is no error: the
/// page asks in order to know.
pub(crate) async fn view(State(app): State<AppState>, Principal(owner): Principal) -> HttpResult<Json<PushView>> {
    let Some(push) = &app.push else { return Ok(Json(PushView { public_key: None, devices: Vec::new() })) };
    Ok(Json(PushView { public_key: Some(push.public_key().to_owned()), devices: push.list(&owner).await? }))
}

pub(crate) async fn subscribe(
    State(app): State<AppState>,
    Principal(owner): Principal,
    JsonBody(asked): JsonBody<PushSubscribe>,
) -> HttpResult<(StatusCode, Json<PushDevice>)> {
    Ok((StatusCode::CREATED, Json(configured(&app)?.add(&owner, asked).await?)))
}

pub(crate) async fn unsubscribe(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(device_id): PathId<String>,
) -> HttpResult<StatusCode> {
    if configured(&app)?.remove(&owner, &device_id).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    let hint = "`GET /api/v1/push` lists the devices.";
    Err(Problem::new(Code::NotFound, "no device with this id is subscribed", hint).into())
}

fn configured(app: &AppState) -> Result<&dyn PushDevices, Problem> {
    app.push.as_deref().ok_or_else(|| {
        let hint = "Add one of kind `web_push` to `alerts.channels` in the configuration.";
        Problem::new(Code::NotFound, "the server has no channel of Web Push", hint)
    })
}
