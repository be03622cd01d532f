//! Conversations: views of sessions.

use std::collections::BTreeMap;

use axum::{
    Json,
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use protocol::{
    Code, IngestMessage, Order, OwnerId, Problem, SessionDelete, SessionRef, SessionStart, SessionView, Settings,
    Update,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    super::{conversation::by_name, tools::refused},
    answer,
    ids::{conversation_id, session_name},
    input::read_items,
    items::{ItemQuery, all_of, page},
    list_object,
    parts::TurnParts,
};
use crate::{
    access::Principal,
    app::AppState,
    problem::HttpResult as HttpOutcome,
    rest::{JsonBody, Params},
};

/// The preference of a session with the metadata of its conversation.
const METADATA: &str = "metadata";
/// Most turns whose items are listed.
const TURNS_MAX: usize = 1_000;

/// A new conversation, or changes of one.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct CreateConversation {
    /// Messages that precede the conversation.
    items: Option<Vec<Map<String, Value>>>,
    /// Any data of the client.
    metadata: Option<Map<String, Value>>,
}

pub(crate) async fn create_conversation(
    State(app): State<AppState>,
    Principal(owner): Principal,
    body: HttpOutcome<JsonBody<CreateConversation>>,
) -> Response {
    answer(create(&app, &owner, body).await)
}

async fn create(
    app: &AppState,
    owner: &OwnerId,
    body: HttpOutcome<JsonBody<CreateConversation>>,
) -> HttpOutcome<Response> {
    let JsonBody(CreateConversation { items, metadata }) = body?;
    let history = super::super::message::ChatHistory::of_earlier(read_items(&items.unwrap_or_default())?)?;
    let earlier: Vec<&IngestMessage> = history.newest_earlier();
    let preferences = [
        (Settings::INSTRUCTIONS, history.instructions.as_ref().map(|text| json!(text))),
        (Settings::EARLIER, (!earlier.is_empty()).then(|| json!(earlier))),
        (METADATA, metadata.map(Value::Object)),
    ];
    let preferences: BTreeMap<String, Value> =
        preferences.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    let view = app.hub.start(owner, SessionStart { preferences, ..SessionStart::default() }).await?;
    Ok(Json(object(&view)).into_response())
}

pub(crate) async fn conversation(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Path(id): Path<String>,
) -> Response {
    answer(async { Ok(Json(object(&find(&app, &owner, &id).await?)).into_response()) }.await)
}

pub(crate) async fn update_conversation(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Path(id): Path<String>,
    body: HttpOutcome<JsonBody<CreateConversation>>,
) -> Response {
    answer(update(&app, &owner, &id, body).await)
}

async fn update(
    app: &AppState,
    owner: &OwnerId,
    id: &str,
    body: HttpOutcome<JsonBody<CreateConversation>>,
) -> HttpOutcome<Response> {
    let JsonBody(CreateConversation { items, metadata }) = body?;
    if items.is_some() {
        return Err(adding_items().into());
    }
    let session = SessionRef::from(find(app, owner, id).await?.session_id);
    let preferences = [(METADATA.to_owned(), metadata.map_or(Value::Null, Value::Object))].into();
    let view = app.hub.update(owner, &session, Update { preferences, ..Update::default() }).await?;
    Ok(Json(object(&view)).into_response())
}

pub(crate) async fn delete_conversation(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Path(id): Path<String>,
) -> Response {
    answer(delete(&app, &owner, &id).await)
}

async fn delete(app: &AppState, owner: &OwnerId, id: &str) -> HttpOutcome<Response> {
    let session_id = find(app, owner, id).await?.session_id;
    app.hub.delete(owner, SessionDelete { session: session_id.into(), ..SessionDelete::default() }).await?;
    let deleted = json!({ "id": conversation_id(session_id), "object": "conversation.deleted", "deleted": true });
    Ok(Json(deleted).into_response())
}

pub(crate) async fn conversation_items(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Path(id): Path<String>,
    query: HttpOutcome<Params<ItemQuery>>,
) -> Response {
    answer(list(&app, &owner, &id, query).await)
}

async fn list(
    app: &AppState,
    owner: &OwnerId,
    id: &str,
    query: HttpOutcome<Params<ItemQuery>>,
) -> HttpOutcome<Response> {
    let Params(query) = query?;
    let session = SessionRef::from(find(app, owner, id).await?.session_id);
    let (mut items, mut cursor, mut turns) = (Vec::new(), None, 0);
    loop {
        let read = app.hub.turns(owner, &session, Order::Oldest, cursor.as_deref(), Some(usize::MAX)).await?;
        for turn in &read.data {
            match TurnParts::read(&app.hub, owner, turn.turn_id).await {
                Err(engine::Error::NoTurn) => {}
                turn => items.extend(all_of(&turn?)),
            }
        }
        turns += read.data.len();
        cursor = read.next_cursor;
        if cursor.is_none() || turns >= TURNS_MAX {
            break;
        }
    }
    let (data, has_more) = page(items, &query)?;
    Ok(Json(list_object(data, has_more)).into_response())
}

pub(crate) async fn add_conversation_items(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Path(id): Path<String>,
) -> Response {
    answer(async { Err(find(&app, &owner, &id).await.map_or_else(|problem| problem, |_| adding_items()).into()) }.await)
}

fn adding_items() -> Problem {
    let message = "`items` cannot be added to a conversation that exists: a session's history is what happened in it";
    let hint = "Send them as `input` of a response with this `conversation`, or as `items` of a new conversation.";
    Problem::new(Code::InvalidRequest, message, hint)
}

async fn find(app: &AppState, owner: &OwnerId, id: &str) -> Result<SessionView, Problem> {
    let session = by_name(session_name(id)).map_err(|_| refused(format!("`{id}` is not the id of a conversation")))?;
    Ok(app.hub.session(owner, &session).await?)
}

fn object(view: &SessionView) -> Value {
    json!({
        "id": conversation_id(view.session_id),
        "object": "conversation",
        "created_at": view.created_at.as_millis() / 1000,
        "metadata": view.settings.preferences.get(METADATA).cloned().unwrap_or_else(|| json!({})),
    })
}
