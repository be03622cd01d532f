//! What a home can be asked and told.

use async_trait::async_trait;
use protocol::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::{EntityId, Happening, LogEntry, Period, Related, Series, Service, ServiceCall, State, Trace};
use crate::index::Index;

/// Whether the home can be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Connection {
    /// It can.
    Connected {
        /// Since when.
        since: Timestamp,
    },
    /// It cannot, and is tried again and again; what is known of it is from before.
    Reconnecting {
        /// Since when; none if it never could.
        since: Option<Timestamp>,
        /// Why not.
        why: String,
    },
    /// It never will until somebody changes the configuration.
    Refused {
        /// Why, and what to do.
        why: String,
    },
}

/// Which home it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct About {
    /// What it is called.
    pub name: String,
    /// Whether it exists only in the data folder. Whoever answers for it says so.
    pub simulated: bool,
    /// Its version.
    pub version: Option<String>,
    /// The time zone it lives in, as `Europe/Berlin`.
    pub time_zone: Option<String>,
    /// The unit it tells temperatures in and takes them in, as `°C`.
    pub temperature_unit: Option<String>,
    /// Whether it can be reached.
    pub connection: Connection,
}

/// Why a home did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HouseError {
    /// It cannot be reached; nothing was done.
    #[error("the home cannot be reached: {0}")]
    Unreachable(String),
    /// It went silent after it was told: it may have done it.
    #[error("the home did not answer, so nobody can tell whether it was done: {0}")]
    Lost(String),
    /// Whoever's token this is may not do that.
    #[error("the home refuses it: {0}")]
    Forbidden(String),
    /// It makes no sense to the home.
    #[error("the home does not take that: {0}")]
    Invalid(String),
    /// It tried and could not.
    #[error("the home could not do it: {0}")]
    Failed(String),
    /// It does not offer that at all.
    #[error("this home does not offer that: {0}")]
    Unsupported(String),
}

/// A home. Everything it says comes from its own events, or from it when asked.
#[async_trait]
pub trait House: Send + Sync + 'static {
    /// Which home it is.
    fn about(&self) -> About;

    /// What there is and how it stands, kept current.
    fn index(&self) -> &Index;

    /// Does something; gives the answer of services that have one.
    async fn call(&self, call: &ServiceCall) -> Result<Option<Value>, HouseError>;

    /// How entities stand, asked of the home itself; those that it does not know are left out.
    async fn read(&self, entities: &[EntityId]) -> Result<Vec<State>, HouseError>;

    /// The services it offers.
    async fn services(&self) -> Result<Vec<Service>, HouseError>;

    /// How entities stood over time.
    async fn history(&self, entities: &[EntityId], period: Period) -> Result<Vec<Series>, HouseError>;

    /// What happened; to these entities, or to all if none are named.
    async fn logbook(&self, entities: &[EntityId], period: Period) -> Result<Vec<Happening>, HouseError>;

    /// The system log, newest first.
    async fn errors(&self) -> Result<Vec<LogEntry>, HouseError>;

    /// The last runs of an automation or a script, newest first.
    async fn traces(&self, entity_id: &EntityId) -> Result<Vec<Trace>, HouseError>;

    /// What an entity has to do with.
    async fn related(&self, entity_id: &EntityId) -> Result<Related, HouseError>;
}
