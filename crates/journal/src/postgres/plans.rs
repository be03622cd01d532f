//! Schedules, alerts and turns in the background: in which sessions they are.

use async_trait::async_trait;
use protocol::{AlertId, OwnerId, ScheduleId, SessionId, Timestamp, TurnId};

use super::{
    Postgres,
    owners::not_elsewhere,
    params::params,
    rows::{self, id, time},
};
use crate::{Error, Plans};

#[async_trait]
impl Plans for Postgres {
    async fn wakes(&self) -> Result<Vec<(SessionId, Timestamp)>, Error> {
        let action = "find what is planned";
        let sql = format!(
            "SELECT s.id, s.wake_at FROM dwell.sessions s WHERE s.wake_at IS NOT NULL AND {}
             ORDER BY s.wake_at, s.id",
            not_elsewhere(1)
        );
        let found = self.database.query(action, &sql, &params![self.node.number]).await?;
        rows::all(action, &found, |row| Ok((SessionId::from_bytes(id(row, 0)?), time(row, 1)?)))
    }

    async fn wakes_before(&self, before: Timestamp) -> Result<Vec<(SessionId, Timestamp)>, Error> {
        let action = "find what is due";
        let sql = format!(
            "SELECT s.id, s.wake_at FROM dwell.sessions s WHERE s.wake_at < $2 AND {} ORDER BY s.wake_at, s.id",
            not_elsewhere(1)
        );
        let found = self.database.query(action, &sql, &params![self.node.number, before.as_millis()]).await?;
        rows::all(action, &found, |row| Ok((SessionId::from_bytes(id(row, 0)?), time(row, 1)?)))
    }

    async fn home_triggers(&self) -> Result<Vec<(SessionId, String)>, Error> {
        let action = "find what waits for the home";
        let sql = format!(
            "SELECT s.id, p.entity FROM dwell.schedules p JOIN dwell.sessions s USING (sid)
             WHERE p.entity IS NOT NULL AND {}",
            not_elsewhere(1)
        );
        let found = self.database.query(action, &sql, &params![self.node.number]).await?;
        rows::all(action, &found, |row| Ok((SessionId::from_bytes(id(row, 0)?), row.try_get(1)?)))
    }

    async fn schedule_session(&self, id: ScheduleId) -> Result<Option<SessionId>, Error> {
        self.session_of("find the schedule", "schedules", id.to_bytes()).await
    }

    async fn sessions_with_schedules(&self, owner: &OwnerId) -> Result<Vec<SessionId>, Error> {
        let action = "list the schedules";
        let sql = "SELECT s.id FROM dwell.sessions s WHERE s.owner = $1
             AND EXISTS (SELECT 1 FROM dwell.schedules p WHERE p.sid = s.sid) ORDER BY s.sid";
        let found = self.database.query_as(owner, action, sql, &params![owner.as_str()]).await?;
        rows::all(action, &found, |row| id(row, 0).map(SessionId::from_bytes))
    }

    async fn alert_session(&self, id: AlertId) -> Result<Option<SessionId>, Error> {
        self.session_of("find the alert", "alerts", id.to_bytes()).await
    }

    async fn newest_alerts(&self, owner: &OwnerId, limit: usize) -> Result<Vec<(AlertId, SessionId)>, Error> {
        let action = "list the alerts";
        // Ids begin with their time, so that their order is the order of time.
        let sql = "SELECT a.id, s.id FROM dwell.alerts a JOIN dwell.sessions s USING (sid) WHERE s.owner = $1
             ORDER BY a.id DESC LIMIT $2";
        let found = self.database.query_as(owner, action, sql, &params![owner.as_str(), limit]).await?;
        rows::all(action, &found, |row| Ok((AlertId::from_bytes(id(row, 0)?), SessionId::from_bytes(id(row, 1)?))))
    }

    async fn background_turns(&self, owner: &OwnerId, ended: bool, limit: usize) -> Result<Vec<TurnId>, Error> {
        let action = "list the turns in the background";
        let which = if ended { "" } else { "t.is_open AND" };
        let sql = format!(
            "SELECT t.id FROM dwell.background_turns t JOIN dwell.sessions s USING (sid) WHERE {which} s.owner = $1
             ORDER BY t.id DESC LIMIT $2"
        );
        let found = self.database.query_as(owner, action, &sql, &params![owner.as_str(), limit]).await?;
        rows::all(action, &found, |row| id(row, 0).map(TurnId::from_bytes))
    }
}

impl Postgres {
    async fn session_of(
        &self,
        action: &'static str,
        table: &'static str,
        wanted: [u8; 16],
    ) -> Result<Option<SessionId>, Error> {
        let sql = format!("SELECT s.id FROM dwell.{table} t JOIN dwell.sessions s USING (sid) WHERE t.id = $1");
        let row = self.database.first(action, &sql, &params![wanted]).await?;
        rows::one(action, row, |row| id(row, 0).map(SessionId::from_bytes))
    }
}
