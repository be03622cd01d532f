//! Maintenance of the server: trust in its clock, and its backups.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Why nothing is deleted by age at present: the wall clock differs from the expected time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockDoubt {
    /// What is wrong, and what to do about it.
    pub reason: String,
    /// The time by the wall clock.
    pub wall: Timestamp,
    /// The latest time that is not in doubt: the last trusted time plus the time that the server
    /// has run since.
    pub agreed: Timestamp,
    /// Seconds for which the clock still has to run steadily until the server trusts it.
    pub settles_in_s: u64,
}

/// Status of the scheduled backups.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct BackupStatus {
    /// When the newest complete backup was made. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_at: Option<Timestamp>,
    /// Size of that backup in bytes.
    #[serde(default)]
    pub bytes: u64,
    /// Number of scheduled backups that are kept.
    #[serde(default)]
    pub kept: u64,
    /// When a backup last failed. Absent if one has succeeded since. The log has the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<Timestamp>,
}
