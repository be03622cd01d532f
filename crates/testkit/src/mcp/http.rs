//! The HTTP transport of the client: a request is a POST, and its answer is JSON or the last
//! message of a stream.

use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use super::{ConnectionClosed, McpAnswer, McpWire, inbox::Inbox};

const SESSION_ID: &str = "mcp-session-id";

pub(super) struct HttpTransport {
    client: Client,
    url: String,
    token: String,
    inbox: Arc<Inbox>,
    session: Mutex<Option<String>>,
}

impl HttpTransport {
    pub(super) fn new(url: &str, token: &str, inbox: Arc<Inbox>) -> Self {
        let client = Client::builder().no_proxy().build().expect("a client");
        let (url, token) = (format!("{url}/mcp"), token.to_owned());
        Self { client, url, token, inbox, session: Mutex::default() }
    }

    pub(super) async fn ask(&self, wire: McpWire, message: Value) -> Result<McpAnswer, ConnectionClosed> {
        let response = self.post(wire, &message).send().await.map_err(gone)?;
        let status = response.status();
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        if let Some(id) = header(SESSION_ID) {
            *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(id);
        }
        if header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
            let mut events = MessageStream::of(response);
            while let Some(told) = events.next().await {
                if told.get("method").is_none() && told["id"] == message["id"] {
                    return Ok(read(told));
                }
                self.inbox.put(told);
            }
            return Err(ConnectionClosed("the stream ended before the answer".to_owned()));
        }
        let body = response.bytes().await.map_err(gone)?;
        match serde_json::from_slice::<Value>(&body) {
            Ok(told) if told.get("jsonrpc").is_some() => {
                assert_eq!(told["id"], message["id"], "the answer to another request");
                Ok(read(told))
            }
            _ => Ok(Err(json!({ "code": status.as_u16(), "message": String::from_utf8_lossy(&body) }))),
        }
    }

    pub(super) async fn tell(&self, wire: McpWire, message: Value) {
        let response = self.post(wire, &message).send().await.expect("the server is there");
        assert_eq!(response.status().as_u16(), 202, "{message}");
    }

    /// Opens the stream of the server's own messages.
    pub(super) async fn listen(&self, wire: McpWire) -> AbortOnDropHandle<()> {
        let request = self.client.get(&self.url).header("accept", "text/event-stream");
        let response = self.dressed(request, wire).bearer_auth(&self.token).send().await.expect("the server is there");
        assert_eq!(response.status().as_u16(), 200, "there is a stream");
        let (mut events, inbox) = (MessageStream::of(response), self.inbox.clone());
        AbortOnDropHandle::new(tokio::spawn(async move {
            while let Some(told) = events.next().await {
                inbox.put(told);
            }
        }))
    }

    fn post(&self, wire: McpWire, message: &Value) -> RequestBuilder {
        let mut request = self.client.post(&self.url).header("accept", "application/json, text/event-stream");
        let method = message["method"].as_str().unwrap_or_default();
        if wire == McpWire::Alone {
            request = request.header("mcp-method", method);
            let params = &message["params"];
            let name = ["name", "uri", "taskId"].iter().find_map(|field| params[*field].as_str());
            if let Some(name) = name {
                request = request.header("mcp-name", name);
            }
        }
        let request = if method == "initialize" { request } else { self.dressed(request, wire) };
        request.bearer_auth(&self.token).json(message)
    }

    fn dressed(&self, request: RequestBuilder, wire: McpWire) -> RequestBuilder {
        let request = request.header("mcp-protocol-version", wire.version());
        match self.session.lock().unwrap_or_else(PoisonError::into_inner).as_deref() {
            Some(id) => request.header(SESSION_ID, id),
            None => request,
        }
    }
}

/// The messages of a stream.
struct MessageStream {
    bytes: futures::stream::BoxStream<'static, reqwest::Result<Vec<u8>>>,
    buffer: Vec<u8>,
}

impl MessageStream {
    fn of(response: Response) -> Self {
        let bytes = response.bytes_stream().map(|chunk| chunk.map(|chunk| chunk.to_vec()));
        Self { bytes: bytes.boxed(), buffer: Vec::new() }
    }

    async fn next(&mut self) -> Option<Value> {
        loop {
            while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                let line = String::from_utf8(line).expect("text");
                // Lines without data are keep-alive comments.
                if let Some(data) = line.strip_prefix("data:").map(str::trim).filter(|data| !data.is_empty()) {
                    return Some(serde_json::from_str(data).expect("a stream holds JSON"));
                }
            }
            self.buffer.extend(self.bytes.next().await?.ok()?);
        }
    }
}

/// The result or the error in an answer.
pub(super) fn read(mut told: Value) -> McpAnswer {
    assert_eq!(told["jsonrpc"], "2.0", "{told}");
    match told.get("error") {
        Some(_) => Err(told["error"].take()),
        None => Ok(told["result"].take()),
    }
}

fn gone(error: reqwest::Error) -> ConnectionClosed {
    ConnectionClosed(error.to_string())
}
