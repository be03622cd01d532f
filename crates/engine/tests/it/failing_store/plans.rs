//! Schedules, alerts and turns in the background never fail by themselves.

use async_trait::async_trait;
use journal::{Error, Plans};
use protocol::{AlertId, OwnerId, ScheduleId, SessionId, Timestamp, TurnId};

use super::FailingStore;

#[async_trait]
impl Plans for FailingStore {
    async fn wakes(&self) -> Result<Vec<(SessionId, Timestamp)>, Error> {
        self.inner.wakes().await
    }

    async fn home_triggers(&self) -> Result<Vec<(SessionId, String)>, Error> {
        self.inner.home_triggers().await
    }

    async fn schedule_session(&self, id: ScheduleId) -> Result<Option<SessionId>, Error> {
        self.inner.schedule_session(id).await
    }

    async fn sessions_with_schedules(&self, owner: &OwnerId) -> Result<Vec<SessionId>, Error> {
        self.inner.sessions_with_schedules(owner).await
    }

    async fn alert_session(&self, id: AlertId) -> Result<Option<SessionId>, Error> {
        self.inner.alert_session(id).await
    }

    async fn newest_alerts(&self, owner: &OwnerId, limit: usize) -> Result<Vec<(AlertId, SessionId)>, Error> {
        self.inner.newest_alerts(owner, limit).await
    }

    async fn background_turns(&self, owner: &OwnerId, ended: bool, limit: usize) -> Result<Vec<TurnId>, Error> {
        self.inner.background_turns(owner, ended, limit).await
    }
}
