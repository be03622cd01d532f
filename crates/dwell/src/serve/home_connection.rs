//! Which of several nodes has the connection to Home Assistant: the one that serves the operator,
//! whose home it is.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use home::{ActPermit, HomeAssistantClient, HomeRoute, RelayAddress, RelayLink};
use journal::{OtherNode, OwnerPlace, Store};
use protocol::OwnerId;
use secrecy::SecretString;
use server::{ClusterSettings, HomeRelay, HomeRelayAccess, HomeRelayLink, SealKey};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How often a node that uses another one's connection looks whether that node still has it.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How this node reaches Home Assistant, from now on until the server stops. `None` if it is the
/// only node, or takes no requests of others.
pub(super) fn watch_route(
    store: &Arc<dyn Store>,
    cluster: Option<&ClusterSettings>,
    owner: &OwnerId,
    seal: &SealKey,
    stopping: &CancellationToken,
) -> Option<watch::Receiver<HomeRoute>> {
    cluster?.listener.as_ref()?;
    let none = HomeRoute::None { why: "which node has the connection is not known yet".to_owned() };
    let (route, receiver) = watch::channel(none);
    let (store, owner, access) = (store.clone(), owner.clone(), HomeRelayAccess::new(seal));
    let stopping = stopping.clone();
    tokio::spawn(async move {
        stopping.run_until_cancelled(follow(&*store, &owner, &access, &route)).await;
        // Turns may still end; their calls are made while this node serves the operator.
        route.closed().await;
    });
    Some(receiver)
}

/// Keeps the route up to date.
async fn follow(store: &dyn Store, owner: &OwnerId, access: &HomeRelayAccess, route: &watch::Sender<HomeRoute>) {
    loop {
        match store.place(owner).await {
            Ok(OwnerPlace::Here(mut hold)) => {
                let asked = hold.clone();
                route.send_replace(HomeRoute::Direct(ActPermit::new(move || asked.may_act())));
                tracing::info!("this node has the connection to Home Assistant");
                hold.lost().await;
                continue;
            }
            Ok(OwnerPlace::Elsewhere(node)) => {
                let new = through(node, access);
                route.send_if_modified(|old| {
                    let is_new = !is_same(old, &new);
                    if is_new {
                        tracing::info!(?new, "another node has the connection to Home Assistant");
                        *old = new;
                    }
                    is_new
                });
            }
            // The route stays: a node that has lost its lease finds that out by itself.
            Err(error) => tracing::debug!(%error, "which node has the connection to Home Assistant is not known"),
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// The way through the node that has the connection.
fn through(OtherNode { id, address, .. }: OtherNode, access: &HomeRelayAccess) -> HomeRoute {
    let Some(address) = address else {
        let why = format!("the node {id} has the connection, and takes no requests of others (`cluster.listen`)");
        return HomeRoute::None { why };
    };
    let (header, key) = access.header();
    let key = SecretString::from(key.to_str().unwrap_or_default());
    HomeRoute::Through(RelayAddress { node: id, url: HomeRelayAccess::url(&address), header, key })
}

fn is_same(one: &HomeRoute, other: &HomeRoute) -> bool {
    match (one, other) {
        (HomeRoute::Through(one), HomeRoute::Through(other)) => (&one.node, &one.url) == (&other.node, &other.url),
        (HomeRoute::None { why }, HomeRoute::None { why: other }) => why == other,
        _ => false,
    }
}

/// Lets other nodes use this node's connection.
pub(super) struct SharedHome(pub(super) Arc<HomeAssistantClient>);

#[async_trait]
impl HomeRelay for SharedHome {
    async fn open(&self) -> Option<Box<dyn HomeRelayLink>> {
        Some(Box::new(OpenLink(self.0.relay().await?)))
    }
}

struct OpenLink(RelayLink);

#[async_trait]
impl HomeRelayLink for OpenLink {
    async fn next(&mut self) -> Option<String> {
        self.0.next().await
    }

    async fn send(&mut self, text: String) -> bool {
        self.0.send(text).await
    }
}
