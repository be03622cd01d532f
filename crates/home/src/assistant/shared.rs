//! What the task that owns the connection and those who ask share.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use protocol::Timestamp;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    settings::{Address, Settings},
    wire::{Config, ServiceRow},
};
use crate::{
    house::{About, Connection, HouseError},
    index::Index,
};

/// What is known of the connection and of the home as a whole.
#[derive(Debug, Clone)]
pub(super) struct Status {
    pub(super) connection: Connection,
    /// Whether all there is was read once.
    pub(super) is_read: bool,
    version: Option<String>,
    config: Config,
}

/// Services by domain and name.
pub(super) type ServiceTable = HashMap<(String, String), ServiceRow>;

/// What the task that owns the connection and those who ask share.
pub(super) struct Shared {
    pub(super) settings: Settings,
    pub(super) address: Address,
    pub(super) index: Index,
    pub(super) closing: CancellationToken,
    status: watch::Sender<Status>,
    services: Mutex<ServiceTable>,
}

impl Shared {
    pub(super) fn new(settings: Settings, address: Address) -> Self {
        let status = Status {
            connection: Connection::Reconnecting { since: None, why: "it has not answered yet".to_owned() },
            is_read: false,
            version: None,
            config: Config::default(),
        };
        Self {
            settings,
            address,
            index: Index::default(),
            closing: CancellationToken::new(),
            status: watch::Sender::new(status),
            services: Mutex::default(),
        }
    }

    fn now(&self) -> Timestamp {
        self.settings.now.get()
    }

    pub(super) fn status(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }

    /// Everything was read, and is kept current from now on.
    pub(super) fn connected(&self) {
        let since = self.now();
        self.status.send_modify(|status| {
            status.connection = Connection::Connected { since };
            status.is_read = true;
        });
        self.index.nudge();
        tracing::info!(home = %self.address.shown, entities = self.index.len(), "connected to Home Assistant");
    }

    /// It cannot be reached for now.
    pub(super) fn lost(&self, why: &str) {
        let now = self.now();
        self.status.send_modify(|status| {
            let since = match &status.connection {
                Connection::Connected { .. } => Some(now),
                Connection::Reconnecting { since, .. } => *since,
                Connection::Refused { .. } => None,
            };
            status.connection = Connection::Reconnecting { since, why: why.to_owned() };
        });
        self.index.nudge();
        tracing::info!(home = %self.address.shown, why, "not connected to Home Assistant");
    }

    /// The token is not accepted.
    pub(super) fn refused(&self) -> HouseError {
        let why = "Home Assistant does not accept the token; make a new long-lived access token in its profile page \
                   and put it in the configuration"
            .to_owned();
        self.status.send_modify(|status| status.connection = Connection::Refused { why: why.clone() });
        self.index.nudge();
        tracing::warn!(home = %self.address.shown, "Home Assistant does not accept the token");
        HouseError::Forbidden(why)
    }

    pub(super) fn met(&self, version: Option<String>) {
        self.status.send_modify(|status| status.version = version);
    }

    pub(super) fn configured(&self, config: Config) {
        self.status.send_modify(|status| status.config = config);
    }

    pub(super) fn about(&self) -> About {
        let status = self.status.borrow();
        let Config { location_name, time_zone, version, unit_system } = status.config.clone();
        About {
            name: if location_name.is_empty() { "Home Assistant".to_owned() } else { location_name },
            simulated: false,
            version: status.version.clone().or(version),
            time_zone,
            temperature_unit: unit_system.temperature,
            connection: status.connection.clone(),
        }
    }

    pub(super) fn services(&self) -> MutexGuard<'_, ServiceTable> {
        self.services.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
