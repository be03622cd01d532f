//! What agents can do and what they ask: tools, approvals, artifacts.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, header},
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
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    Ok((headers, bytes).into_response())
}
