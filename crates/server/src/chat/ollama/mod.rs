//! Ollama's API: chats, generated texts, embeddings and models, also below `/ollama/KEY`, since
//! Ollama's clients can be configured with a URL, but seldom with a token.

mod embed;
mod generate;
mod lines;
mod manage;

use axum::{
    Json,
    body::Body as HttpBody,
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
pub(crate) use embed::{EmbedRequest, OldEmbedRequest, embed, old_embed};
pub(crate) use generate::{GenerateRequest, generate, keyed_generate};
use lines::AnswerLines;
pub(crate) use manage::{ps, pull, running, unmanaged};
use protocol::{ClientToolOffer, Code, FigureValue, ModelFigure, ModelSettings, ModelView, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    conversation::{ChatRequest, begin, by_header},
    dialect::Dialect,
    ignored::IgnoredFields,
    known_models,
    message::{ChatHistory, Message, add_ignored},
    model, response_format,
    settings::of_ollama,
    tools::{Tool, offer, refused},
    window,
};
use crate::{
    access::AccessGrant,
    app::AppState,
    problem::{HttpResult as HttpOutcome, ProblemResponse},
    rest::{JsonBody, idempotency_key},
};

/// A chat request. Other fields are ignored, and the response names them.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Chat {
    /// `dwell`, or a configured model.
    model: String,
    /// The conversation; its last message is from the user, or contains results of the client's
    /// tools. Without messages, the request only checks whether the model exists.
    #[serde(default)]
    messages: Vec<Message>,
    /// Whether the answer is streamed, one JSON value per line; true by default.
    #[serde(default)]
    stream: Option<bool>,
    /// Tools that the client runs itself, in addition to Dwell's own.
    #[serde(default)]
    tools: Option<Vec<Tool>>,
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

/// The options that are model settings here.
const OPTIONS: [&str; 5] = ["temperature", "top_p", "num_predict", "stop", "seed"];

impl Chat {
    /// The fields that change nothing.
    fn ignored(&self) -> IgnoredFields {
        let mut ignored = IgnoredFields::of(&self.rest);
        let mut options = self.options.clone().unwrap_or_default();
        options.retain(|name, _| !OPTIONS.contains(&name.as_str()));
        ignored.add_fields("options.", &options);
        if self.tools.iter().flatten().any(Tool::is_strict) {
            ignored.add("tools.function.strict");
        }
        add_ignored(&self.messages, &mut ignored);
        ignored
    }

    /// The tools that the client offers; refuses fields that are not supported.
    fn take_offer(&mut self) -> Result<ClientToolOffer, Problem> {
        if self.logprobs == Some(true) {
            return Err(refused("`logprobs` are not supported".to_owned()));
        }
        if self.top_logprobs.is_some_and(|top| top > 0) {
            return Err(refused("`top_logprobs` are not supported".to_owned()));
        }
        offer(self.tools.take(), None, None)
    }

    /// The model settings.
    fn settings(&self) -> Result<ModelSettings, Problem> {
        of_ollama(self.options.as_ref(), self.think.as_ref())
    }

    /// Whether the answer contains the model's reasoning.
    fn wants_thoughts(&self) -> bool {
        self.think.as_ref().is_some_and(|think| !think.is_null() && *think != Value::Bool(false))
    }
}

/// A request for one model.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ShowRequest {
    /// Its name.
    #[serde(default, alias = "name")]
    model: String,
}

pub(crate) async fn tags(State(app): State<AppState>) -> Json<Value> {
    let now = app.hub.now().to_string();
    let mut models: Vec<Value> = known_models(&app.hub).await.iter().map(|(name, _)| tag(name, &now)).collect();
    models.extend(app.hub.embedding_model().map(|model| tag(&model.name, &now)));
    Json(json!({ "models": models }))
}

fn tag(name: &str, now: &str) -> Value {
    let name = tagged(name);
    json!({ "name": name, "model": name, "modified_at": now, "size": 0, "digest": "", "details": details() })
}

/// A model's name with a tag, as Ollama writes it.
fn tagged(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    if last.contains(':') { name.to_owned() } else { format!("{name}:latest") }
}

fn details() -> Value {
    json!({
        "parent_model": "",
        "format": "dwell",
        "family": "dwell",
        "families": ["dwell"],
        "parameter_size": "",
        "quantization_level": "",
    })
}

pub(crate) async fn version() -> Json<Value> {
    Json(json!({ "version": env!("CARGO_PKG_VERSION") }))
}

