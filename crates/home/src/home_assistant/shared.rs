//! State shared between the connection task and its callers.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

use protocol::Timestamp;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    relay::RelayDoor,
    route::{self, HomeRoute},
    settings::{HomeAssistantSettings, WebSocketAddress},
    wire::{CoreConfig, ServiceRow},
};
use crate::{
    index::HomeIndex,
    port::{ConnectionStatus, HomeError, HomeInfo},
};

/// The status of the connection and of the home.
#[derive(Debug, Clone)]
pub(super) struct Status {
    pub(super) connection: ConnectionStatus,
    /// Whether everything was read once.
    pub(super) is_read: bool,
    version: Option<String>,
    config: CoreConfig,
}

/// Services by domain and name.
pub(super) type ServiceTable = HashMap<(String, String), ServiceRow>;

/// State shared between the connection task and its callers.
pub(super) struct SharedConnection {
    pub(super) settings: HomeAssistantSettings,
    pub(super) address: WebSocketAddress,
    pub(super) index: HomeIndex,
    pub(super) closing: CancellationToken,
    status: watch::Sender<Status>,
    services: Mutex<ServiceTable>,
    /// The types of events that schedules wait for.
    events: watch::Sender<BTreeSet<String>>,
    routes: watch::Receiver<HomeRoute>,
    /// The way for other nodes to the connection, while this node has it.
    relay_door: Mutex<Option<RelayDoor>>,
}

impl SharedConnection {
    pub(super) fn new(settings: HomeAssistantSettings, address: WebSocketAddress) -> Self {
        let status = Status {
            connection: ConnectionStatus::Reconnecting { since: None, why: "it has not answered yet".to_owned() },
            is_read: false,
            version: None,
            config: CoreConfig::default(),
        };
        let routes = settings.routes.clone().unwrap_or_else(route::direct);
        Self {
            routes,
            relay_door: Mutex::default(),
            settings,
            address,
            index: HomeIndex::default(),
            closing: CancellationToken::new(),
            status: watch::Sender::new(status),
            services: Mutex::default(),
            events: watch::Sender::default(),
        }
    }

    fn now(&self) -> Timestamp {
        self.settings.now.get()
    }

    pub(super) fn status(&self) -> watch::Receiver<Status> {
        self.status.subscribe()
    }

    /// Everything was read, and is kept up to date from now on.
    pub(super) fn connected(&self) {
        let since = self.now();
        self.status.send_modify(|status| {
            status.connection = ConnectionStatus::Connected { since };
            status.is_read = true;
        });
        self.index.nudge();
        tracing::info!(home = %self.address.shown, entities = self.index.len(), "connected to Home Assistant");
    }

    /// The home cannot be reached at the moment.
    pub(super) fn lost(&self, why: &str) {
        let now = self.now();
        self.status.send_modify(|status| {
            let since = match &status.connection {
                ConnectionStatus::Connected { .. } => Some(now),
                ConnectionStatus::Reconnecting { since, .. } => *since,
                ConnectionStatus::Refused { .. } => None,
            };
            status.connection = ConnectionStatus::Reconnecting { since, why: why.to_owned() };
        });
        self.index.nudge();
        tracing::info!(home = %self.address.shown, why, "not connected to Home Assistant");
    }

    /// The token is not accepted.
    pub(super) fn refused(&self) -> HomeError {
        let why = "Home Assistant does not accept the token; make a new long-lived access token in its profile page \
                   and put it in the configuration"
            .to_owned();
        self.status.send_modify(|status| status.connection = ConnectionStatus::Refused { why: why.clone() });
        self.index.nudge();
        tracing::warn!(home = %self.address.shown, "Home Assistant does not accept the token");
        HomeError::Forbidden(why)
    }

    /// How Home Assistant is reached.
    pub(super) fn routes(&self) -> watch::Receiver<HomeRoute> {
        self.routes.clone()
    }

    pub(super) fn relay_door(&self) -> Option<RelayDoor> {
        self.relay_door.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_relay_door(&self, door: Option<RelayDoor>) {
        *self.relay_door.lock().unwrap_or_else(PoisonError::into_inner) = door;
    }

    pub(super) fn version(&self) -> Option<String> {
        self.status.borrow().version.clone()
    }

    pub(super) fn met(&self, version: Option<String>) {
        self.status.send_modify(|status| status.version = version);
    }

    pub(super) fn configured(&self, config: CoreConfig) {
        self.status.send_modify(|status| status.config = config);
    }

    pub(super) fn about(&self) -> HomeInfo {
        let status = self.status.borrow();
        let CoreConfig { location_name, time_zone, version, unit_system } = status.config.clone();
        HomeInfo {
            name: if location_name.is_empty() { "Home Assistant".to_owned() } else { location_name },
            simulated: false,
            version: status.version.clone().or(version),
            time_zone,
            temperature_unit: unit_system.temperature,
            connection: status.connection.clone(),
        }
    }

    pub(super) fn want_events(&self, types: BTreeSet<String>) {
        self.events.send_if_modified(|known| {
            let is_new = *known != types;
            *known = types;
            is_new
        });
    }

    pub(super) fn wanted_events(&self) -> watch::Receiver<BTreeSet<String>> {
        self.events.subscribe()
    }

    pub(super) fn services(&self) -> MutexGuard<'_, ServiceTable> {
        self.services.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
