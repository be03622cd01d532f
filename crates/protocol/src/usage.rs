//! Usage and quotas of owners.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::OwnerId;

/// Usage and its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct QuotaUsage {
    /// Current usage.
    pub used: u64,
    /// The limit. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

/// Usage and quotas of an owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnerUsage {
    /// The owner.
    pub owner: OwnerId,
    /// Running turns.
    pub running_turns: QuotaUsage,
    /// Turns that have not ended: running, queued, or waiting for a person. Only loaded sessions
    /// count.
    pub open_turns: QuotaUsage,
    /// Sessions, including those that have ended.
    pub sessions: QuotaUsage,
    /// Bytes of the events of all sessions.
    pub journal_bytes: QuotaUsage,
    /// Vaults, memories, entries, facts and context documents.
    pub memory_records: QuotaUsage,
    /// Bytes of these records.
    pub memory_bytes: QuotaUsage,
    /// Bytes of all artifacts.
    pub artifact_bytes: QuotaUsage,
    /// Bytes of the values of programs.
    pub value_bytes: QuotaUsage,
}

/// Usage of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LibraryUsage {
    /// Documents of all folders.
    pub documents: QuotaUsage,
    /// Bytes of their files.
    pub bytes: QuotaUsage,
}

/// Usage of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerUsage {
    /// Usage of the caller.
    pub own: OwnerUsage,
    /// Usage of each owner. Only the operator sees it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<OwnerUsage>,
    /// Usage of the library. Only the operator sees it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<LibraryUsage>,
}
