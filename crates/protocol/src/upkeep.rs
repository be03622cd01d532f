//! What the server says about its own upkeep: whether its clock can be trusted, and its backups.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Why nothing is deleted by age at present: the wall clock does not agree with what else is known of the time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockDoubt {
    /// What is wrong, and what to do about it.
    pub reason: String,
    /// The time by the wall clock.
    pub wall: Timestamp,
    /// The latest time that is not in doubt: the last agreed one and the time that the server has run since.
    pub agreed: Timestamp,
    /// Seconds that the server has still to run with a steady clock until it believes it.
    pub settles_in_s: u64,
}

/// How the scheduled backups stand.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct BackupStatus {
    /// When the newest complete one was made; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_at: Option<Timestamp>,
    /// Its bytes.
    #[serde(default)]
    pub bytes: u64,
    /// How many there are of the schedule's own.
    #[serde(default)]
    pub kept: u64,
    /// When one failed last, if none was made since; the log says why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<Timestamp>,
}
