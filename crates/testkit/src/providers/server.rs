//! The provider server: its routes, its script, and its lifetime from bind to drop.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, Uri, header::CONTENT_TYPE};
use axum::response::Response;
use futures::stream;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use super::reply::{ErrorReply, ReplyEnd};
use super::{ModelCatalog, ProviderReply, ProviderWire};

/// A request as it was received.
#[derive(Clone)]
pub struct ProviderRequest {
    /// The path, with its query.
    pub path: String,
    /// The body.
    pub body: Value,
    headers: HeaderMap,
}

impl ProviderRequest {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl fmt::Debug for ProviderRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Leaves out the headers: a failed assertion prints requests, and a key must not be in a
        // test log.
        write!(f, "ProviderRequest({})", self.body)
    }
}

/// A provider on a local port that answers from a script: the queued replies in order, and then
/// `You said: …`.
pub struct ProviderServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    _accept: AbortOnDropHandle<()>,
}

struct Shared {
    wire: ProviderWire,
    state: Mutex<ProviderState>,
}

#[derive(Default)]
struct ProviderState {
    replies: VecDeque<ProviderReply>,
    requests: Vec<ProviderRequest>,
    offered: ModelCatalog,
    questions: Vec<String>,
}

impl ProviderServer {
    /// Starts a server on a free local port.
    ///
    /// # Panics
    /// When no local port can be bound.
    pub async fn start(wire: ProviderWire) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free local port");
        let address = listener.local_addr().expect("a bound port");
        let shared = Arc::new(Shared { wire, state: Mutex::default() });
        let routes = Router::new()
            .fallback(answer)
            // A long conversation outgrows the default limit of 2 MB.
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&shared));
        let accept = tokio::spawn(async move {
            let _ = axum::serve(listener, routes).await;
        });
        Self { address, shared, _accept: AbortOnDropHandle::new(accept) }
    }

    /// Its address without a version: `http://127.0.0.1:PORT`. Paths are accepted with and without
    /// their version.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Queues a reply; requests take the queued replies in order.
    pub fn push(&self, reply: ProviderReply) {
        self.shared.lock().replies.push_back(reply);
    }

    /// Sets what it answers about itself and its models; without it, it answers nothing.
    pub fn offers(&self, offered: ModelCatalog) {
        self.shared.lock().offered = offered;
    }

    /// Every request about itself and its models so far, as in `GET /api/tags`.
    pub fn questions(&self) -> Vec<String> {
        self.shared.lock().questions.clone()
    }

    /// Every request for an answer so far, in order of arrival.
    pub fn requests(&self) -> Vec<ProviderRequest> {
        self.shared.lock().requests.clone()
    }
}

impl Shared {
    /// Every change is a single step, so a test that panicked with the lock held left nothing half
    /// done.
    fn lock(&self) -> MutexGuard<'_, ProviderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let wire = shared.wire;
    let asked = {
        let mut queues = shared.lock();
        let answer = queues.offered.answer(uri.path(), &body);
        if answer.is_some() {
            queues.questions.push(format!("{method} {}", uri.path()));
        }
        answer
    };
    if let Some((status, document)) = asked {
        let response = Response::builder().status(status).header(CONTENT_TYPE, "application/json");
        return response.body(Body::from(document.to_string())).expect("a status from 100 to 999");
    }
    let refuse = |status, message: &str| failed(wire, &ErrorReply { status, body: None, headers: Vec::new() }, message);
    let Ok(body) = serde_json::from_slice::<Value>(&body) else {
        return refuse(if method == Method::POST { 400 } else { 404 }, "there is no such thing here");
    };
    let Some(model) = model(wire, uri.path(), &body) else {
        return refuse(404, "there is no such model or method");
    };
    // The path of a request to Gemini asks for the stream.
    if wire != ProviderWire::Gemini && body["stream"] != true {
        return refuse(400, "this server only streams");
    }
    let path = uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let said = last_said(wire, &body);
    let reply = {
        let mut queues = shared.lock();
        queues.requests.push(ProviderRequest { path, body, headers });
        queues.replies.pop_front().unwrap_or_else(|| ProviderReply::text(format!("You said: {said}")))
    };
    match &reply.failure {
        Some(failure) => failed(wire, failure, "scripted to fail"),
        None => play(wire, &reply, &model),
    }
}

/// The requested model; none when the path is not one for answers.
fn model(wire: ProviderWire, path: &str, body: &Value) -> Option<String> {
    let in_body = || body["model"].as_str().map(str::to_owned);
    match wire {
        ProviderWire::Anthropic => path.ends_with("/messages").then(in_body)?,
        ProviderWire::Ollama => (path == "/api/chat").then(in_body)?,
        ProviderWire::Gemini => {
            let model = path.strip_suffix(":streamGenerateContent")?;
            model.rsplit_once("models/").map(|(_, model)| model.to_owned())
        }
    }
}

/// The last text in the request, by the wire format.
fn last_said(wire: ProviderWire, body: &Value) -> String {
    let (messages, parts) = match wire {
        ProviderWire::Anthropic | ProviderWire::Ollama => ("messages", "content"),
        ProviderWire::Gemini => ("contents", "parts"),
    };
    let last = body[messages].as_array().and_then(|messages| messages.last()).map(|message| &message[parts]);
    let text = match last {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    };
    crate::without_notes(&text).to_owned()
}

fn failed(wire: ProviderWire, failure: &ErrorReply, message: &str) -> Response {
    let body = failure.body.clone().unwrap_or_else(|| wire.error_body(failure.status, message).to_string());
    let mut response = Response::builder().status(failure.status).header(CONTENT_TYPE, "application/json");
    for (name, value) in &failure.headers {
        response = response.header(name, value);
    }
    response.body(Body::from(body)).expect("a status from 100 to 999 and headers that are headers")
}

fn play(wire: ProviderWire, reply: &ProviderReply, model: &str) -> Response {
    let script = wire.script(reply, model);
    let mut frames: Vec<io::Result<String>> = script.opening.into_iter().map(Ok).collect();
    let pieces = script.pieces.into_iter().map(Ok);
    match &reply.ending {
        ReplyEnd::Complete => frames.extend(pieces.chain(script.closing.into_iter().map(Ok))),
        ReplyEnd::Cut(n) => {
            frames.extend(pieces.take(*n));
            frames.push(Err(io::Error::other("cut")));
        }
        ReplyEnd::Error(n, message) => {
            frames.extend(pieces.take(*n));
            frames.push(Ok(wire.error_frame(message)));
        }
    }
    // A short pause between frames, so that the frames before a cut are sent before it.
    let body = stream::unfold(frames.into_iter(), |mut frames| async {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        frames.next().map(|frame| (frame, frames))
    });
    Response::builder()
        .header(CONTENT_TYPE, wire.content_type())
        .body(Body::from_stream(body))
        .expect("a response with one header")
}
