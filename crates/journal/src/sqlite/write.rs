//! SQL statements that write, each within a transaction of the writer.

use protocol::{CURRENT_FORMAT, SessionId};
use rusqlite::{Connection, OptionalExtension, params};

use super::{chain::corrupt_sum, plans};
use crate::{
    Checksum, Error, Snapshot,
    encoding::{Head, PreparedEvent, PreparedSummary, digest, item_sums},
};

/// Why a job wrote nothing.
pub(super) enum WriteFailure {
    /// The store refused it.
    Refused(Error),
    /// SQLite failed.
    Sql(rusqlite::Error),
}

impl From<rusqlite::Error> for WriteFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<serde_json::Error> for WriteFailure {
    fn from(error: serde_json::Error) -> Self {
        Self::Refused(Error::Storage { action: "serialize it as JSON", cause: error.to_string() })
    }
}

/// The row id that stands for a session inside the file.
pub(super) fn sid(connection: &Connection, session_id: SessionId) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT sid FROM sessions WHERE id = ?1")?
        .query_row([session_id.to_bytes()], |row| row.get(0))
        .optional()
}

/// Creates a session and returns its head.
pub(super) fn create(
    connection: &Connection,
    events: &[PreparedEvent],
    summary: &PreparedSummary,
) -> Result<Head, WriteFailure> {
    if let Some(name) = &summary.name {
        let taken: Option<[u8; 16]> = connection
            .prepare_cached("SELECT id FROM sessions WHERE owner = ?1 AND name = ?2")?
            .query_row(params![summary.owner.as_str(), name], |row| row.get(0))
            .optional()?;
        if let Some(id) = taken {
            return Err(WriteFailure::Refused(Error::NameTaken(SessionId::from_bytes(id))));
        }
    }
    connection
        .prepare_cached(
            "INSERT INTO sessions (id, owner, name, updated_at, is_moving, view, is_temporary)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            summary.session_id.to_bytes(),
            summary.owner.as_str(),
            summary.name,
            summary.updated_at.as_millis(),
            summary.is_moving,
            summary.view.get(),
            summary.is_temporary,
        ])?;
    let sid = connection.last_insert_rowid();
    note_plans(connection, sid, summary)?;
    insert(connection, sid, summary.session_id, Head::START, events)
}

/// Appends events and returns the session's head.
pub(super) fn append(
    connection: &Connection,
    session_id: SessionId,
    expected_head: u64,
    events: &[PreparedEvent],
    summary: Option<&PreparedSummary>,
) -> Result<Head, WriteFailure> {
    let sid = sid(connection, session_id)?.ok_or(WriteFailure::Refused(Error::NotFound))?;
    let head = head(connection, sid)?;
    if head.seq != expected_head {
        return Err(WriteFailure::Refused(Error::HeadMoved { expected: expected_head, actual: head.seq }));
    }
    let head = insert(connection, sid, session_id, head, events)?;
    summary.map_or(Ok(()), |summary| update_catalog(connection, sid, summary))?;
    Ok(head)
}

/// Updates a session's catalog entry.
pub(super) fn update_catalog(connection: &Connection, sid: i64, summary: &PreparedSummary) -> Result<(), WriteFailure> {
    connection
        .prepare_cached("UPDATE sessions SET updated_at = ?2, is_moving = ?3, view = ?4 WHERE sid = ?1")?
        .execute(params![sid, summary.updated_at.as_millis(), summary.is_moving, summary.view.get()])?;
    note_plans(connection, sid, summary)
}

/// Notes when the session has to be woken. Most sessions plan nothing, and nothing is written for
/// them.
fn note_plans(connection: &Connection, sid: i64, summary: &PreparedSummary) -> Result<(), WriteFailure> {
    connection
        .prepare_cached("UPDATE sessions SET wake_at = ?2 WHERE sid = ?1 AND wake_at IS NOT ?2")?
        .execute(params![sid, summary.wake_at.map(protocol::Timestamp::as_millis)])?;
    Ok(plans::note(connection, sid, summary)?)
}

pub(super) fn snapshot(
    connection: &Connection,
    session_id: SessionId,
    snapshot: &Snapshot,
) -> Result<(), WriteFailure> {
    let sid = sid(connection, session_id)?.ok_or(WriteFailure::Refused(Error::NotFound))?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO snapshots (sid, seq, format, state, event_sum, sum)
             VALUES (?1, ?2, ?3, ?4, (SELECT sum FROM events WHERE sid = ?1 AND seq = ?2), ?5)",
        )?
        .execute(params![
            sid,
            number(snapshot.seq),
            snapshot.format,
            snapshot.state,
            item_sums::of_snapshot(session_id, snapshot).as_bytes(),
        ])?;
    Ok(())
}

