//! The desktop of a session, and the files of the apps that run on it.

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use protocol::{
    Accepted, Code, DesktopView, DialogId, DialogReply, Interaction, Problem, PromptReply, Restore, RestoreMode,
    SessionId, SessionName, SessionView, UserInteraction, WindowAct, WindowAction, WindowId, WindowMessage,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    extract::{Body, Id, idempotency_key},
    invalid,
    sessions::session_key,
};
use crate::{access::Principal, app::App, problem::Outcome};

pub(crate) async fn view(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
) -> Outcome<Json<DesktopView>> {
    Ok(Json(app.hub.desktop(&owner, &id.into()).await?))
}

/// Words to the agent of a window.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Said {
    /// The words.
    content: String,
    /// The key that makes sending it again harmless.
    #[serde(default)]
    idempotency_key: Option<String>,
}

pub(crate) async fn message(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Path((session_id, window_id)): Path<(String, String)>,
    Body(said): Body<Said>,
) -> Outcome<(StatusCode, Json<Accepted>)> {
    let (session_id, window_id) = place(&session_id, &window_id)?;
    let asked = WindowMessage {
        session: session_id.into(),
        window_id,
        content: said.content,
        idempotency_key: idempotency_key(&headers, said.idempotency_key)?,
    };
    Ok((StatusCode::ACCEPTED, Json(app.hub.window_message(&owner, asked).await?)))
}

pub(crate) async fn act(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Path((session_id, window_id)): Path<(String, String)>,
    Body(act): Body<WindowAct>,
) -> Outcome<(StatusCode, Json<Accepted>)> {
    let (session_id, window_id) = place(&session_id, &window_id)?;
    let asked =
        WindowAction { session: session_id.into(), window_id, act, idempotency_key: idempotency_key(&headers, None)? };
    Ok((StatusCode::ACCEPTED, Json(app.hub.window_action(&owner, asked).await?)))
}

fn place(session_id: &str, window_id: &str) -> Outcome<(SessionId, WindowId)> {
    let session_id: SessionId = session_id.parse().map_err(|error: protocol::IdError| invalid(error.to_string()))?;
    let window_id: WindowId = window_id.parse().map_err(|error: protocol::IdError| invalid(error.to_string()))?;
    Ok((session_id, window_id))
}

/// What the user did.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Done {
    /// What was done, in order.
    interactions: Vec<Interaction>,
}

pub(crate) async fn interact(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
    Body(done): Body<Done>,
) -> Outcome<Json<DesktopView>> {
    let asked = UserInteraction { session: id.into(), interactions: done.interactions };
    app.hub.interact(&owner, asked).await?;
    Ok(Json(app.hub.desktop(&owner, &id.into()).await?))
}

/// What the user answers: a choice, or what was filled in; neither waves the question away.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    /// What is chosen.
    #[serde(default)]
    choice: Option<String>,
    /// What is filled in, by name.
    #[serde(default)]
    values: Option<BTreeMap<String, String>>,
}

pub(crate) async fn answer(
    State(app): State<App>,
    Principal(owner): Principal,
    Path((session_id, dialog_id)): Path<(String, String)>,
    Body(reply): Body<Reply>,
) -> Outcome<Json<DesktopView>> {
    let session_id: SessionId = session_id.parse().map_err(|error: protocol::IdError| invalid(error.to_string()))?;
    let dialog_id: DialogId = dialog_id.parse().map_err(|error: protocol::IdError| invalid(error.to_string()))?;
    let session = protocol::SessionRef::from(session_id);
    match reply {
        Reply { choice: Some(_), values: Some(_) } => return Err(invalid("give either `choice` or `values`")),
        Reply { values: Some(values), .. } => {
            let asked = PromptReply { session: session.clone(), dialog_id, values: Some(values) };
            app.hub.answer_prompt(&owner, asked).await?;
        }
        Reply { choice, .. } => {
            app.hub.answer_dialog(&owner, DialogReply { session: session.clone(), dialog_id, choice }).await?;
        }
    }
    Ok(Json(app.hub.desktop(&owner, &session).await?))
}

/// How an earlier session goes on.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestoreBody {
    /// What becomes of its windows.
    #[serde(default)]
    windows: RestoreMode,
    /// A name for the new session.
    #[serde(default)]
    key: Option<SessionName>,
}

pub(crate) async fn restore(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    Id(id): Id<SessionId>,
    Body(body): Body<RestoreBody>,
) -> Outcome<(StatusCode, Json<SessionView>)> {
    let key = session_key(&headers, body.key)?;
    let asked = Restore { session: id.into(), windows: body.windows, key };
    Ok((StatusCode::CREATED, Json(app.hub.restore(&owner, asked).await?)))
}

pub(crate) async fn app_file(State(app): State<App>, Path((name, file)): Path<(String, String)>) -> Outcome<Response> {
    let Some((media_type, bytes)) = (app.apps.file)(&name, &file) else {
        let hint = "The apps are `timer` and `notes`; each has an `index.html`.";
        return Err(Problem::new(Code::NotFound, "there is no such app, or no such file of it", hint).into());
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(app.apps.policy)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    Ok((headers, bytes).into_response())
}
