//! Turns in the background: a list of them, and pausing a turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{SessionId, Timestamp, TurnId, TurnStatus, Usage};

/// `background.list`: the turns in the background of all sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BackgroundList {
    /// Also those that have ended. Default: false.
    pub ended: bool,
    /// Maximum number of turns, 1 to 200. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<u32>,
}

/// The turns in the background, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BackgroundPage {
    /// The turns.
    pub data: Vec<BackgroundView>,
}

/// A turn in the background, in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BackgroundView {
    /// Id of the turn.
    pub turn_id: TurnId,
    /// The session of the turn.
    pub session_id: SessionId,
    /// Status of the turn.
    pub status: TurnStatus,
    /// Reason of the status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The beginning of its message.
    pub message: String,
    /// The beginning of its answer, or the end of what it has written so far.
    pub text: String,
    /// What it did last: a tool that it called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Number of rounds so far.
    pub rounds: u32,
    /// Number of tool calls so far.
    pub tool_calls: u32,
    /// Tokens so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Number of attempts.
    pub attempts: u32,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// Time of its newest event.
    pub updated_at: Timestamp,
    /// When it last showed that it is at work. Absent unless it is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heartbeat_at: Option<Timestamp>,
}

/// The answer to `turn.pause`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PauseResult {
    /// The turn.
    pub turn_id: TurnId,
    /// `paused`, or `running` until its running calls have their results.
    pub status: TurnStatus,
}
