//! OpenAI's wire: `/v1/models` and `/v1/chat/completions`.

mod request;
mod sheet;

use std::time::Duration;

use axum::{
    Json,
    extract::{Path, State},
    http::HeaderMap,
    response::{IntoResponse, Response, Sse, sse::KeepAlive},
};
use protocol::{Code, ModelView, OwnerId, Problem, SessionRef};
pub(crate) use request::Completion;
use serde_json::{Value, json};
use sheet::Sheet;

use super::{
    conversation::{Asked, begin, by_header, by_name},
    dialect::Dialect,
    known_models,
    message::Told,
    model as model_of, window,
};
use crate::{
    access::Principal,
    app::App,
    problem::{Failure, Outcome as HttpOutcome},
    rest::{Body, idempotency_key},
};

const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(crate) async fn models(State(app): State<App>) -> Json<Value> {
    let data: Vec<Value> = known_models(&app.hub).await.iter().map(|(id, model)| listed(id, model)).collect();
    Json(json!({ "object": "list", "data": data }))
}

pub(crate) async fn model(State(app): State<App>, Path(id): Path<String>) -> Response {
    if let Some((_, model)) = known_models(&app.hub).await.iter().find(|(name, _)| *name == id) {
        return Json(listed(&id, model)).into_response();
    }
    let message = format!("model `{id}` not found");
    Dialect::OpenAi.refuse(&Problem::new(Code::UnknownModel, message, "`/v1/models` lists those there are."))
}

fn listed(id: &str, model: &ModelView) -> Value {
    json!({ "id": id, "object": "model", "created": 0, "owned_by": "dwell", "context_length": window(model) })
}

pub(crate) async fn completions(
    State(app): State<App>,
    Principal(owner): Principal,
    headers: HeaderMap,
    body: HttpOutcome<Body<Completion>>,
) -> Response {
    match complete(&app, owner, &headers, body).await {
        Ok(response) => response,
        Err(Failure(problem)) => Dialect::OpenAi.refuse(&problem),
    }
}

async fn complete(
    app: &App,
    owner: OwnerId,
    headers: &HeaderMap,
    body: HttpOutcome<Body<Completion>>,
) -> HttpOutcome<Response> {
    let Body(mut asked) = body?;
    let session = session(headers, &asked)?;
    let idempotency_key = idempotency_key(headers, None)?;
    let (offer, settings) = (asked.take_offer()?, asked.settings()?);
    let Completion { model: name, messages, stream, stream_options, .. } = asked;
    let told = Told::read(messages)?;
    let permit = if stream.unwrap_or(false) { Some(app.stream_permit(&owner)?) } else { None };
    let model = model_of(&name);
    let asked = Asked { door: "openai", told, session, is_keyed: false, model, settings, offer, idempotency_key };
    let mut begun = begin(&app.hub, &owner, asked).await?;
    let names = [("x-dwell-session", begun.session_id.to_string()), ("x-dwell-turn", begun.turn_id.to_string())];
    // Clients tell their messages apart by this, also several of one turn.
    let part = if begun.is_continued() { format!("-{}", begun.part) } else { String::new() };
    let sheet = Sheet {
        id: format!("chatcmpl-{}{part}", begun.turn_id),
        created: app.hub.now().as_millis() / 1000,
        model: name,
        with_usage: stream_options.unwrap_or_default().include_usage,
    };
    let response = match permit {
        Some(permit) => {
            if let Some(failed) = begun.failed_early(app, &owner, Dialect::OpenAi).await {
                return Ok((names, failed).into_response());
            }
            let frames = sheet.frames(app.clone(), owner, begun, permit);
            Sse::new(frames).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
        }
        None => sheet.whole(app, &owner, begun).await?,
    };
    Ok((names, response).into_response())
}

/// The session that is named: by the header, in the metadata, or by the user.
fn session(headers: &HeaderMap, asked: &Completion) -> Result<Option<SessionRef>, Problem> {
    if let Some(session) = by_header(headers)? {
        return Ok(Some(session));
    }
    let data = asked.metadata.as_ref();
    let named = data.and_then(|data| data.get("session_id").or_else(|| data.get("session"))).and_then(Value::as_str);
    let user = asked.user.as_deref().filter(|user| !user.is_empty()).map(|user| format!("user:{user}"));
    named.or(user.as_deref()).map(by_name).transpose()
}
