//! The client of Home Assistant, over its WebSocket API.
//!
//! One task owns the connection ([`connection_task`]); the others send commands to it through a
//! [`command_sender`]. Each connection runs in a [`session`], which updates the index.
//! [`inventory`] reads the registries, and [`refresh`] repeats that after changes. [`wire`] is the
//! only part that knows Home Assistant's message format. Of several nodes one has the connection
//! ([`route`]); the others use it through a [`relay`].

mod automations;
mod command_sender;
mod connection_task;
mod exposure;
mod home_port;
mod inventory;
mod logbook;
mod refresh;
mod related;
mod relay;
mod route;
mod runs;
mod session;
mod settings;
mod shared;
mod socket;
mod wire;
mod wire_error;

use std::{fmt, sync::Arc, time::Duration};

use secrecy::ExposeSecret;

use command_sender::CommandSender;
pub use relay::RelayLink;
pub use route::{ActPermit, HomeRoute, RelayAddress};
pub use settings::{HomeAssistantSettings, SettingsError, TimeSource, Timeouts};
use shared::SharedConnection;

use crate::port::{ConnectionStatus, HomeError};

/// Home Assistant as a home. The connection ends with the last handle, or when it is closed.
pub struct HomeAssistantClient {
    shared: Arc<SharedConnection>,
    link: CommandSender,
}

impl HomeAssistantClient {
    /// Connects in the background, and reconnects for as long as it lives. Requires a tokio
    /// runtime.
    pub fn connect(settings: HomeAssistantSettings) -> Result<Arc<Self>, SettingsError> {
        let address = settings.url.parse()?;
        let token = settings.token.expose_secret();
        if token.trim().is_empty() {
            return Err(SettingsError::NoToken);
        }
        if token.chars().any(|char| char.is_whitespace() || char.is_control()) {
            return Err(SettingsError::BrokenToken);
        }
        let (link, requests) = CommandSender::new(&settings.patience);
        let shared = Arc::new(SharedConnection::new(settings, address));
        tokio::spawn(connection_task::run(shared.clone(), requests));
        Ok(Arc::new(Self { shared, link }))
    }

    /// Waits until everything was read once.
    pub async fn ready(&self, patience: Duration) -> Result<(), HomeError> {
        let mut status = self.shared.status();
        let is_settled = |status: &shared::Status| {
            status.is_read
                || matches!(status.connection, ConnectionStatus::Refused { .. })
                || self.shared.closing.is_cancelled()
        };
        let waited = tokio::time::timeout(patience, status.wait_for(is_settled)).await;
        drop(waited);
        let status = status.borrow().clone();
        match status.connection {
            _ if status.is_read => Ok(()),
            ConnectionStatus::Refused { why } => Err(HomeError::Forbidden(why)),
            ConnectionStatus::Reconnecting { why, .. } => Err(HomeError::Unreachable(why)),
            ConnectionStatus::Connected { .. } => Ok(()),
        }
    }

    /// Opens a link by which another node uses this node's connection. `None` while there is none.
    pub async fn relay(&self) -> Option<RelayLink> {
        let door = self.shared.relay_door()?;
        door.join().await
    }

    /// Closes the connection. Later requests fail as unreachable.
    pub fn close(&self) {
        self.shared.closing.cancel();
    }
}

impl Drop for HomeAssistantClient {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for HomeAssistantClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assistant")
            .field("home", &self.shared.address.shown)
            .field("connection", &self.shared.about().connection)
            .finish_non_exhaustive()
    }
}
