//! OpenAI's Responses API: `/v1/responses` and `/v1/conversations`.
//!
//! A response is a turn, or a part of one: a turn that calls the client's functions ends a
//! response, and the request with their outputs continues the turn in the next one. A conversation
//! is a session. Ids contain the turn or the session, and everything that is retrieved is read from
//! the journal.

mod conversations;
mod events;
mod ids;
mod input;
mod items;
mod object;
mod parts;
mod request;
mod stored;
mod target;
mod tools;

use std::time::Duration;

use axum::{
    Json,
    extract::State,
    http::HeaderMap,
    response::{IntoResponse, Response, Sse, sse::KeepAlive},
};
use protocol::{ModelSettings, OwnerId, Request, SessionId, TurnStatus, TurnView};
use serde_json::{Value, json};

pub(crate) use conversations::{
    CreateConversation, add_conversation_items, conversation, conversation_items, create_conversation,
    delete_conversation, update_conversation,
};
use events::{ResponseEvents, content_of, frames};
use ids::ResponseId;
use object::ResponseHead;
pub(crate) use request::CreateResponse;
pub(crate) use stored::{cancel_response, delete_response, input_items, response};
use target::{ResponseTarget, remove};

use super::{
    DEFAULT_MODEL,
    answer_part::{AnswerPart, next},
    conversation::{ChatRequest, StreamedTurn, begin},
    dialect::Dialect,
    ignored::IgnoredFields,
    model as model_of,
};
use crate::{
    access::AccessGrant,
    app::AppState,
    problem::{HttpResult as HttpOutcome, ProblemResponse},
    rest::{JsonBody, idempotency_key},
    streams::StreamPermit,
};

const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(crate) async fn create_response(
    State(app): State<AppState>,
    grant: AccessGrant,
    headers: HeaderMap,
    body: HttpOutcome<JsonBody<CreateResponse>>,
) -> Response {
    answer(create(&app, grant, &headers, body).await)
}

/// A response, or an error in this API's format.
fn answer(outcome: HttpOutcome<Response>) -> Response {
    match outcome {
        Ok(response) => response,
        Err(ProblemResponse(problem)) => Dialect::OpenAi.refuse(&problem),
    }
}

async fn create(
    app: &AppState,
    grant: AccessGrant,
    headers: &HeaderMap,
    body: HttpOutcome<JsonBody<CreateResponse>>,
) -> HttpOutcome<Response> {
    let (reads_only, owner) = (grant.reads_only(), grant.owner);
    let JsonBody(asked) = body?;
    asked.check()?;
    let mut ignored = asked.ignored();
    let key = idempotency_key(headers, None)?;
    let (offer, settings, response_schema) = (asked.offer()?, asked.settings()?, asked.response_schema()?);
    let model = model_of(asked.model.as_deref().unwrap_or_default());
    app.hub.check_model_name(model.as_deref()).await?;
    let history = input::read(&app.hub, &owner, &asked).await?;
    let permit = if asked.stream == Some(true) { Some(app.stream_permit(&owner)?) } else { None };
    let target =
        ResponseTarget::find(&app.hub, &owner, headers, &asked, &history, key.as_deref(), &mut ignored).await?;
    let has_results = !history.results.is_empty();
    let request = ChatRequest {
        transport: "openai",
        history,
        session: target.session.clone(),
        is_keyed: false,
        model: model.clone(),
        settings: settings.clone(),
        offer,
        response_schema: response_schema.clone(),
        idempotency_key: key,
        background: asked.background == Some(true),
        reads_only,
    };
    let streamed = match begin(&app.hub, &owner, request).await {
        Ok(streamed) => streamed,
        Err(problem) => {
            // Results that were refused leave their turn waiting.
            if let Some(session_id) = target.temporary.filter(|_| !has_results) {
                remove(&app.hub, &owner, session_id).await;
            }
            return Err(problem.into());
        }
    };
    let names = [("x-dwell-session", streamed.session_id.to_string()), ("x-dwell-turn", streamed.turn_id.to_string())];
    let turn = app.hub.turn(&owner, streamed.turn_id).await?;
    if streamed.is_continued() {
        note_other_settings(&mut ignored, &turn.request, model.as_ref(), &settings);
    }
    let head = head(app, &turn, &asked, &streamed);
    let response = if asked.background == Some(true) {
        in_background(app, owner, head, &turn, streamed, permit)
    } else {
        in_foreground(app, owner, head, streamed, target.temporary, permit).await
    };
    Ok(ignored.tell((names, response).into_response()))
}

