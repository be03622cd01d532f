//! What frames hold: writes as they can be repeated, byte for byte.

use std::sync::Arc;

use protocol::{Event, OwnerId, SessionId, Timestamp, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::super::write::Failure;
use crate::{Change, Summary};

/// A write that the log can repeat.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) enum LoggedWrite {
    /// A session begins.
    Create { events: Vec<PreparedEvent>, summary: PreparedSummary },
    /// Events are added to a session.
    Append { session_id: SessionId, expected_head: u64, events: Vec<PreparedEvent>, summary: Option<PreparedSummary> },
    /// Memory changes.
    Change { owner: OwnerId, changes: Vec<Change> },
}

/// An event whose body is in the very words that are kept, which its sum is made of.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct PreparedEvent {
    pub(in super::super) seq: u64,
    pub(in super::super) at: Timestamp,
    pub(in super::super) turn: Option<TurnId>,
    pub(in super::super) agent: Option<String>,
    pub(in super::super) body: Box<RawValue>,
}

/// A session's entry in the catalog, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct PreparedSummary {
    pub(in super::super) session_id: SessionId,
    pub(in super::super) owner: OwnerId,
    pub(in super::super) name: Option<String>,
    pub(in super::super) updated_at: Timestamp,
    pub(in super::super) is_moving: bool,
    pub(in super::super) is_temporary: bool,
    pub(in super::super) view: Box<RawValue>,
}

impl PreparedEvent {
    pub(in super::super) fn of(event: &Event) -> Result<Self, Failure> {
        Ok(Self {
            seq: event.seq,
            at: event.at,
            turn: event.turn_id,
            agent: event.agent_id.as_ref().map(|agent| agent.as_str().to_owned()),
            body: to_raw_value(&event.body)?,
        })
    }

    pub(in super::super) fn all(events: &[Arc<Event>]) -> Result<Vec<Self>, Failure> {
        events.iter().map(|event| Self::of(event)).collect()
    }
}

impl PreparedSummary {
    pub(in super::super) fn of(summary: &Summary, is_temporary: bool) -> Result<Self, Failure> {
        let view = &summary.view;
        Ok(Self {
            session_id: view.session_id,
            owner: view.owner.clone(),
            name: view.key.as_ref().map(|name| name.as_str().to_owned()),
            updated_at: view.updated_at,
            is_moving: summary.is_moving,
            is_temporary,
            view: to_raw_value(view)?,
        })
    }
}
