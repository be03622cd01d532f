//! What agents can do and what they ask: tools, approvals, artifacts.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use protocol::{
    ApprovalAnswer, ApprovalId, ApprovalPage, ArtifactId, ArtifactPage, Decision, List, SessionId, ToolPage,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::{Body, Id, Params};
use crate::{access::Principal, app::App, problem::Outcome};

pub(crate) async fn tools(State(app): State<App>) -> Json<ToolPage> {
    Json(ToolPage { data: app.hub.tools(), servers: app.hub.tool_servers() })
}

/// Whose questions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Whose {
    #[serde(default)]
    session_id: Option<SessionId>,
}

pub(crate) async fn approvals(
    State(app): State<App>,
    Principal(owner): Principal,
    Params(Whose { session_id }): Params<Whose>,
) -> Outcome<Json<ApprovalPage>> {
    let session = session_id.map(Into::into);
    Ok(Json(app.hub.approvals(&owner, session.as_ref()).await?))
}

/// What a person says.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Said {
    /// The answer.
    decision: Decision,
    /// Refuse if the question is not about this digest.
    #[serde(default)]
    digest: Option<String>,
}

/// The answer that was taken.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Answered {
    /// The question.
    approval_id: ApprovalId,
    /// The answer.
    decision: Decision,
}

pub(crate) async fn answer(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(approval_id): Id<ApprovalId>,
    Body(Said { decision, digest }): Body<Said>,
) -> Outcome<Json<Answered>> {
    app.hub.answer_approval(&owner, ApprovalAnswer { approval_id, decision, digest }).await?;
    Ok(Json(Answered { approval_id, decision }))
}

pub(crate) async fn artifacts(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<SessionId>,
    Params(list): Params<List>,
) -> Outcome<Json<ArtifactPage>> {
    Ok(Json(app.hub.artifacts(&owner, &id.into(), &list).await?))
}

pub(crate) async fn all_artifacts(
    State(app): State<App>,
    Principal(owner): Principal,
    Params(list): Params<List>,
) -> Outcome<Json<ArtifactPage>> {
    Ok(Json(app.hub.all_artifacts(&owner, &list).await?))
}

pub(crate) async fn remove_artifact(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<ArtifactId>,
) -> Outcome<StatusCode> {
    app.hub.remove_artifact(&owner, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The bytes, as a file to be saved: what they claim to be is somebody's word, so no browser may run them here.
pub(crate) async fn artifact(
    State(app): State<App>,
    Principal(owner): Principal,
    Id(id): Id<ArtifactId>,
) -> Outcome<Response> {
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

/// Under which name a browser saves it, in whatever script that is (RFC 6266).
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
