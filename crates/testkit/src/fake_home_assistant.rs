//! A scripted fake of Home Assistant: as strict with ids as the real one, with the failures that a
//! test needs.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::broadcast,
};
use tokio_tungstenite::{WebSocketStream, tungstenite::Message};

/// The token it accepts.
pub const HOME_TOKEN: &str = "token-of-a-test-that-must-stay-secret";

/// Its reaction to a command.
#[derive(Clone)]
pub enum FakeReply {
    /// Returns a result.
    Result(Value),
    /// Returns an error with a code and a message.
    Error(&'static str, &'static str),
    /// Does not answer.
    Silence,
    /// Breaks the connection once; returns the result afterwards.
    BreakOnce(Value),
}

/// The data and the reactions of the fake.
#[derive(Default)]
pub struct FakeScript {
    /// Its reactions by the types of commands.
    pub replies: HashMap<&'static str, FakeReply>,
    /// The states of its entities, in Home Assistant's compressed form.
    pub states: HashMap<String, Value>,
    /// Whether it refuses the token.
    pub refuses_token: bool,
    /// Every command of every connection, in order.
    pub heard: Vec<(usize, Value)>,
    /// Connections that were opened so far.
    pub connections: usize,
    /// Every REST request, as its first line and its body.
    pub requests: Vec<(String, Value)>,
}

