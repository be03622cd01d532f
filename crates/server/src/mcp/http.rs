//! `/mcp`: the protocol over HTTP. Each owner has a service of its own, so that nothing of one can reach another: not a
//! session's id, not an answer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use engine::Hub;
use futures::future::BoxFuture;
use protocol::OwnerId;
use rmcp::{
    ServerHandler,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, streamable_http_server::session::local::LocalSessionManager,
    },
};
use tokio_util::sync::CancellationToken;

use super::Mcp;
use crate::{SealKey, access::Principal, app::App};

/// How long a client with a session may be silent.
const KEEP_ALIVE: Duration = Duration::from_secs(60 * 60);

/// What answers an owner's requests.
type Door = Arc<dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync>;

/// The doors of all owners.
pub(crate) struct Doors {
    open: Box<dyn Fn(OwnerId) -> Door + Send + Sync>,
    doors: Mutex<HashMap<OwnerId, Door>>,
}

impl Doors {
    /// Doors behind which `wrap` stands: in tests it adds to what there is.
    pub(crate) fn new<H: ServerHandler>(
        hub: Hub,
        key: SealKey,
        body_bytes_max: usize,
        stopping: CancellationToken,
        wrap: impl Fn(Mcp) -> H + Clone + Send + Sync + 'static,
    ) -> Self {
        let open = move |owner: OwnerId| -> Door {
            // Host and Origin were looked at in front of every route.
            let config = StreamableHttpServerConfig::default()
                .disable_allowed_hosts()
                .with_max_request_body_bytes(body_bytes_max)
                .with_cancellation_token(stopping.child_token());
            let mut sessions = LocalSessionManager::default();
            sessions.session_config.keep_alive = Some(KEEP_ALIVE);
            let (hub, key, wrap) = (hub.clone(), key.clone(), wrap.clone());
            let make = move || Ok(wrap(Mcp::new(hub.clone(), owner.clone(), &key)));
            let service = StreamableHttpService::new(make, Arc::new(sessions), config);
            Arc::new(move |request| {
                let service = service.clone();
                Box::pin(async move { service.handle(request).await.map(Body::new) })
            })
        };
        Self { open: Box::new(open), doors: Mutex::default() }
    }

    fn of(&self, owner: OwnerId) -> Door {
        let mut doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        doors.entry(owner).or_insert_with_key(|owner| (self.open)(owner.clone())).clone()
    }
}

/// `/mcp`, whatever the method.
pub(crate) async fn handle(State(app): State<App>, Principal(owner): Principal, request: Request) -> Response {
    (app.mcp.of(owner))(request).await
}
