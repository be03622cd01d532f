//! A client of Home Assistant's WebSocket API, independent of Dwell's own, with which a test can
//! check the home itself.

use std::{collections::VecDeque, time::Duration};

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::Message};

/// How long a test waits for a message.
const PATIENCE: Duration = Duration::from_secs(60);

/// An authenticated connection.
pub struct HomeLink {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    events: VecDeque<Value>,
    last_id: u64,
}

impl HomeLink {
    /// Connects with a token.
    pub async fn connect(url: &str, token: &str) -> Self {
        let address = format!("{}/api/websocket", url.replacen("http", "ws", 1));
        let (stream, _) = connect_async(address).await.expect("a WebSocket");
        let mut link = Self { stream, events: VecDeque::new(), last_id: 0 };
        link.read().await;
        link.write(&json!({ "type": "auth", "access_token": token })).await;
        let said = link.read().await;
        assert_eq!(said["type"], "auth_ok", "{said}");
        link
    }

    /// Sends a command; returns its result or its error. Events that arrive meanwhile are kept.
    pub async fn call(&mut self, kind: &str, mut data: Value) -> Result<Value, Value> {
        self.last_id += 1;
        data["id"] = json!(self.last_id);
        data["type"] = json!(kind);
        self.write(&data).await;
        loop {
            let message = self.read().await;
            if message["type"] == "result" && message["id"] == self.last_id {
                let is_done = message["success"] == true;
                return if is_done { Ok(message["result"].clone()) } else { Err(message["error"].clone()) };
            }
            self.events.push_back(message);
        }
    }

    /// Sends a text to a conversation agent as Home Assistant's own page does; returns the answer
    /// and the conversation's id.
    pub async fn ask(&mut self, agent: &str, text: &str, conversation: &Value) -> (String, Value) {
        let asked = json!({ "text": text, "agent_id": agent, "conversation_id": conversation, "language": "en" });
        let answer = self.call("conversation/process", asked).await.expect("an answer");
        let speech = answer["response"]["speech"]["plain"]["speech"].as_str().unwrap_or_default().to_owned();
        (speech, answer["conversation_id"].clone())
    }

    /// The conversation agent of an integration.
    pub async fn agent(&mut self, platform: &str) -> String {
        let entities = self.call("config/entity_registry/list", json!({})).await.expect("the entities");
        let all = entities.as_array().expect("a list").iter();
        let mut ours =
            all.filter(|entity| entity["platform"] == platform).filter_map(|entity| entity["entity_id"].as_str());
        ours.find(|id| id.starts_with("conversation.")).expect("an agent").to_owned()
    }

    /// The next event of any subscription.
    pub async fn event(&mut self) -> Value {
        match self.events.pop_front() {
            Some(event) => event,
            None => self.read().await,
        }
    }

    async fn write(&mut self, message: &Value) {
        self.stream.send(Message::text(message.to_string())).await.expect("the connection is open");
    }

    async fn read(&mut self) -> Value {
        loop {
            let message = tokio::time::timeout(PATIENCE, self.stream.next()).await.expect("no message in time");
            if let Message::Text(text) = message.expect("the connection is open").expect("a message") {
                return serde_json::from_str(&text).expect("a message is JSON");
            }
        }
    }
}
