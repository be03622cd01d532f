//! A conversation that outlives its connections: it reconnects by itself and misses nothing.

use std::{collections::VecDeque, convert::Infallible, time::Duration};

use protocol::{
    Accepted, Answer, ApprovalRequest, Body, Cancel, ChatSend, ChunkStatus, Citation, ClientBody, End, Event, Live,
    ResearchChunk, Resume, ServerMessage, SessionId, SessionRef, SessionSend, SessionView, Start, StatusChanged, Step,
    Transition, TurnId, TurnRef, TurnStatus, TurnView,
};
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::{
    Client,
    socket::{Gone, Socket},
    text::TextSoFar,
};
use crate::failure::Failure;

/// How long to try to reach a server that has gone.
const RECONNECT_MAX: Duration = Duration::from_secs(60);
const RECONNECT_PAUSE: Duration = Duration::from_millis(250);

/// What a person should see.
#[derive(Debug)]
pub(crate) enum Happening {
    /// The turn waits in line.
    Queued(u32),
    /// Something happened inside the turn.
    Step(Step),
    /// A source was read, or was not.
    Researched(String),
    /// The answer is whole.
    Answered {
        /// The sources it rests on.
        citations: Vec<Citation>,
        /// What the asker should know of how it was made.
        notices: Vec<String>,
    },
    /// A person has to say whether a call may run.
    Asked(Box<ApprovalRequest>),
    /// More of the answer.
    Text(String),
    /// The turn goes on after an interruption.
    Resumed,
    /// The turn has ended or needs somebody.
    Ended(Box<StatusChanged>),
    /// The connection was lost and is back.
    Reconnected,
}

/// A conversation that outlives its connections.
pub(crate) struct Conversation {
    client: Client,
    socket: Socket,
    pub(crate) session: SessionView,
    last_seq: u64,
    turn: Option<(TurnId, TextSoFar)>,
    unread: VecDeque<ServerMessage>,
}

impl Conversation {
    /// Opens the named conversation, or a new one without a name, which may be a temporary one.
    pub(crate) async fn open(client: Client, name: Option<&str>, temporary: bool) -> Result<Self, Failure> {
        let name = name.map(str::parse).transpose().map_err(|error| Failure::Usage(format!("--session: {error}")))?;
        let mut socket = Socket::connect(&client).await?;
        let mut unread = VecDeque::new();
        let start = match name {
            Some(name) => {
                let session = SessionRef { session_id: None, conversation_id: Some(name) };
                ClientBody::SessionResume(Resume { session, ..Resume::default() })
            }
            None => ClientBody::SessionStart(Start { temporary, ..Start::default() }),
        };
        let asked = request(&mut socket, &mut unread, &start).await;
        let session: SessionView = asked.map_err(|Gone| client.unreachable())??;
        Ok(Self { client, socket, last_seq: 0, session, turn: None, unread })
    }

