//! Which sessions have to be woken, and in which session a schedule, an alert or a turn in the
//! background is.

use async_trait::async_trait;
use protocol::{AlertId, OwnerId, ScheduleId, SessionId, Timestamp, TurnId};

use serde::{Deserialize, Serialize};

use crate::Error;

/// A schedule in the catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleEntry {
    /// Its id.
    pub id: ScheduleId,
    /// The entity of the home that it waits for now.
    pub entity: Option<String>,
}

/// A turn in the background in the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackgroundEntry {
    /// Its id.
    pub turn_id: TurnId,
    /// Whether it has not ended.
    pub is_open: bool,
}

/// Lookup of schedules, alerts and turns in the background. All are events of their sessions: this
/// says only where.
#[async_trait]
pub trait Plans: Send + Sync + 'static {
    /// All sessions that have to be woken, and when. Those of other nodes are left out.
    async fn wakes(&self) -> Result<Vec<(SessionId, Timestamp)>, Error>;

    /// Those of them that have to be woken before a time.
    async fn wakes_before(&self, before: Timestamp) -> Result<Vec<(SessionId, Timestamp)>, Error> {
        let all = self.wakes().await?;
        Ok(all.into_iter().filter(|(_, at)| *at < before).collect())
    }

    /// The entities of the home that schedules wait for, with their sessions.
    async fn home_triggers(&self) -> Result<Vec<(SessionId, String)>, Error>;

    /// The session of a schedule.
    async fn schedule_session(&self, id: ScheduleId) -> Result<Option<SessionId>, Error>;

    /// The owner's sessions that have had schedules, oldest first.
    async fn sessions_with_schedules(&self, owner: &OwnerId) -> Result<Vec<SessionId>, Error>;

    /// The session of an alert.
    async fn alert_session(&self, id: AlertId) -> Result<Option<SessionId>, Error>;

    /// The owner's newest alerts with their sessions, newest first.
    async fn newest_alerts(&self, owner: &OwnerId, limit: usize) -> Result<Vec<(AlertId, SessionId)>, Error>;

    /// The owner's newest turns in the background, newest first: those that have not ended, or all.
    async fn background_turns(&self, owner: &OwnerId, ended: bool, limit: usize) -> Result<Vec<TurnId>, Error>;
}
