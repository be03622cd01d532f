//! A conversation over the WebSocket, with a look at the clock.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use testkit::{Running, Socket};

/// A session and the connection that follows it.
pub(crate) struct Conversation {
    socket: Socket,
    session_id: Value,
    sent: u64,
}

/// A turn that has ended, and when things came since it was sent.
pub(crate) struct Turn {
    pub(crate) status: String,
    /// The first text.
    pub(crate) first: Duration,
    /// The news that it has ended.
    pub(crate) total: Duration,
}

impl Conversation {
    pub(crate) async fn start(running: &Running) -> Result<Self> {
        let mut socket = running.socket().await;
        let session = socket.ask("session.start", json!({})).await;
        let session = session.map_err(|problem| anyhow::anyhow!("failed to start a session: {problem}"))?;
        Ok(Self { socket, session_id: session["session_id"].clone(), sent: 0 })
    }

    pub(crate) const fn session_id(&self) -> &Value {
        &self.session_id
    }

    /// Says something and waits for the end of the answer.
    pub(crate) async fn say(&mut self, message: &str) -> Result<Turn> {
        let sent_at = Instant::now();
        self.send(message).await;
        let mut first = None;
        loop {
            let heard = self.hear().await?;
            if heard["type"] == "chat.token" {
                first.get_or_insert_with(|| sent_at.elapsed());
            }
            if let Some(status) = ending(&heard) {
                let first = first.context("failed to hear a text before the end of the turn")?;
                return Ok(Turn { status, first, total: sent_at.elapsed() });
            }
        }
    }

    /// Says something and waits until so many pieces of the answer have come; gives the turn's id.
    pub(crate) async fn begin(&mut self, message: &str, pieces: usize) -> Result<Value> {
        self.send(message).await;
        let mut heard_so_far = 0;
        loop {
            let heard = self.hear().await?;
            if let Some(status) = ending(&heard) {
                bail!("failed to catch the turn: it has {status} already");
            }
            if heard["type"] == "chat.token" {
                heard_so_far += 1;
                if heard_so_far == pieces {
                    return Ok(heard["turn_id"].clone());
                }
            }
        }
    }

    /// Waits for the turn to end; gives its status.
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
        let heard = self.socket.next().await;
        ensure!(heard["type"] != "error", "failed to take a turn: {}", heard["data"]);
        Ok(heard)
    }
}

/// The status with which a turn ends, if this is that news.
fn ending(heard: &Value) -> Option<String> {
    let status = heard["data"]["status"].as_str().filter(|_| heard["type"] == "turn.status")?;
    ["completed", "failed", "cancelled", "expired"].contains(&status).then(|| status.to_owned())
}