#[derive(Clone)]
enum Push {
    Event(&'static str, Value),
    Break,
}

/// A scripted fake of Home Assistant.
#[derive(Clone)]
pub struct FakeHomeAssistant {
    /// What it does, and what it has heard.
    pub script: Arc<Mutex<FakeScript>>,
    /// Its address.
    pub url: String,
    push: broadcast::Sender<Push>,
}

impl FakeHomeAssistant {
    /// Starts it with a lamp in a hall.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Self {
            url: format!("http://{}", listener.local_addr().unwrap()),
            script: Arc::default(),
            push: broadcast::channel(1024).0,
        };
        fake.set_up();
        let server = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(server.clone().serve(stream));
            }
        });
        fake
    }

    fn set_up(&self) {
        let lists = [
            (
                "get_config",
                json!({"location_name": "Fake", "time_zone": "Europe/Berlin", "state": "RUNNING",
                "unit_system": {"length": "mi", "temperature": "°F"}}),
            ),
            (
                "config/entity_registry/list",
                json!([{"entity_id": "light.lamp", "device_id": "d1",
                "has_entity_name": true, "options": {"conversation": {"should_expose": true}}}]),
            ),
            ("config/entity_registry/get_entries", json!({"light.lamp": {"aliases": ["Funzel"]}})),
            ("config/device_registry/list", json!([{"id": "d1", "name": "Lamp", "area_id": "hall"}])),
            ("config/area_registry/list", json!([{"area_id": "hall", "name": "Hall", "aliases": []}])),
            (
                "homeassistant/expose_entity/list",
                json!({"exposed_entities": {"light.lamp": {"conversation": true}, "sensor.spare": {}}}),
            ),
            ("homeassistant/expose_new_entities/get", json!({"expose_new": true})),
            (
                "get_services",
                json!({"light": {"turn_on": {"fields": {"transition": {}}}},
                "weather": {"get_forecasts": {"fields": {}, "response": {"optional": false}}}}),
            ),
            ("call_service", json!({"context": {"id": "c"}})),
        ];
        for (kind, result) in lists {
            self.reply(kind, FakeReply::Result(result));
        }
        self.stand("light.lamp", "off");
    }

    /// Sets the reaction to a command.
    pub fn reply(&self, kind: &'static str, reply: FakeReply) {
        self.script.lock().unwrap().replies.insert(kind, reply);
    }

    /// Sets the state of an entity without an event.
    pub fn stand(&self, id: &str, state: &str) {
        let state = json!({"s": state, "a": {"friendly_name": "Lamp"}, "lc": 1000.0});
        self.script.lock().unwrap().states.insert(id.to_owned(), state);
    }

    /// Sends an event to the subscribers of a topic; `entities` is the stream of states.
    pub fn tell(&self, topic: &'static str, event: Value) {
        let _ = self.push.send(Push::Event(topic, event));
    }

    /// Breaks all connections.
    pub fn break_connections(&self) {
        let _ = self.push.send(Push::Break);
    }

    /// How often a command was received.
    pub fn count(&self, kind: &str) -> usize {
        self.script.lock().unwrap().heard.iter().filter(|(_, command)| command["type"] == kind).count()
    }

    /// Answers a request to the REST API, which stores automations.
    async fn serve_rest(self, mut stream: TcpStream) {
        let mut read = Vec::new();
        let mut buffer = [0; 4096];
        let whole = |read: &[u8]| {
            let text = String::from_utf8_lossy(read).into_owned();
            let (head, body) = text.split_once("\r\n\r\n")?;
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok()).flatten()
            });
            (body.len() >= length.unwrap_or(0)).then(|| (head.to_owned(), body.to_owned()))
        };
        let (head, body) = loop {
            let count = stream.read(&mut buffer).await.unwrap_or(0);
            read.extend_from_slice(&buffer[..count]);
            match whole(&read) {
                Some(request) => break request,
                None if count == 0 => return,
                None => {}
            }
        };
        let status =
            if head.to_ascii_lowercase().contains(&format!("bearer {HOME_TOKEN}")) { "200 OK" } else { "401 No" };
        let line = head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
        let body = serde_json::from_str(&body).unwrap_or(Value::Null);
        self.script.lock().unwrap().requests.push((line, body));
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}");
        let _ = stream.write_all(answer.as_bytes()).await;
    }

    async fn serve(self, stream: TcpStream) {
        let mut begin = [0; 6];
        let count = stream.peek(&mut begin).await.unwrap_or(0);
        if matches!(&begin[..count], [b'P' | b'D', ..]) {
            return self.serve_rest(stream).await;
        }
        let mut push = self.push.subscribe();
        let Ok(mut socket) = tokio_tungstenite::accept_async(stream).await else { return };
        let connection = {
            let mut script = self.script.lock().unwrap();
            script.connections += 1;
            script.connections
        };
        send(&mut socket, &json!({"type": "auth_required", "ha_version": "2024.3.3"})).await;
        let auth = next(&mut socket).await.unwrap_or_default();
        if self.script.lock().unwrap().refuses_token || auth["access_token"] != HOME_TOKEN {
            send(&mut socket, &json!({"type": "auth_invalid", "message": "Invalid access token or password"})).await;
            return;
        }
        send(&mut socket, &json!({"type": "auth_ok", "ha_version": "2024.3.3"})).await;
        let mut topics: HashMap<String, Vec<u64>> = HashMap::new();
        let mut last_id = 0;
        loop {
            tokio::select! {
                pushed = push.recv() => match pushed {
                    Ok(Push::Event(topic, event)) => {
                        for id in topics.get(topic).into_iter().flatten() {
                            send(&mut socket, &json!({"id": id, "type": "event", "event": event})).await;
                        }
                    }
                    _ => return,
                },
                command = next(&mut socket) => {
                    let Some(command) = command else { return };
                    let id = command["id"].as_u64().unwrap();
                    assert!(id > last_id, "ids have to increase: {id} after {last_id}");
                    last_id = id;
                    self.script.lock().unwrap().heard.push((connection, command.clone()));
                    if !self.answer(&mut socket, &command, id, &mut topics).await {
                        return;
                    }
                }
            }
        }
    }

    /// Handles a command; returns whether the connection continues.
    async fn answer(
        &self,
        socket: &mut WebSocketStream<TcpStream>,
        command: &Value,
        id: u64,
        topics: &mut HashMap<String, Vec<u64>>,
    ) -> bool {
        let kind = command["type"].as_str().unwrap();
        let result = |result: Value| json!({"id": id, "type": "result", "success": true, "result": result});
        let reply = self.script.lock().unwrap().replies.get(kind).cloned();
        match (kind, reply) {
            (_, Some(FakeReply::Silence)) => {}
            (_, Some(FakeReply::Result(answer))) => send(socket, &result(answer)).await,
            (_, Some(FakeReply::BreakOnce(answer))) => {
                self.script.lock().unwrap().replies.retain(|name, _| *name != kind);
                let name: &'static str = Box::leak(kind.to_owned().into_boxed_str());
                self.reply(name, FakeReply::Result(answer));
                return false;
            }
            (_, Some(FakeReply::Error(code, message))) => {
                let error = json!({"code": code, "message": message});
                send(socket, &json!({"id": id, "type": "result", "success": false, "error": error})).await;
            }
            ("ping", None) => send(socket, &json!({"id": id, "type": "pong"})).await,
            ("supported_features", None) => send(socket, &result(Value::Null)).await,
            ("unsubscribe_events", None) => {
                topics.values_mut().for_each(|ids| ids.retain(|id| command["subscription"] != *id));
                send(socket, &result(Value::Null)).await;
            }
            ("subscribe_events", None) => {
                topics.entry(command["event_type"].as_str().unwrap().to_owned()).or_default().push(id);
                send(socket, &result(Value::Null)).await;
            }
            ("subscribe_entities", None) => {
                let wanted = command["entity_ids"].as_array();
                let mut states = self.script.lock().unwrap().states.clone();
                if let Some(wanted) = wanted {
                    states.retain(|id, _| wanted.contains(&json!(id)));
                } else {
                    topics.entry("entities".to_owned()).or_default().push(id);
                }
                // Combined into one message, as in the real one.
                let event = json!({"id": id, "type": "event", "event": {"a": states}});
                send(socket, &json!([result(Value::Null), event])).await;
            }
            _ => {
                let error = json!({"code": "unknown_command", "message": "Unknown command."});
                send(socket, &json!({"id": id, "type": "result", "success": false, "error": error})).await;
            }
        }
        true
    }
}

async fn send(socket: &mut WebSocketStream<TcpStream>, message: &Value) {
    let _ = socket.send(Message::text(message.to_string())).await;
}

async fn next(socket: &mut WebSocketStream<TcpStream>) -> Option<Value> {
    loop {
        match socket.next().await? {
            Ok(Message::Text(text)) => return serde_json::from_str(&text).ok(),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
}
