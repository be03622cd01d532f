//! Services of a home.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AreaId, DeviceId, EntityId, FloorId};

/// The target of a service, as lists.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServiceTarget {
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

impl ServiceTarget {
    /// Whether it names nothing.
    pub fn is_empty(&self) -> bool {
        self.entity_id.is_empty() && self.device_id.is_empty() && self.area_id.is_empty() && self.floor_id.is_empty()
    }
}

/// A service call with its target resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceCall {
    /// As in `light`.
    pub domain: String,
    /// As in `turn_on`.
    pub service: String,
    /// The entities; empty for a service without a target.
    pub entities: Vec<EntityId>,
    /// Further fields, as `brightness_pct`.
    pub data: Map<String, Value>,
    /// Whether a response is requested.
    pub wants_response: bool,
}

/// A service that the home offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceDescription {
    /// As in `light`.
    pub domain: String,
    /// As in `turn_on`.
    pub name: String,
    /// The names of its fields.
    pub fields: Vec<String>,
    /// Whether it returns a response.
    pub responds: bool,
}
