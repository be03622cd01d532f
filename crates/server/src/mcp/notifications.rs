//! Notifications: that the list of tools has changed, or that a session has new events.

use std::time::Duration;

use engine::{Delivery, Hub};
use protocol::{Body, OwnerId};
use rmcp::{
    Peer, RoleServer,
    model::ResourceUpdatedNotificationParam,
    service::{SubscriptionContext, SubscriptionSink},
};

use super::{McpHandler, resources::SessionResource};

/// Shortest interval between two notifications about a session.
const GATHER: Duration = Duration::from_millis(250);
/// Most resources that one subscription follows.
const RESOURCES_MAX: usize = 64;

/// The receiver of notifications.
#[derive(Clone)]
pub(super) enum NotificationTarget {
    /// A client with a session.
    Peer(Peer<RoleServer>),
    /// A client that listens with a request.
    Sink(SubscriptionSink),
}

impl NotificationTarget {
    /// Notifies of changed tools; returns whether the client is still connected.
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

/// Notifies of every change of the list of tools while the client is connected.
pub(super) async fn tools(hub: Hub, to: NotificationTarget) {
    let mut changes = hub.tools_changed();
    while changes.changed().await.is_ok() {
        if !to.tools_changed().await {
            return;
        }
    }
}

/// Notifies of new events of a session while the client is connected.
pub(super) async fn resource(hub: Hub, owner: OwnerId, uri: String, to: NotificationTarget) {
    let Some(named) = SessionResource::read(&uri) else { return };
    let Ok(view) = hub.session(&owner, &named.session_id().into()).await else { return };
    let Ok(mut feed) = hub.subscribe(&owner, named.session_id(), view.last_seq).await else { return };
    loop {
        let Ok(delivery) = feed.next().await else { return };
        if !is_news(&delivery, named) {
            continue;
        }
        // Events that follow at once are covered by the same notification.
        let rest = async { while feed.next().await.is_ok() {} };
        let _ = tokio::time::timeout(GATHER, rest).await;
        if !to.updated(&uri).await {
            return;
        }
    }
}

fn is_news(delivery: &Delivery, named: SessionResource) -> bool {
    let Delivery::Event(event) = delivery else { return false };
    match named {
        SessionResource::Events(_) => true,
        SessionResource::Session(_) => matches!(
            event.body,
            Body::MessageAccepted(_) | Body::TurnStatus(_) | Body::SessionUpdated(_) | Body::SessionEnded(_)
        ),
    }
}

/// Runs a subscription until its client is gone.
pub(super) async fn listen(mcp: &McpHandler, context: SubscriptionContext) {
    let to = NotificationTarget::Sink(context.sink().clone());
    let accepted = context.accepted().clone();
    let mut tasks = tokio::task::JoinSet::new();
    if accepted.tools_list_changed == Some(true) {
        tasks.spawn(tools(mcp.hub.clone(), to.clone()));
    }
    for uri in accepted.resource_subscriptions.unwrap_or_default().into_iter().take(RESOURCES_MAX) {
        tasks.spawn(resource(mcp.hub.clone(), mcp.owner.clone(), uri, to.clone()));
    }
    // Dropping the set aborts its tasks.
    context.cancelled().await;
}
