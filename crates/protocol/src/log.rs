//! The server's log, as its operator reads it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// How severe a line of the log is, the most severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// Something failed that should not.
    Error,
    /// Something needs attention.
    Warn,
    /// Something that operators want to know.
    Info,
    /// Details for those who look for a cause.
    Debug,
    /// Everything.
    Trace,
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogLine {
    /// Its number since the server started, from 1.
    pub seq: u64,
    /// When it was logged.
    pub at: Timestamp,
    /// How severe it is.
    pub level: LogLevel,
    /// The part of the program that logged it.
    pub target: String,
    /// What it says, with its fields as `name=value`.
    pub message: String,
}

/// The lines of the log after a number, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LogPage {
    /// The lines.
    pub data: Vec<LogLine>,
    /// The number to continue after.
    pub last: u64,
    /// Lines that were asked for, but are no longer kept.
    pub dropped: u64,
}
