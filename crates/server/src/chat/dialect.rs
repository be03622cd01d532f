//! Errors in the format that the clients of each API expect.

use axum::{
    Json,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use protocol::{Code, Problem};
use serde_json::{Value, json};

use super::{anthropic, error::ChatError};
use crate::problem;

/// Tells OpenAI's own clients not to retry automatically.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// The request fields that errors can name.
const PARAMS: [&str; 34] = [
    "encoding_format",
    "dimensions",
    "messages",
    "tools",
    "tool_choice",
    "functions",
    "function_call",
    "n",
    "logprobs",
    "top_logprobs",
    "logit_bias",
    "response_format",
    "stop",
    "modalities",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "reasoning_effort",
    "parallel_tool_calls",
    "stream_options",
    "input",
    "text.format",
    "reasoning.effort",
    "max_output_tokens",
    "max_tool_calls",
    "previous_response_id",
    "conversation",
    "background",
    "prompt",
    "moderation",
    "order",
    "after",
];

/// An API with its own error format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// OpenAI's.
    OpenAi,
    /// Ollama's.
    Ollama,
    /// Anthropic's.
    Anthropic,
}

impl Dialect {
    /// The API that a path belongs to, if it is one of these.
    pub(crate) fn of(path: &str) -> Option<Self> {
        // Paths below `/api/v1` belong to Dwell's own API.
        let is_ollama = path.starts_with("/ollama/") || path.starts_with("/api/") && !is_own(path);
        if path == "/v1/messages" || path.starts_with("/v1/messages/") {
            Some(Self::Anthropic)
        } else if path.starts_with("/v1/") {
            Some(Self::OpenAi)
        } else if is_ollama {
            Some(Self::Ollama)
        } else {
            None
        }
    }

    /// The API that a request belongs to. The models have one path for two APIs, whose clients
    /// differ in a header.
    pub(crate) fn of_request(path: &str, headers: &HeaderMap) -> Option<Self> {
        let is_models = path == "/v1/models" || path.starts_with("/v1/models/");
        if is_models && anthropic::is_asked(headers) { Some(Self::Anthropic) } else { Self::of(path) }
    }

    /// A problem as a response.
    pub(crate) fn refuse(self, problem: &Problem) -> Response {
        let status = match problem.code {
            Code::UnknownModel => StatusCode::NOT_FOUND,
            code => problem::status(code),
        };
        let mut response = match self {
            Self::Anthropic => anthropic::error_response(&worded(problem), status),
            Self::OpenAi | Self::Ollama => (status, Json(self.body(problem, status))).into_response(),
        };
        let headers = response.headers_mut();
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(wait) = problem.retry_after_ms {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.div_ceil(1000)));
        }
        response
    }

    /// A turn without an answer as a response. What the turn did is done, so clients must not retry
    /// automatically.
    pub(super) fn fail(self, fault: &ChatError) -> Response {
        let mut response = match self {
            Self::Anthropic => anthropic::error_response(&fault.message, fault.status),
            Self::OpenAi | Self::Ollama => (fault.status, Json(self.interjection(fault))).into_response(),
        };
        let headers = response.headers_mut();
        if let Some(wait) = fault.retry_after_ms {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.div_ceil(1000)));
        }
        headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
        response
    }

    /// The same error in the middle of a stream.
    pub(super) fn interjection(self, fault: &ChatError) -> Value {
        match self {
            Self::Ollama => json!({ "error": fault.message }),
            Self::OpenAi => openai(&fault.message, fault.status, &fault.code),
            Self::Anthropic => anthropic::error_body(&fault.message, fault.status),
        }
    }

    fn body(self, problem: &Problem, status: StatusCode) -> Value {
        let message = worded(problem);
        match self {
            Self::Ollama => json!({ "error": message }),
            Self::Anthropic => anthropic::error_body(&message, status),
            Self::OpenAi => {
                let code = json!(problem.code);
                let code = if problem.code == Code::UnknownModel { Some("model_not_found") } else { code.as_str() };
                openai(&message, status, code.unwrap_or_default())
            }
        }
    }
}

/// A problem and what to do about it, in one text.
fn worded(problem: &Problem) -> String {
    match problem.hint.as_str() {
        "" => problem.message.clone(),
        hint => format!("{}. {hint}", problem.message.trim_end_matches('.')),
    }
}

/// An error in OpenAI's format.
fn openai(message: &str, status: StatusCode, code: &str) -> Value {
    let kind = match status.as_u16() {
        401 | 403 => "authentication_error",
        429 => "rate_limit_error",
        500.. => "server_error",
        _ => "invalid_request_error",
    };
    let param = if status == StatusCode::BAD_REQUEST { param(message) } else { None };
    json!({ "error": { "message": message, "type": kind, "param": param, "code": code } })
}

/// The field that a message is about: the first known field that it names.
fn param(message: &str) -> Option<&str> {
    message.split('`').skip(1).step_by(2).find(|name| PARAMS.contains(name))
}

/// Whether a path belongs to Dwell's own API.
fn is_own(path: &str) -> bool {
    path == "/api/v1" || path.starts_with("/api/v1/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_their_own_paths_speak_otherwise() {
        assert_eq!(Dialect::of("/v1/chat/completions"), Some(Dialect::OpenAi));
        assert_eq!(Dialect::of("/api/tags"), Some(Dialect::Ollama));
        assert_eq!(Dialect::of("/ollama/key/api/tags"), Some(Dialect::Ollama));
        assert_eq!(Dialect::of("/api/embeddings"), Some(Dialect::Ollama), "also unknown paths");
        assert_eq!(Dialect::of("/v1/messages/count_tokens"), Some(Dialect::Anthropic));
        let headers =
            HeaderMap::from_iter([(HeaderName::from_static("anthropic-version"), "2023-06-01".parse().unwrap())]);
        assert_eq!(Dialect::of_request("/v1/models/dwell", &headers), Some(Dialect::Anthropic));
        assert_eq!(Dialect::of_request("/v1/models", &HeaderMap::new()), Some(Dialect::OpenAi));
        assert_eq!(Dialect::of_request("/v1/chat/completions", &headers), Some(Dialect::OpenAi));
        for own in ["/api/v1/sessions", "/api/v1", "/v1", "/ws"] {
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
        let fault = ChatError::internal("It broke.".to_owned());
        assert_eq!(Dialect::Ollama.interjection(&fault), json!({ "error": "It broke." }));
        assert_eq!(param("the only `response_format` is `text`"), Some("response_format"));
        assert_eq!(param("gpt-5: `temperature` cannot be set"), Some("temperature"));
        assert_eq!(param("it broke"), None);
    }
}
