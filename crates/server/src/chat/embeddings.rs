//! `/v1/embeddings`: texts as vectors, with the embedding model that memory is searched with. The
//! texts are not stored.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use engine::{EmbeddedTexts, Hub};
use protocol::{Code, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{DEFAULT_MODEL, dialect::Dialect, tools::refused};
use crate::{
    app::AppState,
    problem::{HttpResult as HttpOutcome, ProblemResponse},
    rest::JsonBody,
};

/// The most texts of a request.
const TEXTS_MAX: usize = 2_048;
/// What Ollama calls the default model, which it starts the names of both of its sizes with.
const OLLAMA_NAME: &str = "all-minilm";

/// A request for embeddings. Unknown fields are ignored.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EmbeddingsRequest {
    /// The embedding model as `/v1/models` lists it, or `dwell`.
    #[serde(default)]
    model: String,
    /// A text, or a list of texts. Lists of tokens are refused.
    input: Value,
    /// `float` or `base64`.
    #[serde(default)]
    encoding_format: Option<String>,
    /// The length of the vectors: that of the model, or less.
    #[serde(default)]
    dimensions: Option<usize>,
}

pub(crate) async fn embeddings(
    State(app): State<AppState>,
    body: HttpOutcome<JsonBody<EmbeddingsRequest>>,
) -> Response {
    match answer(&app.hub, body).await {
        Ok(answer) => Json(answer).into_response(),
        Err(ProblemResponse(problem)) => Dialect::OpenAi.refuse(&problem),
    }
}

async fn answer(hub: &Hub, body: HttpOutcome<JsonBody<EmbeddingsRequest>>) -> HttpOutcome<Value> {
    let JsonBody(asked) = body?;
    let write: fn(&[f32]) -> Value = match asked.encoding_format.as_deref() {
        None | Some("float") => |vector| json!(vector),
        Some("base64") => |vector| json!(base64(vector)),
        Some(other) => {
            let message = format!("`encoding_format` `{other}` is not known; use `float` or `base64`");
            return Err(refused(message).into());
        }
    };
    let texts = texts(asked.input)?;
    if texts.is_empty() || texts.iter().any(String::is_empty) {
        return Err(refused("`input` has an empty text, or no text".to_owned()).into());
    }
    let found = embed(hub, &asked.model, texts, asked.dimensions, false).await?;
    let vectors = found.vectors.iter().enumerate();
    let data: Vec<Value> = vectors
        .map(|(index, vector)| json!({ "object": "embedding", "index": index, "embedding": write(vector) }))
        .collect();
    Ok(json!({
        "object": "list",
        "data": data,
        "model": asked.model,
        "usage": { "prompt_tokens": found.tokens, "total_tokens": found.tokens },
    }))
}

/// The vectors of texts, in the length that is asked for. A text with more tokens than the model
/// reads is cut if `is_cut`, otherwise refused.
pub(super) async fn embed(
    hub: &Hub,
    model: &str,
    texts: Vec<String>,
    dimensions: Option<usize>,
    is_cut: bool,
) -> Result<EmbeddedTexts, Problem> {
    check_model(hub, model)?;
    if texts.len() > TEXTS_MAX {
        let message = format!("`input` has {} texts; at most {TEXTS_MAX} are allowed in a request", texts.len());
        return Err(Problem::new(Code::TooLarge, message, "Send them in several requests."));
    }
    if dimensions == Some(0) {
        return Err(refused("`dimensions` must be at least 1".to_owned()));
    }
    let mut found = hub.embed(texts, is_cut).await?;
    if let Some(dimensions) = dimensions {
        for vector in &mut found.vectors {
            shorten(vector, dimensions)?;
        }
    }
    Ok(found)
}

/// Refuses other names than that of the embedding model. Without a model, embedding says so itself.
fn check_model(hub: &Hub, model: &str) -> Result<(), Problem> {
    let Some(own) = hub.embedding_model() else { return Ok(()) };
    let name = model.strip_suffix(":latest").unwrap_or(model);
    let is_ollama_name = name == OLLAMA_NAME && own.name.starts_with(OLLAMA_NAME);
    if is_ollama_name || [own.name.as_str(), DEFAULT_MODEL].contains(&name) {
        return Ok(());
    }
    let message = format!("there is no embedding model `{model}`");
    Err(Problem::new(Code::UnknownModel, message, format!("Use `{}`.", own.name)))
}

/// The texts of `input`: one, or a list.
pub(super) fn texts(input: Value) -> Result<Vec<String>, Problem> {
    let is_tokens = |item: &Value| item.is_number() || item.is_array();
    match input {
        Value::String(text) => Ok(vec![text]),
        Value::Array(items) if items.iter().any(is_tokens) => {
            let message =
                "`input` is a list of tokens, which only the model that they were made for could read; send texts";
            Err(refused(message.to_owned()))
        }
        Value::Array(items) => {
            let text = |item| match item {
                Value::String(text) => Ok(text),
                _ => Err(refused("`input` must be a text or a list of texts".to_owned())),
            };
            items.into_iter().map(text).collect()
        }
        _ => Err(refused("`input` must be a text or a list of texts".to_owned())),
    }
}

/// The first numbers of a unit vector, as a unit vector.
fn shorten(vector: &mut Vec<f32>, dimensions: usize) -> Result<(), Problem> {
    if dimensions > vector.len() {
        let message = format!("`dimensions` is {dimensions}, but the embedding model has only {}", vector.len());
        return Err(refused(message));
    }
    if dimensions == vector.len() {
        return Ok(());
    }
    vector.truncate(dimensions);
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number /= length);
    }
    Ok(())
}

/// The numbers as bytes, the least significant first, in base64.
fn base64(vector: &[f32]) -> String {
    let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
    BASE64_STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_a_text_or_several_and_nothing_else() {
        assert_eq!(texts(json!("a")).unwrap(), ["a"]);
        assert_eq!(texts(json!(["a", "b"])).unwrap(), ["a", "b"]);
        for tokens in [json!([1, 2]), json!([[1, 2], [3]])] {
            assert!(texts(tokens).unwrap_err().message.contains("tokens"));
        }
        for wrong in [json!(7), json!(null), json!([null])] {
            assert!(texts(wrong.clone()).unwrap_err().message.contains("`input`"), "{wrong}");
        }
    }

    #[test]
    fn a_shorter_vector_has_length_one_again() {
        let mut vector = vec![0.6, 0.0, 0.8];
        shorten(&mut vector, 3).unwrap();
        assert_eq!(vector, [0.6, 0.0, 0.8]);
        shorten(&mut vector, 2).unwrap();
        assert_eq!(vector, [1.0, 0.0]);
        assert!(shorten(&mut vector, 3).unwrap_err().message.contains("`dimensions`"));
    }

    #[test]
    fn numbers_become_bytes_in_the_order_that_clients_read() {
        assert_eq!(base64(&[1.0]), "AACAPw==");
    }
}
