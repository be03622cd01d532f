//! The registry of a home: floors, areas, devices, entities. It changes when devices are added or
//! renamed, not when a light goes on.

use serde::{Deserialize, Serialize};

use super::{AreaId, DeviceId, EntityId, FloorId};

/// A floor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    /// Its id.
    pub id: FloorId,
    /// Its name.
    pub name: String,
    /// Its aliases.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The level; 0 is the ground floor.
    #[serde(default)]
    pub level: Option<i32>,
}

/// An area, usually a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// Its id.
    pub id: AreaId,
    /// Its name.
    pub name: String,
    /// Its aliases.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The floor it is on.
    #[serde(default)]
    pub floor: Option<FloorId>,
}

/// A device: a physical device or a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Its id.
    pub id: DeviceId,
    /// Its name.
    pub name: String,
    /// Its area.
    #[serde(default)]
    pub area: Option<AreaId>,
    /// The device through which it is connected, such as a hub.
    #[serde(default)]
    pub via: Option<DeviceId>,
    /// The manufacturer.
    #[serde(default)]
    pub maker: Option<String>,
    /// The manufacturer's model name.
    #[serde(default)]
    pub model: Option<String>,
}

/// An entity: one thing that has a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// Its id.
    pub id: EntityId,
    /// Its name.
    pub name: String,
    /// Its aliases.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Its own area; `None` means that of its device.
    #[serde(default)]
    pub area: Option<AreaId>,
    /// The device it belongs to.
    #[serde(default)]
    pub device: Option<DeviceId>,
    /// Its device class, as `battery` or `garage`.
    #[serde(default)]
    pub class: Option<String>,
    /// The integration it comes from.
    #[serde(default)]
    pub platform: Option<String>,
    /// Whether assistants may see and use it.
    pub exposed: bool,
    /// Whether it describes the device rather than being its purpose, such as a battery level.
    #[serde(default)]
    pub auxiliary: bool,
}
