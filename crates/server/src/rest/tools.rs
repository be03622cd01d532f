//! Tools, approvals and artifacts.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use protocol::{
    ApprovalAnswer, ApprovalDecision, ApprovalId, ApprovalPage, ArtifactId, ArtifactPage, PageRequest, SessionId,
    ToolPage,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{JsonBody, Params, PathId};
use crate::{access::Principal, app::AppState, problem::HttpResult};

pub(crate) async fn tools(State(app): State<AppState>, Principal(owner): Principal) -> Json<ToolPage> {
    let mut data = app.hub.tools();
    data.extend(app.hub.worker_tools(&owner));
    data.sort_by(|one, other| one.name.cmp(&other.name));
    Json(ToolPage { data, servers: app.hub.tool_servers() })
}

/// Which approvals.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalQuery {
    #[serde(default)]
    session_id: Option<SessionId>,
}

pub(crate) async fn approvals(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(ApprovalQuery { session_id }): Params<ApprovalQuery>,
) -> HttpResult<Json<ApprovalPage>> {
    let session = session_id.map(Into::into);
    Ok(Json(app.hub.approvals(&owner, session.as_ref()).await?))
}

/// The user's decision.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalBody {
    /// The decision.
    decision: ApprovalDecision,
    /// The digest of the call; the answer is refused if the call has another.
    #[serde(default)]
    digest: Option<String>,
}

/// The accepted decision.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ApprovalResult {
    /// The approval.
    approval_id: ApprovalId,
    /// The answer.
    decision: ApprovalDecision,
}

pub(crate) async fn answer(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(approval_id): PathId<ApprovalId>,
    JsonBody(ApprovalBody { decision, digest }): JsonBody<ApprovalBody>,
) -> HttpResult<Json<ApprovalResult>> {
    app.hub.answer_approval(&owner, ApprovalAnswer { approval_id, decision, digest }).await?;
    Ok(Json(ApprovalResult { approval_id, decision }))
}

pub(crate) async fn artifacts(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<SessionId>,
    Params(list): Params<PageRequest>,
) -> HttpResult<Json<ArtifactPage>> {
    Ok(Json(app.hub.artifacts(&owner, &id.into(), &list).await?))
}

pub(crate) async fn all_artifacts(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Params(list): Params<PageRequest>,
) -> HttpResult<Json<ArtifactPage>> {
    Ok(Json(app.hub.all_artifacts(&owner, &list).await?))
}

pub(crate) async fn remove_artifact(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<ArtifactId>,
) -> HttpResult<StatusCode> {
    app.hub.remove_artifact(&owner, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The bytes, as a download: their media type is untrusted, so no browser may run them on this
/// origin.
pub(crate) async fn artifact(
    State(app): State<AppState>,
    Principal(owner): Principal,
    PathId(id): PathId<ArtifactId>,
) -> HttpResult<Response> {
    let (view, bytes) = app.hub.artifact(&owner, id).await?;
    let mut headers = HeaderMap::new();
    let kind = HeaderValue::from_str(&view.media_type);
    let fallback = HeaderValue::from_static("application/octet-stream");
    headers.insert(header::CONTENT_TYPE, kind.unwrap_or(fallback));
    let attachment = HeaderValue::from_static("attachment");
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_str(&saved_as(&view.name)).unwrap_or(attachment));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    Ok((headers, bytes).into_response())
}

/// The file name for the browser, in any script (RFC 6266).
fn saved_as(name: &str) -> String {
    let mut value = "attachment; filename*=UTF-8''".to_owned();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            value.push(char::from(byte));
        } else {
            value.push_str(&format!("%{byte:02X}"));
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_script_are_saved_as_they_are() {
        assert_eq!(saved_as("notes-1.md"), "attachment; filename*=UTF-8''notes-1.md");
        assert_eq!(saved_as("Grüße \"1\"\r\n.txt"), "attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%221%22%0D%0A.txt");
    }
}
