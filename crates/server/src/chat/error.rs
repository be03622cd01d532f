//! Why a turn has no answer, for clients of model APIs: an HTTP status and a code that describe the
//! upstream failure.
//!
//! If the provider refuses Dwell's key, the client's own key is still valid, so the status is 502
//! and not 401. What the turn did is done, so clients must not retry automatically.

use axum::http::StatusCode;
use protocol::{TurnError, TurnStatus, TurnView};
use serde_json::Value;

/// Why a turn has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChatError {
    /// The message for people.
    pub(crate) message: String,
    /// The status of the answer.
    pub(crate) status: StatusCode,
    /// The code for programs.
    pub(crate) code: String,
    /// How long the provider asked to wait.
    pub(crate) retry_after_ms: Option<u64>,
}

impl ChatError {
    fn new(status: StatusCode, code: &str, message: String) -> Self {
        Self { message, status, code: code.to_owned(), retry_after_ms: None }
    }

    /// Something that went wrong in Dwell itself.
    pub(crate) fn internal(message: String) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    /// An error of the engine, for example because the server is stopping.
    pub(crate) fn of_error(error: engine::Error) -> Self {
        let problem = protocol::Problem::from(error);
        let status = crate::problem::status(problem.code);
        let code = serde_json::to_value(problem.code).ok().and_then(|code| code.as_str().map(str::to_owned));
        let retry_after_ms = problem.retry_after_ms;
        Self { message: problem.message, status, code: code.unwrap_or_default(), retry_after_ms }
    }

    /// The error of a turn without an answer; `message` describes it.
    pub(crate) fn of_turn(turn: &TurnView, message: String) -> Self {
        match (turn.status, &turn.error) {
            (TurnStatus::Failed, Some(error)) => Self::of_failure(error, message),
            (TurnStatus::Expired, _) => Self::new(StatusCode::GATEWAY_TIMEOUT, "timeout", message),
            (TurnStatus::Cancelled, _) => Self::new(StatusCode::CONFLICT, "cancelled", message),
            (TurnStatus::Interrupted, _) => Self::new(StatusCode::SERVICE_UNAVAILABLE, "interrupted", message),
            _ => Self::internal(message),
        }
    }

    fn of_failure(error: &TurnError, message: String) -> Self {
        let detail = |name: &str| error.details.as_ref().map_or(&Value::Null, |details| &details[name]);
        let upstream = detail("status").as_u64().and_then(|status| u16::try_from(status).ok());
        let timed_out = detail("timed_out").as_bool() == Some(true);
        let (status, code) = match (error.code.as_str(), upstream) {
            ("model_rate_limited", _) => (StatusCode::TOO_MANY_REQUESTS, "rate_limit_exceeded"),
            ("model_refused", Some(402 | 429)) => (StatusCode::TOO_MANY_REQUESTS, "insufficient_quota"),
            ("model_refused", Some(401 | 403)) => (StatusCode::BAD_GATEWAY, "upstream_auth"),
            ("model_refused", Some(404)) | ("model_unconfigured", _) => (StatusCode::NOT_FOUND, "model_not_found"),
            ("model_refused", Some(413)) | ("model_context_exceeded", _) => {
                (StatusCode::BAD_REQUEST, "context_length_exceeded")
            }
            ("model_filtered", _) => (StatusCode::BAD_REQUEST, "content_filter"),
            ("model_declined", _) => (StatusCode::BAD_REQUEST, "refusal"),
            ("model_refused", _) => (StatusCode::BAD_REQUEST, "upstream_refused"),
            ("model_setting_unsupported", _) => (StatusCode::BAD_REQUEST, "unsupported_parameter"),
            ("model_failed" | "model_unreachable", _) if timed_out => (StatusCode::GATEWAY_TIMEOUT, "upstream_timeout"),
            ("model_failed", Some(503 | 529)) => (StatusCode::SERVICE_UNAVAILABLE, "upstream_overloaded"),
            ("model_unreachable", _) => (StatusCode::BAD_GATEWAY, "upstream_unreachable"),
            (
                "model_failed" | "model_cut_off" | "model_malformed" | "model_too_long" | "model_empty"
                | "model_schema_unmet",
                _,
            ) => (StatusCode::BAD_GATEWAY, "upstream_failed"),
            (other, _) => (StatusCode::INTERNAL_SERVER_ERROR, other),
        };
        // The original message begins with a name, whose spelling must not change.
        let message = if error.message.is_empty() { message } else { error.message.clone() };
        Self { retry_after_ms: detail("retry_after_ms").as_u64(), ..Self::new(status, code, message) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_went_wrong_behind_keeps_its_meaning() {
        for (code, upstream, status, expected) in [
            ("model_rate_limited", Some(429), 429, "rate_limit_exceeded"),
            ("model_refused", Some(429), 429, "insufficient_quota"),
            ("model_refused", Some(401), 502, "upstream_auth"),
            ("model_refused", Some(403), 502, "upstream_auth"),
            ("model_refused", Some(404), 404, "model_not_found"),
            ("model_refused", Some(413), 400, "context_length_exceeded"),
            ("model_context_exceeded", None, 400, "context_length_exceeded"),
            ("model_refused", Some(422), 400, "upstream_refused"),
            ("model_filtered", None, 400, "content_filter"),
            ("model_filtered", Some(400), 400, "content_filter"),
            ("model_declined", None, 400, "refusal"),
            ("model_empty", None, 502, "upstream_failed"),
            ("model_failed", Some(500), 502, "upstream_failed"),
            ("model_failed", Some(503), 503, "upstream_overloaded"),
            ("model_cut_off", None, 502, "upstream_failed"),
            ("model_unreachable", None, 502, "upstream_unreachable"),
            ("model_setting_unsupported", None, 400, "unsupported_parameter"),
            ("loop_guard", None, 500, "loop_guard"),
        ] {
            let error = TurnError {
                code: code.to_owned(),
                message: String::new(),
                recoverable: false,
                details: Some(json!({ "status": upstream, "retry_after_ms": 2_000 })),
            };
            let fault = ChatError::of_failure(&error, "It failed.".to_owned());
            assert_eq!((fault.status.as_u16(), fault.code.as_str()), (status, expected), "{code} {upstream:?}");
            assert_eq!(fault.retry_after_ms, Some(2_000));
        }
        let silent = TurnError {
            code: "model_unreachable".to_owned(),
            message: String::new(),
            recoverable: true,
            details: Some(json!({ "timed_out": true })),
        };
        assert_eq!(ChatError::of_failure(&silent, String::new()).status.as_u16(), 504);
    }
}
