//! `/v1/models` in Anthropic's format, for requests that name its version.

use axum::{
    Json,
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use protocol::{Code, ModelView, Problem};
use serde_json::{Value, json};

use super::super::{dialect::Dialect, window};

/// The header that all of Anthropic's clients send.
const VERSION: &str = "anthropic-version";
/// The date of a model whose date is not known.
const EPOCH: &str = "1970-01-01T00:00:00Z";

/// Whether a request expects Anthropic's format.
pub(in super::super) fn is_asked(headers: &HeaderMap) -> bool {
    headers.contains_key(VERSION)
}

/// The models on one page.
pub(in super::super) fn model_list(known: &[(String, ModelView)]) -> Value {
    let data: Vec<Value> = known.iter().map(|(id, model)| listed(id, model)).collect();
    let id = |model: Option<&Value>| model.map_or(Value::Null, |model| model["id"].clone());
    let (first, last) = (id(data.first()), id(data.last()));
    json!({ "data": data, "has_more": false, "first_id": first, "last_id": last })
}

/// One model.
pub(in super::super) fn model(id: &str, model: Option<&ModelView>) -> Response {
    if let Some(model) = model {
        return Json(listed(id, model)).into_response();
    }
    let message = format!("model `{id}` not found");
    Dialect::Anthropic.refuse(&Problem::new(Code::UnknownModel, message, "`/v1/models` lists the models."))
}

fn listed(id: &str, model: &ModelView) -> Value {
    json!({
        "type": "model",
        "id": id,
        "display_name": id,
        "created_at": EPOCH,
        "lifecycle": "active",
        "max_input_tokens": window(model),
        "max_tokens": model.output_tokens.as_ref().map(|figure| &figure.value),
    })
}
