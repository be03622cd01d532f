//! OpenAI's API: `/v1/models` and `/v1/chat/completions`.

mod request;
mod response;

use std::time::Duration;

use axum::{
    Json,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response, Sse, sse::KeepAlive},
};
use protocol::{Code, Problem, SessionRef};
pub(crate) use request::Completion;
use request::SESSION_KEYS;
use response::CompletionHead;
use serde_json::{Value, json};

use super::{
    anthropic,
    conversation::{ChatRequest, begin, by_header, by_name},
    dialect::Dialect,
    known_models,
    message::ChatHistory,
    model as model_of, window,
};
use crate::{
    access::AccessGrant,
    app::AppState,
    problem::{HttpResult as HttpOutcome, ProblemResponse},
    rest::{JsonBody, PathId, idempotency_key},
};

const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(crate) async fn models(State(app): State<AppState>, headers: HeaderMap) -> Json<Value> {
    let known = known_models(&app.hub).await;
    if anthropic::is_asked(&headers) {
        return Json(anthropic::model_list(&known));
    }
    let data = known.iter().map(|(id, model)| listed(id, window(model)));
    let embedding = app.hub.embedding_model().map(|model| listed(&model.name, json!(model.tokens_max)));
    let data: Vec<Value> = data.chain(embedding).collect();
    Json(json!({ "object": "list", "data": data }))
}

pub(crate) async fn model(
    State(app): State<AppState>,
    headers: HeaderMap,
    id: HttpOutcome<PathId<String>>,
) -> Response {
    let id = match id {
        Ok(PathId(id)) => id,
        Err(ProblemResponse(problem)) => return Dialect::OpenAi.refuse(&problem),
    };
    let known = known_models(&app.hub).await;
    let found = known.iter().find(|(name, _)| *name == id);
    if anthropic::is_asked(&headers) {
        return anthropic::model(&id, found.map(|(_, model)| model));
    }
    if let Some((_, model)) = found {
        return Json(listed(&id, window(model))).into_response();
    }
    if let Some(embedding) = app.hub.embedding_model().filter(|model| model.name == id) {
        return Json(listed(&id, json!(embedding.tokens_max))).into_response();
    }
    let message = format!("model `{id}` not found");
    Dialect::OpenAi.refuse(&Problem::new(Code::UnknownModel, message, "`/v1/models` lists the models."))
}

fn listed(id: &str, context_length: Value) -> Value {
    json!({ "id": id, "object": "model", "created": 0, "owned_by": "dwell", "context_length": context_length })
}

pub(crate) async fn completions(
    State(app): State<AppState>,
    grant: AccessGrant,
    headers: HeaderMap,
    body: HttpOutcome<JsonBody<Completion>>,
) -> Response {
    match complete(&app, grant, &headers, body).await {
        Ok(response) => response,
        Err(ProblemResponse(problem)) => Dialect::OpenAi.refuse(&problem),
    }
}

async fn complete(
    app: &AppState,
    grant: AccessGrant,
    headers: &HeaderMap,
    body: HttpOutcome<JsonBody<Completion>>,
) -> HttpOutcome<Response> {
    let (reads_only, owner) = (grant.reads_only(), grant.owner);
    let JsonBody(mut asked) = body?;
    let ignored = asked.ignored();
    let session = session(headers, &asked)?;
    let idempotency_key = idempotency_key(headers, None)?;
    let (offer, settings, response_schema) = (asked.take_offer()?, asked.settings()?, asked.response_schema()?);
    let Completion { model: name, messages, stream, stream_options, .. } = asked;
    let history = ChatHistory::read(messages)?;
    let permit = if stream.unwrap_or(false) { Some(app.stream_permit(&owner)?) } else { None };
    let model = model_of(&name);
    let asked = ChatRequest {
        transport: "openai",
        history,
        session,
        is_keyed: false,
        model,
        settings,
        offer,
        response_schema,
        idempotency_key,
        background: false,
        reads_only,
    };
    let mut streamed = begin(&app.hub, &owner, asked).await?;
    // Not OpenAI's own field, but many servers with its API have it, and clients show it.
    streamed.stream.with_thoughts(true);
    let names = [("x-dwell-session", streamed.session_id.to_string()), ("x-dwell-turn", streamed.turn_id.to_string())];
    // Clients identify messages by this id, also several messages of one turn.
    let part = if streamed.is_continued() { format!("-{}", streamed.part) } else { String::new() };
    let sheet = CompletionHead {
        id: format!("chatcmpl-{}{part}", streamed.turn_id),
        created: app.hub.now().as_millis() / 1000,
        model: name,
        with_usage: stream_options.unwrap_or_default().include_usage,
    };
    let response = match permit {
        Some(permit) => {
            if let Some(failed) = streamed.failed_early(app, &owner, Dialect::OpenAi).await {
                return Ok(ignored.tell((names, failed).into_response()));
            }
            let frames = sheet.frames(app.clone(), owner, streamed, permit);
            Sse::new(frames).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
        }
        None => sheet.whole(app, &owner, streamed).await?,
    };
    Ok(ignored.tell((names, response).into_response()))
}

/// The session that the header, the metadata or the user field names.
fn session(headers: &HeaderMap, asked: &Completion) -> Result<Option<SessionRef>, Problem> {
    if let Some(session) = by_header(headers)? {
        return Ok(Some(session));
    }
    let data = asked.metadata.as_ref();
    let named = data.and_then(|data| SESSION_KEYS.iter().find_map(|key| data.get(*key))).and_then(Value::as_str);
    let user = asked.user.as_deref().filter(|user| !user.is_empty()).map(|user| format!("user:{user}"));
    named.or(user.as_deref()).map(by_name).transpose()
}
