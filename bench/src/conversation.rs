//! A conversation over the WebSocket, with timing.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use testkit::{RunningServer, Socket};

/// A session and the connection that follows it.
pub(crate) struct BenchConversation {
    socket: Socket,
    session_id: Value,
    sent: u64,
}

/// The times of an ended turn, since its message was sent.
pub(crate) struct TurnTimes {
    pub(crate) status: String,
    /// Until the first text.
    pub(crate) first: Duration,
    /// Until the event of its end.
    pub(crate) total: Duration,
}

impl BenchConversation {
    pub(crate) async fn start(running: &RunningServer) -> Result<Self> {
        Self::over(running.socket().await).await
    }

    /// One of the owner of this token.
    pub(crate) async fn start_as(running: &RunningServer, token: &str) -> Result<Self> {
        Self::over(running.socket_as(token).await).await
    }

    async fn over(mut socket: Socket) -> Result<Self> {
        let session = socket.ask("session.start", json!({})).await;
        let session = session.map_err(|problem| anyhow::anyhow!("failed to start a session: {problem}"))?;
        Ok(Self { socket, session_id: session["session_id"].clone(), sent: 0 })
    }

    pub(crate) const fn session_id(&self) -> &Value {
        &self.session_id
    }

    /// Sends a message and waits for the end of the answer.
    pub(crate) async fn say(&mut self, message: &str) -> Result<TurnTimes> {
        let sent_at = Instant::now();
        self.send(message).await;
        let mut first = None;
        loop {
            let event = self.hear().await?;
            if event["type"] == "chat.token" {
                first.get_or_insert_with(|| sent_at.elapsed());
            }
            if let Some(status) = ending(&event) {
                let first = first.context("the turn ended without text")?;
                return Ok(TurnTimes { status, first, total: sent_at.elapsed() });
            }
        }
    }

    /// Sends a message and waits until this many parts of the answer have arrived; returns the
    /// turn's id.
    pub(crate) async fn begin(&mut self, message: &str, pieces: usize) -> Result<Value> {
        self.send(message).await;
        let mut heard_so_far = 0;
        loop {
            let event = self.hear().await?;
            if let Some(status) = ending(&event) {
                bail!("failed to catch the turn: it has {status} already");
            }
            if event["type"] == "chat.token" {
                heard_so_far += 1;
                if heard_so_far == pieces {
                    return Ok(event["turn_id"].clone());
                }
            }
        }
    }

    /// Waits for the turn to end; returns its status.
    pub(crate) async fn ended(&mut self) -> Result<String> {
        loop {
            if let Some(status) = ending(&self.hear().await?) {
                return Ok(status);
            }
        }
    }

    async fn send(&mut self, message: &str) {
        self.sent += 1;
        let key = format!("key-{}", self.sent);
        let data = json!({ "session_id": self.session_id, "message": message, "idempotency_key": key });
        self.socket.send_text(&json!({ "type": "chat.send", "id": self.sent, "data": data }).to_string()).await;
    }

    async fn hear(&mut self) -> Result<Value> {
        let event = self.socket.next().await;
        ensure!(event["type"] != "error", "failed to take a turn: {}", event["data"]);
        Ok(event)
    }
}

/// The final status of a turn, if the event contains it.
fn ending(event: &Value) -> Option<String> {
    let status = event["data"]["status"].as_str().filter(|_| event["type"] == "turn.status")?;
    ["completed", "failed", "cancelled", "expired"].contains(&status).then(|| status.to_owned())
}
