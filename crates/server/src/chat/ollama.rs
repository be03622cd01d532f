//! Ollama's wire: `/api/tags`, `/api/show`, `/api/version` and `/api/chat`, also below `/ollama/KEY`, since Ollama's clients
//! can be given an address, but seldom a token.

use std::convert::Infallible;

use axum::{
    Json,
    body::Body as HttpBody,
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use futures::Stream;
use protocol::{Code, Offer, OwnerId, Problem, TurnView, Usage};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::OwnedSemaphorePermit;

use super::{
    calls::Call,
    conversation::{Asked, Begun, begin, by_header},
    dialect::Dialect,
    message::{Message, Told},
    model, model_names,
    settled::{Settled, settled, words_of},
    tools::{Tool, offer, refused},
};
use crate::{
    access::Principal,
    app::App,
    problem::{Failure, Outcome as HttpOutcome},
    rest::{Body, idempotency_key},
    telling::Told as Next,
};

/// What is asked. What is not named here is passed over: whose model answers, and how it is set, is Dwell's own.
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
    /// How the model is set; of it, `stop` is refused.
    #[serde(default)]
    options: Option<Map<String, Value>>,
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
        let stop = self.options.as_ref().and_then(|options| options.get("stop"));
        let wrong = [
            (!self.format.as_ref().is_none_or(is_nothing), "no `format` of answers can be asked for: they are words"),
            (!stop.is_none_or(is_nothing), "`stop` cannot be passed on; an answer is as long as it is"),
            (self.logprobs == Some(true), "`logprobs` are not known here"),
        ];
        match wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, message)) => Err(refused(message.to_owned())),
            None => offer(self.tools.take(), None, None),
        }
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
    let models: Vec<Value> = model_names(&app.hub).iter().map(|name| tag(name, &now)).collect();
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
    let known = |name: &str| model_names(&app.hub).iter().any(|known| tagged(known) == tagged(name));
    match body {
        Ok(Body(Show { model })) if known(&model) => Json(json!({
            "license": "",
            "modelfile": "",
            "parameters": "",
            "template": "",
            "details": details(),
            "model_info": { "general.architecture": "dwell" },
            "capabilities": ["completion", "tools"],
        }))
        .into_response(),
        Ok(Body(Show { model })) => {
            let message = format!("model '{model}' not found.");
            Dialect::Ollama.refuse(&Problem::new(Code::NotFound, message, "`/api/tags` lists those there are."))
        }
        Err(Failure(problem)) => Dialect::Ollama.refuse(&problem),
    }
}

pub(crate) async fn chat(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    body: HttpOutcome<Body<Chat>>,
) -> Response {
    answer(&app, owner, Some(&headers), body).await
}

/// With a key in place of the token, only conversations of this door are reached, not sessions by name.
pub(crate) async fn keyed_chat(
    State(app): State<App>,
    Principal(owner): Principal,
    body: HttpOutcome<Body<Chat>>,
) -> Response {
    answer(&app, owner, None, body).await
}

async fn answer(app: &App, owner: OwnerId, headers: Option<&HeaderMap>, body: HttpOutcome<Body<Chat>>) -> Response {
    match try_answer(app, owner, headers, body).await {
        Ok(response) => response,
        Err(Failure(problem)) => Dialect::Ollama.refuse(&problem),
    }
}

async fn try_answer(
    app: &App,
    owner: OwnerId,
    headers: Option<&HeaderMap>,
    body: HttpOutcome<Body<Chat>>,
) -> HttpOutcome<Response> {
    let (is_keyed, none) = (headers.is_none(), HeaderMap::new());
    let headers = headers.unwrap_or(&none);
    let Body(mut chat) = body?;
    let offer = chat.take_offer()?;
    let Chat { model: name, messages, stream, .. } = chat;
    let lines = Lines { app: app.clone(), owner, model: name };
    if messages.is_empty() {
        let mut loaded = lines.line("");
        (loaded["done"], loaded["done_reason"]) = (json!(true), json!("load"));
        return Ok(Json(loaded).into_response());
    }
    let session = by_header(headers)?;
    let told = Told::read(messages)?;
    let permit = if stream.unwrap_or(true) { Some(app.stream_permit()?) } else { None };
    let idempotency_key = idempotency_key(headers, None)?;
    let asked = Asked { door: "ollama", told, session, is_keyed, model: model(&lines.model), offer, idempotency_key };
    let begun = begin(&app.hub, &lines.owner, asked).await?;
    match permit {
        Some(permit) => {
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
            Settled::Words { whole, .. } => Json(self.last(&whole, &turn, begun.usage_before)).into_response(),
            Settled::Calls(calls) => {
                let mut line = self.last(&said, &turn, begun.usage_before);
                line["message"]["tool_calls"] = calls.iter().map(call).collect();
                Json(line).into_response()
            }
            Settled::Failed(why) => Dialect::Ollama.fail(&why),
        })
    }

    fn stream(self, mut begun: Begun, permit: OwnedSemaphorePermit) -> impl Stream<Item = Result<String, Infallible>> {
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
                        yield Ok(format!("{}\n", Dialect::Ollama.interjection(&Problem::from(error).message)));
                        return;
                    }
                }
            }
        }
    }

    /// What comes after the words of a turn.
    async fn end(&self, begun: &Begun, turn: &TurnView, said: &str) -> Vec<Value> {
        let mut lines: Vec<Value> = match settled(&self.app.hub, &self.owner, begun, turn, said).await {
            Ok(Settled::Words { more, .. }) => {
                Some(more).filter(|more| !more.is_empty()).map(|more| self.line(&more)).into_iter().collect()
            }
            // A line for each call: some clients read but the first of a line.
            Ok(Settled::Calls(calls)) => calls.iter().map(|one| self.asking(one)).collect(),
            Ok(Settled::Failed(why)) => return vec![Dialect::Ollama.interjection(&why)],
            Err(error) => return vec![Dialect::Ollama.interjection(&Problem::from(error).message)],
        };
        lines.push(self.last("", turn, begun.usage_before));
        lines
    }

    fn asking(&self, one: &Call) -> Value {
        let mut line = self.line("");
        line["message"]["tool_calls"] = json!([call(one)]);
        line
    }

    fn line(&self, words: &str) -> Value {
        json!({
            "model": self.model,
            "created_at": self.app.hub.now().to_string(),
            "message": { "role": "assistant", "content": words },
            "done": false,
        })
    }

    fn last(&self, words: &str, turn: &TurnView, before: Usage) -> Value {
        let usage = turn.stats.usage.since(before);
        let nanoseconds = |millis: Option<u64>| millis.unwrap_or(0).saturating_mul(1_000_000);
        let (whole, first) = (nanoseconds(turn.stats.duration_ms), nanoseconds(turn.stats.first_word_ms));
        let mut line = self.line(words);
        let end = json!({
            "done": true,
            "done_reason": "stop",
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
