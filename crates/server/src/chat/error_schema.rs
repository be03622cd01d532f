//! The schemas of errors, one for each API with a format of its own.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::Dialect;

/// An error in the format of OpenAI's API.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpenAiError {
    /// The error.
    pub(super) error: OpenAiErrorBody,
}

/// What went wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OpenAiErrorBody {
    /// The message for people.
    pub(super) message: String,
    /// The kind of error, as `invalid_request_error`.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// The field of the request that the error is about, if it is about one.
    #[schemars(required, extend("type" = ["string", "null"]))]
    pub(super) param: Option<String>,
    /// The code for programs.
    #[schemars(required, extend("type" = ["string", "null"]))]
    pub(super) code: Option<String>,
}

/// An error in the format of Anthropic's API.
#[derive(Debug, JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub(super) struct AnthropicError {
    /// `error`.
    r#type: String,
    /// The error.
    error: AnthropicErrorBody,
    /// The id of the request.
    request_id: String,
}

/// What went wrong.
#[derive(Debug, JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
pub(super) struct AnthropicErrorBody {
    /// The kind of error, as `invalid_request_error`.
    r#type: String,
    /// The message for people.
    message: String,
}

/// An error in the format of Ollama's API.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OllamaError {
    /// The message for people.
    pub(super) error: String,
}

impl Dialect {
    /// The schema of every error of this API. OpenAPI uses it for all paths that belong to the API,
    /// so a route of the API has nothing to state.
    pub(crate) fn error_schema(self, generator: &mut SchemaGenerator) -> Schema {
        match self {
            Self::OpenAi => generator.subschema_for::<OpenAiError>(),
            Self::Anthropic => generator.subschema_for::<AnthropicError>(),
            Self::Ollama => generator.subschema_for::<OllamaError>(),
        }
    }
}
