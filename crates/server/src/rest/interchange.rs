//! Sessions out and in.

use axum::{
    Json,
    body::{Body as HttpBody, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use protocol::{ExportFormat, SessionId, SessionImport, SessionName, SessionView};
use serde::Deserialize;
use serde_json::{Value, json};

use super::extract::{Id, Params, check_depth, idempotency_key, invalid};
use crate::{access::Principal, app::App, problem::Outcome};

/// As what a session is taken out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Out {
    #[serde(default)]
    format: ExportFormat,
    /// With the journal: whether what is kept beside the conversation follows it.
    #[serde(default)]
    artifacts: bool,
}

pub(crate) async fn export(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
    Params(Out { format, artifacts }): Params<Out>,
) -> Outcome<Response> {
    if format != ExportFormat::Ndjson {
        return Ok(Json(app.hub.export_as(&owner, &id.into(), format).await?).into_response());
    }
    let events = app.hub.export(&owner, &id.into()).await?;
    let beside = if artifacts { app.hub.artifact_lines(&owner, &id.into()).await? } else { Vec::new() };
    let values = events.into_iter().map(|event| json!(event)).chain(beside);
    let lines = futures::stream::iter(values).map(|value| {
        let mut line = serde_json::to_vec(&value)?;
        line.push(b'\n');
        Ok::<_, serde_json::Error>(line)
    });
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], HttpBody::from_stream(lines)).into_response())
}

/// As what a session is taken in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct In {
    #[serde(default)]
    format: ExportFormat,
    #[serde(default)]
    conversation_id: Option<SessionName>,
}

/// Whatever the format says: the body is read by it.
pub(crate) type Written = Value;

pub(crate) async fn import(
    State(app): State<App>,
    Principal(owner): Principal,
    Params(In { format, conversation_id }): Params<In>,
    headers: HeaderMap,
    body: Bytes,
) -> Outcome<(StatusCode, Json<SessionView>)> {
    let idempotency_key = idempotency_key(&headers, None)?;
    check_depth(&body, app.limits.json_depth_max)?;
    let text = String::from_utf8(body.into()).map_err(|_| invalid("the body is no UTF-8 text"))?;
    let asked = SessionImport { format, text, conversation_id, idempotency_key };
    Ok((StatusCode::CREATED, Json(app.hub.import_session(&owner, asked).await?)))
}
