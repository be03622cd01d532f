//! Messages from standard input to the server, and what it answers back.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError},
    time::Duration,
};

use futures::StreamExt;
use reqwest::{
    Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use sse_stream::SseStream;
use tokio::{sync::Mutex, task::AbortHandle, time::Instant};
use tokio_util::{
    codec::{FramedRead, LinesCodec, LinesCodecError},
    task::{AbortOnDropHandle, TaskTracker},
};

use super::{house::House, listening::listen, message::Message, outlet::Outlet, session::Session};

pub(super) const SESSION_ID: &str = "mcp-session-id";
pub(super) const VERSION: &str = "mcp-protocol-version";
/// The longest message.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How long the server may be away before a request is given up.
const AWAY_MAX: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_millis(200);
/// How long answers that are on their way get when the client has closed its end.
const LEAVE_MAX: Duration = Duration::from_secs(3);
/// JSON-RPC's own codes, and the one for what went wrong in between.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const LOST: i32 = -32000;

/// Runs until the client closes its end.
pub(super) async fn run(house: &Arc<House>) {
    let (outlet, writing) = Outlet::open();
    let bridge = Arc::new(Bridge {
        house: house.clone(),
        outlet,
        session: Mutex::default(),
        listening: Mutex::default(),
        open: std::sync::Mutex::default(),
    });
    let tasks = TaskTracker::new();
    let mut lines = FramedRead::new(tokio::io::stdin(), LinesCodec::new_with_max_length(LINE_BYTES_MAX));
    loop {
        match lines.next().await {
            Some(Ok(line)) if line.trim().is_empty() => {}
            Some(Ok(line)) => bridge.clone().take(&line, &tasks).await,
            Some(Err(error)) => {
                bridge.outlet.refuse(None, PARSE_ERROR, &format!("the line cannot be read: {error}")).await;
                if !is_of_one_line(&error) {
                    break;
                }
                // After an error the reader says once that there is nothing more; the next line is there all the same.
                let _ = lines.next().await;
            }
            None => break,
        }
    }
    tasks.close();
    let _ = tokio::time::timeout(LEAVE_MAX, tasks.wait()).await;
    bridge.stop().await;
    drop(bridge);
    // Whoever still holds the outlet has nobody to tell anything.
    let _ = tokio::time::timeout(LEAVE_MAX, writing).await;
}

/// Whether the line is to blame, and what follows can be read.
fn is_of_one_line(error: &LinesCodecError) -> bool {
    match error {
        LinesCodecError::MaxLineLengthExceeded => true,
        LinesCodecError::Io(error) => error.kind() == std::io::ErrorKind::InvalidData,
    }
}

/// What all messages share.
pub(super) struct Bridge {
    house: Arc<House>,
    outlet: Outlet,
    session: Mutex<Session>,
    listening: Mutex<Option<AbortOnDropHandle<()>>>,
    /// Requests that are not answered yet, by their ids as they are written.
    open: std::sync::Mutex<HashMap<String, AbortHandle>>,
}

/// What became of one attempt to deliver a message.
enum Delivered {
    /// It is answered, or needs no answer.
    Done,
    /// It did not arrive.
    Unsent(String),
    /// It arrived, and the answer did not.
    Lost(String),
    /// The server does not know the session.
    Forgotten,
}

impl Bridge {
    pub(super) fn house(&self) -> &House {
        &self.house
    }

    pub(super) const fn outlet(&self) -> &Outlet {
        &self.outlet
    }

    pub(super) async fn session(&self) -> Session {
        self.session.lock().await.clone()
    }

    /// Takes a line. What begins a session is waited for: everything after it belongs to it.
    async fn take(self: Arc<Self>, line: &str, tasks: &TaskTracker) {
        let message = match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => Message(value),
            Ok(_) => {
                let why = "a message is one JSON object on a line of its own";
                return self.outlet.refuse(None, INVALID_REQUEST, why).await;
            }
            Err(error) => return self.outlet.refuse(None, PARSE_ERROR, &format!("no JSON: {error}")).await,
        };
        if message.method() == Some("initialize") {
            self.session.lock().await.initialize = Some(message.clone());
            return self.deliver(&message).await;
        }
        if message.method() == Some("notifications/initialized") {
            self.deliver(&message).await;
            return self.listen().await;
        }
        let taken_back = message.takes_back().map(Value::to_string);
        let id = message.id().filter(|_| message.is_request()).map(Value::to_string);
        let bridge = self.clone();
        let own = id.clone();
        let task = tasks.spawn(async move {
            bridge.deliver(&message).await;
            if let Some(id) = taken_back {
                // The server has heard it; its answer, if one comes, is nobody's.
                bridge.close(&id, true);
            }
            if let Some(id) = own {
                bridge.close(&id, false);
            }
        });
        if let Some(id) = id.filter(|_| !task.is_finished()) {
            self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(id, task.abort_handle());
        }
    }

    fn close(&self, id: &str, abort: bool) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        if let Some(task) = open.filter(|_| abort) {
            task.abort();
        }
    }

    /// Ends what still runs: each part of it holds the outlet open.
    async fn stop(&self) {
        drop(self.listening.lock().await.take());
        for (_, task) in self.open.lock().unwrap_or_else(PoisonError::into_inner).drain() {
            task.abort();
        }
    }

    async fn listen(self: Arc<Self>) {
        let begun = self.session().await.begun;
        let listening = AbortOnDropHandle::new(tokio::spawn(listen(self.clone(), begun)));
        *self.listening.lock().await = Some(listening);
    }

    /// Delivers a message, however often the server has to be looked for.
    async fn deliver(self: &Arc<Self>, message: &Message) {
        let end = Instant::now() + AWAY_MAX;
        let why = loop {
            let begun = self.session().await.begun;
            let delivered = self.attempt(message).await;
            if matches!(delivered, Delivered::Unsent(_) | Delivered::Lost(_)) {
                self.house.doubt().await;
            }
            let why = match delivered {
                Delivered::Done => return,
                Delivered::Forgotten => match self.begin_anew(begun).await {
                    Ok(()) => continue,
                    Err(why) => why,
                },
                Delivered::Unsent(why) => why,
                Delivered::Lost(why) if message.is_repeatable() => why,
                Delivered::Lost(why) => {
                    break format!(
                        "{why}. What the request has begun goes on: look for it with `list_sessions` and `get_session`, or \
                         send it again with the same `idempotency_key`"
                    );
                }
            };
            if Instant::now() >= end {
                break why;
            }
            tokio::time::sleep(AGAIN).await;
        };
        if message.is_request() {
            self.outlet.refuse(message.id(), LOST, &why).await;
        } else {
            tracing::warn!(why, "a message did not reach the server");
        }
    }

    async fn attempt(&self, message: &Message) -> Delivered {
        let response = match self.send(message).await {
            Ok(response) => response,
            Err(delivered) => return delivered,
        };
        let status = response.status();
        let text = |response: &Response, name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        if status == StatusCode::NOT_FOUND && message.version().is_none() && message.method() != Some("initialize") {
            return Delivered::Forgotten;
        }
        let (kind, session_id) =
            (text(&response, CONTENT_TYPE.as_str()).unwrap_or_default(), text(&response, SESSION_ID));
        if kind.starts_with("text/event-stream") {
            return self.pass_on(message, response, session_id).await;
        }
        let Ok(body) = response.bytes().await else {
            return Delivered::Lost("the connection to Dwell was lost".to_owned());
        };
        match serde_json::from_slice::<Value>(&body) {
            Ok(answer) if answer.get("jsonrpc").is_some() => self.answer(message, answer, session_id).await,
            _ if status.is_success() && !message.is_request() => {}
            Ok(problem) => {
                let why = ["detail", "message", "title"].iter().find_map(|name| problem.get(*name)?.as_str());
                self.outlet.refuse(message.id(), LOST, why.unwrap_or("Dwell has refused the request")).await;
            }
            Err(_) => {
                let why = format!("Dwell has answered {status}: {}", String::from_utf8_lossy(&body));
                if message.is_request() {
                    self.outlet.refuse(message.id(), LOST, &why).await;
                }
            }
        }
        Delivered::Done
    }

    async fn send(&self, message: &Message) -> Result<Response, Delivered> {
        let url = self.house.url().await.map_err(|error| Delivered::Unsent(error.to_string()))?;
        let token = self.house.token().map_err(|error| Delivered::Unsent(error.to_string()))?;
        let mut request = self
            .house
            .http()
            .post(format!("{url}/mcp"))
            .header(ACCEPT, "application/json, text/event-stream")
            .bearer_auth(token.expose_secret())
            .json(&message.0);
        if let Some(version) = message.version() {
            request = request.header(VERSION, version);
        } else if message.method() != Some("initialize") {
            let Session { id, version, .. } = self.session().await;
            if let Some(id) = id {
                request = request.header(SESSION_ID, id);
            }
            if let Some(version) = version {
                request = request.header(VERSION, version);
            }
        }
        if let Some(method) = message.method() {
            request = request.header("mcp-method", method);
        }
        if let Some(name) = message.name() {
            request = request.header("mcp-name", name);
        }
        request.send().await.map_err(|error| {
            if error.is_connect() {
                Delivered::Unsent("Dwell cannot be reached".to_owned())
            } else {
                Delivered::Lost("the connection to Dwell was lost".to_owned())
            }
        })
    }

    /// Passes on what comes until the answer is among it.
    async fn pass_on(&self, message: &Message, response: Response, session_id: Option<String>) -> Delivered {
        let mut events = SseStream::from_bytes_stream(response.bytes_stream());
        let mut is_answered = !message.is_request();
        while let Some(event) = events.next().await {
            let Ok(event) = event else { break };
            let Some(data) = event.data.filter(|data| !data.is_empty()) else { continue };
            let Ok(told) = serde_json::from_str::<Value>(&data) else { continue };
            let is_answer = told.get("method").is_none() && told.get("id") == message.id();
            is_answered |= is_answer;
            if is_answer {
                self.answer(message, told, session_id.clone()).await;
            } else {
                self.outlet.tell(&told).await;
            }
        }
        if is_answered { Delivered::Done } else { Delivered::Lost("the connection to Dwell was lost".to_owned()) }
    }

    async fn answer(&self, message: &Message, answer: Value, session_id: Option<String>) {
        if message.method() == Some("initialize") {
            self.session.lock().await.began(session_id, &answer);
        }
        self.outlet.tell(&answer).await;
    }

    /// Begins the session anew, unless somebody has done so since.
    async fn begin_anew(self: &Arc<Self>, begun: u64) -> Result<(), String> {
        {
            let mut session = self.session.lock().await;
            if session.begun != begun {
                return Ok(());
            }
            let Some(mut initialize) = session.initialize.clone() else {
                return Err("the session has not begun: send `initialize` first".to_owned());
            };
            initialize.0["id"] = json!(format!("dwell-{begun}"));
            let response = self.send_beginning(&initialize).await?;
            let id = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
            let answer = whole(response, &initialize).await.ok_or("the session could not be begun anew")?;
            session.began(id, &answer);
        }
        let initialized = Message(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        if !matches!(self.attempt(&initialized).await, Delivered::Done) {
            return Err("the session could not be begun anew".to_owned());
        }
        self.clone().listen().await;
        Ok(())
    }

    async fn send_beginning(&self, initialize: &Message) -> Result<Response, String> {
        match self.send(initialize).await {
            Ok(response) => Ok(response),
            Err(Delivered::Unsent(why) | Delivered::Lost(why)) => Err(why),
            Err(_) => Err("the session could not be begun anew".to_owned()),
        }
    }
}

/// The answer to a message, out of what may be a stream.
async fn whole(response: Response, message: &Message) -> Option<Value> {
    let is_stream = response.headers().get(CONTENT_TYPE)?.to_str().ok()?.starts_with("text/event-stream");
    if !is_stream {
        return serde_json::from_slice(&response.bytes().await.ok()?).ok();
    }
    let mut events = SseStream::from_bytes_stream(response.bytes_stream());
    while let Some(Ok(event)) = events.next().await {
        let told: Option<Value> = event.data.and_then(|data| serde_json::from_str(&data).ok());
        if let Some(answer) = told.filter(|told| told.get("id") == message.id()) {
            return Some(answer);
        }
    }
    None
}
