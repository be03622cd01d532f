//! Responses by their ids: retrieved, followed, cancelled and deleted. All of it is read from the
//! journal.

use axum::{
    Json,
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use engine::{Error, Hub};
use futures::stream;
use protocol::{OwnerId, Problem, SessionRef, Settings, TurnStatus, Usage};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    super::{conversation::StreamedTurn, error::ChatError},
    answer,
    events::{ResponseEvents, frames},
    ids::ResponseId,
    items::{ItemQuery, input_of, page},
    list_object,
    object::{ResponseContent, ResponseHead},
    open_status,
    parts::{TurnPart, TurnParts},
    sse,
    target::unknown,
};
use crate::{
    access::Principal,
    app::AppState,
    outcome::{ApprovalChannel, TurnOutcome, outcome},
    problem::HttpResult as HttpOutcome,
    rest::Params,
    turn_stream::TurnStream,
};

/// A response that exists: its turn, and which part of it.
struct StoredResponse {
    id: ResponseId,
    turn: TurnParts,
    head: ResponseHead,
}

/// The state of a response.
enum ResponseState {
    /// It waits, or is being answered.
    Open(&'static str),
    /// It waits for a decision elsewhere, which the text says.
    Waiting(String),
    /// It has an answer or calls.
    Ended(ResponseContent),
    /// It has none.
    Failed(ChatError, String, Usage),
}

impl StoredResponse {
    async fn read(hub: &Hub, owner: &OwnerId, text: &str) -> Result<Self, Problem> {
        let id = ResponseId::read(text).ok_or_else(|| unknown(text))?;
        let turn = match TurnParts::read(hub, owner, id.turn_id).await {
            Err(Error::NoTurn) => return Err(unknown(text)),
            turn => turn?,
        };
        let Some((part, _)) = turn.find(id) else { return Err(unknown(text)) };
        let mut head = ResponseHead::of(&turn.turn, id);
        if let Some(at) = part.at {
            head.set("created_at", at.as_millis() / 1000);
        }
        let before = turn.parts.iter().take_while(|earlier| earlier.part < id.part).last();
        head.set("previous_response_id", before.map(|before| ResponseId { part: before.part, ..id }.to_string()));
        let session = hub.session(owner, &SessionRef::from(turn.turn.session_id)).await?;
        let instructions = session.settings.preferences.get(Settings::INSTRUCTIONS).cloned();
        head.set("instructions", instructions.unwrap_or_default());
        Ok(Self { id, turn, head })
    }

    fn part(&self) -> Option<(&TurnPart, bool)> {
        self.turn.find(self.id)
    }

    async fn state(&self, hub: &Hub, owner: &OwnerId) -> Result<ResponseState, Error> {
        let turn = &self.turn.turn;
        let Some((part, is_last)) = self.part() else { return Err(Error::NoTurn) };
        let text = part.text.clone();
        if !is_last || turn.client_calls().next().is_some() {
            let (calls, usage) = (part.calls.clone(), part.usage_after.since(part.usage_before));
            return Ok(ResponseState::Ended(ResponseContent { text, calls, usage, ..ResponseContent::default() }));
        }
        if turn.status.is_moving() {
            return Ok(ResponseState::Open(open_status(turn)));
        }
        let usage = turn.stats.usage.since(part.usage_before);
        let is_waiting = turn.status == TurnStatus::Waiting;
        Ok(match outcome(hub, owner, turn, ApprovalChannel::Command).await? {
            TurnOutcome::Waits(words) | TurnOutcome::Asks(_, words) if is_waiting => ResponseState::Waiting(words),
            TurnOutcome::Answered(whole) | TurnOutcome::Waits(whole) | TurnOutcome::Asks(_, whole) => {
                let (stop, citations) = turn
                    .response
                    .as_ref()
                    .map_or_else(Default::default, |response| (response.stop_reason, response.citations.clone()));
                let text = if self.id.part == 0 { whole } else { text };
                ResponseState::Ended(ResponseContent { text, stop, citations, usage, calls: Vec::new() })
            }
            TurnOutcome::Failed(why) => ResponseState::Failed(ChatError::of_turn(turn, why), text, usage),
        })
    }

