//! The door of Wyoming, where the settings open it.

use std::{net::SocketAddr, time::Duration};

use anyhow::Context;
use engine::Hub;
use protocol::OwnerId;
use server::{Areas, Limits, Peers, Wyoming};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::config::Config;

/// The door, open but not served yet.
pub(super) struct Open {
    /// Where it is.
    pub(super) at: SocketAddr,
    listener: TcpListener,
    door: Wyoming,
}

/// Opens the door if it is to be open. The error says which setting is wrong.
pub(super) async fn open(
    config: &Config,
    owner: OwnerId,
    limits: Limits,
    stop: &CancellationToken,
) -> anyhow::Result<Option<Open>> {
    let settings = &config.wyoming;
    if settings.listen.is_empty() {
        return Ok(None);
    }
    let peers = Peers::new(&settings.peers).context("`wyoming.peers` is wrong")?;
    let areas = Areas::new(&settings.areas).context("`wyoming.areas` is wrong")?;
    let listener = TcpListener::bind(&settings.listen).await;
    let listener = listener.with_context(|| format!("failed to listen on {} (`wyoming.listen`)", settings.listen))?;
    let at = listener.local_addr().context("failed to listen (`wyoming.listen`)")?;
    let door = Wyoming {
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
    Ok(Some(Open { at, listener, door }))
}

impl Open {
    /// Serves the door until it is told to stop.
    pub(super) async fn serve(self, hub: Hub) -> std::io::Result<()> {
        self.door.serve(self.listener, hub).await
    }
}
