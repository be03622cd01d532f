//! Content of frames: writes that can be replayed byte for byte.

use std::sync::Arc;

use protocol::{AlertId, Event, OwnerId, SessionId, Timestamp, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::super::write::WriteFailure;
use crate::{BackgroundEntry, Change, ScheduleEntry, SessionSummary};

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

/// An event whose body is serialized exactly as it is stored, since its checksum covers these
/// bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct PreparedEvent {
    pub(in super::super) seq: u64,
    pub(in super::super) at: Timestamp,
    pub(in super::super) turn: Option<TurnId>,
    pub(in super::super) agent: Option<String>,
    pub(in super::super) body: Box<RawValue>,
}

/// A session's catalog entry as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct PreparedSummary {
    pub(in super::super) session_id: SessionId,
    pub(in super::super) owner: OwnerId,
    pub(in super::super) name: Option<String>,
    pub(in super::super) updated_at: Timestamp,
    pub(in super::super) is_moving: bool,
    pub(in super::super) is_temporary: bool,
    #[serde(default)]
    pub(in super::super) wake_at: Option<Timestamp>,
    #[serde(default)]
    pub(in super::super) schedules: Vec<ScheduleEntry>,
    #[serde(default)]
    pub(in super::super) alerts: Vec<AlertId>,
    #[serde(default)]
    pub(in super::super) background: Vec<BackgroundEntry>,
    pub(in super::super) view: Box<RawValue>,
}

impl PreparedEvent {
    pub(in super::super) fn of(event: &Event) -> Result<Self, WriteFailure> {
        Ok(Self {
            seq: event.seq,
            at: event.at,
            turn: event.turn_id,
            agent: event.agent_id.as_ref().map(|agent| agent.as_str().to_owned()),
            body: to_raw_value(&event.body)?,
        })
    }

    pub(in super::super) fn all(events: &[Arc<Event>]) -> Result<Vec<Self>, WriteFailure> {
        events.iter().map(|event| Self::of(event)).collect()
    }
}

impl PreparedSummary {
    pub(in super::super) fn of(summary: &SessionSummary, is_temporary: bool) -> Result<Self, WriteFailure> {
        let view = &summary.view;
        Ok(Self {
            session_id: view.session_id,
            owner: view.owner.clone(),
            name: view.key.as_ref().map(|name| name.as_str().to_owned()),
            updated_at: view.updated_at,
            is_moving: summary.is_moving,
            is_temporary,
            wake_at: summary.wake_at,
            schedules: summary.schedules.clone(),
            alerts: summary.alerts.clone(),
            background: summary.background.clone(),
            view: to_raw_value(view)?,
        })
    }
}
