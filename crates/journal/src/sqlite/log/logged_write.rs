//! Content of frames: writes that can be replayed byte for byte.

use protocol::{OwnerId, SessionId};
use serde::{Deserialize, Serialize};

use crate::{
    Change,
    encoding::{PreparedEvent, PreparedSummary},
};

/// A write that the log can replay.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) enum LoggedWrite {
    /// Creates a session.
    Create { events: Vec<PreparedEvent>, summary: PreparedSummary },
    /// Appends events to a session.
    Append { session_id: SessionId, expected_head: u64, events: Vec<PreparedEvent>, summary: Option<PreparedSummary> },
    /// Changes memory.
    Change { owner: OwnerId, changes: Vec<Change> },
}

impl LoggedWrite {
    /// The number of its events.
    pub(in super::super) fn event_count(&self) -> usize {
        match self {
            Self::Create { events, .. } | Self::Append { events, .. } => events.len(),
            Self::Change { .. } => 0,
        }
    }
}
