//! `/api/generate`: one question without a conversation before it.

use axum::{extract::State, http::HeaderMap, response::Response};
use protocol::Problem;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{super::message::Message, Chat, Form, answer, refused};
use crate::{
    access::Principal,
    app::App,
    problem::{Failure, Outcome as HttpOutcome},
    rest::Body,
};

/// What is asked. What is not named here is passed over.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Generate {
    /// `dwell`, or a model that is configured.
    model: String,
    /// The question. None asks whether the model is there.
    #[serde(default)]
    prompt: String,
    /// What is asked of the answer.
    #[serde(default)]
    system: Option<String>,
    /// Pictures: bytes in base64.
    #[serde(default)]
    images: Option<Vec<String>>,
    /// Whether the answer comes in pieces, one JSON value a line; true unless told.
    #[serde(default)]
    stream: Option<bool>,
    /// Refused unless empty: answers are words.
    #[serde(default)]
    format: Option<Value>,
    /// How the model is asked: `temperature`, `top_p`, `num_predict`, `stop` and `seed`. The others are passed over.
    #[serde(default)]
    options: Option<Map<String, Value>>,
    /// Whether the model reasons before it answers: true, false, `low`, `medium` or `high`.
    #[serde(default)]
    think: Option<Value>,
    /// Refused unless empty: nothing is filled in.
    #[serde(default)]
    suffix: Option<String>,
    /// Refused unless false: models are asked in conversations.
    #[serde(default)]
    raw: Option<bool>,
}

impl Generate {
    /// The same as a conversation of one message.
    fn into_chat(self) -> Result<Chat, Problem> {
        if self.suffix.is_some_and(|suffix| !suffix.is_empty()) {
            return Err(refused("nothing is filled in before a `suffix`".to_owned()));
        }
        if self.raw == Some(true) {
            return Err(refused("a prompt cannot be `raw`: models are asked in conversations".to_owned()));
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
            logprobs: None,
        })
    }
}

pub(crate) async fn generate(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    body: HttpOutcome<Body<Generate>>,
) -> Response {
    answer(&app, owner, Some(&headers), read(body), Form::Generate).await
}

/// With a key in place of the token.
pub(crate) async fn keyed_generate(
    State(app): State<App>,
    Principal(owner): Principal,
    body: HttpOutcome<Body<Generate>>,
) -> Response {
    answer(&app, owner, None, read(body), Form::Generate).await
}

fn read(body: HttpOutcome<Body<Generate>>) -> HttpOutcome<Chat> {
    let Body(asked) = body?;
    asked.into_chat().map_err(Failure)
}