    /// The server behind the conversation.
    pub(crate) const fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) const fn id(&self) -> SessionId {
        self.session.session_id
    }

    /// Says something. The key makes it harmless to say it again when the connection breaks in between.
    pub(crate) async fn send(&mut self, mut send: ChatSend) -> Result<Accepted, Failure> {
        send.idempotency_key = Some(idempotency_key());
        let body = ClientBody::ChatSend(Box::new(SessionSend { session: self.id().into(), send }));
        let accepted: Accepted = self.ask(&body).await?;
        self.turn = Some((accepted.turn_id, TextSoFar::default()));
        Ok(accepted)
    }

    /// Asks the same again.
    pub(crate) async fn retry(&mut self, turn_id: TurnId) -> Result<Accepted, Failure> {
        let accepted: Accepted = self.ask(&ClientBody::TurnRetry(TurnRef { turn_id })).await?;
        self.turn = Some((accepted.turn_id, TextSoFar::default()));
        Ok(accepted)
    }

    /// Watches a turn that somebody else has started.
    pub(crate) fn watch(&mut self, turn_id: TurnId) {
        self.turn = Some((turn_id, TextSoFar::default()));
    }

    /// Cancels what is open.
    pub(crate) async fn cancel(&mut self) -> Result<(), Failure> {
        let cancel =
            Cancel { session: self.id().into(), turn_id: None, reason: Some("cancelled by the user".to_owned()) };
        self.ask::<serde_json::Value>(&ClientBody::AgentCancel(cancel)).await.map(drop)
    }

    /// Ends the session.
    pub(crate) async fn end(&mut self) -> Result<(), Failure> {
        let end = End { session: self.id().into(), reason: None, version: None };
        self.ask::<serde_json::Value>(&ClientBody::SessionEnd(end)).await.map(drop)
    }

    /// Whether the turn that is watched waits for somebody to resume it.
    pub(crate) async fn stays_interrupted(&self) -> Result<bool, Failure> {
        let Some((turn_id, _)) = &self.turn else { return Ok(true) };
        let turn: TurnView = self.client.get(&format!("/turns/{turn_id}")).await?;
        Ok(turn.status == TurnStatus::Interrupted)
    }

    /// Keeps the connection alive while nothing is asked for: pings are answered by reading. A connection that is lost is
    /// replaced by the next request.
    pub(crate) async fn attend(&mut self) -> Infallible {
        while let Ok(message) = self.socket.next().await {
            // Only what happens after the next message is shown.
            drop(self.take(message));
        }
        std::future::pending().await
    }

    /// What happens next in the turn that is watched.
    pub(crate) async fn next(&mut self) -> Result<Happening, Failure> {
        loop {
            let message = match self.unread.pop_front() {
                Some(message) => message,
                None => match self.socket.next().await {
                    Ok(message) => message,
                    Err(Gone) => {
                        self.reconnect().await?;
                        return Ok(Happening::Reconnected);
                    }
                },
            };
            if let Some(happening) = self.take(message) {
                return Ok(happening);
            }
        }
    }

    fn take(&mut self, message: ServerMessage) -> Option<Happening> {
        match message {
            ServerMessage::Event(event) if event.session_id == self.id() && event.seq > self.last_seq => {
                self.last_seq = event.seq;
                self.take_event(&event)
            }
            ServerMessage::Live(Live::Text(live)) => {
                let (turn_id, text) = self.turn.as_mut()?;
                let fresh = if *turn_id == live.turn_id { text.add(&live.data) } else { String::new() };
                (!fresh.is_empty()).then_some(Happening::Text(fresh))
            }
            _ => None,
        }
    }

    fn take_event(&mut self, event: &Event) -> Option<Happening> {
        let (turn_id, text) = self.turn.as_mut()?;
        if event.turn_id != Some(*turn_id) {
            return None;
        }
        match &event.body {
            Body::MessageQueued(queued) => Some(Happening::Queued(queued.position)),
            Body::Step(step) => Some(Happening::Step(step.clone())),
            Body::Text(range) => Some(text.add(range)).filter(|fresh| !fresh.is_empty()).map(Happening::Text),
            Body::ResearchChunk(chunk) => researched(chunk).map(Happening::Researched),
            Body::Final(response) if !response.citations.is_empty() || !response.notices.is_empty() => {
                let (citations, notices) = (response.citations.clone(), response.notices.clone());
                Some(Happening::Answered { citations, notices })
            }
            Body::ApprovalRequested(request) => Some(Happening::Asked(Box::new(request.clone()))),
            Body::TurnStatus(change) if change.status == Transition::Resumed => {
                text.cut(change.text_offset.unwrap_or(0));
                // With a reason it is an answer that lets it go on, not a restart.
                change.reason.is_none().then_some(Happening::Resumed)
            }
            Body::TurnStatus(change) => Some(Happening::Ended(Box::new(change.clone()))),
            _ => None,
        }
    }

    async fn ask<T: DeserializeOwned>(&mut self, body: &ClientBody) -> Result<T, Failure> {
        loop {
            match request(&mut self.socket, &mut self.unread, body).await {
                Ok(answer) => return answer,
                Err(Gone) => self.reconnect().await?,
            }
        }
    }

    async fn reconnect(&mut self) -> Result<(), Failure> {
        let give_up = Instant::now() + RECONNECT_MAX;
        loop {
            self.client.find_again();
            match self.try_reconnect().await {
                Err(Failure::Unreachable(_)) if Instant::now() < give_up => tokio::time::sleep(RECONNECT_PAUSE).await,
                done => return done,
            }
        }
    }

    async fn try_reconnect(&mut self) -> Result<(), Failure> {
        self.socket = Socket::connect(&self.client).await?;
        let resume = ClientBody::SessionResume(Resume {
            session: self.id().into(),
            after: Some(self.last_seq),
            ..Resume::default()
        });
        let resumed = request(&mut self.socket, &mut self.unread, &resume).await;
        self.session = resumed.map_err(|Gone| self.client.unreachable())??;
        Ok(())
    }
}

/// Sends a message and waits for its answer; what else comes in is kept for later.
async fn request<T: DeserializeOwned>(
    socket: &mut Socket,
    unread: &mut VecDeque<ServerMessage>,
    body: &ClientBody,
) -> Result<Result<T, Failure>, Gone> {
    let id = socket.send(body).await?;
    loop {
        match socket.next().await? {
            ServerMessage::Answer(Answer::Ok { re, data }) if re == id => {
                let read = serde_json::from_value(data);
                return Ok(read.map_err(|error| Failure::Failed(anyhow::Error::from(error))));
            }
            ServerMessage::Answer(Answer::Error { re, data }) if re.as_ref() == Some(&id) => {
                return Ok(Err(data.into()));
            }
            other => unread.push_back(other),
        }
    }
}

/// A key of its own for each message. It opens nothing; it only has to differ.
#[allow(clippy::disallowed_methods, reason = "an idempotency key is no secret")]
fn idempotency_key() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// What became of a source, in a line; that it was found is not worth one.
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
