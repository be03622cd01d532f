//! The desktop of a session, and the files of the apps that run on it.

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use protocol::{
    Code, DesktopView, DialogId, DialogReply, Interaction, Problem, PromptReply, RestoreMode, SessionId, SessionName,
    SessionRestore, SessionView, TurnAccepted, UserInteraction, WindowAction, WindowId, WindowMessage, WindowPress,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    extract::{JsonBody, PathId, PathIds, idempotency_key},
    invalid,
    sessions::session_key,
};
use crate::{access::Principal, app::AppState, page, problem::HttpResult};

pub(crate) async fn view(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
) -> HttpResult<Json<DesktopView>> {
    Ok(Json(app.hub.desktop(&owner, &id.into()).await?))
}

/// A message to the agent of a window.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WindowMessageBody {
    /// The text, at most 256 KiB.
    #[schemars(regex(pattern = protocol::patterns::NOT_BLANK))]
    content: String,
    /// The key that makes it safe to send it again.
    #[serde(default)]
    #[schemars(length(min = 1, max = 200))]
    idempotency_key: Option<String>,
}

pub(crate) async fn message(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    PathIds((session_id, window_id)): PathIds<(SessionId, WindowId)>,
    JsonBody(said): JsonBody<WindowMessageBody>,
) -> HttpResult<(StatusCode, Json<TurnAccepted>)> {
    let asked = WindowMessage {
        session: session_id.into(),
        window_id,
        content: said.content,
        idempotency_key: idempotency_key(&headers, said.idempotency_key)?,
    };
    Ok((StatusCode::ACCEPTED, Json(app.hub.window_message(&owner, asked).await?)))
}

pub(crate) async fn act(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    PathIds((session_id, window_id)): PathIds<(SessionId, WindowId)>,
    JsonBody(act): JsonBody<WindowPress>,
) -> HttpResult<(StatusCode, Json<TurnAccepted>)> {
    let asked =
        WindowAction { session: session_id.into(), window_id, act, idempotency_key: idempotency_key(&headers, None)? };
    Ok((StatusCode::ACCEPTED, Json(app.hub.window_action(&owner, asked).await?)))
}

/// Interactions of the user.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InteractionsBody {
    /// The interactions, in order.
    #[schemars(length(max = 64))]
    interactions: Vec<Interaction>,
}

pub(crate) async fn interact(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
    JsonBody(done): JsonBody<InteractionsBody>,
) -> HttpResult<Json<DesktopView>> {
    let asked = UserInteraction { session: id.into(), interactions: done.interactions };
    app.hub.interact(&owner, asked).await?;
    Ok(Json(app.hub.desktop(&owner, &id.into()).await?))
}

/// The user's answer: a choice or form values; neither dismisses the question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DialogAnswerBody {
    /// The chosen option.
    #[serde(default)]
    choice: Option<String>,
    /// The form values, by name.
    #[serde(default)]
    values: Option<BTreeMap<String, String>>,
}

pub(crate) async fn answer(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathIds((session_id, dialog_id)): PathIds<(SessionId, DialogId)>,
    JsonBody(reply): JsonBody<DialogAnswerBody>,
) -> HttpResult<Json<DesktopView>> {
    let session = protocol::SessionRef::from(session_id);
    match reply {
        DialogAnswerBody { choice: Some(_), values: Some(_) } => {
            return Err(invalid("send either `choice` or `values`"));
        }
        DialogAnswerBody { values: Some(values), .. } => {
            let asked = PromptReply { session: session.clone(), dialog_id, values: Some(values) };
            app.hub.answer_prompt(&owner, asked).await?;
        }
        DialogAnswerBody { choice, .. } => {
            app.hub.answer_dialog(&owner, DialogReply { session: session.clone(), dialog_id, choice }).await?;
        }
    }
    Ok(Json(app.hub.desktop(&owner, &session).await?))
}

/// How an earlier session is restored.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestoreBody {
    /// What happens to its windows.
    #[serde(default)]
    windows: RestoreMode,
    /// A name for the new session.
    #[serde(default)]
    key: Option<SessionName>,
}

pub(crate) async fn restore(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    PathId(id): PathId<SessionId>,
    JsonBody(body): JsonBody<RestoreBody>,
) -> HttpResult<(StatusCode, Json<SessionView>)> {
    let key = session_key(&headers, body.key)?;
    let asked = SessionRestore { session: id.into(), windows: body.windows, key };
    Ok((StatusCode::CREATED, Json(app.hub.restore(&owner, asked).await?)))
}

pub(crate) async fn app_file(
    State(app): State<AppState>,
    headers: HeaderMap,
    PathIds((name, file)): PathIds<(String, String)>,
) -> HttpResult<Response> {
    let Some((media_type, bytes)) = (app.apps.file)(&name, &file) else {
        if let Some(response) = page::frame_file(&app, &name, &file, &headers) {
            return Ok(response);
        }
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
