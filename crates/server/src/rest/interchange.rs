//! Export and import of sessions.

use std::convert::Infallible;

use axum::{
    Json,
    body::Body as HttpBody,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::StreamExt;
use protocol::{ExportFormat, ImportedSession, SessionId, SessionImport, SessionName};
use serde::Deserialize;
use serde_json::Value;

use super::{
    body::RawBody,
    extract::{Params, PathId, check_depth, idempotency_key, invalid},
};
use crate::{access::Principal, app::AppState, problem::HttpResult};

/// Options of an export.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportQuery {
    #[serde(default)]
    format: ExportFormat,
    /// With the journal: whether the artifacts follow it.
    #[serde(default)]
    artifacts: bool,
    /// For a damaged session: export the events before the damage, instead of an error.
    #[serde(default)]
    sound: bool,
}

pub(crate) async fn export(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
    Params(ExportQuery { format, artifacts, sound }): Params<ExportQuery>,
) -> HttpResult<Response> {
    if format != ExportFormat::Ndjson {
        if sound {
            return Err(invalid("`sound` works only with the journal; leave `format` out"));
        }
        return Ok(Json(app.hub.export_as(&owner, &id.into(), format).await?).into_response());
    }
    let (manifest, lines) = match sound {
        true => app.hub.export_sound_file(&owner, id).await?,
        false => app.hub.export_file(&owner, &id.into(), artifacts).await?,
    };
    let lines = std::iter::once(manifest.line().to_string()).chain(lines);
    let lines = futures::stream::iter(lines).map(|line| Ok::<_, Infallible>(line + "\n"));
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], HttpBody::from_stream(lines)).into_response())
}

/// Options of an import.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportQuery {
    #[serde(default)]
    format: ExportFormat,
    #[serde(default)]
    conversation_id: Option<SessionName>,
    /// Whether to import what is readable of a damaged file.
    #[serde(default)]
    accept_damage: bool,
}

/// The body, which is read according to the format.
pub(crate) type ImportDocument = Value;

pub(crate) async fn import(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(ImportQuery { format, conversation_id, accept_damage }): Params<ImportQuery>,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> HttpResult<(StatusCode, Json<ImportedSession>)> {
    let idempotency_key = idempotency_key(&headers, None)?;
    check_depth(&body, app.limits.json_depth_max)?;
    let text = String::from_utf8(body).map_err(|_| invalid("the body is not UTF-8 text"))?;
    let asked = SessionImport { format, text, conversation_id, idempotency_key, accept_damage };
    Ok((StatusCode::CREATED, Json(app.hub.import_session(&owner, asked).await?)))
}
