//! The Wyoming server, if the settings enable it.

use std::{net::SocketAddr, time::Duration};

use anyhow::Context;
use engine::Hub;
use protocol::OwnerId;
use server::{AllowedPeers, Areas, Limits, WyomingServer};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::config::Config;

/// The bound listener, which is not served yet.
pub(super) struct WyomingListener {
    /// The address.
    pub(super) at: SocketAddr,
    listener: TcpListener,
    server: WyomingServer,
}

/// Binds the listener if it is enabled. The error says which setting is wrong.
pub(super) async fn open(
    config: &Config,
    owner: OwnerId,
    limits: Limits,
    stop: &CancellationToken,
) -> anyhow::Result<Option<WyomingListener>> {
    let settings = &config.wyoming;
    if settings.listen.is_empty() {
        return Ok(None);
    }
    let peers = AllowedPeers::new(&settings.peers).context("`wyoming.peers` is wrong")?;
    let areas = Areas::new(&settings.areas).context("`wyoming.areas` is wrong")?;
    let listener = TcpListener::bind(&settings.listen).await;
    let listener = listener.with_context(|| format!("failed to listen on {} (`wyoming.listen`)", settings.listen))?;
    let at = listener.local_addr().context("failed to listen (`wyoming.listen`)")?;
    let server = WyomingServer {
        owner,
        peers,
        areas,
        announce: settings.announce,
        approve: settings.approve,
        patience: Duration::from_millis(settings.patience_ms),
        pause: Duration::from_millis(settings.pause_ms),
        connections_max: settings.connections_max.get(),
        idle: Duration::from_millis(settings.idle_ms.get()),
        limits,
        stopping: stop.clone(),
    };
    Ok(Some(WyomingListener { at, listener, server }))
}

impl WyomingListener {
    /// Serves connections until the server stops.
    pub(super) async fn serve(self, hub: Hub) -> std::io::Result<()> {
        self.server.serve(self.listener, hub).await
    }
}