pub(crate) async fn show(State(app): State<AppState>, body: HttpOutcome<JsonBody<ShowRequest>>) -> Response {
    let name = match body {
        Ok(JsonBody(ShowRequest { model })) => model,
        Err(ProblemResponse(problem)) => return Dialect::Ollama.refuse(&problem),
    };
    let known = known_models(&app.hub).await;
    if let Some((_, model)) = known.iter().find(|(known, _)| tagged(known) == tagged(&name)) {
        return Json(shown(&capabilities(model), window(model))).into_response();
    }
    if let Some(model) = app.hub.embedding_model().filter(|model| tagged(&model.name) == tagged(&name)) {
        return Json(shown(&["embedding"], json!(model.tokens_max))).into_response();
    }
    let message = format!("model '{name}' not found.");
    Dialect::Ollama.refuse(&Problem::new(Code::NotFound, message, "`/api/tags` lists the models."))
}

/// Tools are always among the capabilities: models without tool calls get them described in the
/// prompt.
fn capabilities(model: &ModelView) -> Vec<&'static str> {
    let can = |figure: ModelFigure| figure.value == FigureValue::Flag(true);
    let mut capabilities = vec!["completion", "tools"];
    capabilities.extend(can(model.images).then_some("vision"));
    capabilities.extend(can(model.thinking).then_some("thinking"));
    capabilities
}

fn shown(capabilities: &[&str], context_length: Value) -> Value {
    json!({
        "license": "",
        "modelfile": "",
        "parameters": "",
        "template": "",
        "details": details(),
        "model_info": { "general.architecture": "dwell", "dwell.context_length": context_length },
        "capabilities": capabilities,
    })
}

pub(crate) async fn chat(
    State(app): State<AppState>,
    grant: AccessGrant,
    headers: HeaderMap,
    body: HttpOutcome<JsonBody<Chat>>,
) -> Response {
    answer(&app, grant, Some(&headers), body.map(|JsonBody(chat)| chat), OllamaEndpoint::Chat).await
}

/// With a key instead of the token, only conversations of this API are accessible, not sessions by
/// name.
pub(crate) async fn keyed_chat(
    State(app): State<AppState>,
    grant: AccessGrant,
    body: HttpOutcome<JsonBody<Chat>>,
) -> Response {
    answer(&app, grant, None, body.map(|JsonBody(chat)| chat), OllamaEndpoint::Chat).await
}

/// Which field of a line contains the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OllamaEndpoint {
    /// In `message`.
    Chat,
    /// In `response`.
    Generate,
}

async fn answer(
    app: &AppState,
    grant: AccessGrant,
    headers: Option<&HeaderMap>,
    chat: HttpOutcome<Chat>,
    form: OllamaEndpoint,
) -> Response {
    match try_answer(app, grant, headers, chat, form).await {
        Ok(response) => response,
        Err(ProblemResponse(problem)) => Dialect::Ollama.refuse(&problem),
    }
}

async fn try_answer(
    app: &AppState,
    grant: AccessGrant,
    headers: Option<&HeaderMap>,
    chat: HttpOutcome<Chat>,
    form: OllamaEndpoint,
) -> HttpOutcome<Response> {
    let (is_keyed, none) = (headers.is_none(), HeaderMap::new());
    let (reads_only, owner) = (grant.reads_only(), grant.owner);
    let headers = headers.unwrap_or(&none);
    let mut chat = chat?;
    let ignored = chat.ignored();
    let (offer, settings) = (chat.take_offer()?, chat.settings()?);
    let response_schema = response_format::of_ollama(chat.format.as_ref())?;
    let has_thoughts = chat.wants_thoughts();
    let Chat { model: name, messages, stream, .. } = chat;
    let lines = AnswerLines { app: app.clone(), owner, model: name, form };
    if messages.is_empty() {
        let mut loaded = lines.line("");
        (loaded["done"], loaded["done_reason"]) = (json!(true), json!("load"));
        return Ok(ignored.tell(Json(loaded).into_response()));
    }
    let session = by_header(headers)?;
    let history = ChatHistory::read(messages)?;
    let permit = if stream.unwrap_or(true) { Some(app.stream_permit(&lines.owner)?) } else { None };
    let idempotency_key = idempotency_key(headers, None)?;
    let model = model(&lines.model);
    let asked = ChatRequest {
        transport: "ollama",
        history,
        session,
        is_keyed,
        model,
        settings,
        offer,
        response_schema,
        idempotency_key,
        background: false,
        reads_only,
    };
    let mut streamed = begin(&app.hub, &lines.owner, asked).await?;
    streamed.stream.with_thoughts(has_thoughts);
    match permit {
        Some(permit) => {
            if let Some(failed) = streamed.failed_early(app, &lines.owner, Dialect::Ollama).await {
                return Ok(ignored.tell(failed));
            }
            let body = HttpBody::from_stream(lines.stream(streamed, permit));
            Ok(ignored.tell(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response()))
        }
        None => Ok(ignored.tell(lines.whole(streamed).await)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_tag() {
        for (name, expected) in [
            ("dwell", "dwell:latest"),
            ("ollama/llama3.2", "ollama/llama3.2:latest"),
            ("ollama/llama3.2:3b", "ollama/llama3.2:3b"),
        ] {
            assert_eq!(tagged(name), expected);
        }
    }
}
