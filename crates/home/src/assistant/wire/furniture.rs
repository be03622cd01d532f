//! What there is, as the registries list it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::lenient::{or_default, texts};
use crate::house::EntityId;

/// The home as a whole.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::assistant) struct Config {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) location_name: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) time_zone: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) version: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) unit_system: UnitSystem,
}

/// The units that the home as a whole tells and takes values in.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::assistant) struct UnitSystem {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) temperature: Option<String>,
}

/// An entity, as the list has it.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::assistant) struct EntityEntry {
    pub(in crate::assistant) entity_id: EntityId,
    /// What the user calls it.
    #[serde(default)]
    pub(in crate::assistant) name: Option<String>,
    /// What its integration calls it.
    #[serde(default)]
    pub(in crate::assistant) original_name: Option<String>,
    /// Whether the integration's name goes behind that of the device.
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) has_entity_name: bool,
    #[serde(default)]
    pub(in crate::assistant) area_id: Option<String>,
    #[serde(default)]
    pub(in crate::assistant) device_id: Option<String>,
    #[serde(default)]
    pub(in crate::assistant) disabled_by: Option<String>,
    #[serde(default)]
    pub(in crate::assistant) hidden_by: Option<String>,
    #[serde(default)]
    pub(in crate::assistant) entity_category: Option<String>,
    #[serde(default)]
    pub(in crate::assistant) platform: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) options: EntityOptions,
}

/// What is set of an entity.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::assistant) struct EntityOptions {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) conversation: ConversationOptions,
}

/// What is set of an entity for Assist.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::assistant) struct ConversationOptions {
    /// None as long as nobody has decided, Home Assistant neither.
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) should_expose: Option<bool>,
}

/// What the list of entities leaves out.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::assistant) struct EntityDetails {
    #[serde(default, deserialize_with = "texts")]
    pub(in crate::assistant) aliases: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) device_class: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) original_device_class: Option<String>,
}

/// A device.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::assistant) struct DeviceEntry {
    pub(in crate::assistant) id: String,
    #[serde(default)]
    pub(in crate::assistant) name: Option<String>,
    #[serde(default)]
    pub(in crate::assistant) name_by_user: Option<String>,
    #[serde(default)]
    pub(in crate::assistant) area_id: Option<String>,
    #[serde(default)]
    pub(in crate::assistant) via_device_id: Option<String>,
    #[serde(default)]
    pub(in crate::assistant) manufacturer: Option<String>,
    #[serde(default)]
    pub(in crate::assistant) model: Option<String>,
}

/// An area.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::assistant) struct AreaEntry {
    pub(in crate::assistant) area_id: String,
    pub(in crate::assistant) name: String,
    #[serde(default, deserialize_with = "texts")]
    pub(in crate::assistant) aliases: Vec<String>,
    #[serde(default)]
    pub(in crate::assistant) floor_id: Option<String>,
}

/// A floor.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::assistant) struct FloorEntry {
    pub(in crate::assistant) floor_id: String,
    pub(in crate::assistant) name: String,
    #[serde(default, deserialize_with = "texts")]
    pub(in crate::assistant) aliases: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::assistant) level: Option<i32>,
}

/// What is exposed to whom. 2024.3 also lists what is not; 2025.4 does not.
///
/// One that cannot be read whole is none: what it leaves out may be what was decided against.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::assistant) struct ExposedList {
    pub(in crate::assistant) exposed_entities: BTreeMap<String, BTreeMap<String, bool>>,
}

/// Whether what is new is exposed if it is of a usual kind.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::assistant) struct ExposesNew {
    pub(in crate::assistant) expose_new: bool,
}
