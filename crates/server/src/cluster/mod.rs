//! Several nodes on one store: each owner is served by one of them, and every node takes requests
//! for all.
//!
//! A request is authenticated where it arrives, and passed on to the node that serves its owner
//! ([`forward`]), with its own credentials: that node checks them again. Nodes know each other by a
//! secret that is derived from the one they share ([`hop`]). If the node does not answer, the
//! request waits until that node is back or its lease ends; then it is served here.

mod forward;
mod home_relay;
mod hop;
mod named_node;
mod owner_hint;

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{MatchedPath, Request},
    response::{IntoResponse, Response},
    routing::get,
};
use engine::{Hub, OtherNode, OwnerHold, OwnerPlace};
pub use home_relay::{HomeRelay, HomeRelayAccess, HomeRelayLink};
pub(crate) use hop::{FromNode, NodeDoor, not_here};
pub(crate) use owner_hint::{hint_owner, hinted_owner, without_hint};
use protocol::{Code, OwnerId, Problem};
use tokio::{net::TcpListener, sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use self::{forward::ForwardFault, hop::NodeKey};
use crate::{SealKey, app::AppState, problem::ProblemResponse};

/// How long a node is waited for beyond the end of its lease.
const WAIT_MORE: Duration = Duration::from_secs(3);
/// The pause between two attempts to reach a node.
const PAUSE: Duration = Duration::from_millis(200);
/// How often it is checked that the nodes to which streams were passed on are alive.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Routes that are about this node, or that any node can answer.
const OWN_ROUTES: [&str; 9] = [
    "/readyz",
    "/openapi.json",
    "/metrics",
    "/api/v1/config",
    "/api/v1/logs",
    "/api/v1/nodes",
    "/api/v1/entry",
    "/api/v1/tokens",
    "/api/v1/tokens/{token_id}",
];

/// What the key by which nodes know each other is derived for.
const KEY_PURPOSE: &str = "nodes";

/// How this node takes part in a cluster.
pub struct ClusterSettings {
    /// Takes the requests of other nodes; `None` if it takes none.
    pub listener: Option<TcpListener>,
    /// The connection to Home Assistant, if nodes share one.
    pub home: Option<Box<dyn HomeRelay>>,
}

/// The ways to the other nodes.
pub(crate) struct Cluster {
    key: NodeKey,
    /// The ids of the nodes that are alive, while there is anything to know of them.
    living: watch::Sender<Option<Arc<[String]>>>,
    /// The connection to Home Assistant, if nodes share one.
    home: Option<Box<dyn HomeRelay>>,
}

/// Where a request is answered.
pub(crate) enum Routing {
    /// Here, as long as this node serves the owner.
    Here(Box<Request>, OwnerHold),
    /// It was answered elsewhere.
    Answered(Response),
}

impl Cluster {
    pub(crate) fn new(settings: ClusterSettings, seal: &SealKey) -> Self {
        let key = NodeKey::new(seal.derived(KEY_PURPOSE));
        Self { key, living: watch::Sender::new(None), home: settings.home }
    }

    /// Reads what another node says of a request that it passes on; refused if it is no node.
    pub(crate) fn admit(&self, request: &mut Request) -> Result<(), Problem> {
        self.key.admit(request)
    }

    /// Notes which nodes are alive, until the server stops.
    pub(crate) async fn watch(&self, hub: &Hub, stopping: &CancellationToken) {
        let looking = async {
            loop {
                tokio::time::sleep(LOOK_EVERY).await;
                if self.living.receiver_count() == 0 {
                    continue;
                }
                match hub.living_nodes().await {
                    Ok(living) => drop(self.living.send_replace(Some(living.into()))),
                    Err(error) => tracing::debug!(%error, "whether other nodes are alive is not known"),
                }
            }
        };
        stopping.run_until_cancelled(looking).await;
    }

    /// Waits until a node is known to be dead.
    async fn died(&self, id: &str) {
        let mut living = self.living.subscribe();
        living.mark_unchanged();
        loop {
            // The sender lives as long as the server.
            if living.changed().await.is_err() {
                return std::future::pending().await;
            }
            let is_dead = living.borrow_and_update().as_ref().is_some_and(|all| !all.iter().any(|node| node == id));
            if is_dead {
                return;
            }
        }
    }
}

/// What only other nodes may ask for.
pub(crate) fn routes_for_nodes(app: &AppState) -> Router {
    Router::new().route(home_relay::PATH, get(home_relay::share)).with_state(app.clone())
}

/// Answers a request here if any node can or this one serves the owner, and passes it on otherwise.
pub(crate) async fn route(app: &AppState, owner: &OwnerId, request: Request) -> Result<Routing, Problem> {
    if let Some(id) = named_node::of(&request) {
        return named_node::route(app, owner, &id, request).await;
    }
    if request.extensions().get::<MatchedPath>().is_some_and(|path| OWN_ROUTES.contains(&path.as_str())) {
        return Ok(Routing::Here(Box::new(request), OwnerHold::default()));
    }
    route_to_owner(app, owner, request).await
}

/// Answers a request here if this node serves the owner, and passes it on otherwise.
pub(crate) async fn route_to_owner(app: &AppState, owner: &OwnerId, mut request: Request) -> Result<Routing, Problem> {
    let here = |request, hold| Ok(Routing::Here(Box::new(request), hold));
    let Some(cluster) = &app.cluster else { return here(request, OwnerHold::default()) };
    let is_passed_on = request.extensions().get::<FromNode>().is_some();
    let mut give_up = None::<Instant>;
    loop {
        let node = match app.hub.place(owner).await? {
            OwnerPlace::Here(hold) => return here(request, hold),
            OwnerPlace::Elsewhere(node) => node,
        };
        if is_passed_on {
            // The other node knows more, or will soon: two nodes never send a request to and fro.
            return Ok(Routing::Answered(not_here()));
        }
        let Some(address) = &node.address else { return Err(unreachable_node(&node)) };
        let give_up = *give_up.get_or_insert_with(|| Instant::now() + node.lease_left + WAIT_MORE);
        request = match cluster.forward(app, owner, &node, address, request).await {
            Ok(response) => return Ok(Routing::Answered(response)),
            Err(ForwardFault::NotSent(request)) if Instant::now() < give_up => *request,
            Err(ForwardFault::NotSent(_)) => return Err(silent_node(&node)),
            Err(ForwardFault::Unanswered) => return Err(unanswered(&node)),
        };
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = app.stopping.cancelled() => return Err(engine::Error::Stopping.into()),
        }
    }
}

