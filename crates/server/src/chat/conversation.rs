//! Maps a client's conversation to a session, and its last message to a turn.

use std::{collections::BTreeMap, time::Duration};

use axum::{http::HeaderMap, response::Response};
use engine::{ConversationMatch, Error, Exchange, Hub};
use protocol::{
    AgentId, ChatSend, ClientToolOffer, Code, MessageTrust, ModelSettings, OnBusy, OwnerId, Problem, ResponseSchema,
    SessionFork, SessionId, SessionName, SessionRef, SessionStart, Settings, TurnId, Update, Usage,
};
use serde_json::{Value, json};

use super::{
    date_times::is_same_but_for_times,
    dialect::Dialect,
    error::ChatError,
    message::ChatHistory,
    outcome::{ChatOutcome, chat_outcome},
    results,
};
use crate::{
    app::AppState,
    turn_stream::{TurnPart, TurnStream, TurnUpdate},
};

/// The APIs whose clients have no session ids. Their sessions are recognised when the client sends
/// the conversation again.
pub(super) const TRANSPORTS: [&str; 3] = ["openai", "ollama", "anthropic"];
/// The API that Home Assistant's voice assistants use.
const SPOKEN: &str = "ollama";
/// The header in which a client names a session.
const SESSION: &str = "x-dwell-session";

/// How long a stream waits for its first text before it starts: until then a failure can still have
/// an HTTP status.
const STATUS_PATIENCE: Duration = Duration::from_secs(10);

/// A client's request.
pub(super) struct ChatRequest {
    /// The API that it uses, as in [`TRANSPORTS`].
    pub(super) transport: &'static str,
    /// The conversation.
    pub(super) history: ChatHistory,
    /// The session it names.
    pub(super) session: Option<SessionRef>,
    /// Whether it was authenticated by this API's key, which gives access only to conversations of
    /// such clients.
    pub(super) is_keyed: bool,
    /// The model, if not the default.
    pub(super) model: Option<String>,
    /// The model settings.
    pub(super) settings: ModelSettings,
    /// The tools that the client offers.
    pub(super) offer: ClientToolOffer,
    /// The schema of the answer, if it is not plain text.
    pub(super) response_schema: Option<ResponseSchema>,
    /// The key that makes it safe to send the request again.
    pub(super) idempotency_key: Option<String>,
    /// Whether the turn runs in the background.
    pub(super) background: bool,
    /// Whether the turn may only use tools that read.
    pub(super) reads_only: bool,
}

/// A turn that is being answered.
pub(super) struct StreamedTurn {
    pub(super) session_id: SessionId,
    pub(super) turn_id: TurnId,
    pub(super) stream: TurnStream,
    /// How many calls of the turn earlier requests returned; 0 if this request started the turn.
    pub(super) part: usize,
    /// The turn's usage before this request.
    pub(super) usage_before: Usage,
}

impl StreamedTurn {
    fn new(session_id: SessionId, turn_id: TurnId, turn_stream: TurnStream) -> Self {
        Self { session_id, turn_id, stream: turn_stream, part: 0, usage_before: Usage::default() }
    }

    /// The error response to a turn that fails before its first text, while it can still have an
    /// HTTP status. Later failures are reported in the stream.
    pub(super) async fn failed_early(&mut self, app: &AppState, owner: &OwnerId, dialect: Dialect) -> Option<Response> {
        self.early_fault(app, owner).await.map(|fault| dialect.fail(&fault))
    }

    /// Why the turn fails before its first text, if it does.
    pub(super) async fn early_fault(&mut self, app: &AppState, owner: &OwnerId) -> Option<ChatError> {
        let turn = match self.stream.peek(STATUS_PATIENCE).await? {
            Ok(TurnPart::Update(TurnUpdate::Settled(turn))) => turn.clone(),
            Ok(_) | Err(_) => return None,
        };
        match chat_outcome(&app.hub, owner, self, &turn, "").await {
            Ok(ChatOutcome::Failed(fault)) => Some(fault),
            _ => None,
        }
    }

    /// Whether an earlier request has started the turn.
    pub(super) const fn is_continued(&self) -> bool {
        self.part > 0
    }
}

