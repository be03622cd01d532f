//! Events and catalog entries as they are stored.

use std::sync::Arc;

use protocol::{AlertId, Event, OwnerId, SessionId, Timestamp, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::{BackgroundEntry, ScheduleEntry, SessionSummary};

/// An event whose body is serialized exactly as it is stored, since its checksum covers these
/// bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PreparedEvent {
    pub(crate) seq: u64,
    pub(crate) at: Timestamp,
    pub(crate) turn: Option<TurnId>,
    pub(crate) agent: Option<String>,
    pub(crate) body: Box<RawValue>,
}

/// A session's catalog entry as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PreparedSummary {
    pub(crate) session_id: SessionId,
    pub(crate) owner: OwnerId,
    pub(crate) name: Option<String>,
    pub(crate) updated_at: Timestamp,
    pub(crate) is_moving: bool,
    pub(crate) is_temporary: bool,
    #[serde(default)]
    pub(crate) wake_at: Option<Timestamp>,
    #[serde(default)]
    pub(crate) schedules: Vec<ScheduleEntry>,
    #[serde(default)]
    pub(crate) alerts: Vec<AlertId>,
    #[serde(default)]
    pub(crate) background: Vec<BackgroundEntry>,
    pub(crate) view: Box<RawValue>,
}

impl PreparedEvent {
    pub(crate) fn of(event: &Event) -> Result<Self, serde_json::Error> {
        Ok(Self {
            seq: event.seq,
            at: event.at,
            turn: event.turn_id,
            agent: event.agent_id.as_ref().map(|agent| agent.as_str().to_owned()),
            body: to_raw_value(&event.body)?,
        })
    }

    pub(crate) fn all(events: &[Arc<Event>]) -> Result<Vec<Self>, serde_json::Error> {
        events.iter().map(|event| Self::of(event)).collect()
    }
}

impl PreparedSummary {
    pub(crate) fn of(summary: &SessionSummary, is_temporary: bool) -> Result<Self, serde_json::Error> {
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