/// The answer to a request whose owner has moved to another node while it was being answered.
pub(crate) fn moved() -> Response {
    let hint = "Send it again; with the same idempotency key it is done once.";
    let mut problem = Problem::new(Code::Unavailable, "another node serves this owner now", hint);
    problem.retry_after_ms = Some(1_000);
    ProblemResponse(problem).into_response()
}

fn unreachable_node(node: &OtherNode) -> Problem {
    let message = format!("this owner is served by the node {}, which takes no requests from other nodes", node.id);
    Problem::new(Code::Unavailable, message, "Set `cluster.listen` on every node, or send the request to that one.")
}

fn silent_node(node: &OtherNode) -> Problem {
    let message = format!("this owner is served by the node {}, which does not answer", node.id);
    let mut problem =
        Problem::new(Code::Unavailable, message, "Nothing was done. Send it again after `retry_after_ms`.");
    problem.retry_after_ms = Some(1_000);
    problem
}

fn unanswered(node: &OtherNode) -> Problem {
    let message = format!("the node {}, which serves this owner, went away before it answered", node.id);
    let hint =
        "It may have been done. Send it again after `retry_after_ms`; with the same idempotency key it is done once.";
    let mut problem = Problem::new(Code::Unavailable, message, hint);
    problem.retry_after_ms = Some(1_000);
    problem
}
