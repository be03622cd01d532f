//! Statistics of the model that extracts facts from conversations.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Whether a model extracts facts at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryModelState {
    /// It is turned off, or memory does not follow sessions. Facts are extracted by rules.
    #[default]
    Off,
    /// It is on, and its last call succeeded or there was none yet.
    Ready,
    /// Its last call failed. Facts are extracted by rules meanwhile.
    Failing,
    /// The budget of an owner is used up. That owner's messages wait until there is some again.
    OutOfBudget,
}

/// The model that extracts facts from conversations, since the server started.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MemoryModelStats {
    /// Whether it works at present.
    pub state: MemoryModelState,
    /// The configured model. Absent if each session's own model is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Calls of the model. One call reads all new messages of a session.
    pub calls: u64,
    /// Messages that it has read.
    pub messages: u64,
    /// Operations that were carried out, by kind: `add`, `change`, `end`, `contradict`.
    pub applied: BTreeMap<String, u64>,
    /// Operations that were refused, by reason, for example `no_quote`: its words are not in the
    /// message.
    pub refused: BTreeMap<String, u64>,
    /// Calls that failed, or whose answer did not match the schema.
    pub failed: u64,
    /// Messages that were left to the rules because the model failed repeatedly.
    pub given_up: u64,
    /// Sessions with messages that it has not read yet.
    pub waiting: u64,
    /// Why the last call failed. Absent if one has succeeded since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// When the last call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<Timestamp>,
}
