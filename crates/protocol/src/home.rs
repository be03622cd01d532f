//! A home: its areas, its entities and their states.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Kind of home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HomeKind {
    /// The simulated home, which exists only in the data folder.
    Simulated,
    /// A real home, through Home Assistant.
    HomeAssistant,
}

/// State of the connection to a home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HomeConnection {
    /// The home is connected.
    Connected,
    /// The home has not answered yet.
    Connecting,
    /// The connection was lost and is retried. The known states may be outdated.
    Reconnecting,
    /// The home refused the connection. It is not retried until the configuration changes.
    Refused,
}

/// An area of a home, for example a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AreaView {
    /// Id of the area in the home.
    pub area_id: String,
    /// Name of the area.
    pub name: String,
    /// Name of the floor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<String>,
}

/// An entity of a home.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntityView {
    /// Id of the entity, for example `light.kitchen`.
    pub entity_id: String,
    /// Name of the entity.
    pub name: String,
    /// The area of the entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area_id: Option<String>,
    /// Domain of the entity, for example `light`.
    pub domain: String,
    /// Current state, for example `on` or `21.5`.
    pub state: String,
    /// Unit of a numeric state, for example `°C`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Device class within the domain, for example `battery` or `garage`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_class: Option<String>,
    /// Further attributes of interest to people, for example `brightness` or `media_title`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// When the state last changed.
    pub changed_at: Timestamp,
    /// Whether the entity is available.
    pub available: bool,
    /// Whether the entity is auxiliary: it describes a device rather than being its main function,
    /// for example the charge of a battery.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub auxiliary: bool,
}

/// A home, as far as agents may see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HomeView {
    /// Kind of home.
    pub home: HomeKind,
    /// State of the connection.
    pub connection: HomeConnection,
    /// Why the home is not connected, and what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What is wrong with the sentences that are understood without a model, with file and line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Name of the home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The areas that have entities, ordered by floor and name.
    pub areas: Vec<AreaView>,
    /// The entities, ordered by id.
    pub entities: Vec<EntityView>,
}

/// What changed in a home since the last message.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HomeChanged {
    /// Entities that changed or are new, with their current state.
    pub entities: Vec<EntityView>,
    /// Ids of entities that no longer exist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// All areas, if one of them changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub areas: Option<Vec<AreaView>>,
    /// State of the connection, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<HomeConnection>,
    /// With `connection`: why the home is not connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl HomeChanged {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
