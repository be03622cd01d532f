//! What a client wants to be told of without asking: that the list of tools has changed, that a session has moved on.

use std::time::Duration;

use engine::{Delivery, Hub};
use protocol::{Body, OwnerId};
use rmcp::{
    Peer, RoleServer,
    model::ResourceUpdatedNotificationParam,
    service::{SubscriptionContext, SubscriptionSink},
};

use super::{Mcp, resources::Named};

/// A session that moves on is told of this often at most.
const GATHER: Duration = Duration::from_millis(250);
/// Resources that one subscription follows.
const RESOURCES_MAX: usize = 64;

/// Who is told.
#[derive(Clone)]
pub(super) enum To {
    /// A client with a session.
    Peer(Peer<RoleServer>),
    /// A client that listens by a request.
    Sink(SubscriptionSink),
}

impl To {
    /// Whether somebody was there to be told.
    async fn tools_changed(&self) -> bool {
        match self {
            Self::Peer(peer) => peer.notify_tool_list_changed().await.is_ok(),
            Self::Sink(sink) => sink.notify_tool_list_changed().await.is_ok(),
        }
    }

    async fn updated(&self, uri: &str) -> bool {
        match self {
            Self::Peer(peer) => peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_ok(),
            Self::Sink(sink) => sink.notify_resource_updated(uri).await.is_ok(),
        }
    }
}

/// Tells of every change of the list of tools, for as long as somebody is there.
pub(super) async fn tools(hub: Hub, to: To) {
    let mut changes = hub.tools_changed();
    while changes.changed().await.is_ok() {
        if !to.tools_changed().await {
            return;
        }
    }
}

/// Tells that a session has moved on, for as long as somebody is there.
pub(super) async fn resource(hub: Hub, owner: OwnerId, uri: String, to: To) {
    let Some(named) = Named::read(&uri) else { return };
    let Ok(view) = hub.session(&owner, &named.session_id().into()).await else { return };
    let Ok(mut feed) = hub.subscribe(&owner, named.session_id(), view.last_seq).await else { return };
    loop {
        let Ok(delivery) = feed.next().await else { return };
        if !is_news(&delivery, named) {
            continue;
        }
        // What follows at once is told with it.
        let rest = async { while feed.next().await.is_ok() {} };
        let _ = tokio::time::timeout(GATHER, rest).await;
        if !to.updated(&uri).await {
            return;
        }
    }
}

fn is_news(delivery: &Delivery, named: Named) -> bool {
    let Delivery::Event(event) = delivery else { return false };
    match named {
        Named::Events(_) => true,
        Named::Session(_) => matches!(
            event.body,
            Body::MessageAccepted(_) | Body::TurnStatus(_) | Body::SessionUpdated(_) | Body::SessionEnded(_)
        ),
    }
}

/// Runs a subscription until its client is gone.
pub(super) async fn listen(mcp: &Mcp, context: SubscriptionContext) {
    let to = To::Sink(context.sink().clone());
    let accepted = context.accepted().clone();
    let mut tasks = tokio::task::JoinSet::new();
    if accepted.tools_list_changed == Some(true) {
        tasks.spawn(tools(mcp.hub.clone(), to.clone()));
    }
    for uri in accepted.resource_subscriptions.unwrap_or_default().into_iter().take(RESOURCES_MAX) {
        tasks.spawn(resource(mcp.hub.clone(), mcp.owner.clone(), uri, to.clone()));
    }
    // Dropping the set ends what it runs.
    context.cancelled().await;
}
