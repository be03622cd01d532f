//! The id of every request to the APIs of models, which their clients log and report.

use axum::{
    extract::{Request, State},
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};

use super::Dialect;
use crate::app::AppState;

/// The header that OpenAI's clients read.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Adds the header to the responses of these APIs, also to errors.
pub(crate) async fn request_id(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let is_theirs = Dialect::of(request.uri().path()).is_some();
    let mut response = next.run(request).await;
    if is_theirs && let Ok(id) = HeaderValue::from_str(&format!("req_{}", app.hub.ulid())) {
        response.headers_mut().entry(REQUEST_ID).or_insert(id);
    }
    response
}