/// Starts a turn for the last message, or continues the turn that waits for the results in the
/// request.
pub(super) async fn begin(hub: &Hub, owner: &OwnerId, asked: ChatRequest) -> Result<StreamedTurn, Problem> {
    // Checked before a session is created for it.
    hub.check_model_name(asked.model.as_deref()).await?;
    if !asked.history.results.is_empty() {
        return results::begin(hub, owner, asked).await;
    }
    let session_id = match find(hub, owner, &asked).await? {
        ConversationTarget::Session(session_id) => session_id,
        ConversationTarget::Turn(session_id, turn_id) => return join(hub, owner, session_id, turn_id).await,
    };
    let is_spoken = asked.transport == SPOKEN;
    let ChatRequest { history, model, settings, offer, response_schema, idempotency_key, background, .. } = asked;
    let way = MessageTrust { reads_only: asked.reads_only, ..MessageTrust::default() };
    let on_busy = match message_route(hub, owner, session_id, &history.message, idempotency_key.is_some()).await? {
        MessageRoute::Free(OnBusy::Queue) if is_spoken && has_open_approval(hub, owner, session_id).await? => {
            OnBusy::Fork
        }
        MessageRoute::Free(on_busy) => on_busy,
        MessageRoute::Joins(turn_id) => return join(hub, owner, session_id, turn_id).await,
    };
    let ClientToolOffer { tools, tool_choice, parallel_tool_calls, .. } = offer;
    let send = ChatSend {
        model,
        model_settings: settings,
        tools,
        tool_choice,
        parallel_tool_calls,
        response_schema,
        images: history.images,
        idempotency_key,
        on_busy,
        background,
        way,
        ..ChatSend::text(history.message)
    };
    let accepted = hub.send(owner, &session_id.into(), send).await?;
    // The text of a duplicate message was sent before, so the turn is followed from its start.
    let after = if accepted.duplicate { 0 } else { accepted.seq };
    let turn_stream = TurnStream::of(hub, owner, session_id, accepted.turn_id, after).await?;
    Ok(StreamedTurn::new(session_id, accepted.turn_id, turn_stream))
}

/// Whether a turn of the session waits for an approval. A sentence that waited behind it would be
/// answered when the user no longer expects it.
async fn has_open_approval(hub: &Hub, owner: &OwnerId, session_id: SessionId) -> Result<bool, Problem> {
    Ok(!hub.approvals(owner, Some(&session_id.into())).await?.data.is_empty())
}

async fn join(hub: &Hub, owner: &OwnerId, session_id: SessionId, turn_id: TurnId) -> Result<StreamedTurn, Problem> {
    let turn_stream = TurnStream::of(hub, owner, session_id, turn_id, 0).await?;
    Ok(StreamedTurn::new(session_id, turn_id, turn_stream))
}

/// How a message is handled while a turn waits for its client's results.
enum MessageRoute {
    /// No turn waits; the message starts a turn or is queued.
    Free(OnBusy),
    /// It repeats the message of that turn.
    Joins(TurnId),
}

/// A new message cancels a turn that waits for its client's results. The same message joins that
/// turn instead, unless the client uses idempotency keys, which identify repeated messages
/// themselves.
async fn message_route(
    hub: &Hub,
    owner: &OwnerId,
    session_id: SessionId,
    message: &str,
    is_keyed: bool,
) -> Result<MessageRoute, Problem> {
    for turn_id in hub.session(owner, &session_id.into()).await?.open_turns {
        let turn = hub.turn(owner, turn_id).await?;
        if turn.client_calls().next().is_some() && turn.agent_id == AgentId::main() {
            let is_same = turn.request.message == message && !is_keyed;
            return Ok(if is_same { MessageRoute::Joins(turn_id) } else { MessageRoute::Free(OnBusy::Interrupt) });
        }
    }
    Ok(MessageRoute::Free(OnBusy::Queue))
}

enum ConversationTarget {
    /// The session to send the message to.
    Session(SessionId),
    /// The turn that already answers it.
    Turn(SessionId, TurnId),
}

