//! Errors on HTTP: problem details (RFC 9457) with our code and advice.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use protocol::{Code, Problem};
use serde::Serialize;

/// A problem on its way out.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) Problem);

pub(crate) type Outcome<T> = Result<T, Failure>;

impl From<engine::Error> for Failure {
    fn from(error: engine::Error) -> Self {
        Self(error.into())
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

/// The problem as a document.
#[derive(Serialize)]
struct Document<'a> {
    title: &'static str,
    status: u16,
    detail: &'a str,
    #[serde(flatten)]
    problem: &'a Problem,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = status(self.0.code);
        let document = Document {
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: &self.0.message,
            problem: &self.0,
        };
        // Plain data: it always serialises.
        let body = serde_json::to_vec(&document).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(wait) = self.0.retry_after_ms {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.div_ceil(1000)));
        }
        response
    }
}

pub(crate) const fn status(code: Code) -> StatusCode {
    match code {
        Code::InvalidRequest | Code::TooDeep => StatusCode::BAD_REQUEST,
        Code::Unauthorized => StatusCode::UNAUTHORIZED,
        Code::Forbidden => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::IdempotencyConflict
        | Code::VersionConflict
        | Code::NameConflict
        | Code::SessionEnded
        | Code::Busy
        | Code::AlreadyFinal
        | Code::TurnOpen
        | Code::NotResumable
        | Code::OutcomeNeeded
        | Code::ApprovalSettled => StatusCode::CONFLICT,
        Code::Locked => StatusCode::LOCKED,
        Code::PolicyDenied => StatusCode::FORBIDDEN,
        Code::UnknownModel => StatusCode::UNPROCESSABLE_ENTITY,
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::QueueFull | Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::TooManyConnections | Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