/// Removes the session with everything that belongs to it. Bodies are shared, so only those without
/// another reference are removed.
pub(super) fn remove(connection: &Connection, session_id: SessionId) -> Result<(), WriteFailure> {
    let sid = sid(connection, session_id)?.ok_or(WriteFailure::Refused(Error::NotFound))?;
    for statement in [
        "DELETE FROM blobs WHERE digest IN (SELECT blob FROM events WHERE sid = ?1 AND blob IS NOT NULL)
         AND NOT EXISTS (SELECT 1 FROM events other WHERE other.blob = blobs.digest AND other.sid <> ?1)",
        "DELETE FROM events WHERE sid = ?1",
        "DELETE FROM snapshots WHERE sid = ?1",
        "DELETE FROM artifacts WHERE sid = ?1",
        "DELETE FROM bookmarks WHERE sid = ?1",
        "DELETE FROM schedules WHERE sid = ?1",
        "DELETE FROM background_turns WHERE sid = ?1",
        "DELETE FROM alerts WHERE sid = ?1",
        "DELETE FROM sessions WHERE sid = ?1",
    ] {
        connection.prepare_cached(statement)?.execute([sid])?;
    }
    Ok(())
}

/// The number of a session's newest event.
pub(super) fn newest(connection: &Connection, sid: i64) -> rusqlite::Result<u64> {
    connection
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM events WHERE sid = ?1")?
        .query_row([sid], |row| row.get::<_, i64>(0))
        .map(|seq| u64::try_from(seq).unwrap_or(0))
}

/// The number and the checksum of a session's newest event.
pub(super) fn head(connection: &Connection, sid: i64) -> rusqlite::Result<Head> {
    let head = connection
        .prepare_cached("SELECT seq, sum FROM events WHERE sid = ?1 ORDER BY seq DESC LIMIT 1")?
        .query_row([sid], |row| {
            let sum = Checksum::from_slice(&row.get::<_, Vec<u8>>(1)?).ok_or_else(|| corrupt_sum(1))?;
            Ok(Head { seq: u64::try_from(row.get::<_, i64>(0)?).unwrap_or(0), sum })
        })
        .optional()?;
    Ok(head.unwrap_or(Head::START))
}

fn insert(
    connection: &Connection,
    sid: i64,
    session_id: SessionId,
    mut head: Head,
    events: &[PreparedEvent],
) -> Result<Head, WriteFailure> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO events (sid, seq, format, at, turn, agent, body, blob, sum)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let mut bytes = 0;
    for (event, seq) in events.iter().zip(head.seq + 1..) {
        if event.seq != seq {
            return Err(WriteFailure::Refused(Error::HeadMoved {
                expected: event.seq.saturating_sub(1),
                actual: seq - 1,
            }));
        }
        let StoredBody { text: body, blob } = text_or_blob(connection, event.body.get())?;
        bytes += event.body.get().len();
        head = head.then(session_id, event, blob.as_deref());
        statement.execute(params![
            sid,
            number(seq),
            CURRENT_FORMAT,
            event.at.as_millis(),
            event.turn.map(protocol::TurnId::to_bytes),
            event.agent,
            body,
            blob,
            head.sum.as_bytes(),
        ])?;
    }
    connection
        .prepare_cached("UPDATE session_totals SET bytes = bytes + ?2 WHERE sid = ?1")?
        .execute(params![sid, number(bytes as u64)])?;
    Ok(head)
}

/// A body as the row of an event has it.
pub(super) struct StoredBody<'a> {
    /// Its text, if it is small.
    pub(super) text: Option<&'a str>,
    /// Its digest in the table of blobs, if it is large.
    pub(super) blob: Option<Vec<u8>>,
}

pub(super) fn text_or_blob<'a>(connection: &Connection, text: &'a str) -> Result<StoredBody<'a>, WriteFailure> {
    let Some(digest) = digest(text) else { return Ok(StoredBody { text: Some(text), blob: None }) };
    connection
        .prepare_cached("INSERT OR IGNORE INTO blobs (digest, bytes) VALUES (?1, ?2)")?
        .execute(params![digest, text.as_bytes()])?;
    Ok(StoredBody { text: None, blob: Some(digest) })
}

/// SQLite's integers are signed; no session has that many events.
pub(super) fn number(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}
