//! The port to a home: queries, service calls, and records.

use std::collections::BTreeSet;

use async_trait::async_trait;
use protocol::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::{
    EntityId, EntityRelations, EntityState, LogEntry, LogbookEntry, Period, ServiceCall, ServiceDescription,
    StateSeries, Trace,
};
use crate::{
    automations::{AutomationCheck, AutomationConfig},
    index::HomeIndex,
};

/// The status of the connection to the home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum ConnectionStatus {
    /// The home is reachable.
    Connected {
        /// Since when.
        since: Timestamp,
    },
    /// The home is not reachable, and the connection is retried. The known states are from before.
    Reconnecting {
        /// Since when; `None` if it was never reachable.
        since: Option<Timestamp>,
        /// Why not.
        why: String,
    },
    /// The home will stay unreachable until the configuration is changed.
    Refused {
        /// Why, and what to do.
        why: String,
    },
}

/// General information about the home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HomeInfo {
    /// Its name.
    pub name: String,
    /// Whether it is simulated. Answers about it say so.
    pub simulated: bool,
    /// Its version.
    pub version: Option<String>,
    /// Its time zone, as `Europe/Berlin`.
    pub time_zone: Option<String>,
    /// The unit of its temperatures, as `°C`.
    pub temperature_unit: Option<String>,
    /// The status of the connection.
    pub connection: ConnectionStatus,
}

/// Why a request to the home failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HomeError {
    /// The home cannot be reached; nothing was done.
    #[error("the home cannot be reached: {0}")]
    Unreachable(String),
    /// The home stopped answering after the request was sent: it may have been done.
    #[error("the home did not answer, so it is not known whether it was done: {0}")]
    Lost(String),
    /// The user of this token may not do that.
    #[error("the home refuses it: {0}")]
    Forbidden(String),
    /// The home does not accept the request.
    #[error("the home does not accept that: {0}")]
    Invalid(String),
    /// The home tried and failed.
    #[error("the home could not do it: {0}")]
    Failed(String),
    /// The home does not support it.
    #[error("this home does not support that: {0}")]
    Unsupported(String),
}

/// Why a home without stored automations changes none.
const FIXED: &str = "its automations are built in: they can be listed, explained and paused, but not created or \
                     removed; connect Home Assistant for that";

/// A home. Its data comes from its own events, or from a request.
#[async_trait]
pub trait HomePort: Send + Sync + 'static {
    /// General information about the home.
    fn about(&self) -> HomeInfo;

    /// The index of entities and states, kept up to date.
    fn index(&self) -> &HomeIndex;

    /// Events of these types are reported to the index from now on, and no others have to be.
    fn want_events(&self, _types: BTreeSet<String>) {}

    /// Calls a service; returns its response if it has one.
    async fn call(&self, call: &ServiceCall) -> Result<Option<Value>, HomeError>;

    /// The states of entities, requested from the home; unknown ones are left out.
    async fn read(&self, entities: &[EntityId]) -> Result<Vec<EntityState>, HomeError>;

    /// The services it offers.
    async fn services(&self) -> Result<Vec<ServiceDescription>, HomeError>;

    /// The states of entities over time.
    async fn history(&self, entities: &[EntityId], period: Period) -> Result<Vec<StateSeries>, HomeError>;

    /// The logbook; of these entities, or of all if none is named.
    async fn logbook(&self, entities: &[EntityId], period: Period) -> Result<Vec<LogbookEntry>, HomeError>;

    /// The system log, newest first.
    async fn errors(&self) -> Result<Vec<LogEntry>, HomeError>;

    /// The last runs of an automation or a script, newest first.
    async fn traces(&self, entity_id: &EntityId) -> Result<Vec<Trace>, HomeError>;

    /// The relations of an entity.
    async fn related(&self, entity_id: &EntityId) -> Result<EntityRelations, HomeError>;

    /// The configuration of an automation.
    async fn automation(&self, _entity_id: &EntityId) -> Result<Value, HomeError> {
        Err(HomeError::Unsupported("it does not show the configuration of its automations".to_owned()))
    }

    /// Checks the configuration of an automation, without storing it.
    async fn check_automation(&self, _config: &AutomationConfig) -> Result<AutomationCheck, HomeError> {
        Err(HomeError::Unsupported(FIXED.to_owned()))
    }

    /// Stores an automation under an id; one with that id is replaced.
    async fn save_automation(&self, _id: &str, _config: &AutomationConfig) -> Result<(), HomeError> {
        Err(HomeError::Unsupported(FIXED.to_owned()))
    }

    /// Deletes an automation by the id under which it is stored.
    async fn remove_automation(&self, _id: &str) -> Result<(), HomeError> {
        Err(HomeError::Unsupported(FIXED.to_owned()))
    }
}
