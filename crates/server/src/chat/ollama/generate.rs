//! `/api/generate`: one prompt without a conversation.

use axum::{extract::State, http::HeaderMap, response::Response};
use protocol::Problem;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{super::message::Message, Chat, OllamaEndpoint, answer, refused};
use crate::{
    access::AccessGrant,
    app::AppState,
    problem::{HttpResult as HttpOutcome, ProblemResponse},
    rest::JsonBody,
};

/// A generate request. Other fields are ignored, and the response names them; so is `context`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GenerateRequest {
    /// `dwell`, or a configured model.
    model: String,
    /// The prompt. Without one, the request only checks whether the model exists.
    #[serde(default)]
    prompt: String,
    /// The system prompt.
    #[serde(default)]
    system: Option<String>,
    /// Images: bytes in base64.
    #[serde(default)]
    images: Option<Vec<String>>,
    /// Whether the answer is streamed, one JSON value per line; true by default.
    #[serde(default)]
    stream: Option<bool>,
    /// The form of the answer: `json`, or a JSON Schema. Plain text by default.
    #[serde(default)]
    format: Option<Value>,
    /// Model settings: `temperature`, `top_p`, `num_predict`, `stop` and `seed`. Others are
    /// ignored.
    #[serde(default)]
    options: Option<Map<String, Value>>,
    /// Whether the model reasons before it answers: true, false, `low`, `medium` or `high`.
    #[serde(default)]
    think: Option<Value>,
    /// Refused unless empty: fill-in-the-middle is not supported.
    #[serde(default)]
    suffix: Option<String>,
    /// Refused unless false: raw prompts are not supported.
    #[serde(default)]
    raw: Option<bool>,
    /// Refused unless false.
    #[serde(default)]
    logprobs: Option<bool>,
    /// Refused unless 0.
    #[serde(default)]
    top_logprobs: Option<u64>,
    /// Fields that change nothing.
    #[serde(flatten)]
    #[schemars(skip)]
    rest: Map<String, Value>,
}

impl GenerateRequest {
    /// Converts it to a conversation of one message.
    fn into_chat(self) -> Result<Chat, Problem> {
        if self.suffix.is_some_and(|suffix| !suffix.is_empty()) {
            return Err(refused("`suffix` is not supported".to_owned()));
        }
        if self.raw == Some(true) {
            return Err(refused("`raw` prompts are not supported".to_owned()));
        }
        let system = self.system.filter(|text| !text.is_empty()).map(|text| Message::of("system", text, Vec::new()));
        let images = self.images.unwrap_or_default();
        let is_empty = self.prompt.is_empty() && images.is_empty();
        let asked = (!is_empty).then(|| Message::of("user", self.prompt, images));
        Ok(Chat {
            model: self.model,
            messages: if asked.is_some() { system.into_iter().chain(asked).collect() } else { Vec::new() },
            stream: self.stream,
            tools: None,
            format: self.format,
            options: self.options,
            think: self.think,
            logprobs: self.logprobs,
            top_logprobs: self.top_logprobs,
            rest: self.rest,
        })
    }
}

pub(crate) async fn generate(
    State(app): State<AppState>,
    grant: AccessGrant,
    headers: HeaderMap,
    body: HttpOutcome<JsonBody<GenerateRequest>>,
) -> Response {
    answer(&app, grant, Some(&headers), read(body), OllamaEndpoint::Generate).await
}

/// The same with a key instead of the token.
pub(crate) async fn keyed_generate(
    State(app): State<AppState>,
    grant: AccessGrant,
    body: HttpOutcome<JsonBody<GenerateRequest>>,
) -> Response {
    answer(&app, grant, None, read(body), OllamaEndpoint::Generate).await
}

fn read(body: HttpOutcome<JsonBody<GenerateRequest>>) -> HttpOutcome<Chat> {
    let JsonBody(asked) = body?;
    asked.into_chat().map_err(ProblemResponse)
}