    fn object(&self, state: &ResponseState) -> Value {
        match state {
            ResponseState::Open(status) => self.head.open(status),
            ResponseState::Waiting(text) => self.head.waiting(text),
            ResponseState::Ended(content) => self.head.ended(content),
            ResponseState::Failed(error, text, usage) => self.head.failed(error, text, *usage),
        }
    }
}

/// How a response is retrieved.
#[derive(Debug, Deserialize)]
pub(crate) struct ResponseQuery {
    #[serde(default)]
    stream: bool,
    #[serde(default)]
    starting_after: Option<u64>,
}

pub(crate) async fn response(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Path(id): Path<String>,
    query: HttpOutcome<Params<ResponseQuery>>,
) -> Response {
    answer(retrieve(&app, owner, &id, query).await)
}

async fn retrieve(
    app: &AppState,
    owner: OwnerId,
    id: &str,
    query: HttpOutcome<Params<ResponseQuery>>,
) -> HttpOutcome<Response> {
    let Params(ResponseQuery { stream, starting_after }) = query?;
    let stored = StoredResponse::read(&app.hub, &owner, id).await?;
    let state = stored.state(&app.hub, &owner).await?;
    if !stream {
        return Ok(Json(stored.object(&state)).into_response());
    }
    let permit = app.stream_permit(&owner)?;
    let (after, usage_before) =
        stored.part().map_or((0, Usage::default()), |(part, _)| (part.after, part.usage_before));
    let mut events = ResponseEvents::new(stored.head, starting_after);
    events.start("in_progress");
    match state {
        ResponseState::Open(_) | ResponseState::Waiting(_) => {
            let (session_id, turn_id) = (stored.turn.turn.session_id, stored.id.turn_id);
            let turn_stream = TurnStream::of(&app.hub, &owner, session_id, turn_id, after).await?;
            let part = stored.id.part;
            let streamed = StreamedTurn { session_id, turn_id, stream: turn_stream, part, usage_before };
            return Ok(sse(frames(events, app.clone(), owner, streamed, None, permit)));
        }
        ResponseState::Ended(content) => {
            events.words(&content.text);
            events.end(&content);
        }
        ResponseState::Failed(error, text, usage) => {
            events.words(&text);
            events.fail(&error, usage);
        }
    }
    Ok(sse(stream::iter(events.take().into_iter().map(Ok))))
}

pub(crate) async fn cancel_response(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Path(id): Path<String>,
) -> Response {
    answer(cancel(&app, &owner, &id).await)
}

async fn cancel(app: &AppState, owner: &OwnerId, id: &str) -> HttpOutcome<Response> {
    let stored = StoredResponse::read(&app.hub, owner, id).await?;
    // A part that ended with calls is complete, but its turn still waits for their outputs.
    if stored.part().is_some_and(|(_, is_last)| is_last) {
        app.hub.cancel_turn(owner, stored.id.turn_id, None).await?;
    }
    let stored = StoredResponse::read(&app.hub, owner, id).await?;
    let state = stored.state(&app.hub, owner).await?;
    Ok(Json(stored.object(&state)).into_response())
}

pub(crate) async fn delete_response(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Path(id): Path<String>,
) -> Response {
    answer(delete(&app, &owner, &id).await)
}

async fn delete(app: &AppState, owner: &OwnerId, id: &str) -> HttpOutcome<Response> {
    let stored = StoredResponse::read(&app.hub, owner, id).await?;
    let session = SessionRef::from(stored.turn.turn.session_id);
    app.hub.delete_turn(owner, &session, stored.id.turn_id).await?;
    Ok(Json(json!({ "id": id, "object": "response", "deleted": true })).into_response())
}

pub(crate) async fn input_items(
    State(app): State<AppState>,
    Principal(owner): Principal,
    Path(id): Path<String>,
    query: HttpOutcome<Params<ItemQuery>>,
) -> Response {
    answer(list_input(&app, &owner, &id, query).await)
}

async fn list_input(
    app: &AppState,
    owner: &OwnerId,
    id: &str,
    query: HttpOutcome<Params<ItemQuery>>,
) -> HttpOutcome<Response> {
    let Params(query) = query?;
    let stored = StoredResponse::read(&app.hub, owner, id).await?;
    let items = stored.part().map(|(part, _)| input_of(stored.id, part)).unwrap_or_default();
    let (data, has_more) = page(items, &query)?;
    Ok(Json(list_object(data, has_more)).into_response())
}
