//! What a home can be told to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AreaId, DeviceId, EntityId, FloorId};

/// What a service does it to. Lists, never one text with commas or underscores to be split.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Target {
    /// Entities, as in `light.kitchen`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entity_id: Vec<EntityId>,
    /// All that a device has of the service's domain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub device_id: Vec<DeviceId>,
    /// All that is in an area of the service's domain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub area_id: Vec<AreaId>,
    /// All that is on a floor of the service's domain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub floor_id: Vec<FloorId>,
}

impl Target {
    /// Whether it names nothing.
    pub fn is_empty(&self) -> bool {
        self.entity_id.is_empty() && self.device_id.is_empty() && self.area_id.is_empty() && self.floor_id.is_empty()
    }
}

/// A call as the home is given it: what exactly is to be touched has been settled before.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceCall {
    /// As in `light`.
    pub domain: String,
    /// As in `turn_on`.
    pub service: String,
    /// The entities; none for a service that has no target.
    pub entities: Vec<EntityId>,
    /// What else it is told, as `brightness_pct`.
    pub data: Map<String, Value>,
    /// Whether an answer is wanted.
    pub wants_response: bool,
}

/// A service that the home offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// As in `light`.
    pub domain: String,
    /// As in `turn_on`.
    pub name: String,
    /// Names of what it can be told.
    pub fields: Vec<String>,
    /// Whether it answers.
    pub responds: bool,
}
