//! HTTP errors: problem details (RFC 9457) with our code and hint.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use protocol::{Code, Problem};
use schemars::JsonSchema;
use serde::Serialize;

/// The media type of problem details.
const MEDIA_TYPE: &str = "application/problem+json";

/// A problem as a response.
#[derive(Debug)]
pub(crate) struct ProblemResponse(pub(crate) Problem);

pub(crate) type HttpResult<T> = Result<T, ProblemResponse>;

impl From<engine::Error> for ProblemResponse {
    fn from(error: engine::Error) -> Self {
        Self(error.into())
    }
}

/// Marks the answer to a request that was not carried out because the server stops.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NotDone;

impl From<Problem> for ProblemResponse {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

/// An error as a document: problem details (RFC 9457) with Dwell's own fields.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ProblemDocument<'a> {
    /// The name of the status.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// The same as `message`.
    detail: &'a str,
    #[serde(flatten)]
    problem: &'a Problem,
}

fn document(problem: &Problem) -> (StatusCode, Vec<u8>) {
    let status = status(problem.code);
    let document = ProblemDocument {
        title: status.canonical_reason().unwrap_or("Error"),
        status: status.as_u16(),
        detail: &problem.message,
        problem,
    };
    // Plain data always serialises.
    (status, serde_json::to_vec(&document).unwrap_or_default())
}

/// The complete HTTP response as bytes, for a connection that is refused at once.
pub(crate) fn raw(problem: &Problem) -> Vec<u8> {
    let (status, body) = document(problem);
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    [head.into_bytes(), body].concat()
}

impl IntoResponse for ProblemResponse {
    fn into_response(self) -> Response {
        let (status, body) = document(&self.0);
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(wait) = self.0.retry_after_ms {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.div_ceil(1000)));
        }
        if self.0.code == Code::Unavailable && self.0.message == engine::Error::Stopping.to_string() {
            response.extensions_mut().insert(NotDone);
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
        | Code::SessionExpired
        | Code::Busy
        | Code::AlreadyFinal
        | Code::TurnOpen
        | Code::NotResumable
        | Code::OutcomeNeeded
        | Code::ApprovalSettled => StatusCode::CONFLICT,
        Code::Locked => StatusCode::LOCKED,
        Code::PolicyDenied | Code::QuotaExceeded => StatusCode::FORBIDDEN,
        Code::UnknownModel => StatusCode::UNPROCESSABLE_ENTITY,
        Code::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::QueueFull | Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::TooManyConnections | Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::Damaged | Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
