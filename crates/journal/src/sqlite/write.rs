//! The statements that write, each within a transaction of the writer.

use protocol::{Body, CURRENT_FORMAT, Event, SessionId};
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::{Append, Error, Snapshot, Summary};

/// Bodies larger than this are kept beside the events.
const BODY_BYTES_MAX: usize = 16 * 1024;

/// Why a job wrote nothing.
pub(super) enum Failure {
    /// It was not allowed to.
    Refused(Error),
    /// SQLite could not.
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Refused(Error::Storage { action: "write it down as JSON", cause: error.to_string() })
    }
}

/// The short number that stands for a session inside the file.
pub(super) fn sid(connection: &Connection, session_id: SessionId) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT sid FROM sessions WHERE id = ?1")?
        .query_row([session_id.to_bytes()], |row| row.get(0))
        .optional()
}

pub(super) fn create(connection: &Connection, events: &[Event], summary: &Summary) -> Result<(), Failure> {
    let view = &summary.view;
    if let Some(name) = &view.key {
        let taken: Option<[u8; 16]> = connection
            .prepare_cached("SELECT id FROM sessions WHERE owner = ?1 AND name = ?2")?
            .query_row(params![view.owner.as_str(), name.as_str()], |row| row.get(0))
            .optional()?;
        if let Some(id) = taken {
            return Err(Failure::Refused(Error::NameTaken(SessionId::from_bytes(id))));
        }
    }
    connection
        .prepare_cached(
            "INSERT INTO sessions (id, owner, name, updated_at, is_moving, view, is_temporary)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            view.session_id.to_bytes(),
            view.owner.as_str(),
            view.key.as_ref().map(protocol::SessionName::as_str),
            view.updated_at.as_millis(),
            summary.is_moving,
            serde_json::to_string(view)?,
            matches!(events.first().map(|event| &event.body), Some(Body::SessionStarted(started)) if started.temporary),
        ])?;
    insert(connection, connection.last_insert_rowid(), 0, events)
}

pub(super) fn append(connection: &Connection, session_id: SessionId, append: &Append) -> Result<(), Failure> {
    let sid = sid(connection, session_id)?.ok_or(Failure::Refused(Error::NotFound))?;
    let actual = head(connection, sid)?;
    let expected = append.expected_head;
    if actual != expected {
        return Err(Failure::Refused(Error::HeadMoved { expected, actual }));
    }
    insert(connection, sid, expected, &append.events)?;
    append.summary.as_deref().map_or(Ok(()), |summary| list_anew(connection, sid, summary))
}

/// Brings a session's entry in the catalog up to date.
pub(super) fn list_anew(connection: &Connection, sid: i64, summary: &Summary) -> Result<(), Failure> {
    connection
        .prepare_cached("UPDATE sessions SET updated_at = ?2, is_moving = ?3, view = ?4 WHERE sid = ?1")?
        .execute(params![
            sid,
            summary.view.updated_at.as_millis(),
            summary.is_moving,
            serde_json::to_string(&summary.view)?,
        ])?;
    Ok(())
}

pub(super) fn snapshot(connection: &Connection, session_id: SessionId, snapshot: &Snapshot) -> Result<(), Failure> {
    let sid = sid(connection, session_id)?.ok_or(Failure::Refused(Error::NotFound))?;
    connection
        .prepare_cached("INSERT OR REPLACE INTO snapshots (sid, seq, format, state) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![sid, number(snapshot.seq), snapshot.format, snapshot.state])?;
    Ok(())
}

/// Takes the session away with all that belongs to it. Bodies are shared, so only those nobody else refers to go.
pub(super) fn remove(connection: &Connection, session_id: SessionId) -> Result<(), Failure> {
    let sid = sid(connection, session_id)?.ok_or(Failure::Refused(Error::NotFound))?;
    for statement in [
        "DELETE FROM blobs WHERE digest IN (SELECT blob FROM events WHERE sid = ?1 AND blob IS NOT NULL)
         AND NOT EXISTS (SELECT 1 FROM events other WHERE other.blob = blobs.digest AND other.sid <> ?1)",
        "DELETE FROM events WHERE sid = ?1",
        "DELETE FROM snapshots WHERE sid = ?1",
        "DELETE FROM artifacts WHERE sid = ?1",
        "DELETE FROM bookmarks WHERE sid = ?1",
        "DELETE FROM sessions WHERE sid = ?1",
    ] {
        connection.prepare_cached(statement)?.execute([sid])?;
    }
    Ok(())
}

/// The number of a session's newest event.
pub(super) fn head(connection: &Connection, sid: i64) -> rusqlite::Result<u64> {
    connection
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM events WHERE sid = ?1")?
        .query_row([sid], |row| row.get::<_, i64>(0))
        .map(|head| u64::try_from(head).unwrap_or(0))
}

fn insert(connection: &Connection, sid: i64, head: u64, events: &[Event]) -> Result<(), Failure> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO events (sid, seq, format, at, turn, agent, body, blob) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for (event, seq) in events.iter().zip(head + 1..) {
        if event.seq != seq {
            return Err(Failure::Refused(Error::HeadMoved { expected: event.seq.saturating_sub(1), actual: seq - 1 }));
        }
        let (body, blob) = body_or_blob(connection, &event.body)?;
        statement.execute(params![
            sid,
            number(seq),
            CURRENT_FORMAT,
            event.at.as_millis(),
            event.turn_id.map(protocol::TurnId::to_bytes),
            event.agent_id.as_ref().map(protocol::AgentId::as_str),
            body,
            blob,
        ])?;
    }
    Ok(())
}

pub(super) fn body_or_blob(connection: &Connection, body: &Body) -> Result<(Option<String>, Option<Vec<u8>>), Failure> {
    let text = serde_json::to_string(body)?;
    if text.len() <= BODY_BYTES_MAX {
        return Ok((Some(text), None));
    }
    let digest = Sha256::digest(text.as_bytes()).to_vec();
    connection
        .prepare_cached("INSERT OR IGNORE INTO blobs (digest, bytes) VALUES (?1, ?2)")?
        .execute(params![digest, text.as_bytes()])?;
    Ok((None, Some(digest)))
}

/// SQLite's integers have a sign; no session has that many events.
pub(super) fn number(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}
