//! The connection to Home Assistant, which one node has and the others use through it.

use async_trait::async_trait;
use axum::{
    extract::{
        FromRequest, Request, State,
        ws::{Message, WebSocket, WebSocketUpgrade},
    },
    http::HeaderValue,
    response::{IntoResponse, Response},
};
use protocol::{Code, Problem};

use super::hop::{KEY, NodeKey};
use crate::{SealKey, app::AppState, problem::ProblemResponse, rest::invalid};

/// The path for other nodes.
pub(super) const PATH: &str = "/cluster/home";

/// The connection to Home Assistant that this node shares with the others.
#[async_trait]
pub trait HomeRelay: Send + Sync + 'static {
    /// Opens a link for another node. `None` while this node does not have the connection.
    async fn open(&self) -> Option<Box<dyn HomeRelayLink>>;
}

/// What another node and Home Assistant say to each other.
#[async_trait]
pub trait HomeRelayLink: Send + 'static {
    /// The next message for the other node. `None` once the connection has ended. Cancel-safe.
    async fn next(&mut self) -> Option<String>;

    /// Passes a message of the other node on. False once the connection has ended.
    async fn send(&mut self, text: String) -> bool;
}

/// How a node asks another one, whose address is given, for its connection to Home Assistant.
#[derive(Debug, Clone)]
pub struct HomeRelayAccess {
    key: NodeKey,
}

impl HomeRelayAccess {
    /// The access of a node that shares this key with the others.
    pub fn new(seal: &SealKey) -> Self {
        Self { key: NodeKey::new(seal.derived(super::KEY_PURPOSE)) }
    }

    /// The URL of the WebSocket of the node at an address.
    pub fn url(address: &str) -> String {
        format!("ws://{address}{PATH}")
    }

    /// The header by which nodes know each other: its name and its value.
    pub fn header(&self) -> (&'static str, &HeaderValue) {
        (KEY, &self.key.0)
    }
}

/// Lets another node use the connection.
pub(super) async fn share(State(app): State<AppState>, mut request: Request) -> Response {
    let Some(cluster) = &app.cluster else { return not_here() };
    if let Err(problem) = cluster.admit(&mut request) {
        return ProblemResponse(problem).into_response();
    }
    let Some(relay) = &cluster.home else { return not_here() };
    let upgrade = match WebSocketUpgrade::from_request(request, &app).await {
        Ok(upgrade) => upgrade,
        Err(error) => return invalid(error.body_text()).into_response(),
    };
    let Some(link) = relay.open().await else { return not_here() };
    let limit = app.limits.frame_bytes_max;
    let upgrade = upgrade.max_message_size(limit).max_frame_size(limit);
    let stopping = app.stopping.clone();
    upgrade.on_upgrade(async move |socket| {
        stopping.run_until_cancelled(pass_on(socket, link)).await;
    })
}

/// Until either side ends it.
async fn pass_on(mut socket: WebSocket, mut link: Box<dyn HomeRelayLink>) {
    loop {
        tokio::select! {
            message = link.next() => {
                let Some(text) = message else { return };
                if socket.send(Message::Text(text.into())).await.is_err() {
                    return;
                }
            }
            command = socket.recv() => match command {
                Some(Ok(Message::Text(text))) => {
                    if !link.send(text.as_str().to_owned()).await {
                        return;
                    }
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                _ => return,
            },
        }
    }
}

fn not_here() -> Response {
    let hint = "Ask again in a moment; the node that serves the operator has the connection.";
    ProblemResponse(Problem::new(Code::Unavailable, "this node has no connection to Home Assistant", hint))
        .into_response()
}
