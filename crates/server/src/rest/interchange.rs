//! Sessions out and in.

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
    body::Raw,
    extract::{Id, Params, check_depth, idempotency_key, invalid},
};
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
    /// Of a damaged session: the events before the damage, instead of a refusal.
    #[serde(default)]
    sound: bool,
}

pub(crate) async fn export(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
    Params(Out { format, artifacts, sound }): Params<Out>,
) -> Outcome<Response> {
    if format != ExportFormat::Ndjson {
        if sound {
            return Err(invalid("`sound` goes with the journal; leave `format` out"));
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

/// As what a session is taken in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct In {
    #[serde(default)]
    format: ExportFormat,
    #[serde(default)]
    conversation_id: Option<SessionName>,
    /// Whether what there is of a damaged file is taken.
    #[serde(default)]
    accept_damage: bool,
}

/// Whatever the format says: the body is read by it.
pub(crate) type Written = Value;

pub(crate) async fn import(
    State(app): State<App>,
    Principal(owner): Principal,
    Params(In { format, conversation_id, accept_damage }): Params<In>,
    headers: HeaderMap,
    Raw(body): Raw,
) -> Outcome<(StatusCode, Json<ImportedSession>)> {
    let idempotency_key = idempotency_key(&headers, None)?;
    check_depth(&body, app.limits.json_depth_max)?;
    let text = String::from_utf8(body).map_err(|_| invalid("the body is no UTF-8 text"))?;
    let asked = SessionImport { format, text, conversation_id, idempotency_key, accept_damage };
    Ok((StatusCode::CREATED, Json(app.hub.import_session(&owner, asked).await?)))
}
