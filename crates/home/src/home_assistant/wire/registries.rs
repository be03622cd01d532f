//! Rows of the registries.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::lenient::{or_default, texts};
use crate::port::EntityId;

/// The core configuration of the home.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::home_assistant) struct CoreConfig {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) location_name: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) time_zone: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) version: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) unit_system: UnitSystem,
}

/// The units of the home.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::home_assistant) struct UnitSystem {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) temperature: Option<String>,
}

/// A row of the entity list.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::home_assistant) struct EntityEntry {
    pub(in crate::home_assistant) entity_id: EntityId,
    /// The name given by the user.
    #[serde(default)]
    pub(in crate::home_assistant) name: Option<String>,
    /// The name given by the integration.
    #[serde(default)]
    pub(in crate::home_assistant) original_name: Option<String>,
    /// Whether the integration's name is appended to the device name.
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) has_entity_name: bool,
    #[serde(default)]
    pub(in crate::home_assistant) area_id: Option<String>,
    #[serde(default)]
    pub(in crate::home_assistant) device_id: Option<String>,
    #[serde(default)]
    pub(in crate::home_assistant) disabled_by: Option<String>,
    #[serde(default)]
    pub(in crate::home_assistant) hidden_by: Option<String>,
    #[serde(default)]
    pub(in crate::home_assistant) entity_category: Option<String>,
    #[serde(default)]
    pub(in crate::home_assistant) platform: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) options: EntityOptions,
}

/// The options of an entity.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::home_assistant) struct EntityOptions {
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) conversation: ConversationOptions,
}

/// The options of an entity for Assist.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::home_assistant) struct ConversationOptions {
    /// `None` until the user or Home Assistant has decided.
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) should_expose: Option<bool>,
}

/// The fields that the entity list leaves out.
#[derive(Debug, Clone, Default, Deserialize)]
pub(in crate::home_assistant) struct EntityDetails {
    #[serde(default, deserialize_with = "texts")]
    pub(in crate::home_assistant) aliases: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) device_class: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) original_device_class: Option<String>,
}

/// A device.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::home_assistant) struct DeviceEntry {
    pub(in crate::home_assistant) id: String,
    #[serde(default)]
    pub(in crate::home_assistant) name: Option<String>,
    #[serde(default)]
    pub(in crate::home_assistant) name_by_user: Option<String>,
    #[serde(default)]
    pub(in crate::home_assistant) area_id: Option<String>,
    #[serde(default)]
    pub(in crate::home_assistant) via_device_id: Option<String>,
    #[serde(default)]
    pub(in crate::home_assistant) manufacturer: Option<String>,
    #[serde(default)]
    pub(in crate::home_assistant) model: Option<String>,
}

/// An area.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::home_assistant) struct AreaEntry {
    pub(in crate::home_assistant) area_id: String,
    pub(in crate::home_assistant) name: String,
    #[serde(default, deserialize_with = "texts")]
    pub(in crate::home_assistant) aliases: Vec<String>,
    #[serde(default)]
    pub(in crate::home_assistant) floor_id: Option<String>,
}

/// A floor.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::home_assistant) struct FloorEntry {
    pub(in crate::home_assistant) floor_id: String,
    pub(in crate::home_assistant) name: String,
    #[serde(default, deserialize_with = "texts")]
    pub(in crate::home_assistant) aliases: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    pub(in crate::home_assistant) level: Option<i32>,
}

/// The exposure of entities by assistant. 2024.3 also lists those not exposed; 2025.4 does not.
///
/// A list that cannot be parsed as a whole is rejected: a missing row may be an exclusion.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::home_assistant) struct ExposedList {
    pub(in crate::home_assistant) exposed_entities: BTreeMap<String, BTreeMap<String, bool>>,
}

/// Whether new entities of a default kind are exposed.
#[derive(Debug, Clone, Deserialize)]
pub(in crate::home_assistant) struct ExposesNew {
    pub(in crate::home_assistant) expose_new: bool,
}
