//! One connection: a reader that dispatches messages and never waits for a turn.

use axum::extract::ws::{Message, WebSocket, close_code};
use futures::{StreamExt, stream::SplitStream};
use protocol::{
    ClientEnvelope, Code, ConnectionId, MessageTrust, Notice, NoticeBody, OwnerId, Problem, RequestId, ServerAnswer,
    ServerMessage, SessionId,
};
use serde_json::Value;
use tokio::{task::JoinSet, time::MissedTickBehavior};
use tokio_util::task::AbortOnDropHandle;

use super::{
    dispatch::{self, DispatchOutcome},
    followers::Followers,
    home::HomeFollower,
    outbox::{ConnectionClosed, Outbox},
    tool_worker::WorkerTask,
};
use crate::{access::AccessGrant, app::AppState, rest::parse};

/// Most slow requests at the same time; more are refused.
const LATER_MAX: usize = 64;

/// Unanswered pings in a row after which a client counts as gone.
const SILENCES_MAX: u32 = 2;

/// Tracks whether a client is alive: any frame counts.
#[derive(Default)]
struct Heartbeat {
    silences: u32,
}

impl Heartbeat {
    /// A frame has arrived.
    const fn frame_received(&mut self) {
        self.silences = 0;
    }

    /// Whether the client still counts as alive; called at every ping.
    const fn is_there(&mut self) -> bool {
        let is_there = self.silences < SILENCES_MAX;
        self.silences += 1;
        is_there
    }
}

/// One connection of an owner.
pub(super) struct WebSocketConnection {
    pub(super) app: AppState,
    pub(super) owner: OwnerId,
    pub(super) grant: AccessGrant,
    /// The trust of all its messages.
    pub(super) way: MessageTrust,
    pub(super) id: ConnectionId,
    pub(super) outbox: Outbox,
    pub(super) followers: Followers,
    pub(super) home: HomeFollower,
    /// Sends alerts while it is followed.
    pub(super) alerts: Option<AbortOnDropHandle<()>>,
    tool_worker: WorkerTask,
    /// Slow requests.
    later: JoinSet<()>,
}

impl WebSocketConnection {
    /// Serves a connection until it ends. The turns that it started continue.
    pub(super) async fn run(app: AppState, grant: AccessGrant, way: MessageTrust, socket: WebSocket) {
        let (sink, stream) = socket.split();
        let outbox = Outbox::open(sink);
        let mut connection = Self {
            id: ConnectionId::new(app.hub.ulid()),
            followers: Followers::new(app.clone(), outbox.clone()),
            home: HomeFollower::default(),
            alerts: None,
            tool_worker: WorkerTask::default(),
            later: JoinSet::new(),
            outbox,
            owner: grant.owner.clone(),
            grant,
            way,
            app,
        };
        let status = NoticeBody::ConnectionStatus {
            status: "connected".to_owned(),
            model: connection.app.hub.model_name(None),
            connection_id: connection.id,
        };
        if connection.notice(None, status).await.is_ok() {
            connection.read(stream).await;
        }
    }

