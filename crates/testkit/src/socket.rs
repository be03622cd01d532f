//! A client of the WebSocket that sees what any client sees.

use std::{collections::VecDeque, time::Duration};

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{self, Message, client::IntoClientRequest, http::HeaderMap},
};

/// How long a test waits for a message.
const PATIENCE: Duration = Duration::from_secs(30);

/// A WebSocket.
pub struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    unread: VecDeque<Value>,
    last_id: u64,
}

impl Socket {
    /// Connects with a token in the header.
    pub async fn connect(url: &str, token: &str) -> Self {
        let authorization = format!("Bearer {token}");
        Self::connect_with(url, "", &[("authorization", &authorization)]).await.expect("a WebSocket").0
    }

    /// Connects with these headers; returns the headers of the response too.
    pub async fn connect_with(
        url: &str,
        query: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<(Self, HeaderMap), tungstenite::Error> {
        let address = format!("{}/ws{query}", url.replacen("http", "ws", 1));
        let mut request = address.into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().expect("a header"));
        }
        let (stream, response) = connect_async(request).await?;
        Ok((Self { stream, unread: VecDeque::new(), last_id: 0 }, response.headers().clone()))
    }

    /// Sends text as it is.
    pub async fn send_text(&mut self, text: &str) {
        self.stream.send(Message::text(text)).await.expect("the connection is open");
    }

    /// Sends text to a server that may be gone; returns whether it was sent.
    pub async fn try_send_text(&mut self, text: &str) -> bool {
        self.stream.send(Message::text(text)).await.is_ok()
    }

    /// Sends a message; returns the data of its answer or of the error. Other messages are kept.
    pub async fn ask(&mut self, kind: &str, data: Value) -> Result<Value, Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send_text(&json!({ "type": kind, "id": id, "data": data }).to_string()).await;
        let mut later = VecDeque::new();
        loop {
            let message = self.next().await;
            if message["re"] == id {
                later.append(&mut self.unread);
                self.unread = later;
                let data = message["data"].clone();
                return if message["type"] == "ok" { Ok(data) } else { Err(data) };
            }
            later.push_back(message);
        }
    }

    /// The next message, unless the connection ends.
    pub async fn try_next(&mut self) -> Option<Value> {
        if let Some(message) = self.unread.pop_front() {
            return Some(message);
        }
        loop {
            match tokio::time::timeout(PATIENCE, self.stream.next()).await.expect("no message in time")? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).expect("a message is JSON")),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next message.
    pub async fn next(&mut self) -> Value {
        self.try_next().await.expect("the connection is open")
    }

    /// All messages up to and including the first that meets the condition.
    pub async fn until(&mut self, is_last: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut messages = Vec::new();
        loop {
            let message = self.next().await;
            let done = is_last(&message);
            messages.push(message);
            if done {
                return messages;
            }
        }
    }

    /// All messages up to the end of a turn.
    pub async fn until_end_of(&mut self, turn_id: &Value) -> Vec<Value> {
        self.until(|message| {
            let status = message["data"]["status"].as_str().unwrap_or_default();
            message["type"] == "turn.status"
                && message["turn_id"] == *turn_id
                && ["completed", "failed", "cancelled", "expired"].contains(&status)
        })
        .await
    }
}
