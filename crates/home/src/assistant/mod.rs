//! Home Assistant as a home, over its WebSocket.
//!
//! One task owns the connection ([`keeper`]); everybody else asks it through a [`link`]. A connection lives in a
//! [`session`], which keeps the index current; what there is is read by [`inventory`], and read again by [`chores`]. What
//! goes over the wire is in [`wire`], and is the only part that knows how Home Assistant writes.

mod asking;
mod chores;
mod exposure;
mod fault;
mod inventory;
mod keeper;
mod link;
mod logbook;
mod related;
mod runs;
mod session;
mod settings;
mod shared;
mod socket;
mod wire;

use std::{fmt, sync::Arc, time::Duration};

use secrecy::ExposeSecret;

use link::Link;
pub use settings::{Now, Patience, Settings, SettingsError};
use shared::Shared;

use crate::house::{Connection, HouseError};

/// Home Assistant. The connection ends with the last of its holders, or when it is closed.
pub struct Assistant {
    shared: Arc<Shared>,
    link: Link,
}

impl Assistant {
    /// Begins to connect, and goes on for as long as it lives. Has to be called within a runtime of tokio.
    pub fn connect(settings: Settings) -> Result<Arc<Self>, SettingsError> {
        let address = settings.url.parse()?;
        let token = settings.token.expose_secret();
        if token.trim().is_empty() {
            return Err(SettingsError::NoToken);
        }
        if token.chars().any(|char| char.is_whitespace() || char.is_control()) {
            return Err(SettingsError::BrokenToken);
        }
        let (link, requests) = Link::new(&settings.patience);
        let shared = Arc::new(Shared::new(settings, address));
        tokio::spawn(keeper::keep(shared.clone(), requests));
        Ok(Arc::new(Self { shared, link }))
    }

    /// Waits until everything was read once.
    pub async fn ready(&self, patience: Duration) -> Result<(), HouseError> {
        let mut status = self.shared.status();
        let is_settled = |status: &shared::Status| {
            status.is_read
                || matches!(status.connection, Connection::Refused { .. })
                || self.shared.closing.is_cancelled()
        };
        let waited = tokio::time::timeout(patience, status.wait_for(is_settled)).await;
        drop(waited);
        let status = status.borrow().clone();
        match status.connection {
            _ if status.is_read => Ok(()),
            Connection::Refused { why } => Err(HouseError::Forbidden(why)),
            Connection::Reconnecting { why, .. } => Err(HouseError::Unreachable(why)),
            Connection::Connected { .. } => Ok(()),
        }
    }

    /// Ends the connection. What is asked afterwards cannot be reached.
    pub fn close(&self) {
        self.shared.closing.cancel();
    }
}

impl Drop for Assistant {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for Assistant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assistant")
            .field("home", &self.shared.address.shown)
            .field("connection", &self.shared.about().connection)
            .finish_non_exhaustive()
    }
}