    async fn read(&mut self, mut stream: SplitStream<WebSocket>) {
        let (stopping, outbox, mut grant) = (self.app.stopping.clone(), self.outbox.clone(), self.grant.clone());
        let mut heartbeat = Heartbeat::default();
        let mut ticks = tokio::time::interval(self.app.limits.ping);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick comes at once.
        ticks.tick().await;
        loop {
            let message = tokio::select! {
                biased;
                () = grant.ended() => return self.turn_out().await,
                () = stopping.cancelled() => {
                    self.outbox.close(close_code::AWAY, "the server is stopping").await;
                    return;
                }
                // A client that is disconnected for reading too slowly has to notice, so both
                // directions end together.
                () = outbox.closed() => return,
                // Received frames are handled before the ping timer.
                message = stream.next() => message,
                _ = ticks.tick() => {
                    if !heartbeat.is_there() {
                        tracing::debug!(owner = %self.owner, "a client did not answer pings, and is disconnected");
                        self.outbox.give_up(close_code::AWAY, "no answer to pings");
                        return;
                    }
                    self.outbox.ping();
                    continue;
                }
            };
            heartbeat.frame_received();
            self.app.tokens.look();
            if !self.grant.is_good() {
                return self.turn_out().await;
            }
            let outcome = match message {
                None | Some(Ok(Message::Close(_))) => return,
                Some(Ok(Message::Text(text))) => self.take(text.as_bytes()).await,
                Some(Ok(Message::Binary(_))) => {
                    self.outbox.close(close_code::UNSUPPORTED, "messages are JSON text").await;
                    return;
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                Some(Err(error)) => {
                    tracing::debug!(%error, "a connection broke, or sent a message that is too large");
                    self.outbox.close(close_code::SIZE, "the message is too large or broken").await;
                    return;
                }
            };
            if outcome.is_err() {
                return;
            }
        }
    }

    /// Closes the connection after its token has ended. Its subscriptions end first, so that
    /// nothing more is sent.
    async fn turn_out(&mut self) {
        self.followers.clear();
        self.home.end().await;
        self.alerts = None;
        self.tool_worker.end().await;
        self.later.abort_all();
        if self.grant.is_moved() {
            self.outbox.close(close_code::RESTART, "another node serves this owner now; connect again").await;
        } else {
            self.outbox.close(close_code::POLICY, "the token is no longer valid").await;
        }
    }

    /// Handles a message and answers it once.
    async fn take(&mut self, text: &[u8]) -> Result<(), ConnectionClosed> {
        let (re, outcome) = match read_envelope(text, self.app.limits.json_depth_max) {
            Ok(envelope) => {
                let re = envelope.id.clone();
                let outcome = match self.app.rate.check(&self.owner) {
                    Ok(()) => dispatch::dispatch(self, &envelope).await,
                    Err(problem) => DispatchOutcome::Now(Err(problem)),
                };
                (re, outcome)
            }
            Err(problem) => (find_id(text), DispatchOutcome::Now(Err(problem))),
        };
        let outbox = self.outbox.clone();
        match outcome {
            DispatchOutcome::Now(outcome) => reply(&outbox, re, outcome).await,
            DispatchOutcome::Home(view, news) => {
                reply(&outbox, re, Ok(view)).await?;
                self.home.begin(self.app.clone(), outbox, news).await;
                Ok(())
            }
            DispatchOutcome::Serving(serving, feed) => {
                reply(&outbox, re, Ok(serving)).await?;
                self.tool_worker.begin(self.app.clone(), outbox, feed);
                Ok(())
            }
            DispatchOutcome::Later(outcome) => {
                while self.later.try_join_next().is_some() {}
                if self.later.len() >= LATER_MAX {
                    let message = format!("{LATER_MAX} slow messages of this connection are in progress");
                    let problem =
                        Problem::new(Code::RateLimited, message, "Send it again when one of them is answered.");
                    return reply(&outbox, re, Err(problem)).await;
                }
                let outcome = observe::scope_maybe(observe::current(), outcome);
                self.later.spawn(async move { drop(reply(&outbox, re, outcome.await).await) });
                Ok(())
            }
        }
    }

    pub(super) async fn notice(&self, session_id: Option<SessionId>, body: NoticeBody) -> Result<(), ConnectionClosed> {
        notice(&self.app, &self.outbox, session_id, body).await
    }
}

/// Sends a notice, which is not numbered.
pub(super) async fn notice(
    app: &AppState,
    outbox: &Outbox,
    session_id: Option<SessionId>,
    body: NoticeBody,
) -> Result<(), ConnectionClosed> {
    let notice = Notice { session_id, at: app.hub.now(), body };
    outbox.send(&ServerMessage::Notice(notice)).await
}

async fn reply(
    outbox: &Outbox,
    re: Option<RequestId>,
    outcome: Result<Value, Problem>,
) -> Result<(), ConnectionClosed> {
    let answer = match (outcome, re) {
        (Ok(_), None) => return Ok(()),
        (Ok(data), Some(re)) => ServerAnswer::Ok { re, data },
        (Err(data), re) => ServerAnswer::Error { re, data },
    };
    outbox.send(&ServerMessage::Answer(answer)).await
}

fn read_envelope(text: &[u8], depth_max: usize) -> Result<ClientEnvelope<'_>, Problem> {
    crate::rest::check_depth(text, depth_max)?;
    serde_json::from_slice(text).map_err(|error| {
        let hint = "Send `{\"type\": …, \"id\": …, \"data\": {…}}`.";
        Problem::new(Code::InvalidRequest, format!("the message is not an envelope: {error}"), hint)
    })
}

/// The id of an invalid message, so that the error can name its request.
fn find_id(text: &[u8]) -> Option<RequestId> {
    #[derive(serde::Deserialize)]
    struct OnlyId {
        id: Option<RequestId>,
    }
    parse::<OnlyId>(text, usize::MAX).ok()?.id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_silences_in_a_row_are_too_many() {
        let mut heartbeat = Heartbeat::default();
        assert!(heartbeat.is_there() && heartbeat.is_there() && !heartbeat.is_there());
        heartbeat.frame_received();
        assert!(heartbeat.is_there());
        heartbeat.frame_received();
        assert!(heartbeat.is_there() && heartbeat.is_there() && !heartbeat.is_there());
    }
}
