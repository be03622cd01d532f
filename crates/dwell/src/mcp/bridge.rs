//! The bridge: forwards messages from standard input to the server, and its answers back.

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

use super::{
    message::ClientMessage, notifications::listen, server_handle::ServerHandle, session::McpSession,
    stdout::StdoutWriter,
};

pub(super) const SESSION_ID: &str = "mcp-session-id";
pub(super) const VERSION: &str = "mcp-protocol-version";
/// The longest message.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How long the server may be unreachable before a request fails.
const AWAY_MAX: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_millis(200);
/// How long to wait for outstanding answers after the client has closed its end.
const LEAVE_MAX: Duration = Duration::from_secs(3);
/// JSON-RPC's own error codes, and the one for lost connections.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const LOST: i32 = -32000;

/// Runs until the client closes its end.
pub(super) async fn run(server_handle: &Arc<ServerHandle>) {
    let (stdout, writing) = StdoutWriter::open();
    let bridge = Arc::new(Bridge {
        server_handle: server_handle.clone(),
        stdout,
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
                bridge.stdout.refuse(None, PARSE_ERROR, &format!("the line cannot be read: {error}")).await;
                if !is_of_one_line(&error) {
                    break;
                }
                // After an error the reader returns `None` once; then it continues with the next
                // line.
                let _ = lines.next().await;
            }
            None => break,
        }
    }
    tasks.close();
    let _ = tokio::time::timeout(LEAVE_MAX, tasks.wait()).await;
    bridge.stop().await;
    drop(bridge);
    // A task that still holds the outlet has no client to write to.
    let _ = tokio::time::timeout(LEAVE_MAX, writing).await;
}

/// Whether the error concerns one line only, so that reading can continue.
fn is_of_one_line(error: &LinesCodecError) -> bool {
    match error {
        LinesCodecError::MaxLineLengthExceeded => true,
        LinesCodecError::Io(error) => error.kind() == std::io::ErrorKind::InvalidData,
    }
}

/// The state that all messages share.
pub(super) struct Bridge {
    server_handle: Arc<ServerHandle>,
    stdout: StdoutWriter,
    session: Mutex<McpSession>,
    listening: Mutex<Option<AbortOnDropHandle<()>>>,
    /// Requests that are not answered yet, by their ids as JSON text.
    open: std::sync::Mutex<HashMap<String, AbortHandle>>,
}

/// The result of one attempt to deliver a message.
enum DeliveryResult {
    /// It is answered, or needs no answer.
    Done,
    /// It did not arrive.
    Unsent(String),
    /// It may have arrived, but the answer was lost.
    Lost(String),
    /// The server does not know the session.
    Forgotten,
}

impl Bridge {
    pub(super) fn server_handle(&self) -> &ServerHandle {
        &self.server_handle
    }

    pub(super) const fn stdout(&self) -> &StdoutWriter {
        &self.stdout
    }

    pub(super) async fn session(&self) -> McpSession {
        self.session.lock().await.clone()
    }