async fn find(hub: &Hub, owner: &OwnerId, asked: &ChatRequest) -> Result<ConversationTarget, Problem> {
    if let Some(session) = &asked.session {
        return named(hub, owner, asked, session).await.map(ConversationTarget::Session);
    }
    let earlier = Exchange::pairs(&asked.history.earlier);
    let session_id = match hub.match_conversation(owner, &TRANSPORTS, &earlier, &asked.history.message).await? {
        Some(ConversationMatch::Open(session_id, turn_id)) => return Ok(ConversationTarget::Turn(session_id, turn_id)),
        Some(ConversationMatch::Whole(session_id)) => session_id,
        Some(ConversationMatch::UpTo(session_id, turn_id)) => {
            let fork = SessionFork { session: session_id.into(), turn_id, key: None };
            hub.fork(owner, fork).await?.session_id
        }
        None => return Ok(ConversationTarget::Session(start(hub, owner, asked, once(asked)?, true).await?)),
    };
    instruct(hub, owner, session_id, &asked.history).await?;
    Ok(ConversationTarget::Session(session_id))
}

async fn named(hub: &Hub, owner: &OwnerId, asked: &ChatRequest, session: &SessionRef) -> Result<SessionId, Problem> {
    match hub.session(owner, session).await {
        Ok(view) => {
            instruct(hub, owner, view.session_id, &asked.history).await?;
            Ok(view.session_id)
        }
        Err(Error::NoSession) if session.conversation_id.is_some() => {
            start(hub, owner, asked, session.conversation_id.clone(), false).await
        }
        Err(error) => Err(error.into()),
    }
}

/// The name of a session that is started with an idempotency key: the same request finds it again.
fn once(asked: &ChatRequest) -> Result<Option<SessionName>, Problem> {
    let name = asked.idempotency_key.as_ref().map(|key| SessionName::try_from(format!("request:{key}")));
    name.transpose().map_err(|error| bad_name(error.to_string()))
}

/// Starts a session with the client's instructions and the earlier conversation. A session that the
/// client named is found by its name; others have to be recognised.
async fn start(
    hub: &Hub,
    owner: &OwnerId,
    asked: &ChatRequest,
    key: Option<SessionName>,
    is_recognised: bool,
) -> Result<SessionId, Problem> {
    let earlier = asked.history.newest_earlier();
    let preferences = [
        (Settings::DOOR, is_recognised.then(|| json!(asked.transport))),
        (Settings::INSTRUCTIONS, asked.history.instructions.as_ref().map(|text| json!(text))),
        (Settings::EARLIER, (!earlier.is_empty()).then(|| json!(earlier))),
    ];
    let preferences: BTreeMap<String, Value> =
        preferences.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    match hub.start(owner, SessionStart { key, preferences, ..SessionStart::default() }).await {
        // A concurrent request has started it.
        Err(Error::NameConflict(existing)) => Ok(existing),
        started => Ok(started?.session_id),
    }
}

/// Stores the client's instructions if they have changed. A different date or time alone is no
/// change: it would be written with every turn, and the model gets the current time anyway.
pub(super) async fn instruct(
    hub: &Hub,
    owner: &OwnerId,
    session_id: SessionId,
    history: &ChatHistory,
) -> Result<(), Problem> {
    let Some(text) = &history.instructions else { return Ok(()) };
    let view = hub.session(owner, &session_id.into()).await?;
    let kept = view.settings.preferences.get(Settings::INSTRUCTIONS).and_then(Value::as_str);
    if !kept.is_some_and(|kept| is_same_but_for_times(kept, text)) {
        let preferences = [(Settings::INSTRUCTIONS.to_owned(), json!(text))].into();
        hub.update(owner, &session_id.into(), Update { preferences, ..Update::default() }).await?;
    }
    Ok(())
}

/// The session that the header names.
pub(super) fn by_header(headers: &HeaderMap) -> Result<Option<SessionRef>, Problem> {
    let Some(value) = headers.get(SESSION) else { return Ok(None) };
    let text = value.to_str().map_err(|_| bad_name(format!("the header {SESSION} is not plain text")))?;
    by_name(text).map(Some)
}

/// A session by Dwell's id, or by the client's own name, which creates it on first use.
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
