//! A home as people look at it: rooms, what is in them, and how it stands.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Which home it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HomeKind {
    /// One that exists only in the data folder.
    Simulated,
    /// A real one, by Home Assistant.
    HomeAssistant,
}

/// Whether a home can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HomeConnection {
    /// It can.
    Connected,
    /// It has not answered yet.
    Connecting,
    /// It cannot for now, and is tried again and again; what is known of it is from before.
    Reconnecting,
    /// It never will until somebody changes the configuration.
    Refused,
}

/// A room of a home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AreaView {
    /// Its id, as the home writes it.
    pub area_id: String,
    /// What it is called.
    pub name: String,
    /// What the floor is called that it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<String>,
}

/// A thing of a home that has a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntityView {
    /// Its id, as `light.kitchen`.
    pub entity_id: String,
    /// What it is called.
    pub name: String,
    /// The room it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area_id: Option<String>,
    /// What kind of thing it is, as `light`.
    pub domain: String,
    /// How it stands, in one word, as `on` or `21.5`.
    pub state: String,
    /// The unit of a state that is a number, as `°C`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// What kind of thing within its domain, as `battery` or `garage`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_class: Option<String>,
    /// What else a person would look at, as `brightness` or `media_title`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// Since when it stands like this.
    pub changed_at: Timestamp,
    /// Whether it can be reached.
    pub available: bool,
    /// Whether it tells about a device rather than being what the device is for, as a battery's charge.
    #[serde(default, skip_serializing_if = "crate::turn::is_no")]
    pub auxiliary: bool,
}

/// A home as it stands, as far as agents may see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HomeView {
    /// Which home it is.
    pub home: HomeKind,
    /// Whether it can be reached.
    pub connection: HomeConnection,
    /// Why it cannot be reached, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its rooms that something is in, by floor and name.
    pub areas: Vec<AreaView>,
    /// What is in it, by id.
    pub entities: Vec<EntityView>,
}

/// What has changed in a home since it was told last.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HomeChanged {
    /// What stands otherwise, or is new, as it stands now.
    pub entities: Vec<EntityView>,
    /// What is there no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// All rooms, when one has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub areas: Option<Vec<AreaView>>,
    /// Whether it can be reached, when that has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<HomeConnection>,
    /// Why it cannot be reached, with `connection`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl HomeChanged {
    /// Whether nothing has.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
