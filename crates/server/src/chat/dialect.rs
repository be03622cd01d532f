//! What went wrong, in the form that each wire's clients expect.

use axum::{
    Json,
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use protocol::{Code, Problem};
use serde_json::{Value, json};

use crate::problem;

/// Tells OpenAI's own clients not to send it again by themselves.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// A wire with errors of its own form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// OpenAI's.
    OpenAi,
    /// Ollama's.
    Ollama,
}

impl Dialect {
    /// The wire that a path belongs to, if it is one of these.
    pub(crate) fn of(path: &str) -> Option<Self> {
        const OLLAMA: [&str; 4] = ["/api/tags", "/api/chat", "/api/show", "/api/version"];
        if path.starts_with("/v1/") {
            Some(Self::OpenAi)
        } else if path.starts_with("/ollama/") || OLLAMA.contains(&path) {
            Some(Self::Ollama)
        } else {
            None
        }
    }

    /// A problem as an answer.
    pub(crate) fn refuse(self, problem: &Problem) -> Response {
        let status = match problem.code {
            Code::UnknownModel => StatusCode::NOT_FOUND,
            code => problem::status(code),
        };
        let mut response = (status, Json(self.body(problem, status))).into_response();
        let headers = response.headers_mut();
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(wait) = problem.retry_after_ms {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.div_ceil(1000)));
        }
        response
    }

    /// A turn that was not answered, or not yet, as an answer: what it did is done, so nobody should ask again by themselves.
    pub(super) fn fail(self, why: &str) -> Response {
        let problem = Problem::new(Code::Internal, why, "");
        let mut response = self.refuse(&problem);
        response.headers_mut().insert(SHOULD_RETRY, HeaderValue::from_static("false"));
        response
    }

    /// A problem in the middle of a stream.
    pub(super) fn interjection(self, why: &str) -> Value {
        self.body(&Problem::new(Code::Internal, why, ""), StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn body(self, problem: &Problem, status: StatusCode) -> Value {
        let message = match problem.hint.as_str() {
            "" => problem.message.clone(),
            hint => format!("{}. {hint}", problem.message.trim_end_matches('.')),
        };
        match self {
            Self::Ollama => json!({ "error": message }),
            Self::OpenAi => {
                let kind = match status.as_u16() {
                    401 | 403 => "authentication_error",
                    429 => "rate_limit_error",
                    500.. => "server_error",
                    _ => "invalid_request_error",
                };
                let code =
                    if problem.code == Code::UnknownModel { json!("model_not_found") } else { json!(problem.code) };
                json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_their_own_paths_speak_otherwise() {
        assert_eq!(Dialect::of("/v1/chat/completions"), Some(Dialect::OpenAi));
        assert_eq!(Dialect::of("/api/tags"), Some(Dialect::Ollama));
        assert_eq!(Dialect::of("/ollama/key/api/tags"), Some(Dialect::Ollama));
        for own in ["/api/v1/sessions", "/api/tagsx", "/v1", "/ws"] {
            assert_eq!(Dialect::of(own), None, "{own}");
        }
    }

    #[test]
    fn errors_have_the_form_their_clients_read() {
        let unknown = Problem::new(Code::UnknownModel, "no such model.", "Choose another.");
        assert_eq!(
            Dialect::OpenAi.body(&unknown, StatusCode::NOT_FOUND),
            json!({ "error": {
                "message": "no such model. Choose another.", "type": "invalid_request_error", "param": null,
                "code": "model_not_found",
            } })
        );
        assert_eq!(Dialect::Ollama.interjection("It broke."), json!({ "error": "It broke." }));
    }
}
