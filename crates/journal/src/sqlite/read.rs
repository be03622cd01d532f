//! The statements that read, on connections that cannot write.

use protocol::{AgentId, Body, CURRENT_FORMAT, Event, OwnerId, SessionId, SessionName, SessionView, Timestamp, TurnId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::write;
use crate::{Cursor, Error, Page, Snapshot, Wanted};

/// What reading came to: SQLite's own errors are explained by the caller, who knows the file.
pub(super) type Outcome<T> = rusqlite::Result<Result<T, Error>>;

pub(super) const COLUMNS: &str = "s.id, e.seq, e.format, e.at, e.turn, e.agent, e.body, b.bytes";

pub(super) fn events(connection: &Connection, session_id: SessionId, after: u64, limit: usize) -> Outcome<Vec<Event>> {
    let Some(sid) = write::sid(connection, session_id)? else { return Ok(Err(Error::NotFound)) };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM events e JOIN sessions s USING (sid) LEFT JOIN blobs b ON b.digest = e.blob
         WHERE e.sid = ?1 AND e.seq > ?2 ORDER BY e.seq LIMIT ?3"
    ))?;
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![sid, after, limit], event)?;
    collect(rows)
}

pub(super) fn collect(rows: impl Iterator<Item = rusqlite::Result<Result<Event, Error>>>) -> Outcome<Vec<Event>> {
    rows.collect::<rusqlite::Result<Vec<_>>>().map(|rows| rows.into_iter().collect())
}

pub(super) fn event(row: &Row<'_>) -> rusqlite::Result<Result<Event, Error>> {
    let session_id = SessionId::from_bytes(row.get(0)?);
    let seq = u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0);
    let format: u32 = row.get(2)?;
    let inline: Option<String> = row.get(6)?;
    let body = match inline {
        Some(text) => body(format, text.as_bytes()),
        None => body(format, &row.get::<_, Option<Vec<u8>>>(7)?.unwrap_or_default()),
    };
    let agent: Option<String> = row.get(5)?;
    let turn: Option<[u8; 16]> = row.get(4)?;
    let at = Timestamp::from_millis(row.get(3)?);
    Ok(body
        .map(|body| Event {
            seq,
            session_id,
            turn_id: turn.map(TurnId::from_bytes),
            agent_id: agent.and_then(|name| AgentId::try_from(name).ok()),
            at,
            body,
        })
        .map_err(|cause| Error::Storage {
            action: "read an event",
            cause: format!("event {seq} of session {session_id}: {cause}"),
        }))
}

/// A body of any format up to the current one. Format 1 is the only one so far; a later one is translated here.
fn body(format: u32, text: &[u8]) -> Result<Body, String> {
    if format > CURRENT_FORMAT {
        return Err(format!("it has format {format}, written by a newer Dwell; this one knows {CURRENT_FORMAT}"));
    }
    serde_json::from_slice(text).map_err(|error| error.to_string())
}

pub(super) fn named(connection: &Connection, owner: &OwnerId, name: &SessionName) -> Outcome<Option<SessionId>> {
    connection
        .prepare_cached("SELECT id FROM sessions WHERE owner = ?1 AND name = ?2")?
        .query_row(params![owner.as_str(), name.as_str()], |row| row.get(0))
        .optional()
        .map(|id| Ok(id.map(SessionId::from_bytes)))
}

pub(super) fn list(
    connection: &Connection,
    owner: &OwnerId,
    wanted: &Wanted,
    after: Option<Cursor>,
    limit: usize,
) -> Outcome<Page> {
    let mut statement = connection.prepare_cached(
        "SELECT sid, updated_at, id, view FROM sessions
         WHERE owner = ?1 AND (updated_at, id) < (?2, ?3)
         ORDER BY updated_at DESC, id DESC",
    )?;
    let (updated_at, id) =
        after.map_or((i64::MAX, [0xff; 16]), |cursor| (cursor.updated_at.as_millis(), cursor.session_id.to_bytes()));
    // The rows come in the order of an index, so no more of them are read than it takes to fill the page.
    let mut rows = statement.query(params![owner.as_str(), updated_at, id])?;
    let mut page = Page { sessions: Vec::new(), next: None };
    while page.sessions.len() < limit
        && let Some(row) = rows.next()?
    {
        let text: String = row.get(3)?;
        let mut view: SessionView = match serde_json::from_str(&text) {
            Ok(view) => view,
            Err(error) => {
                return Ok(Err(Error::Storage { action: "read the catalog", cause: error.to_string() }));
            }
        };
        if !wanted.has(&view) {
            continue;
        }
        // Text alone does not touch the catalog's row, so the newest number is asked of the events.
        view.last_seq = write::head(connection, row.get(0)?)?;
        let updated_at = Timestamp::from_millis(row.get(1)?);
        page.next = Some(Cursor { updated_at, session_id: SessionId::from_bytes(row.get(2)?) });
        page.sessions.push(view);
    }
    if page.sessions.len() < limit {
        page.next = None;
    }
    Ok(Ok(page))
}

pub(super) fn moving(connection: &Connection) -> Outcome<Vec<SessionId>> {
    let mut statement = connection.prepare_cached("SELECT id FROM sessions WHERE is_moving ORDER BY sid")?;
    let ids = statement.query_map([], |row| row.get(0).map(SessionId::from_bytes))?;
    ids.collect::<rusqlite::Result<Vec<_>>>().map(Ok)
}

pub(super) fn latest_snapshot(connection: &Connection, session_id: SessionId) -> Outcome<Option<Snapshot>> {
    connection
        .prepare_cached("SELECT p.seq, p.format, p.state FROM snapshots p JOIN sessions s USING (sid) WHERE s.id = ?1")?
        .query_row([session_id.to_bytes()], |row| {
            let seq = u64::try_from(row.get::<_, i64>(0)?).unwrap_or(0);
            Ok(Snapshot { seq, format: row.get(1)?, state: row.get(2)? })
        })
        .optional()
        .map(Ok)
}