    /// Handles a line. `initialize` is awaited, since all later messages belong to the session that
    /// it starts.
    async fn take(self: Arc<Self>, line: &str, tasks: &TaskTracker) {
        let message = match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => ClientMessage(value),
            Ok(_) => {
                let why = "a message must be one JSON object on a line of its own";
                return self.stdout.refuse(None, INVALID_REQUEST, why).await;
            }
            Err(error) => return self.stdout.refuse(None, PARSE_ERROR, &format!("invalid JSON: {error}")).await,
        };
        if message.method() == Some("initialize") {
            self.session.lock().await.initialize = Some(message.clone());
            return self.deliver(&message).await;
        }
        if message.method() == Some("notifications/initialized") {
            self.deliver(&message).await;
            return self.listen().await;
        }
        if message.method() == Some("logging/setLevel") && message.version().is_none() {
            self.session.lock().await.log_level = Some(message.clone());
        }
        let taken_back = message.takes_back().map(Value::to_string);
        let id = message.id().filter(|_| message.is_request()).map(Value::to_string);
        let bridge = self.clone();
        let own = id.clone();
        let task = tasks.spawn(async move {
            bridge.deliver(&message).await;
            if let Some(id) = taken_back {
                // The server has received the cancellation; an answer to the request is discarded.
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

    /// Aborts all running tasks, each of which keeps the outlet open.
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

    /// Delivers a message, and retries while the server cannot be found.
    async fn deliver(self: &Arc<Self>, message: &ClientMessage) {
        let end = Instant::now() + AWAY_MAX;
        let why = loop {
            let begun = self.session().await.begun;
            let delivered = self.attempt(message).await;
            if matches!(delivered, DeliveryResult::Unsent(_) | DeliveryResult::Lost(_)) {
                self.server_handle.mark_unreachable().await;
            }
            let why = match delivered {
                DeliveryResult::Done => return,
                DeliveryResult::Forgotten => match self.begin_anew(begun).await {
                    Ok(()) => continue,
                    Err(why) => why,
                },
                DeliveryResult::Unsent(why) => why,
                DeliveryResult::Lost(why) if message.is_repeatable() => why,
                DeliveryResult::Lost(why) => {
                    break format!(
                        "{why}. What the request started continues: find it with `list_sessions` and `get_session`, or \
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
            self.stdout.refuse(message.id(), LOST, &why).await;
        } else {
            tracing::warn!(why, "a message did not reach the server");
        }
    }

    async fn attempt(&self, message: &ClientMessage) -> DeliveryResult {
        let response = match self.send(message).await {
            Ok(response) => response,
            Err(delivered) => return delivered,
        };
        let status = response.status();
        let text = |response: &Response, name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        if status == StatusCode::NOT_FOUND && message.version().is_none() && message.method() != Some("initialize") {
            return DeliveryResult::Forgotten;
        }
        let (kind, session_id) =
            (text(&response, CONTENT_TYPE.as_str()).unwrap_or_default(), text(&response, SESSION_ID));
        if kind.starts_with("text/event-stream") {
            return self.pass_on(message, response, session_id).await;
        }
        let Ok(body) = response.bytes().await else {
            return DeliveryResult::Lost("the connection to Dwell was lost".to_owned());
        };
        match serde_json::from_slice::<Value>(&body) {
            Ok(answer) if answer.get("jsonrpc").is_some() => self.answer(message, answer, session_id).await,
            _ if status.is_success() && !message.is_request() => {}
            Ok(problem) => {
                let why = ["detail", "message", "title"].iter().find_map(|name| problem.get(*name)?.as_str());
                self.stdout.refuse(message.id(), LOST, why.unwrap_or("Dwell has refused the request")).await;
            }
            Err(_) => {
                let why = format!("Dwell has answered {status}: {}", String::from_utf8_lossy(&body));
                if message.is_request() {
                    self.stdout.refuse(message.id(), LOST, &why).await;
                }
            }
        }
        DeliveryResult::Done
    }

    async fn send(&self, message: &ClientMessage) -> Result<Response, DeliveryResult> {
        let url = self.server_handle.url().await.map_err(|error| DeliveryResult::Unsent(error.to_string()))?;
        let token = self.server_handle.token().await.map_err(|error| DeliveryResult::Unsent(error.to_string()))?;
        let mut request = self
            .server_handle
            .http()
            .post(format!("{url}/mcp"))
            .header(ACCEPT, "application/json, text/event-stream")
            .bearer_auth(token.expose_secret())
            .json(&message.0);
        if let Some(version) = message.version() {
            request = request.header(VERSION, version);
        } else if message.method() != Some("initialize") {
            let McpSession { id, version, .. } = self.session().await;
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
                DeliveryResult::Unsent("Dwell cannot be reached".to_owned())
            } else {
                DeliveryResult::Lost("the connection to Dwell was lost".to_owned())
            }
        })
    }

    /// Forwards the messages of a stream until it ends; notes whether the answer was among them.
    async fn pass_on(&self, message: &ClientMessage, response: Response, session_id: Option<String>) -> DeliveryResult {
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
                self.stdout.tell(&told).await;
            }
        }
        if is_answered {
            DeliveryResult::Done
        } else {
            DeliveryResult::Lost("the connection to Dwell was lost".to_owned())
        }
    }

    async fn answer(&self, message: &ClientMessage, answer: Value, session_id: Option<String>) {
        if message.method() == Some("initialize") {
            self.session.lock().await.began(session_id, &answer);
        }
        self.stdout.tell(&answer).await;
    }

    /// Starts the session again, unless another task has done so meanwhile.
    async fn begin_anew(self: &Arc<Self>, begun: u64) -> Result<(), String> {
        {
            let mut session = self.session.lock().await;
            if session.begun != begun {
                return Ok(());
            }
            let Some(mut initialize) = session.initialize.clone() else {
                return Err("the session is not initialized: send `initialize` first".to_owned());
            };
            initialize.0["id"] = json!(format!("dwell-{begun}"));
            let response = self.send_beginning(&initialize).await?;
            let id = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
            let answer = whole(response, &initialize).await.ok_or("the session could not be restarted")?;
            session.began(id, &answer);
        }
        let initialized = ClientMessage(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        if !matches!(self.attempt(&initialized).await, DeliveryResult::Done) {
            return Err("the session could not be restarted".to_owned());
        }
        self.restore_log_level().await?;
        self.clone().listen().await;
        Ok(())
    }

    /// Sets the log level of a session that was started again, without an answer to the client.
    async fn restore_log_level(&self) -> Result<(), String> {
        let McpSession { log_level, begun, .. } = self.session().await;
        if let Some(mut log_level) = log_level {
            log_level.0["id"] = json!(format!("dwell-level-{begun}"));
            let response = self.send_beginning(&log_level).await?;
            whole(response, &log_level).await.ok_or("the log level could not be set again")?;
        }
        Ok(())
    }

    async fn send_beginning(&self, initialize: &ClientMessage) -> Result<Response, String> {
        match self.send(initialize).await {
            Ok(response) => Ok(response),
            Err(DeliveryResult::Unsent(why) | DeliveryResult::Lost(why)) => Err(why),
            Err(_) => Err("the session could not be restarted".to_owned()),
        }
    }
}

/// The answer to a message, from a JSON body or from a stream.
async fn whole(response: Response, message: &ClientMessage) -> Option<Value> {
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
