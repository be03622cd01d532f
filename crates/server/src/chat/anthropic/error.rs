//! Errors in Anthropic's format, and the id that every answer of this API has.

use axum::{
    Json,
    body::Body,
    extract::{Request, State},
    http::{HeaderName, HeaderValue, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::super::dialect::Dialect;
use crate::app::AppState;

/// The header with the id of a request.
const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");

/// The id of a request.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(pub(super) String);

/// An error without the id of its request, which is added at the end.
#[derive(Debug, Clone)]
struct ErrorBody(Value);

/// An error as a response. Anthropic has a status of its own for a server that cannot answer now.
pub(in super::super) fn response(message: &str, status: StatusCode) -> Response {
    let body = body(message, status);
    let status = if status == StatusCode::SERVICE_UNAVAILABLE { overloaded() } else { status };
    let mut response = (status, Json(body.clone())).into_response();
    response.extensions_mut().insert(ErrorBody(body));
    response
}

fn overloaded() -> StatusCode {
    StatusCode::from_u16(529).unwrap_or(StatusCode::SERVICE_UNAVAILABLE)
}

/// An error as JSON.
pub(in super::super) fn body(message: &str, status: StatusCode) -> Value {
    let kind = match status.as_u16() {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        408 | 504 => "timeout_error",
        409 => "conflict_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        503 | 529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    };
    json!({ "type": "error", "error": { "type": kind, "message": in_own_words(message) } })
}

/// A message with the names of fields that this API has.
pub(super) fn in_own_words(message: &str) -> String {
    [("max_output_tokens", "max_tokens"), ("`reasoning_effort`", "`thinking`"), ("`stop`", "`stop_sequences`")]
        .into_iter()
        .fold(message.to_owned(), |message, (name, own)| message.replace(name, own))
}

/// Gives every request of this API an id, and every answer the same one.
pub(crate) async fn identify(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    if Dialect::of_request(request.uri().path(), request.headers()) != Some(Dialect::Anthropic) {
        return next.run(request).await;
    }
    let id = format!("req_{}", app.hub.ulid());
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = next.run(request).await;
    if let Some(ErrorBody(mut body)) = response.extensions_mut().remove::<ErrorBody>() {
        body["request_id"] = json!(id);
        *response.body_mut() = Body::from(body.to_string());
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_a_type() {
        for (status, kind) in [
            (400, "invalid_request_error"),
            (401, "authentication_error"),
            (403, "permission_error"),
            (404, "not_found_error"),
            (413, "request_too_large"),
            (422, "invalid_request_error"),
            (429, "rate_limit_error"),
            (502, "api_error"),
            (503, "overloaded_error"),
            (504, "timeout_error"),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(body("it broke", status)["error"]["type"], kind, "{status}");
        }
        assert_eq!(response("it broke", StatusCode::SERVICE_UNAVAILABLE).status().as_u16(), 529);
    }

    #[test]
    fn fields_have_the_names_of_this_api() {
        assert_eq!(in_own_words("`max_output_tokens` must be at least 1"), "`max_tokens` must be at least 1");
        assert_eq!(in_own_words("m: `reasoning_effort` cannot be set"), "m: `thinking` cannot be set");
    }
}
