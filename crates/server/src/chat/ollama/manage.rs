//! What Ollama's clients ask about models besides using them. Dwell's models are set in its
//! configuration, so nothing is changed here.

use std::time::Duration;

use axum::{
    Json,
    extract::State,
    http::Uri,
    response::{IntoResponse, Response},
};
use protocol::{Code, Problem};
use serde_json::{Value, json};

use super::{
    super::{dialect::Dialect, known_models, window},
    ShowRequest, details, tagged,
};
use crate::{
    app::AppState,
    problem::{HttpResult as HttpOutcome, ProblemResponse},
    rest::JsonBody,
};

/// How long a model stays loaded: models are not unloaded, but clients expect a time.
const STAYS: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What Ollama answers at its root; some clients look for it before anything else.
pub(crate) async fn running() -> &'static str {
    "Ollama is running"
}

/// The models that are ready: the default model, and the embedding model.
pub(crate) async fn ps(State(app): State<AppState>) -> Json<Value> {
    let expires_at = app.hub.now().plus(STAYS).to_string();
    let entry = |name: &str, context_length: Value| {
        let name = tagged(name);
        json!({
            "name": name,
            "model": name,
            "size": 0,
            "digest": "",
            "details": details(),
            "expires_at": expires_at,
            "size_vram": 0,
            "context_length": context_length,
        })
    };
    let known = known_models(&app.hub).await;
    let default = known.first().map(|(name, model)| entry(name, window(model)));
    let embedding = app.hub.embedding_model().map(|model| entry(&model.name, json!(model.tokens_max)));
    let models: Vec<Value> = default.into_iter().chain(embedding).collect();
    Json(json!({ "models": models }))
}

/// Answers that a known model is there. Others cannot be pulled.
pub(crate) async fn pull(State(app): State<AppState>, body: HttpOutcome<JsonBody<ShowRequest>>) -> Response {
    let name = match body {
        Ok(JsonBody(ShowRequest { model })) => model,
        Err(ProblemResponse(problem)) => return Dialect::Ollama.refuse(&problem),
    };
    let known = known_models(&app.hub).await;
    let embedding = app.hub.embedding_model().map(|model| model.name);
    let mut names = known.iter().map(|(name, _)| name.as_str()).chain(embedding.as_deref());
    if names.any(|known| tagged(known) == tagged(&name)) {
        return Json(json!({ "status": "success" })).into_response();
    }
    refuse(format!("the model '{name}' cannot be pulled"))
}

/// Refuses to change models.
pub(crate) async fn unmanaged(uri: Uri) -> Response {
    let act = uri.path().split('/').skip_while(|part| *part != "api").nth(1).unwrap_or_default().to_owned();
    refuse(format!("`/api/{act}` is not supported: models are not changed here"))
}

fn refuse(message: String) -> Response {
    let hint = "Models are set in Dwell's configuration; `dwell models` lists them, `dwell setup` downloads the embedding \
                model.";
    Dialect::Ollama.refuse(&Problem::new(Code::InvalidRequest, message, hint))
}
