//! `/api/embed`, and its older form `/api/embeddings`.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use protocol::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::{dialect::Dialect, embeddings};
use crate::{
    app::AppState,
    problem::{HttpResult as HttpOutcome, ProblemResponse},
    rest::JsonBody,
};

/// A request for embeddings. Unknown fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EmbedRequest {
    /// The embedding model.
    model: String,
    /// A text, or a list of texts. Without any, the request only checks whether the model exists.
    #[serde(default)]
    input: Value,
    /// Whether a text that is too long is cut, which is the default, or refused.
    #[serde(default)]
    truncate: Option<bool>,
    /// The length of the vectors: that of the model, or less.
    #[serde(default)]
    dimensions: Option<usize>,
}

/// The older request for the embedding of one text. Unknown fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct OldEmbedRequest {
    /// The embedding model.
    model: String,
    /// The text. Without one, the request only checks whether the model exists.
    #[serde(default)]
    prompt: String,
}

pub(crate) async fn embed(State(app): State<AppState>, body: HttpOutcome<JsonBody<EmbedRequest>>) -> Response {
    respond(try_embed(&app, body).await)
}

pub(crate) async fn old_embed(State(app): State<AppState>, body: HttpOutcome<JsonBody<OldEmbedRequest>>) -> Response {
    respond(try_old_embed(&app, body).await)
}

fn respond(answer: HttpOutcome<Value>) -> Response {
    match answer {
        Ok(answer) => Json(answer).into_response(),
        Err(ProblemResponse(problem)) => Dialect::Ollama.refuse(&problem),
    }
}

async fn try_embed(app: &AppState, body: HttpOutcome<JsonBody<EmbedRequest>>) -> HttpOutcome<Value> {
    let JsonBody(EmbedRequest { model, input, truncate, dimensions }) = body?;
    let started = app.hub.now();
    let texts = match input {
        Value::Null => Vec::new(),
        Value::String(text) if text.is_empty() => Vec::new(),
        input => embeddings::texts(input)?,
    };
    let found = embeddings::embed(&app.hub, &model, texts, dimensions, truncate.unwrap_or(true)).await?;
    Ok(json!({
        "model": model,
        "embeddings": found.vectors,
        "total_duration": nanoseconds(started, app.hub.now()),
        "load_duration": 0,
        "prompt_eval_count": found.tokens,
    }))
}

async fn try_old_embed(app: &AppState, body: HttpOutcome<JsonBody<OldEmbedRequest>>) -> HttpOutcome<Value> {
    let JsonBody(OldEmbedRequest { model, prompt }) = body?;
    let texts = if prompt.is_empty() { Vec::new() } else { vec![prompt] };
    let found = embeddings::embed(&app.hub, &model, texts, None, true).await?;
    Ok(json!({ "embedding": found.vectors.into_iter().next().unwrap_or_default() }))
}

fn nanoseconds(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.since(from).as_nanos()).unwrap_or(u64::MAX)
}
