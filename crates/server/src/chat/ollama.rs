//! Ollama's wire: `/api/tags`, `/api/show`, `/api/version`, `/api/chat` and `/api/generate`, also below `/ollama/KEY`, since Ollama's clients
//! can be given an address, but seldom a token.

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
pub(crate) use generate::{Generate, generate, keyed_generate};
use protocol::{
    Code, FigureValue, ModelFigure, ModelSettings, ModelView, Offer, OwnerId, Problem, StopReason, TurnView, Usage,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    calls::Call,
    conversation::{Asked, Begun, begin, by_header},
    dialect::Dialect,
    fault::Fault,
    known_models,
    message::{Message, Told},
    model,
    settings::of_ollama,
    settled::{Settled, settled, words_of},
    tools::{Tool, offer, refused},
    window,
};
use crate::{
    access::Principal,
    app::App,
    problem::{Failure, Outcome as HttpOutcome},
    rest::{Body, idempotency_key},
    streams::StreamPermit,
    telling::Told as Next,
};

/// What is asked. What is not named here is passed over.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Chat {
    /// `dwell`, or a model that is configured.
    model: String,
    /// The conversation; its last message is the user's, or what came of the client's tools. None at all asks whether the
    /// model is there.
    #[serde(default)]
    messages: Vec<Message>,
    /// Whether the answer comes in pieces, one JSON value a line; true unless told.
    #[serde(default)]
    stream: Option<bool>,
    /// Tools that the client runs itself; the model is shown them beside Dwell's own.
    #[serde(default)]
    tools: Option<Vec<Tool>>,
    /// Refused unless empty: answers are words.
    #[serde(default)]
    format: Option<Value>,
    /// How the model is asked: `temperature`, `top_p`, `num_predict`, `stop` and `seed`. The others are passed over.
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
    /// The tools it brings along; refuses what cannot be honoured.
    fn take_offer(&mut self) -> Result<Offer, Problem> {
        let is_nothing = |value: &Value| match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => false,
        };
        let wrong = [
            (!self.format.as_ref().is_none_or(is_nothing), "no `format` of answers can be asked for: they are words"),
            (self.logprobs == Some(true), "`logprobs` are not known here"),
        ];
        match wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, message)) => Err(refused(message.to_owned())),
            None => offer(self.tools.take(), None, None),
        }
    }

    /// How the model is to be asked.
    fn settings(&self) -> Result<ModelSettings, Problem> {
        of_ollama(self.options.as_ref(), self.think.as_ref())
    }
}

/// Which model.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Show {
    /// Its name.
    #[serde(default, alias = "name")]
    model: String,
}

pub(crate) async fn tags(State(app): State<App>) -> Json<Value> {
    let now = app.hub.now().to_string();
    let models: Vec<Value> = known_models(&app.hub).await.iter().map(|(name, _)| tag(name, &now)).collect();
    Json(json!({ "models": models }))
}

fn tag(name: &str, now: &str) -> Value {
    let name = tagged(name);
    json!({ "name": name, "model": name, "modified_at": now, "size": 0, "digest": "", "details": details() })
}

/// A model's name with its tag, as Ollama has them.
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

pub(crate) async fn show(State(app): State<App>, body: HttpOutcome<Body<Show>>) -> Response {
    let name = match body {
        Ok(Body(Show { model })) => model,
        Err(Failure(problem)) => return Dialect::Ollama.refuse(&problem),
    };
    let known = known_models(&app.hub).await;
    if let Some((_, model)) = known.iter().find(|(known, _)| tagged(known) == tagged(&name)) {
        return Json(shown(model)).into_response();
    }
    let message = format!("model '{name}' not found.");
    Dialect::Ollama.refuse(&Problem::new(Code::NotFound, message, "`/api/tags` lists those there are."))
}

/// Tools are always among what it can do: a model that calls none itself is shown them in words.
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
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    body: HttpOutcome<Body<Chat>>,
) -> Response {
    answer(&app, owner, Some(&headers), body.map(|Body(chat)| chat), Form::Chat).await
}

/// With a key in place of the token, only conversations of this door are reached, not sessions by name.
pub(crate) async fn keyed_chat(
    State(app): State<App>,
    Principal(owner): Principal,
    body: HttpOutcome<Body<Chat>>,
) -> Response {
    answer(&app, owner, None, body.map(|Body(chat)| chat), Form::Chat).await
}

/// Where the words of an answer stand in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In a message.
    Chat,
    /// In `response`.
    Generate,
}

async fn answer(
    app: &App,
    owner: OwnerId,
    headers: Option<&HeaderMap>,
    chat: HttpOutcome<Chat>,
    form: Form,
) -> Response {
    match try_answer(app, owner, headers, chat, form).await {
        Ok(response) => response,
        Err(Failure(problem)) => Dialect::Ollama.refuse(&problem),
    }
}

