//! `/mcp`: the protocol over HTTP. Each owner has a service of its own, so that no session id and
//! no answer of one owner can reach another.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use engine::Hub;
use futures::{StreamExt, future::BoxFuture};
use protocol::OwnerId;
use rmcp::{
    ServerHandler,
    transport::{StreamableHttpServerConfig, StreamableHttpService},
};
use tokio_util::sync::CancellationToken;

use super::{
    McpHandler,
    sessions::{McpSessions, OwnerSessions},
};
use crate::{
    Limits, SealKey,
    access::Principal,
    app::AppState,
    problem::{HttpResult, ProblemResponse},
    rest::{declared, refuse, too_large},
    streams::StreamPermit,
};

/// The service that answers an owner's requests.
type OwnerService = Arc<dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync>;

/// The services of all owners.
pub(crate) struct OwnerServices {
    make_service: Box<dyn Fn(OwnerId) -> OwnerService + Send + Sync>,
    services: Mutex<HashMap<OwnerId, OwnerService>>,
    sessions: Arc<McpSessions>,
}

impl OwnerServices {
    /// Services whose handlers are wrapped by `wrap`, which tests use to add tools.
    pub(crate) fn new<H: ServerHandler>(
        hub: Hub,
        key: SealKey,
        limits: &Limits,
        stopping: CancellationToken,
        wrap: impl Fn(McpHandler) -> H + Clone + Send + Sync + 'static,
    ) -> Self {
        let (sessions, body_bytes_max) = (Arc::new(McpSessions::new(limits)), limits.frame_bytes_max);
        let all = sessions.clone();
        let open = move |owner: OwnerId| -> OwnerService {
            // Host and Origin were checked before.
            let config = StreamableHttpServerConfig::default()
                .disable_allowed_hosts()
                .with_max_request_body_bytes(body_bytes_max)
                .with_cancellation_token(stopping.child_token());
            let sessions = OwnerSessions::new(owner.clone(), all.clone());
            let (hub, key, wrap) = (hub.clone(), key.clone(), wrap.clone());
            let make = move || Ok(wrap(McpHandler::new(hub.clone(), owner.clone(), &key)));
            let service = StreamableHttpService::new(make, Arc::new(sessions), config);
            Arc::new(move |request| {
                let service = service.clone();
                Box::pin(async move { service.handle(request).await.map(Body::new) })
            })
        };
        Self { make_service: Box::new(open), services: Mutex::default(), sessions }
    }

    /// The number of open sessions of each owner.
    pub(crate) fn sessions(&self) -> BTreeMap<OwnerId, usize> {
        self.sessions.owners()
    }

    /// Ends idle sessions.
    pub(crate) async fn end_idle(&self) {
        self.sessions.end_idle().await;
    }

    fn of(&self, owner: OwnerId) -> OwnerService {
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        services.entry(owner).or_insert_with_key(|owner| (self.make_service)(owner.clone())).clone()
    }
}

/// `/mcp` with any method. A response that is an event stream counts as a stream.
pub(crate) async fn handle(
    State(app): State<AppState>,
    Principal(owner): Principal,
    request: Request,
) -> HttpResult<Response> {
    let max = app.limits.frame_bytes_max;
    if declared(request.headers()).is_some_and(|bytes| bytes > max as u64) {
        let (parts, body) = request.into_parts();
        refuse(&parts.headers, body).await;
        return Err(ProblemResponse(too_large(max)));
    }
    let permit = app.stream_permit(&owner)?;
    let is_end = request.method() == Method::DELETE;
    let response = (app.mcp.of(owner))(request).await;
    if is_end && response.status() == StatusCode::ACCEPTED {
        // The session has ended by now. The SDKs expect that to be said, and log 202 as a failure.
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    if response.status() == StatusCode::PAYLOAD_TOO_LARGE {
        // The library answers with plain text; here every error is a problem document.
        return Err(ProblemResponse(too_large(max)));
    }
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    Ok(if is_stream { response.map(|body| held(body, permit)) } else { response })
}

/// The same body, which holds a stream permit until it is dropped.
fn held(body: Body, permit: StreamPermit) -> Body {
    Body::from_stream(body.into_data_stream().map(move |bytes| {
        let _permit = &permit;
        bytes
    }))
}