/// Lists what a continued turn does not take over: it goes on with the model and the settings
/// that it began with.
fn note_other_settings(ignored: &mut IgnoredFields, began: &Request, model: Option<&String>, settings: &ModelSettings) {
    let known = &began.model_settings;
    for (name, is_other) in [
        ("model", model != began.model.as_ref()),
        ("temperature", settings.temperature != known.temperature),
        ("top_p", settings.top_p != known.top_p),
        ("max_output_tokens", settings.max_output_tokens != known.max_output_tokens),
        ("reasoning.effort", settings.reasoning_effort != known.reasoning_effort),
    ] {
        if is_other {
            ignored.add(name);
        }
    }
}

/// The head of a new response, with what the turn does not know of the request.
fn head(app: &AppState, turn: &TurnView, asked: &CreateResponse, streamed: &StreamedTurn) -> ResponseHead {
    let id = ResponseId { turn_id: streamed.turn_id, part: streamed.part };
    let mut head = ResponseHead::of(turn, id);
    if streamed.is_continued() {
        head.set("created_at", app.hub.now().as_millis() / 1000);
    }
    head.set("model", asked.model.as_deref().filter(|name| !name.is_empty()).unwrap_or(DEFAULT_MODEL));
    head.set("background", asked.background.unwrap_or(false));
    head.set("store", asked.store != Some(false));
    head.set("instructions", asked.instructions.clone());
    head.set("previous_response_id", asked.previous_response_id.clone());
    head.set("user", asked.user.clone());
    head.set("metadata", asked.metadata.clone().unwrap_or_default());
    head
}

/// The status of a response whose turn has not ended.
const fn open_status(turn: &TurnView) -> &'static str {
    if matches!(turn.status, TurnStatus::Pending) { "queued" } else { "in_progress" }
}

/// Answers at once, or with the events from the beginning; the turn runs on by itself.
fn in_background(
    app: &AppState,
    owner: OwnerId,
    head: ResponseHead,
    turn: &TurnView,
    streamed: StreamedTurn,
    permit: Option<StreamPermit>,
) -> Response {
    let status = open_status(turn);
    match permit {
        Some(permit) => {
            let mut events = ResponseEvents::new(head, None);
            events.start(status);
            sse(frames(events, app.clone(), owner, streamed, None, permit))
        }
        None => Json(head.open(status)).into_response(),
    }
}

async fn in_foreground(
    app: &AppState,
    owner: OwnerId,
    head: ResponseHead,
    mut streamed: StreamedTurn,
    temporary: Option<SessionId>,
    permit: Option<StreamPermit>,
) -> Response {
    let Some(permit) = permit else { return whole(app, &owner, &head, streamed, temporary).await };
    if let Some(failed) = streamed.failed_early(app, &owner, Dialect::OpenAi).await {
        return failed;
    }
    let mut events = ResponseEvents::new(head, None);
    events.start("in_progress");
    sse(frames(events, app.clone(), owner, streamed, temporary, permit))
}

async fn whole(
    app: &AppState,
    owner: &OwnerId,
    head: &ResponseHead,
    mut streamed: StreamedTurn,
    temporary: Option<SessionId>,
) -> Response {
    let mut said = String::new();
    let content = loop {
        match next(app, owner, &mut streamed, &mut said).await {
            AnswerPart::Thought(_) | AnswerPart::Words(_) => {}
            AnswerPart::End(outcome, turn) => {
                if let Some(session_id) = temporary.filter(|_| turn.status.is_final()) {
                    remove(&app.hub, owner, session_id).await;
                }
                break content_of(outcome, &turn, &said, streamed.usage_before);
            }
            AnswerPart::Broken(error) => break Err(error),
        }
    };
    match content {
        Ok(content) => Json(head.ended(&content)).into_response(),
        Err(error) => Dialect::OpenAi.fail(&error),
    }
}

fn sse(
    frames: impl futures::Stream<Item = Result<axum::response::sse::Event, std::convert::Infallible>> + Send + 'static,
) -> Response {
    Sse::new(frames).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}

/// A list of items, with the ids of the first and the last.
fn list_object(data: Vec<Value>, has_more: bool) -> Value {
    let id = |item: Option<&Value>| item.map_or(json!(""), |item| item["id"].clone());
    json!({
        "object": "list", "first_id": id(data.first()), "last_id": id(data.last()), "has_more": has_more, "data": data,
    })
}
