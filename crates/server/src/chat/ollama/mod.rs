//! Ollama's API: `/api/tags`, `/api/show`, `/api/version`, `/api/chat` and `/api/generate`, also
//! below `/ollama/KEY`, since Ollama's clients can be configured with a URL, but seldom with a
//! token.

mod generate;

use std::convert::Infallible;

use axum::{
    Json,
    body::Body as HttpBody,
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use futures::Stream;
pub(crate) use generate::{GenerateRequest, generate, keyed_generate};
use protocol::{
    ClientToolOffer, Code, FigureValue, ModelFigure, ModelSettings, ModelView, OwnerId, Problem, StopReason, TurnView,
    Usage,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    calls::OutgoingCall,
    conversation::{ChatRequest, StreamedTurn, begin, by_header},
    dialect::Dialect,
    error::ChatError,
    known_models,
    message::{ChatHistory, Message},
    model,
    outcome::{ChatOutcome, chat_outcome, words_of},
    response_format,
    settings::of_ollama,
    tools::{Tool, offer, refused},
    window,
};
use crate::{
    access::Principal,
    app::AppState,
    problem::{HttpResult as HttpOutcome, ProblemResponse},
    rest::{JsonBody, idempotency_key},
    streams::StreamPermit,
    turn_stream::TurnUpdate as Next,
};

/// A chat request. Unknown fields are ignored.
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
}

impl Chat {
    /// The tools that the client offers; refuses fields that are not supported.
    fn take_offer(&mut self) -> Result<ClientToolOffer, Problem> {
        if self.logprobs == Some(true) {
            return Err(refused("`logprobs` are not supported".to_owned()));
        }
        offer(self.tools.take(), None, None)
    }

    /// The model settings.
    fn settings(&self) -> Result<ModelSettings, Problem> {
        of_ollama(self.options.as_ref(), self.think.as_ref())
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
    let models: Vec<Value> = known_models(&app.hub).await.iter().map(|(name, _)| tag(name, &now)).collect();
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
        return Json(shown(model)).into_response();
    }
    let message = format!("model '{name}' not found.");
    Dialect::Ollama.refuse(&Problem::new(Code::NotFound, message, "`/api/tags` lists the models."))
}

/// Tools are always among the capabilities: models without tool calls get them described in the
/// prompt.
fn shown(model: &ModelView) -> Value {
    let can = |figure: ModelFigure| figure.value == FigureValue::Flag(true);
    let mut capabilities = vec!["completion", "tools"];
    capabilities.extend(can(model.images).then_some("vision"));
    capabilities.extend(can(model.thinking).then_some("thinking"));
    json!({
        "license": "",
        "modelfile": "",
        "parameters": "",
        "template": "",
        "details": details(),
        "model_info": { "general.architecture": "dwell", "dwell.context_length": window(model) },
        "capabilities": capabilities,
    })
}

pub(crate) async fn chat(
    State(app): State<AppState>,
    Principal(owner): Principal,
    headers: HeaderMap,
    body: HttpOutcome<JsonBody<Chat>>,
) -> Response {
    answer(&app, owner, Some(&headers), body.map(|JsonBody(chat)| chat), OllamaEndpoint::Chat).await
}

/// With a key instead of the token, only conversations of this API are accessible, not sessions by
/// name.
pub(crate) async fn keyed_chat(
    State(app): State<AppState>,
    Principal(owner): Principal,
    body: HttpOutcome<JsonBody<Chat>>,
) -> Response {
    answer(&app, owner, None, body.map(|JsonBody(chat)| chat), OllamaEndpoint::Chat).await
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
    owner: OwnerId,
    headers: Option<&HeaderMap>,
    chat: HttpOutcome<Chat>,
    form: OllamaEndpoint,
) -> Response {
    match try_answer(app, owner, headers, chat, form).await {
        Ok(response) => response,
        Err(ProblemResponse(problem)) => Dialect::Ollama.refuse(&problem),
    }
}

async fn try_answer(
    app: &AppState,
    owner: OwnerId,
    headers: Option<&HeaderMap>,
    chat: HttpOutcome<Chat>,
    form: OllamaEndpoint,
) -> HttpOutcome<Response> {
    let (is_keyed, none) = (headers.is_none(), HeaderMap::new());
    let headers = headers.unwrap_or(&none);
    let mut chat = chat?;
    let (offer, settings) = (chat.take_offer()?, chat.settings()?);
    let response_schema = response_format::of_ollama(chat.format.as_ref())?;
    let Chat { model: name, messages, stream, .. } = chat;
    let lines = AnswerLines { app: app.clone(), owner, model: name, form };
    if messages.is_empty() {
        let mut loaded = lines.line("");
        (loaded["done"], loaded["done_reason"]) = (json!(true), json!("load"));
        return Ok(Json(loaded).into_response());
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
    };
    let mut streamed = begin(&app.hub, &lines.owner, asked).await?;
    match permit {
        Some(permit) => {
            if let Some(failed) = streamed.failed_early(app, &lines.owner, Dialect::Ollama).await {
                return Ok(failed);
            }
            let body = HttpBody::from_stream(lines.stream(streamed, permit));
            Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response())
        }
        None => lines.whole(streamed).await,
    }
}

