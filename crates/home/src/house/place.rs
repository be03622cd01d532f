//! What there is in a home: floors, areas, devices, entities. It changes when somebody furnishes, not when a light goes on.

use serde::{Deserialize, Serialize};

use super::{AreaId, DeviceId, EntityId, FloorId};

/// A floor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    /// Its id.
    pub id: FloorId,
    /// What it is called.
    pub name: String,
    /// What else it is called.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// How far up it is; 0 is the ground floor.
    #[serde(default)]
    pub level: Option<i32>,
}

/// An area, most often a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// Its id.
    pub id: AreaId,
    /// What it is called.
    pub name: String,
    /// What else it is called.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The floor it is on.
    #[serde(default)]
    pub floor: Option<FloorId>,
}

/// A device: a thing one could drop on one's foot, or a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Its id.
    pub id: DeviceId,
    /// What it is called.
    pub name: String,
    /// Where it is.
    #[serde(default)]
    pub area: Option<AreaId>,
    /// The device through which it is reached, as a hub.
    #[serde(default)]
    pub via: Option<DeviceId>,
    /// Who made it.
    #[serde(default)]
    pub maker: Option<String>,
    /// What its maker calls it.
    #[serde(default)]
    pub model: Option<String>,
}

/// An entity: one thing that has a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// Its id.
    pub id: EntityId,
    /// What it is called.
    pub name: String,
    /// What else it is called.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Its own area; none means that of its device.
    #[serde(default)]
    pub area: Option<AreaId>,
    /// The device it belongs to.
    #[serde(default)]
    pub device: Option<DeviceId>,
    /// What kind of thing within its domain, as `battery` or `garage`.
    #[serde(default)]
    pub class: Option<String>,
    /// The integration it comes from.
    #[serde(default)]
    pub platform: Option<String>,
    /// Whether assistants may see and use it.
    pub exposed: bool,
    /// Whether it tells about a device rather than being what the device is for, as a battery's charge.
    #[serde(default)]
    pub auxiliary: bool,
}
