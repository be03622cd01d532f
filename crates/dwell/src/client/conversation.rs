//! A conversation that outlives its connections: it reconnects automatically and misses no events.

use std::{collections::VecDeque, time::Duration};

use protocol::{
    Alert, AlertKind, AlertPage, ApprovalRequest, Body, Cancel, ChatSend, ChunkStatus, Citation, ClientBody, Event,
    LiveUpdate, ResearchChunk, ServerAnswer, ServerMessage, SessionEnd, SessionId, SessionRef, SessionResume,
    SessionSend, SessionStart, SessionView, StatusChanged, Step, Transition, TurnAccepted, TurnId, TurnRef, TurnStatus,
    TurnView,
};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::{
    Client,
    alerts::{AlertFeed, FOLLOW},
    socket::{ConnectionClosed, Socket},
    text::TextSoFar,
};
use crate::command_error::CommandError;

/// How long to try to reconnect to a server.
const RECONNECT_MAX: Duration = Duration::from_secs(60);
const RECONNECT_PAUSE: Duration = Duration::from_millis(250);
/// The pause while no answer is waited for.
const IDLE_PAUSE: Duration = Duration::from_secs(1);

/// What to show to the user.
#[derive(Debug)]
pub(crate) enum ConversationUpdate {
    /// The turn waits in the queue, at this position.
    Queued(u32),
    /// Something happened inside the turn.
    Step(Step),
    /// A source was read, or could not be read.
    Researched(String),
    /// The answer is complete.
    Answered {
        /// The sources that it cites.
        citations: Vec<Citation>,
        /// Remarks for the user on how it was produced.
        notices: Vec<String>,
    },
    /// The user has to decide whether a call may run.
    Asked(Box<ApprovalRequest>),
    /// More of the answer.
    Text(String),
    /// The turn continues after an interruption.
    Resumed,
    /// The turn has ended or waits for a decision.
    Ended(Box<StatusChanged>),
    /// The connection was lost and restored.
    Reconnected,
    /// Something else needs the user, such as a reminder that is due.
    Alerted(Box<Alert>),
}

/// A conversation that outlives its connections.
pub(crate) struct ClientConversation {
    client: Client,
    socket: Socket,
    pub(crate) session: SessionView,
    last_seq: u64,
    turn: Option<(TurnId, TextSoFar)>,
    unread: VecDeque<ServerMessage>,
    /// The alerts that were shown, if they are followed.
    alerts: Option<AlertFeed>,
    /// Alerts that are not handed out yet.
    raised: VecDeque<Alert>,
}

/// A session by its id, or by its name.
fn session_ref(text: &str) -> Result<SessionRef, CommandError> {
    if let Ok(id) = text.parse::<SessionId>() {
        return Ok(id.into());
    }
    let name = text.parse().map_err(|error| CommandError::Usage(format!("--session: {error}")))?;
    Ok(SessionRef { session_id: None, conversation_id: Some(name) })
}

impl ClientConversation {
    /// Opens the named conversation, or a new one without a name, which may be temporary.
    pub(crate) async fn open(client: Client, name: Option<&str>, temporary: bool) -> Result<Self, CommandError> {
        let session = name.map(session_ref).transpose()?;
        let mut socket = Socket::connect(&client).await?;
        let mut unread = VecDeque::new();
        let start = match session {
            Some(session) => ClientBody::SessionResume(SessionResume { session, ..SessionResume::default() }),
            None => ClientBody::SessionStart(SessionStart { temporary, ..SessionStart::default() }),
        };
        let asked = request(&mut socket, &mut unread, &start).await;
        let session: SessionView = asked.map_err(|ConnectionClosed| client.unreachable())??;
        Ok(Self { client, socket, last_seq: 0, session, turn: None, unread, alerts: None, raised: VecDeque::new() })
    }

    /// Hands out the owner's alerts that are raised from now on, of all sessions.
    pub(crate) async fn follow_alerts(&mut self) -> Result<(), CommandError> {
        let page: AlertPage = self.ask(&FOLLOW).await?;
        self.raised.extend(self.alerts.get_or_insert_default().begun(page, &self.unread));
        Ok(())
    }

