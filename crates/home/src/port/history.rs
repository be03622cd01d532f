//! Records of a home: history, logbook, system log, runs, relations.

use std::time::Duration;

use protocol::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AreaId, DeviceId, EntityId};

/// A period of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The start.
    pub from: Timestamp,
    /// The end, exclusive.
    pub until: Timestamp,
}

impl Period {
    /// The duration.
    pub fn length(self) -> Duration {
        self.until.since(self.from)
    }

    /// Whether a moment is in it.
    pub fn has(self, moment: Timestamp) -> bool {
        self.from <= moment && moment < self.until
    }
}

/// The state of an entity at a moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateSample {
    /// Since when.
    pub at: Timestamp,
    /// The state.
    pub state: String,
    /// Attributes besides the state, where the home records them (brightness, temperature …).
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub attributes: serde_json::Map<String, Value>,
}

/// The states of an entity over time. The first sample is the state at the start of the period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StateSeries {
    /// The entity.
    pub entity_id: EntityId,
    /// Oldest first.
    pub samples: Vec<StateSample>,
}

/// An entry of the logbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogbookEntry {
    /// When.
    pub at: Timestamp,
    /// The entity; `None` for events of the home as a whole.
    #[serde(default)]
    pub entity_id: Option<EntityId>,
    /// Its name.
    pub name: String,
    /// The text, as `turned on`.
    pub message: String,
    /// The cause as text, if the home knows it.
    #[serde(default)]
    pub cause: Option<String>,
}

/// The severity of a system log entry.
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

/// An entry of the system log; repeated lines are one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// The severity.
    pub level: LogLevel,
    /// The component that wrote it, as `homeassistant.components.zha`.
    pub logger: String,
    /// The messages, newest first.
    pub messages: Vec<String>,
    /// The traceback, if there is one.
    #[serde(default)]
    pub exception: String,
    /// The first time.
    pub first_at: Timestamp,
    /// The last time.
    pub last_at: Timestamp,
    /// The number of occurrences.
    pub count: u32,
}

/// A run of an automation or a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The automation or script.
    pub entity_id: Option<EntityId>,
    /// The id of the run.
    pub run_id: String,
    /// When it began.
    pub at: Timestamp,
    /// When it ended; none while it runs.
    pub ended_at: Option<Timestamp>,
    /// The trigger, as text.
    pub trigger: Option<String>,
    /// How it ended, as `finished`, `failed_conditions`, `error`.
    pub outcome: String,
    /// What went wrong.
    pub error: Option<String>,
}

/// The kind of a dependent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DependentKind {
    /// An automation.
    Automation,
    /// A script.
    Script,
    /// A scene.
    Scene,
    /// A group or another entity computed from it.
    Entity,
}

/// Something that uses an entity, so that a problem of the entity affects it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependent {
    /// Its kind.
    pub kind: DependentKind,
    /// Its id.
    pub entity_id: EntityId,
    /// Its name.
    pub name: String,
}

/// The relations of an entity.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EntityRelations {
    /// What it is computed from: members of a group, sources of a template.
    pub made_of: Vec<EntityId>,
    /// What depends on it.
    pub used_by: Vec<Dependent>,
    /// Its device.
    pub device: Option<DeviceId>,
    /// Its area.
    pub area: Option<AreaId>,
    /// The problem of its integration, if that is not simply loaded, as `setup_retry: timed out`.
    pub integration_trouble: Option<String>,
}