async fn try_answer(
    app: &App,
    owner: OwnerId,
    headers: Option<&HeaderMap>,
    chat: HttpOutcome<Chat>,
    form: Form,
) -> HttpOutcome<Response> {
    let (is_keyed, none) = (headers.is_none(), HeaderMap::new());
    let headers = headers.unwrap_or(&none);
    let mut chat = chat?;
    let (offer, settings) = (chat.take_offer()?, chat.settings()?);
    let Chat { model: name, messages, stream, .. } = chat;
    let lines = Lines { app: app.clone(), owner, model: name, form };
    if messages.is_empty() {
        let mut loaded = lines.line("");
        (loaded["done"], loaded["done_reason"]) = (json!(true), json!("load"));
        return Ok(Json(loaded).into_response());
    }
    let session = by_header(headers)?;
    let told = Told::read(messages)?;
    let permit = if stream.unwrap_or(true) { Some(app.stream_permit(&lines.owner)?) } else { None };
    let idempotency_key = idempotency_key(headers, None)?;
    let model = model(&lines.model);
    let asked = Asked { door: "ollama", told, session, is_keyed, model, settings, offer, idempotency_key };
    let mut begun = begin(&app.hub, &lines.owner, asked).await?;
    match permit {
        Some(permit) => {
            if let Some(failed) = begun.failed_early(app, &lines.owner, Dialect::Ollama).await {
                return Ok(failed);
            }
            let body = HttpBody::from_stream(lines.stream(begun, permit));
            Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response())
        }
        None => lines.whole(begun).await,
    }
}

/// The lines of one answer.
struct Lines {
    app: App,
    owner: OwnerId,
    model: String,
    form: Form,
}

impl Lines {
    async fn next(&self, begun: &mut Begun) -> Result<Next, engine::Error> {
        tokio::select! {
            next = begun.telling.next() => next,
            () = self.app.stopping.cancelled() => Err(engine::Error::Stopping),
        }
    }

    async fn whole(self, mut begun: Begun) -> HttpOutcome<Response> {
        let mut said = String::new();
        let turn = loop {
            match self.next(&mut begun).await? {
                Next::Words(words) => said.push_str(&words_of(&begun, &said, words)),
                Next::Settled(turn) => break turn,
            }
        };
        Ok(match settled(&self.app.hub, &self.owner, &begun, &turn, &said).await? {
            Settled::Words { whole, stop, .. } => {
                Json(self.last(&whole, stop, &turn, begun.usage_before)).into_response()
            }
            Settled::Calls(calls) => {
                let mut line = self.last(&said, StopReason::Complete, &turn, begun.usage_before);
                line["message"]["tool_calls"] = calls.iter().map(call).collect();
                Json(line).into_response()
            }
            Settled::Failed(fault) => Dialect::Ollama.fail(&fault),
        })
    }

    fn stream(self, mut begun: Begun, permit: StreamPermit) -> impl Stream<Item = Result<String, Infallible>> {
        async_stream::stream! {
            let _permit = permit;
            let mut said = String::new();
            loop {
                match self.next(&mut begun).await {
                    Ok(Next::Words(words)) => {
                        let words = words_of(&begun, &said, words);
                        said.push_str(&words);
                        if !words.is_empty() {
                            yield Ok(format!("{}\n", self.line(&words)));
                        }
                    }
                    Ok(Next::Settled(turn)) => {
                        for line in self.end(&begun, &turn, &said).await {
                            yield Ok(format!("{line}\n"));
                        }
                        return;
                    }
                    Err(error) => {
                        yield Ok(format!("{}\n", Dialect::Ollama.interjection(&Fault::of_error(error))));
                        return;
                    }
                }
            }
        }
    }

    /// What comes after the words of a turn.
    async fn end(&self, begun: &Begun, turn: &TurnView, said: &str) -> Vec<Value> {
        let mut reason = StopReason::Complete;
        let mut lines: Vec<Value> = match settled(&self.app.hub, &self.owner, begun, turn, said).await {
            Ok(Settled::Words { more, stop, .. }) => {
                reason = stop;
                Some(more).filter(|more| !more.is_empty()).map(|more| self.line(&more)).into_iter().collect()
            }
            // A line for each call: some clients read but the first of a line.
            Ok(Settled::Calls(calls)) => calls.iter().map(|one| self.asking(one)).collect(),
            Ok(Settled::Failed(fault)) => return vec![Dialect::Ollama.interjection(&fault)],
            Err(error) => return vec![Dialect::Ollama.interjection(&Fault::of_error(error))],
        };
        lines.push(self.last("", reason, turn, begun.usage_before));
        lines
    }

    fn asking(&self, one: &Call) -> Value {
        let mut line = self.line("");
        line["message"]["tool_calls"] = json!([call(one)]);
        line
    }

    fn line(&self, words: &str) -> Value {
        let mut line = json!({ "model": self.model, "created_at": self.app.hub.now().to_string(), "done": false });
        match self.form {
            Form::Chat => line["message"] = json!({ "role": "assistant", "content": words }),
            Form::Generate => line["response"] = json!(words),
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

fn call(call: &Call) -> Value {
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
