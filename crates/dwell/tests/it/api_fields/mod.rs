//! The tables of the documentation say what becomes of every field of the APIs of others. These
//! tests read the tables and send each field: what is honoured has its effect, what is ignored is
//! named in a header, and what is refused is named in the error.

mod ollama;
mod openai;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use table::{FieldRule, field_table};
use testkit::{ModelServer, Reply, RunningServer};

use crate::{harness::last, started};

const TOKEN: &str = "test-token-0123456789";
/// The page with the tables.
const PAGE: &str = "how-to/apis-of-others.md";
/// The beginning of an image.
const IMAGE: &str = "iVBORw0KGgo=";

/// The effect of a field that is honoured.
enum Effect {
    /// The model's provider gets this value there.
    Upstream(&'static str, Value),
    /// The request to the provider contains this text.
    Told(&'static str),
    /// The answer has this value there; null if there is none.
    Answer(&'static str, Value),
    /// The body of the answer contains this text.
    Body(&'static str),
    /// The turn is in the session of this name.
    Session(&'static str),
}

/// A field in a request.
struct FieldSample {
    field: &'static str,
    /// What is set in the request; other fields are those of the API's plain request.
    set: Value,
    /// What the model answers, if not with an echo.
    reply: Option<Reply>,
    /// What it does, if it is honoured.
    effect: Option<Effect>,
}

/// A field that has an effect.
fn honoured(field: &'static str, set: Value, effect: Effect) -> FieldSample {
    FieldSample { field, set, reply: None, effect: Some(effect) }
}

/// A field that has none, or fails.
fn idle(field: &'static str, value: Value) -> FieldSample {
    FieldSample { field, set: json!({ field: value }), reply: None, effect: None }
}

impl FieldSample {
    fn answered(self, reply: Reply) -> Self {
        Self { reply: Some(reply), ..self }
    }
}

/// An API with a table.
struct ApiTable {
    heading: &'static str,
    path: &'static str,
    /// A request without anything special.
    plain: Value,
    /// The fields of its requests, as its own SDK lists them.
    fields: &'static [&'static str],
    /// A sample for each row.
    samples: Vec<FieldSample>,
    /// Where an error has its message.
    message: &'static str,
}

/// A response, with what tests look at.
struct ApiResponse {
    status: u16,
    ignored: BTreeSet<String>,
    session: String,
    text: String,
    body: Value,
}

async fn send(server: &RunningServer, path: &str, body: &Value) -> ApiResponse {
    let request = reqwest::Client::new().post(format!("{}{path}", server.url())).bearer_auth(TOKEN).json(body);
    let response = request.send().await.unwrap();
    let header = |name: &str| response.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
    let ignored = header("x-dwell-ignored").split(',').map(|name| name.trim().to_owned()).collect();
    let (status, session) = (response.status().as_u16(), header("x-dwell-session"));
    let text = response.text().await.unwrap();
    ApiResponse { status, ignored, session, body: serde_json::from_str(&text).unwrap_or_default(), text }
}

fn merged(plain: &Value, set: &Value) -> Value {
    let mut body: Map<String, Value> = plain.as_object().unwrap().clone();
    body.extend(set.as_object().unwrap().clone());
    Value::Object(body)
}

impl ApiTable {
    /// Sends every field and returns what differs from the table.
    async fn faults(&self, model: &ModelServer, server: &RunningServer) -> Vec<String> {
        let rows: BTreeMap<String, FieldRule> = field_table(PAGE, self.heading).into_iter().collect();
        let mut faults = self.gaps(&rows);
        for sample in &self.samples {
            let Some(rule) = rows.get(sample.field) else { continue };
            if let Some(reply) = &sample.reply {
                model.push(reply.clone());
            }
            let got = send(server, self.path, &merged(&self.plain, &sample.set)).await;
            let fault = match rule {
                FieldRule::Honoured => self.not_honoured(sample, &got, model, server).await,
                FieldRule::Ignored => not_ignored(sample, &got),
                FieldRule::Refused => self.not_refused(sample, &got),
            };
            faults.extend(fault.map(|fault| format!("{} {}: {fault}", self.path, sample.field)));
        }
        faults
    }

    /// Fields without a row, rows without a sample, and samples without a row.
    fn gaps(&self, rows: &BTreeMap<String, FieldRule>) -> Vec<String> {
        let sampled: BTreeSet<&str> = self.samples.iter().map(|sample| sample.field).collect();
        let is_in_table = |field: &&&str| !rows.keys().any(|row| row.split('.').next() == Some(**field));
        let unlisted = self.fields.iter().filter(is_in_table).map(|field| format!("`{field}` is not in the table"));
        let untried = rows.keys().filter(|row| !sampled.contains(row.as_str()));
        let untried = untried.map(|row| format!("the row `{row}` is not tried"));
        let unknown = sampled.iter().filter(|field| !rows.contains_key(**field));
        let unknown = unknown.map(|field| format!("`{field}` is tried but has no row"));
        unlisted.chain(untried).chain(unknown).map(|gap| format!("{}: {gap}", self.heading)).collect()
    }

    async fn not_honoured(
        &self,
        sample: &FieldSample,
        got: &ApiResponse,
        model: &ModelServer,
        server: &RunningServer,
    ) -> Option<String> {
        if got.status != 200 || got.ignored.contains(sample.field) {
            return Some(format!("is not honoured: {} {:?} {}", got.status, got.ignored, got.text));
        }
        match sample.effect.as_ref()? {
            Effect::Upstream(place, value) => {
                let raw = last(model).raw().clone();
                (raw.pointer(place) != Some(value)).then(|| format!("the provider has no {value} at {place}: {raw}"))
            }
            Effect::Told(text) => {
                let raw = last(model).raw().to_string();
                (!raw.contains(text)).then(|| format!("the provider is not told {text}: {raw}"))
            }
            Effect::Answer(place, value) => {
                let found = got.body.pointer(place).unwrap_or(&Value::Null);
                (found != value).then(|| format!("the answer has {found} at {place}, not {value}: {}", got.text))
            }
            Effect::Body(text) => (!got.text.contains(text)).then(|| format!("there is no {text} in {}", got.text)),
            Effect::Session(name) => {
                let view = server.rest().get(&format!("/api/v1/sessions/{}", got.session)).await.ok();
                (view["key"] != *name).then(|| format!("the session is {}, not {name}", view["key"]))
            }
        }
    }

    fn not_refused(&self, sample: &FieldSample, got: &ApiResponse) -> Option<String> {
        let message = got.body.pointer(self.message).and_then(Value::as_str).unwrap_or_default();
        let is_named = message.contains(&format!("`{}`", sample.field));
        // OpenAI's errors name the field also for programs.
        let param = got.body.pointer("/error/param").is_none_or(|param| param == sample.field);
        let is_refused = got.status == 400 && is_named && param;
        (!is_refused).then(|| format!("is not refused by name: {} {}", got.status, got.text))
    }
}

fn not_ignored(sample: &FieldSample, got: &ApiResponse) -> Option<String> {
    let is_named = got.ignored.contains(sample.field);
    (got.status != 200 || !is_named).then(|| format!("is not ignored: {} {:?} {}", got.status, got.ignored, got.text))
}

#[tokio::test]
async fn every_field_of_the_tables_does_what_they_say() {
    let (model, _program, server) = started().await;
    let mut faults = Vec::new();
    for api in [openai::completions(), ollama::chat(), ollama::generate()] {
        faults.extend(api.faults(&model, &server).await);
    }
    faults.extend(openai::results_have_their_place(&model, &server).await);
    faults.extend(ollama::results_have_their_place(&model, &server).await);
    assert!(faults.is_empty(), "docs/{PAGE} is not what the server does:\n{}", faults.join("\n"));
}

#[tokio::test]
async fn values_that_ask_for_nothing_are_neither_refused_nor_named() {
    let (_model, _program, server) = started().await;
    for (path, body) in [
        (
            openai::PATH,
            json!({ "messages": [{ "role": "user", "content": "hello", "audio": null, "annotations": [] }],
                "n": 1, "logprobs": false, "top_logprobs": 0, "logit_bias": {}, "modalities": ["text"],
                "functions": null, "store": null, "prediction": null, "metadata": {} }),
        ),
        (
            "/api/chat",
            json!({ "model": "dwell", "messages": [{ "role": "user", "content": "hello" }], "stream": false,
                "logprobs": false, "top_logprobs": 0, "keep_alive": null, "format": "", "options": {} }),
        ),
        (
            "/api/generate",
            json!({ "model": "dwell", "prompt": "hello", "stream": false, "suffix": "", "raw": false, "context": [] }),
        ),
    ] {
        let got = send(&server, path, &body).await;
        assert_eq!((got.status, got.ignored), (200, BTreeSet::from([String::new()])), "{path}: {}", got.text);
    }
}
