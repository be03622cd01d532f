//! Schedules as clients see them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RunOutcome, ScheduleSpec};
use crate::{ScheduleId, SessionId, Timestamp};

/// Whether a schedule runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScheduleStatus {
    /// It runs when it is due.
    Active,
    /// It waits for the owner's approval.
    Waiting,
    /// It waits until it is resumed.
    Paused,
    /// It was taken back.
    Cancelled,
    /// It has no further run.
    Ended,
}

/// A run of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunView {
    /// The moment that it was planned for.
    pub planned_at: Timestamp,
    /// How it went, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RunOutcome>,
}

/// A schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleView {
    /// Its id.
    pub schedule_id: ScheduleId,
    /// The session that it belongs to.
    pub session_id: SessionId,
    /// What it is.
    #[serde(flatten)]
    pub spec: ScheduleSpec,
    /// The zone in which it is planned.
    pub planned_in: String,
    /// Whether it runs.
    pub status: ScheduleStatus,
    /// Its next run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<Timestamp>,
    /// While it is paused, if it runs once after a while: how much of that is left, in
    /// milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_ms: Option<u64>,
    /// Its next runs, at most five.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub upcoming: Vec<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// How often it has run.
    pub runs: u32,
    /// How many of its runs were missed.
    pub missed: u32,
    /// Its last run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_run: Option<RunView>,
}

/// The owner's schedules, the next run first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SchedulePage {
    /// The schedules.
    pub data: Vec<ScheduleView>,
    /// The owner's time zone.
    pub zone: String,
}
