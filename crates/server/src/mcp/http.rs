//! `/mcp`: the protocol over HTTP. Each owner has a service of its own, so that nothing of one can reach another: not a
//! session's id, not an answer.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    body::Body,
    extract::{Request, State},
    http::{StatusCode, header},
    response::Response,
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
    Mcp,
    sessions::{OwnerSessions, Sessions},
};
use crate::{
    Limits, SealKey,
    access::Principal,
    app::App,
    problem::{Failure, Outcome},
    rest::{declared, refuse, too_large},
    streams::StreamPermit,
};

/// What answers an owner's requests.
type Door = Arc<dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync>;

/// The doors of all owners.
pub(crate) struct Doors {
    open: Box<dyn Fn(OwnerId) -> Door + Send + Sync>,
    doors: Mutex<HashMap<OwnerId, Door>>,
    sessions: Arc<Sessions>,
}

impl Doors {
    /// Doors behind which `wrap` stands: in tests it adds to what there is.
    pub(crate) fn new<H: ServerHandler>(
        hub: Hub,
        key: SealKey,
        limits: &Limits,
        stopping: CancellationToken,
        wrap: impl Fn(Mcp) -> H + Clone + Send + Sync + 'static,
    ) -> Self {
        let (sessions, body_bytes_max) = (Arc::new(Sessions::new(limits)), limits.frame_bytes_max);
        let all = sessions.clone();
        let open = move |owner: OwnerId| -> Door {
            // Host and Origin were looked at in front of every route.
            let config = StreamableHttpServerConfig::default()
                .disable_allowed_hosts()
                .with_max_request_body_bytes(body_bytes_max)
                .with_cancellation_token(stopping.child_token());
            let sessions = OwnerSessions::new(owner.clone(), all.clone());
            let (hub, key, wrap) = (hub.clone(), key.clone(), wrap.clone());
            let make = move || Ok(wrap(Mcp::new(hub.clone(), owner.clone(), &key)));
            let service = StreamableHttpService::new(make, Arc::new(sessions), config);
            Arc::new(move |request| {
                let service = service.clone();
                Box::pin(async move { service.handle(request).await.map(Body::new) })
            })
        };
        Self { open: Box::new(open), doors: Mutex::default(), sessions }
    }

    /// The sessions that are open, of each owner that has one.
    pub(crate) fn sessions(&self) -> BTreeMap<OwnerId, usize> {
        self.sessions.owners()
    }

    /// Ends the sessions that are not used any more.
    pub(crate) async fn end_idle(&self) {
        self.sessions.end_idle().await;
    }

    fn of(&self, owner: OwnerId) -> Door {
        let mut doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        doors.entry(owner).or_insert_with_key(|owner| (self.open)(owner.clone())).clone()
    }
}

/// `/mcp`, whatever the method. What is answered as a stream of events has a place among the streams.
pub(crate) async fn handle(State(app): State<App>, Principal(owner): Principal, request: Request) -> Outcome<Response> {
    let max = app.limits.frame_bytes_max;
    if declared(request.headers()).is_some_and(|bytes| bytes > max as u64) {
        let (parts, body) = request.into_parts();
        refuse(&parts.headers, body).await;
        return Err(Failure(too_large(max)));
    }
    let permit = app.stream_permit(&owner)?;
    let response = (app.mcp.of(owner))(request).await;
    if response.status() == StatusCode::PAYLOAD_TOO_LARGE {
        // The library says it in plain words; here every refusal of a body is a document.
        return Err(Failure(too_large(max)));
    }
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    Ok(if is_stream { response.map(|body| held(body, permit)) } else { response })
}

/// The same body, with a place among the streams for as long as it is there.
fn held(body: Body, permit: StreamPermit) -> Body {
    Body::from_stream(body.into_data_stream().map(move |bytes| {
        let _permit = &permit;
        bytes
    }))
}
