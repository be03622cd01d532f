//! The test server over HTTP.

use std::sync::{Arc, Mutex, PoisonError};

use axum::{
    Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::Response,
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::TestMcpHandler;

/// The `authorization` headers of the received requests.
type AuthorizationLog = Arc<Mutex<Vec<String>>>;

/// A test server over HTTP. Dropping it stops it.
pub struct HttpTestMcpServer {
    address: String,
    acting: TestMcpHandler,
    authorizations: AuthorizationLog,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl HttpTestMcpServer {
    pub(super) async fn start(acting: TestMcpHandler, address: &str) -> Self {
        let listener = bind(address).await;
        let address = listener.local_addr().expect("an address").to_string();
        let (stop, authorizations) = (CancellationToken::new(), AuthorizationLog::default());
        let handler = acting.clone();
        let mut config = StreamableHttpServerConfig::default();
        config.cancellation_token = stop.child_token();
        let service =
            StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(LocalSessionManager::default()), config);
        let router = Router::new()
            .route_service("/mcp", service)
            .layer(middleware::from_fn_with_state(authorizations.clone(), note));
        let ended = stop.clone();
        let serving = tokio::spawn(async move {
            tokio::select! {
                served = axum::serve(listener, router).into_future() => served.expect("it serves"),
                () = ended.cancelled() => {}
            }
        });
        Self { address, acting, authorizations, stop, serving }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The calls it has handled, in order.
    pub fn ledger(&self) -> Vec<String> {
        self.acting.ledger.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The credentials of the requests, in order.
    pub fn authorizations(&self) -> Vec<String> {
        self.authorizations.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds one more tool.
    pub fn grow(&self) {
        self.acting.grown.send_modify(|count| *count += 1);
    }

    /// Stops, with all connections.
    pub async fn stop(mut self) {
        self.stop.cancel();
        let _ = (&mut self.serving).await;
    }
}

impl Drop for HttpTestMcpServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// An address that was just released may take a moment until it can be bound again.
async fn bind(address: &str) -> TcpListener {
    for _ in 0..100 {
        if let Ok(listener) = TcpListener::bind(address).await {
            return listener;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{address} cannot be had")
}

async fn note(State(seen): State<AuthorizationLog>, request: Request, next: Next) -> Response {
    let told = request.headers().get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    seen.lock().unwrap_or_else(PoisonError::into_inner).push(told.to_owned());
    next.run(request).await
}
