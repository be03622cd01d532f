//! SQL statements about schedules, alerts and turns in the background.

use async_trait::async_trait;
use protocol::{AlertId, OwnerId, ScheduleId, SessionId, Timestamp, TurnId};
use rusqlite::{Connection, OptionalExtension, params};

use super::{Sqlite, read::ReadResult};
use crate::{Error, Plans, encoding::PreparedSummary};

#[async_trait]
impl Plans for Sqlite {
    async fn wakes(&self) -> Result<Vec<(SessionId, Timestamp)>, Error> {
        self.readers.query("find what is planned", wakes).await
    }

    async fn home_triggers(&self) -> Result<Vec<(SessionId, String)>, Error> {
        self.readers.query("find what waits for the home", home_triggers).await
    }

    async fn schedule_session(&self, id: ScheduleId) -> Result<Option<SessionId>, Error> {
        let find = move |connection: &_| session_of(connection, "schedules", id.to_bytes());
        self.readers.look("find the schedule", find).await
    }

    async fn sessions_with_schedules(&self, owner: &OwnerId) -> Result<Vec<SessionId>, Error> {
        let owner = owner.clone();
        self.readers.query("list the schedules", move |connection| with_schedules(connection, &owner)).await
    }

    async fn alert_session(&self, id: AlertId) -> Result<Option<SessionId>, Error> {
        let find = move |connection: &_| session_of(connection, "alerts", id.to_bytes());
        self.readers.look("find the alert", find).await
    }

    async fn newest_alerts(&self, owner: &OwnerId, limit: usize) -> Result<Vec<(AlertId, SessionId)>, Error> {
        let owner = owner.clone();
        self.readers.query("list the alerts", move |connection| newest(connection, &owner, limit)).await
    }

    async fn background_turns(&self, owner: &OwnerId, ended: bool, limit: usize) -> Result<Vec<TurnId>, Error> {
        let owner = owner.clone();
        let list = move |connection: &_| background(connection, &owner, ended, limit);
        self.readers.query("list the turns in the background", list).await
    }
}

/// Notes in which session new schedules, alerts and turns in the background are.
pub(super) fn note(connection: &Connection, sid: i64, summary: &PreparedSummary) -> rusqlite::Result<()> {
    for entry in &summary.schedules {
        connection
            .prepare_cached(
                "INSERT INTO schedules (id, sid, entity) VALUES (?1, ?2, ?3)
                 ON CONFLICT (id) DO UPDATE SET entity = excluded.entity WHERE entity IS NOT excluded.entity",
            )?
            .execute(params![entry.id.to_bytes(), sid, entry.entity])?;
    }
    for id in &summary.alerts {
        connection
            .prepare_cached("INSERT OR IGNORE INTO alerts (id, sid) VALUES (?1, ?2)")?
            .execute(params![id.to_bytes(), sid])?;
    }
    for entry in &summary.background {
        connection
            .prepare_cached(
                "INSERT INTO background_turns (id, sid, is_open) VALUES (?1, ?2, ?3)
                 ON CONFLICT (id) DO UPDATE SET is_open = excluded.is_open",
            )?
            .execute(params![entry.turn_id.to_bytes(), sid, entry.is_open])?;
    }
    Ok(())
}

fn wakes(connection: &Connection) -> ReadResult<Vec<(SessionId, Timestamp)>> {
    let mut statement =
        connection.prepare_cached("SELECT id, wake_at FROM sessions WHERE wake_at IS NOT NULL ORDER BY wake_at")?;
    let rows =
        statement.query_map([], |row| Ok((SessionId::from_bytes(row.get(0)?), Timestamp::from_millis(row.get(1)?))))?;
    rows.collect::<rusqlite::Result<Vec<_>>>().map(Ok)
}

fn home_triggers(connection: &Connection) -> ReadResult<Vec<(SessionId, String)>> {
    let mut statement = connection.prepare_cached(
        "SELECT s.id, p.entity FROM schedules p JOIN sessions s USING (sid) WHERE p.entity IS NOT NULL",
    )?;
    let rows = statement.query_map([], |row| Ok((SessionId::from_bytes(row.get(0)?), row.get(1)?)))?;
    rows.collect::<rusqlite::Result<Vec<_>>>().map(Ok)
}

fn session_of(connection: &Connection, table: &str, id: [u8; 16]) -> ReadResult<Option<SessionId>> {
    connection
        .prepare_cached(&format!("SELECT s.id FROM {table} t JOIN sessions s USING (sid) WHERE t.id = ?1"))?
        .query_row([id], |row| row.get(0).map(SessionId::from_bytes))
        .optional()
        .map(Ok)
}

fn with_schedules(connection: &Connection, owner: &OwnerId) -> ReadResult<Vec<SessionId>> {
    let mut statement = connection.prepare_cached(
        "SELECT s.id FROM sessions s WHERE s.owner = ?1
         AND EXISTS (SELECT 1 FROM schedules p WHERE p.sid = s.sid) ORDER BY s.sid",
    )?;
    let rows = statement.query_map([owner.as_str()], |row| row.get(0).map(SessionId::from_bytes))?;
    rows.collect::<rusqlite::Result<Vec<_>>>().map(Ok)
}

fn newest(connection: &Connection, owner: &OwnerId, limit: usize) -> ReadResult<Vec<(AlertId, SessionId)>> {
    // Ids begin with their time, so that their order is the order of time.
    let mut statement = connection.prepare_cached(
        "SELECT a.id, s.id FROM alerts a JOIN sessions s USING (sid) WHERE s.owner = ?1 ORDER BY a.id DESC LIMIT ?2",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![owner.as_str(), limit], |row| {
        Ok((AlertId::from_bytes(row.get(0)?), SessionId::from_bytes(row.get(1)?)))
    })?;
    rows.collect::<rusqlite::Result<Vec<_>>>().map(Ok)
}

fn background(connection: &Connection, owner: &OwnerId, ended: bool, limit: usize) -> ReadResult<Vec<TurnId>> {
    let which = if ended { "" } else { "t.is_open AND" };
    // Ids begin with their time, so that their order is the order of time.
    let mut statement = connection.prepare_cached(&format!(
        "SELECT t.id FROM background_turns t JOIN sessions s USING (sid) WHERE {which} s.owner = ?1
         ORDER BY t.id DESC LIMIT ?2"
    ))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![owner.as_str(), limit], |row| row.get(0).map(TurnId::from_bytes))?;
    rows.collect::<rusqlite::Result<Vec<_>>>().map(Ok)
}
