//! What owners use of a server, and how much of it they may.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::OwnerId;

/// How much of something is used, and how much may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// How much is used.
    pub used: u64,
    /// How much may be; absent if there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
}

/// What an owner uses, and how much of it they may.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OwnerUsage {
    /// The owner.
    pub owner: OwnerId,
    /// Turns at work.
    pub running_turns: Share,
    /// Turns that have not ended, in sessions that are in memory: at work, in line, or waiting for a person.
    pub open_turns: Share,
    /// Sessions, also those that have ended.
    pub sessions: Share,
    /// Bytes of the events of all sessions.
    pub journal_bytes: Share,
    /// Vaults, memories, entries, facts and context documents.
    pub memory_records: Share,
    /// Bytes of those.
    pub memory_bytes: Share,
    /// Bytes of all artifacts.
    pub artifact_bytes: Share,
}

/// What the documents of the library take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LibraryUsage {
    /// Documents of all folders.
    pub documents: Share,
    /// Bytes of their files.
    pub bytes: Share,
}

/// What is used of a server by those whom it concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerUsage {
    /// What the asker uses.
    pub own: OwnerUsage,
    /// What each owner uses; told to the operator alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owners: Vec<OwnerUsage>,
    /// What the library takes; told to the operator alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<LibraryUsage>,
}
