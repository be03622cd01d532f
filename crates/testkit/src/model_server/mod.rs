//! The model server: its routes, its script, and its lifetime from bind to drop.

mod json;
mod playback;
mod reply;
mod request;
mod script;
mod sse;
mod strict;

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::AbortOnDropHandle;

use playback::{Traffic, play};
pub use reply::{Reply, ToolCall};
pub use request::Request;
use script::ReplyScript;

use crate::ModelCatalog;

/// How long [`ModelServer::until`] waits before it fails the test.
const PATIENCE: Duration = Duration::from_secs(10);

/// A model provider on a local port that answers from a script.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    // The guard comes before the handle: connections learn that the server is
    // gone before the task that accepts new ones is aborted.
    stop: DropGuard,
    accept: AbortOnDropHandle<()>,
}

/// The state that the handlers and the [`ModelServer`] share.
struct Shared {
    script: ReplyScript,
    traffic: Arc<Traffic>,
    stop: CancellationToken,
}

impl ModelServer {
    /// Starts a server on a free local port.
    ///
    /// # Panics
    /// When no local port can be bound.
    pub async fn start() -> Self {
        Self::start_on((Ipv4Addr::LOCALHOST, 0).into()).await.expect("a free local port")
    }

    /// Starts a server on the given address.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn start_on(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let shared = Arc::new(Shared { script: ReplyScript::default(), traffic: Arc::default(), stop: stop.clone() });
        let routes = axum::Router::new()
            .route("/v1/chat/completions", post(chat_completions))
            // The same in Azure's form.
            .route("/openai/deployments/{deployment}/chat/completions", post(chat_completions))
            .fallback(offered)
            // A long conversation outgrows the default limit of 2 MB.
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&shared));
        // Without this the kernel holds small chunks back to merge them.
        let traffic = Arc::clone(&shared.traffic);
        let listener = listener.tap_io(move |stream| {
            let _ = stream.set_nodelay(true);
            traffic.connected();
        });
        let serve = axum::serve(listener, routes).with_graceful_shutdown(stop.clone().cancelled_owned());
        let accept = tokio::spawn(async move {
            let _ = serve.await;
        });
        Ok(Self { address, shared, stop: stop.drop_guard(), accept: AbortOnDropHandle::new(accept) })
    }

    /// The address a client is configured with: `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The address the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Queues a reply; requests take the queued replies in order.
    pub fn push(&self, reply: Reply) {
        self.shared.script.push(reply);
    }

    /// Sets how requests are answered when no reply is queued.
    pub fn respond_with(&self, rule: impl Fn(&Request) -> Reply + Send + Sync + 'static) {
        self.shared.script.respond_with(Arc::new(rule));
    }

    /// Stops keeping requests, for a server that runs for long under load.
    pub fn forget_requests(&self) {
        self.shared.script.forget_requests();
    }

    /// Sets what it answers about itself and its models; without it, it lists none.
    pub fn offers(&self, offered: ModelCatalog) {
        self.shared.script.offers(offered);
    }

    /// Every request about itself and its models so far, as in `GET /v1/models`.
    pub fn questions(&self) -> Vec<String> {
        self.shared.script.questions()
    }

    /// Every request received so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.script.requests()
    }

    /// The faults in requests that a strict provider would refuse; each was refused with status
    /// 400.
    pub fn violations(&self) -> Vec<String> {
        self.shared.script.violations()
    }

    /// Stops checking whether conversations are in order.
    pub fn accept_anything(&self) {
        self.shared.script.accept_anything();
    }

    /// How many requests are not fully answered yet.
    pub fn in_flight(&self) -> usize {
        self.shared.traffic.in_flight()
    }

    /// How many responses the client dropped before their end.
    pub fn aborted(&self) -> usize {
        self.shared.traffic.aborted()
    }

    /// How many connections were opened so far.
    pub fn connections(&self) -> usize {
        self.shared.traffic.connections()
    }

    /// Waits until the condition holds. It is checked again whenever a connection is opened, a
    /// request arrives or a response ends.
    ///
    /// # Panics
    /// When the condition does not hold after ten seconds.
    pub async fn until(&self, condition: impl Fn(&Self) -> bool) {
        let holds = self.shared.traffic.until(|| condition(self));
        if tokio::time::timeout(PATIENCE, holds).await.is_err() {
            panic!("gave up waiting on the model server: {self:?}");
        }
    }

    /// Stops the server and waits until its port and connections are closed.
    pub async fn stop(self) {
        drop(self.stop);
        let _ = self.accept.await;
    }
}

impl fmt::Debug for ModelServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelServer")
            .field("address", &self.address)
            .field("requests", &self.shared.script.received())
            .field("violations", &self.violations())
            .field("in_flight", &self.in_flight())
            .field("aborted", &self.aborted())
            .finish()
    }
}

async fn chat_completions(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let request = match Request::parse(&uri, headers, &body) {
        Ok(request) => request,
        Err(message) => return refuse(&message),
    };
    if let Some(violation) = shared.script.refuse(&request) {
        shared.traffic.changed();
        return refuse(&violation);
    }
    let passage = Traffic::enter(&shared.traffic);
    let reply = shared.script.take_reply(&request);
    shared.traffic.changed();
    play(&reply, &request, passage, shared.stop.clone()).await
}

async fn offered(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, body: Bytes) -> Response {
    let (status, document) = shared.script.offered(&method, uri.path(), &body);
    let status = StatusCode::from_u16(status).expect("a status from 100 to 999");
    (status, [(CONTENT_TYPE, json::CONTENT_TYPE)], document.to_string()).into_response()
}

fn refuse(message: &str) -> Response {
    let status = StatusCode::BAD_REQUEST;
    let body = json::error(status.as_u16(), Some(message));
    (status, [(CONTENT_TYPE, json::CONTENT_TYPE)], body).into_response()
}