    /// The server behind the conversation.
    pub(crate) const fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) const fn id(&self) -> SessionId {
        self.session.session_id
    }

    /// Sends a message. The idempotency key makes it safe to send it again if the connection breaks
    /// meanwhile.
    pub(crate) async fn send(&mut self, mut send: ChatSend) -> Result<TurnAccepted, CommandError> {
        send.idempotency_key = Some(idempotency_key());
        let body = ClientBody::ChatSend(Box::new(SessionSend { session: self.id().into(), send }));
        let accepted: TurnAccepted = self.ask(&body).await?;
        self.turn = Some((accepted.turn_id, TextSoFar::default()));
        Ok(accepted)
    }

    /// Repeats a turn's request in a new turn.
    pub(crate) async fn retry(&mut self, turn_id: TurnId) -> Result<TurnAccepted, CommandError> {
        let accepted: TurnAccepted = self.ask(&ClientBody::TurnRetry(TurnRef { turn_id })).await?;
        self.turn = Some((accepted.turn_id, TextSoFar::default()));
        Ok(accepted)
    }

    /// Watches a turn that another client has started.
    pub(crate) fn watch(&mut self, turn_id: TurnId) {
        self.turn = Some((turn_id, TextSoFar::default()));
    }

    /// Cancels all open turns.
    pub(crate) async fn cancel(&mut self) -> Result<(), CommandError> {
        let cancel =
            Cancel { session: self.id().into(), turn_id: None, reason: Some("cancelled by the user".to_owned()) };
        self.ask::<serde_json::Value>(&ClientBody::AgentCancel(cancel)).await.map(drop)
    }

    /// Ends the session.
    pub(crate) async fn end(&mut self) -> Result<(), CommandError> {
        let end = SessionEnd { session: self.id().into(), reason: None, version: None };
        self.ask::<serde_json::Value>(&ClientBody::SessionEnd(end)).await.map(drop)
    }

    /// Whether the watched turn waits until a client resumes it.
    pub(crate) async fn stays_interrupted(&self) -> Result<bool, CommandError> {
        let Some((turn_id, _)) = &self.turn else { return Ok(true) };
        let turn: TurnView = self.client.get(&format!("/turns/{turn_id}")).await?;
        Ok(turn.status == TurnStatus::Interrupted)
    }

    /// Keeps the connection alive while no request is made, and returns the next alert if they are
    /// followed. A lost connection is replaced.
    pub(crate) async fn attend(&mut self) -> Alert {
        loop {
            if let Some(alert) = self.raised.pop_front() {
                return alert;
            }
            let message = match self.unread.pop_front() {
                Some(message) => Ok(message),
                None => self.socket.next().await,
            };
            match message {
                // Only events after the next message are shown.
                Ok(message) => {
                    if let Some(ConversationUpdate::Alerted(alert)) = self.take(message) {
                        return *alert;
                    }
                }
                Err(ConnectionClosed) => self.reconnect_quietly().await,
            }
        }
    }

    /// Tries to reconnect until it succeeds. The next request reports what keeps failing.
    async fn reconnect_quietly(&mut self) {
        loop {
            self.client.find_again();
            if self.try_reconnect().await.is_ok() {
                return;
            }
            tokio::time::sleep(IDLE_PAUSE).await;
        }
    }

    /// The next update of the watched turn.
    pub(crate) async fn next(&mut self) -> Result<ConversationUpdate, CommandError> {
        loop {
            if let Some(alert) = self.raised.pop_front() {
                return Ok(ConversationUpdate::Alerted(Box::new(alert)));
            }
            let message = match self.unread.pop_front() {
                Some(message) => message,
                None => match self.socket.next().await {
                    Ok(message) => message,
                    Err(ConnectionClosed) => {
                        self.reconnect().await?;
                        return Ok(ConversationUpdate::Reconnected);
                    }
                },
            };
            if let Some(happening) = self.take(message) {
                return Ok(happening);
            }
        }
    }

    fn take(&mut self, message: ServerMessage) -> Option<ConversationUpdate> {
        match message {
            ServerMessage::Event(event) if event.session_id == self.id() && event.seq > self.last_seq => {
                self.last_seq = event.seq;
                self.take_event(&event)
            }
            ServerMessage::Live(LiveUpdate::Text(live)) => {
                let (turn_id, text) = self.turn.as_mut()?;
                let fresh = if *turn_id == live.turn_id { text.add(&live.data) } else { String::new() };
                (!fresh.is_empty()).then_some(ConversationUpdate::Text(fresh))
            }
            message => {
                let alert = self.alerts.as_mut()?.raised(&message)?;
                // The user is asked about the calls of this session anyway.
                let is_asked = alert.kind == AlertKind::ApprovalWaiting && alert.session_id == self.id();
                (!is_asked).then(|| ConversationUpdate::Alerted(Box::new(alert)))
            }
        }
    }

    fn take_event(&mut self, event: &Event) -> Option<ConversationUpdate> {
        let (turn_id, text) = self.turn.as_mut()?;
        if event.turn_id != Some(*turn_id) {
            return None;
        }
        match &event.body {
            Body::MessageQueued(queued) => Some(ConversationUpdate::Queued(queued.position)),
            Body::Step(step) => Some(ConversationUpdate::Step(step.clone())),
            Body::Text(range) => Some(text.add(range)).filter(|fresh| !fresh.is_empty()).map(ConversationUpdate::Text),
            Body::ResearchChunk(chunk) => researched(chunk).map(ConversationUpdate::Researched),
            Body::Final(response) if !response.citations.is_empty() || !response.notices.is_empty() => {
                let (citations, notices) = (response.citations.clone(), response.notices.clone());
                Some(ConversationUpdate::Answered { citations, notices })
            }
            Body::ApprovalRequested(request) => Some(ConversationUpdate::Asked(Box::new(request.clone()))),
            Body::TurnStatus(change) if change.status == Transition::Resumed => {
                text.cut(change.text_offset.unwrap_or(0));
                // With a reason, an answer resumed the turn, not a restart.
                change.reason.is_none().then_some(ConversationUpdate::Resumed)
            }
            Body::TurnStatus(change) => Some(ConversationUpdate::Ended(Box::new(change.clone()))),
            _ => None,
        }
    }

    async fn ask<T: DeserializeOwned>(&mut self, body: &ClientBody) -> Result<T, CommandError> {
        loop {
            match request(&mut self.socket, &mut self.unread, body).await {
                Ok(answer) => return answer,
                Err(ConnectionClosed) => self.reconnect().await?,
            }
        }
    }

    async fn reconnect(&mut self) -> Result<(), CommandError> {
        let give_up = Instant::now() + RECONNECT_MAX;
        loop {
            self.client.find_again();
            match self.try_reconnect().await {
                Err(CommandError::Unreachable(_)) if Instant::now() < give_up => {
                    tokio::time::sleep(RECONNECT_PAUSE).await
                }
                done => return done,
            }
        }
    }

    async fn try_reconnect(&mut self) -> Result<(), CommandError> {
        let mut socket = Socket::connect(&self.client).await?;
        let mut unread = VecDeque::new();
        let resume = ClientBody::SessionResume(SessionResume {
            session: self.id().into(),
            after: Some(self.last_seq),
            ..SessionResume::default()
        });
        let resumed = request(&mut socket, &mut unread, &resume).await;
        let session: SessionView = resumed.map_err(|ConnectionClosed| self.client.unreachable())??;
        if let Some(feed) = &mut self.alerts {
            let listed = request(&mut socket, &mut unread, &FOLLOW).await;
            let page: AlertPage = listed.map_err(|ConnectionClosed| self.client.unreachable())??;
            self.raised.extend(feed.begun(page, &unread));
        }
        // Replaced only now: an attempt that is given up halfway must not leave a connection that
        // does not follow the session.
        self.socket = socket;
        self.session = session;
        self.unread.extend(unread);
        Ok(())
    }
}