/// The lines of one answer.
struct AnswerLines {
    app: AppState,
    owner: OwnerId,
    model: String,
    form: OllamaEndpoint,
}

impl AnswerLines {
    async fn next(&self, streamed: &mut StreamedTurn) -> Result<Next, engine::Error> {
        tokio::select! {
            next = streamed.stream.next() => next,
            () = self.app.stopping.cancelled() => Err(engine::Error::Stopping),
        }
    }

    async fn whole(self, mut streamed: StreamedTurn) -> HttpOutcome<Response> {
        let mut said = String::new();
        let turn = loop {
            match self.next(&mut streamed).await? {
                Next::Words(words) => said.push_str(&words_of(&streamed, &said, words)),
                Next::Settled(turn) => break turn,
            }
        };
        Ok(match chat_outcome(&self.app.hub, &self.owner, &streamed, &turn, &said).await? {
            ChatOutcome::Words { whole, stop, .. } => {
                Json(self.last(&whole, stop, &turn, streamed.usage_before)).into_response()
            }
            ChatOutcome::Calls(calls) => {
                let mut line = self.last(&said, StopReason::Complete, &turn, streamed.usage_before);
                line["message"]["tool_calls"] = calls.iter().map(call).collect();
                Json(line).into_response()
            }
            ChatOutcome::Failed(fault) => Dialect::Ollama.fail(&fault),
        })
    }

    fn stream(
        self,
        mut streamed: StreamedTurn,
        permit: StreamPermit,
    ) -> impl Stream<Item = Result<String, Infallible>> {
        async_stream::stream! {
            let _permit = permit;
            let mut said = String::new();
            loop {
                match self.next(&mut streamed).await {
                    Ok(Next::Words(words)) => {
                        let words = words_of(&streamed, &said, words);
                        said.push_str(&words);
                        if !words.is_empty() {
                            yield Ok(format!("{}\n", self.line(&words)));
                        }
                    }
                    Ok(Next::Settled(turn)) => {
                        for line in self.end(&streamed, &turn, &said).await {
                            yield Ok(format!("{line}\n"));
                        }
                        return;
                    }
                    Err(error) => {
                        yield Ok(format!("{}\n", Dialect::Ollama.interjection(&ChatError::of_error(error))));
                        return;
                    }
                }
            }
        }
    }

    /// The lines after the text of a turn.
    async fn end(&self, streamed: &StreamedTurn, turn: &TurnView, said: &str) -> Vec<Value> {
        let mut reason = StopReason::Complete;
        let mut lines: Vec<Value> = match chat_outcome(&self.app.hub, &self.owner, streamed, turn, said).await {
            Ok(ChatOutcome::Words { more, stop, .. }) => {
                reason = stop;
                Some(more).filter(|more| !more.is_empty()).map(|more| self.line(&more)).into_iter().collect()
            }
            // A line for each call: some clients read only the first call of a line.
            Ok(ChatOutcome::Calls(calls)) => calls.iter().map(|one| self.asking(one)).collect(),
            Ok(ChatOutcome::Failed(fault)) => return vec![Dialect::Ollama.interjection(&fault)],
            Err(error) => return vec![Dialect::Ollama.interjection(&ChatError::of_error(error))],
        };
        lines.push(self.last("", reason, turn, streamed.usage_before));
        lines
    }

    fn asking(&self, one: &OutgoingCall) -> Value {
        let mut line = self.line("");
        line["message"]["tool_calls"] = json!([call(one)]);
        line
    }

    fn line(&self, words: &str) -> Value {
        let mut line = json!({ "model": self.model, "created_at": self.app.hub.now().to_string(), "done": false });
        match self.form {
            OllamaEndpoint::Chat => line["message"] = json!({ "role": "assistant", "content": words }),
            OllamaEndpoint::Generate => line["response"] = json!(words),
        }
        line
    }

    fn last(&self, words: &str, stop: StopReason, turn: &TurnView, before: Usage) -> Value {
        let is_cut = matches!(stop, StopReason::Length | StopReason::Budget);
        let usage = turn.stats.usage.since(before);
        let nanoseconds = |millis: Option<u64>| millis.unwrap_or(0).saturating_mul(1_000_000);
        let (whole, first) = (nanoseconds(turn.stats.duration_ms), nanoseconds(turn.stats.first_word_ms));
        let mut line = self.line(words);
        let end = json!({
            "done": true,
            "done_reason": if is_cut { "length" } else { "stop" },
            "total_duration": whole,
            "load_duration": 0,
            "prompt_eval_count": usage.input_tokens,
            "prompt_eval_duration": first,
            "eval_count": usage.output_tokens,
            "eval_duration": whole.saturating_sub(first),
        });
        if let (Some(line), Value::Object(end)) = (line.as_object_mut(), end) {
            line.extend(end);
        }
        line
    }
}

fn call(call: &OutgoingCall) -> Value {
    json!({ "id": call.name, "function": { "name": call.tool, "arguments": call.arguments_as_object() } })
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
