//! From a conversation that was told to the session it is, and from its last words to a turn.

use std::{collections::BTreeMap, time::Duration};

use axum::{http::HeaderMap, response::Response};
use engine::{Error, Exchange, Hub, Recognised};
use protocol::{
    AgentId, ChatSend, Code, Fork, ModelSettings, Offer, OnBusy, OwnerId, Problem, SessionId, SessionName, SessionRef,
    Settings, Start, TurnId, Update, Usage,
};
use serde_json::{Value, json};

use super::{
    dialect::Dialect,
    message::Told,
    moments::is_same_but_for_moments,
    results,
    settled::{Settled, settled},
};
use crate::{
    app::App,
    telling::{Telling, Told as Next},
};

/// Sessions that were begun by a client that knows none, and are recognised when it tells them again.
pub(super) const DOORS: [&str; 2] = ["openai", "ollama"];
/// The header by which a client names a session.
const SESSION: &str = "x-dwell-session";

/// How long a stream waits for its first word before it begins: until then a failure has a status of its own.
const STATUS_PATIENCE: Duration = Duration::from_secs(10);

/// What a client wants.
pub(super) struct Asked {
    /// The wire it speaks, as in [`DOORS`].
    pub(super) door: &'static str,
    /// The conversation.
    pub(super) told: Told,
    /// The session it names.
    pub(super) session: Option<SessionRef>,
    /// Whether it has come with this door's key, which opens conversations of such clients and nothing else.
    pub(super) is_keyed: bool,
    /// The model, if not the default.
    pub(super) model: Option<String>,
    /// How the model is to be asked.
    pub(super) settings: ModelSettings,
    /// The tools it brings along.
    pub(super) offer: Offer,
    /// The key that makes sending it again harmless.
    pub(super) idempotency_key: Option<String>,
}

/// A turn that is being answered.
pub(super) struct Begun {
    pub(super) session_id: SessionId,
    pub(super) turn_id: TurnId,
    pub(super) telling: Telling,
    /// How many calls of the turn an earlier request was told of; none where this one began it.
    pub(super) part: usize,
    /// What the turn had taken before.
    pub(super) usage_before: Usage,
}

impl Begun {
    fn new(session_id: SessionId, turn_id: TurnId, telling: Telling) -> Self {
        Self { session_id, turn_id, telling, part: 0, usage_before: Usage::default() }
    }

    /// The answer to a turn that fails before its first word, while it can still have a status of its own. Whoever takes longer
    /// is told in the stream.
    pub(super) async fn failed_early(&mut self, app: &App, owner: &OwnerId, dialect: Dialect) -> Option<Response> {
        let turn = match self.telling.peek(STATUS_PATIENCE).await? {
            Ok(Next::Settled(turn)) => turn.clone(),
            Ok(Next::Words(_)) | Err(_) => return None,
        };
        match settled(&app.hub, owner, self, &turn, "").await {
            Ok(Settled::Failed(fault)) => Some(dialect.fail(&fault)),
            _ => None,
        }
    }

    /// Whether an earlier request has begun the turn.
    pub(super) const fn is_continued(&self) -> bool {
        self.part > 0
    }
}

/// Makes a turn of what was said last, or goes on with the one that waits for what is told.
pub(super) async fn begin(hub: &Hub, owner: &OwnerId, asked: Asked) -> Result<Begun, Problem> {
    // Before a session is made for it.
    hub.check_model_name(asked.model.as_deref()).await?;
    if !asked.told.results.is_empty() {
        return results::begin(hub, owner, asked).await;
    }
    let session_id = match find(hub, owner, &asked).await? {
        Found::Session(session_id) => session_id,
        Found::Turn(session_id, turn_id) => return join(hub, owner, session_id, turn_id).await,
    };
    let Asked { told, model, settings, offer, idempotency_key, .. } = asked;
    let on_busy = match way(hub, owner, session_id, &told.message, idempotency_key.is_some()).await? {
        Way::Free(on_busy) => on_busy,
        Way::Joins(turn_id) => return join(hub, owner, session_id, turn_id).await,
    };
    let Offer { tools, tool_choice, parallel_tool_calls } = offer;
    let send = ChatSend {
        model,
        model_settings: settings,
        tools,
        tool_choice,
        parallel_tool_calls,
        images: told.images,
        idempotency_key,
        on_busy,
        ..ChatSend::text(told.message)
    };
    let accepted = hub.send(owner, &session_id.into(), send).await?;
    // A message that was sent before has its words behind it already.
    let after = if accepted.duplicate { 0 } else { accepted.seq };
    let telling = Telling::of(hub, owner, session_id, accepted.turn_id, after).await?;
    Ok(Begun::new(session_id, accepted.turn_id, telling))
}

async fn join(hub: &Hub, owner: &OwnerId, session_id: SessionId, turn_id: TurnId) -> Result<Begun, Problem> {
    let telling = Telling::of(hub, owner, session_id, turn_id, 0).await?;
    Ok(Begun::new(session_id, turn_id, telling))
}

/// What becomes of a message while a turn waits for its client's results.
enum Way {
    /// Nothing waits, so it is taken up or goes in line.
    Free(OnBusy),
    /// It is the message of that turn.
    Joins(TurnId),
}

