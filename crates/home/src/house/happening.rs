//! What has happened in a home, as it remembers it itself.

use std::time::Duration;

use protocol::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AreaId, DeviceId, EntityId};

/// A stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// From this moment on.
    pub from: Timestamp,
    /// Up to this one, which does not belong to it.
    pub until: Timestamp,
}

impl Period {
    /// How long it is.
    pub fn length(self) -> Duration {
        self.until.since(self.from)
    }

    /// Whether a moment lies in it.
    pub fn has(self, moment: Timestamp) -> bool {
        self.from <= moment && moment < self.until
    }
}

/// An entity at a moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Since when.
    pub at: Timestamp,
    /// How it stood.
    pub state: String,
    /// Attributes that tell more than the word, where the home keeps them (brightness, temperature …).
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub attributes: serde_json::Map<String, Value>,
}

/// How an entity stood over time. The first sample is how it stood when the period began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Whose.
    pub entity_id: EntityId,
    /// Oldest first.
    pub samples: Vec<Sample>,
}

/// A line of the logbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happening {
    /// When.
    pub at: Timestamp,
    /// To what; none for what happened to the home as a whole.
    #[serde(default)]
    pub entity_id: Option<EntityId>,
    /// What it is called.
    pub name: String,
    /// In words, as `turned on`.
    pub message: String,
    /// What brought it about, in words, where the home knows.
    #[serde(default)]
    pub cause: Option<String>,
}

/// How bad a line of the system log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// Worth a look.
    Warning,
    /// Something did not work.
    Error,
    /// Something cannot work.
    Critical,
}

/// A line of the system log; the same line again and again is one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// How bad.
    pub level: LogLevel,
    /// Which part of the home said it, as `homeassistant.components.zha`.
    pub logger: String,
    /// What it said, the newest wording first.
    pub messages: Vec<String>,
    /// Where the trouble was raised, if it said so.
    #[serde(default)]
    pub exception: String,
    /// When first.
    pub first_at: Timestamp,
    /// When last.
    pub last_at: Timestamp,
    /// How often.
    pub count: u32,
}

/// A run of an automation or a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Whose run.
    pub entity_id: Option<EntityId>,
    /// Which run.
    pub run_id: String,
    /// When it began.
    pub at: Timestamp,
    /// When it ended; none while it runs.
    pub ended_at: Option<Timestamp>,
    /// What set it off, in words.
    pub trigger: Option<String>,
    /// Where it ended and why, as `finished`, `failed_conditions`, `error`.
    pub outcome: String,
    /// What went wrong.
    pub error: Option<String>,
}

/// What kind of thing uses an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserKind {
    /// An automation.
    Automation,
    /// A script.
    Script,
    /// A scene.
    Scene,
    /// A group or another entity that is made of it.
    Entity,
}

/// What uses an entity, so that trouble with the one is trouble with the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// What kind of thing.
    pub kind: UserKind,
    /// Which.
    pub entity_id: EntityId,
    /// What it is called.
    pub name: String,
}

/// What an entity has to do with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Related {
    /// What it is computed from: members of a group, sources of a template.
    pub made_of: Vec<EntityId>,
    /// What uses it.
    pub used_by: Vec<User>,
    /// Its device.
    pub device: Option<DeviceId>,
    /// Its area.
    pub area: Option<AreaId>,
    /// What the home says of the integration it comes from, where that is not simply loaded, as `setup_retry: timed out`.
    pub integration_trouble: Option<String>,
}