/// Sends a message and waits for its answer; other messages are kept for later.
pub(super) async fn request<T: DeserializeOwned>(
    socket: &mut Socket,
    unread: &mut VecDeque<ServerMessage>,
    body: &ClientBody,
) -> Result<Result<T, CommandError>, ConnectionClosed> {
    let id = socket.send(body).await?;
    loop {
        match socket.next().await? {
            ServerMessage::Answer(ServerAnswer::Ok { re, data }) if re == id => {
                let read = serde_json::from_value(data);
                return Ok(read.map_err(|error| CommandError::Failed(anyhow::Error::from(error))));
            }
            ServerMessage::Answer(ServerAnswer::Error { re, data }) if re.as_ref() == Some(&id) => {
                return Ok(Err(data.into()));
            }
            other => unread.push_back(other),
        }
    }
}

/// A unique key for each message. It is not a secret; it only has to differ.
#[allow(clippy::disallowed_methods, reason = "an idempotency key is no secret")]
fn idempotency_key() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// A line about a source that was read or could not be read. Sources that were only found get none.
fn researched(chunk: &ResearchChunk) -> Option<String> {
    let ResearchChunk { status, title, source, reason, .. } = chunk;
    match status {
        ChunkStatus::Found => None,
        ChunkStatus::Read => Some(format!("read {title} ({source})")),
        ChunkStatus::Failed => {
            Some(format!("could not read {source}: {}", reason.as_deref().unwrap_or("no reason given")))
        }
    }
}