/// A turn that waits for its client's results gives way to what is said in their place. The same message is no other one,
/// unless a key says by itself what is the same.
async fn way(hub: &Hub, owner: &OwnerId, session_id: SessionId, message: &str, is_keyed: bool) -> Result<Way, Problem> {
    for turn_id in hub.session(owner, &session_id.into()).await?.open_turns {
        let turn = hub.turn(owner, turn_id).await?;
        if !turn.calls_waiting.is_empty() && turn.agent_id == AgentId::main() {
            let is_same = turn.request.message == message && !is_keyed;
            return Ok(if is_same { Way::Joins(turn_id) } else { Way::Free(OnBusy::Interrupt) });
        }
    }
    Ok(Way::Free(OnBusy::Queue))
}

enum Found {
    /// A session in which the message is to be said.
    Session(SessionId),
    /// A turn in which it is being answered.
    Turn(SessionId, TurnId),
}

async fn find(hub: &Hub, owner: &OwnerId, asked: &Asked) -> Result<Found, Problem> {
    if let Some(session) = &asked.session {
        return named(hub, owner, asked, session).await.map(Found::Session);
    }
    let earlier = Exchange::pairs(&asked.told.earlier);
    let session_id = match hub.recognise(owner, &DOORS, &earlier, &asked.told.message).await? {
        Some(Recognised::Open(session_id, turn_id)) => return Ok(Found::Turn(session_id, turn_id)),
        Some(Recognised::Whole(session_id)) => session_id,
        Some(Recognised::UpTo(session_id, turn_id)) => {
            let fork = Fork { session: session_id.into(), turn_id, key: None };
            hub.fork(owner, fork).await?.session_id
        }
        None => return Ok(Found::Session(start(hub, owner, asked, once(asked)?, true).await?)),
    };
    instruct(hub, owner, session_id, &asked.told).await?;
    Ok(Found::Session(session_id))
}

async fn named(hub: &Hub, owner: &OwnerId, asked: &Asked, session: &SessionRef) -> Result<SessionId, Problem> {
    match hub.session(owner, session).await {
        Ok(view) => {
            instruct(hub, owner, view.session_id, &asked.told).await?;
            Ok(view.session_id)
        }
        Err(Error::NoSession) if session.conversation_id.is_some() => {
            start(hub, owner, asked, session.conversation_id.clone(), false).await
        }
        Err(error) => Err(error.into()),
    }
}

/// The name of a session that is begun under a key: sent again, the same message finds it.
fn once(asked: &Asked) -> Result<Option<SessionName>, Problem> {
    let name = asked.idempotency_key.as_ref().map(|key| SessionName::try_from(format!("request:{key}")));
    name.transpose().map_err(|error| bad_name(error.to_string()))
}

/// A new session, which knows what the client asks, and what was said before it came here. One that the client has named is
/// found by that; others have to be recognised.
async fn start(
    hub: &Hub,
    owner: &OwnerId,
    asked: &Asked,
    key: Option<SessionName>,
    is_recognised: bool,
) -> Result<SessionId, Problem> {
    let earlier = asked.told.newest_earlier();
    let preferences = [
        (Settings::DOOR, is_recognised.then(|| json!(asked.door))),
        (Settings::INSTRUCTIONS, asked.told.instructions.as_ref().map(|text| json!(text))),
        (Settings::EARLIER, (!earlier.is_empty()).then(|| json!(earlier))),
    ];
    let preferences: BTreeMap<String, Value> =
        preferences.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    match hub.start(owner, Start { key, preferences, ..Start::default() }).await {
        // Another request has begun it in this moment.
        Err(Error::NameConflict(existing)) => Ok(existing),
        started => Ok(started?.session_id),
    }
}

/// Keeps what the client asks of every answer, where that has changed. One that only tells the time anew has not: it would be
/// written down with every turn, and turns are told the time anyway.
pub(super) async fn instruct(hub: &Hub, owner: &OwnerId, session_id: SessionId, told: &Told) -> Result<(), Problem> {
    let Some(text) = &told.instructions else { return Ok(()) };
    let view = hub.session(owner, &session_id.into()).await?;
    let kept = view.settings.preferences.get(Settings::INSTRUCTIONS).and_then(Value::as_str);
    if !kept.is_some_and(|kept| is_same_but_for_moments(kept, text)) {
        let preferences = [(Settings::INSTRUCTIONS.to_owned(), json!(text))].into();
        hub.update(owner, &session_id.into(), Update { preferences, ..Update::default() }).await?;
    }
    Ok(())
}

/// The session that a header names.
pub(super) fn by_header(headers: &HeaderMap) -> Result<Option<SessionRef>, Problem> {
    let Some(value) = headers.get(SESSION) else { return Ok(None) };
    let text = value.to_str().map_err(|_| bad_name(format!("the header {SESSION} is not plain text")))?;
    by_name(text).map(Some)
}

/// A session by Dwell's id, or by a name of the client's own, which makes one on first use.
pub(super) fn by_name(text: &str) -> Result<SessionRef, Problem> {
    if let Ok(id) = text.parse::<SessionId>() {
        return Ok(id.into());
    }
    let name: SessionName = text.parse().map_err(|error: protocol::IdError| bad_name(error.to_string()))?;
    Ok(SessionRef { session_id: None, conversation_id: Some(name) })
}

fn bad_name(message: String) -> Problem {
    Problem::new(Code::InvalidRequest, message, "Name the session by its id or a short text of your own.")
}
