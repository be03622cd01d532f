//! One connection: a reader that reads and hands on, and never waits for a turn.

use axum::extract::ws::{Message, WebSocket, close_code};
use futures::{StreamExt, stream::SplitStream};
use protocol::{
    Answer, ClientEnvelope, Code, ConnectionId, Notice, NoticeBody, OwnerId, Problem, RequestId, ServerMessage,
    SessionId, WayIn,
};
use serde_json::Value;
use tokio::{task::JoinSet, time::MissedTickBehavior};

use super::{
    dispatch::{self, Outcome},
    followers::Followers,
    home::HomeFollower,
    outbox::{Gone, Outbox},
};
use crate::{access::Pass, app::App, rest::parse};

/// Answers that may take a while at once; beyond it, they are refused.
const LATER_MAX: usize = 64;

/// Pings in a row without a sign of life after which a client counts as gone.
const SILENCES_MAX: u32 = 2;

/// Whether a client is there: any frame of it says so.
#[derive(Default)]
struct Pulse {
    silences: u32,
}

impl Pulse {
    /// A frame has come.
    const fn heard(&mut self) {
        self.silences = 0;
    }

    /// Whether it may be asked once more; said at every ping.
    const fn is_there(&mut self) -> bool {
        let is_there = self.silences < SILENCES_MAX;
        self.silences += 1;
        is_there
    }
}

/// One connection of an owner.
pub(super) struct Connection {
    pub(super) app: App,
    pub(super) owner: OwnerId,
    pass: Pass,
    /// The way by which all its messages come in.
    pub(super) way: WayIn,
    pub(super) id: ConnectionId,
    pub(super) outbox: Outbox,
    pub(super) followers: Followers,
    pub(super) home: HomeFollower,
    /// Answers that take a while.
    later: JoinSet<()>,
}

impl Connection {
    /// Serves a connection until it ends. The turns it started go on without it.
    pub(super) async fn run(app: App, pass: Pass, way: WayIn, socket: WebSocket) {
        let (sink, stream) = socket.split();
        let outbox = Outbox::open(sink);
        let mut connection = Self {
            id: ConnectionId::new(app.hub.ulid()),
            followers: Followers::new(app.clone(), outbox.clone()),
            home: HomeFollower::default(),
            later: JoinSet::new(),
            outbox,
            owner: pass.owner.clone(),
            pass,
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
        let (stopping, outbox, mut pass) = (self.app.stopping.clone(), self.outbox.clone(), self.pass.clone());
        let mut pulse = Pulse::default();
        let mut ticks = tokio::time::interval(self.app.limits.ping);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first one comes at once, before there was time to say anything.
        ticks.tick().await;
        loop {
            let message = tokio::select! {
                biased;
                () = pass.ended() => return self.turn_out().await,
                () = stopping.cancelled() => {
                    self.outbox.close(close_code::AWAY, "the server is stopping").await;
                    return;
                }
                // Who was cut off for reading too slowly has to notice: both directions end together.
                () = outbox.closed() => return,
                // What has come is looked at before it is missed.
                message = stream.next() => message,
                _ = ticks.tick() => {
                    if !pulse.is_there() {
                        tracing::debug!(owner = %self.owner, "a client has answered no ping, and is gone");
                        self.outbox.give_up(close_code::AWAY, "no answer to pings");
                        return;
                    }
                    self.outbox.ping();
                    continue;
                }
            };
            pulse.heard();
            self.app.tokens.look();
            if !self.pass.is_good() {
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

    /// Ends the connection of somebody whose token has ended. What they followed goes first, so that nothing more goes out.
    async fn turn_out(&mut self) {
        self.followers.clear();
        self.home.end().await;
        self.later.abort_all();
        self.outbox.close(close_code::POLICY, "the token is no longer valid").await;
    }

    /// Takes a message and answers it, once.
    async fn take(&mut self, text: &[u8]) -> Result<(), Gone> {
        let (re, outcome) = match read_envelope(text, self.app.limits.json_depth_max) {
            Ok(envelope) => {
                let re = envelope.id.clone();
                let outcome = match self.app.rate.check(&self.owner) {
                    Ok(()) => dispatch::dispatch(self, &envelope).await,
                    Err(problem) => Outcome::Now(Err(problem)),
                };
                (re, outcome)
            }
            Err(problem) => (find_id(text), Outcome::Now(Err(problem))),
        };
        let outbox = self.outbox.clone();
        match outcome {
            Outcome::Now(outcome) => reply(&outbox, re, outcome).await,
            Outcome::Home(view, news) => {
                reply(&outbox, re, Ok(view)).await?;
                self.home.begin(self.app.clone(), outbox, news).await;
                Ok(())
            }
            Outcome::Later(outcome) => {
                while self.later.try_join_next().is_some() {}
                if self.later.len() >= LATER_MAX {
                    let message = format!("{LATER_MAX} messages of this connection are waited for already");
                    let problem =
                        Problem::new(Code::RateLimited, message, "Send it again when one of them is answered.");
                    return reply(&outbox, re, Err(problem)).await;
                }
                self.later.spawn(async move { drop(reply(&outbox, re, outcome.await).await) });
                Ok(())
            }
        }
    }

    pub(super) async fn notice(&self, session_id: Option<SessionId>, body: NoticeBody) -> Result<(), Gone> {
        notice(&self.app, &self.outbox, session_id, body).await
    }
}

/// Tells something that is not numbered.
pub(super) async fn notice(
    app: &App,
    outbox: &Outbox,
    session_id: Option<SessionId>,
    body: NoticeBody,
) -> Result<(), Gone> {
    let notice = Notice { session_id, at: app.hub.now(), body };
    outbox.send(&ServerMessage::Notice(notice)).await
}

async fn reply(outbox: &Outbox, re: Option<RequestId>, outcome: Result<Value, Problem>) -> Result<(), Gone> {
    let answer = match (outcome, re) {
        (Ok(_), None) => return Ok(()),
        (Ok(data), Some(re)) => Answer::Ok { re, data },
        (Err(data), re) => Answer::Error { re, data },
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

/// The id of a message that is wrong otherwise, so that the error finds its request.
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
        let mut pulse = Pulse::default();
        assert!(pulse.is_there() && pulse.is_there() && !pulse.is_there());
        pulse.heard();
        assert!(pulse.is_there());
        pulse.heard();
        assert!(pulse.is_there() && pulse.is_there() && !pulse.is_there());
    }
}
