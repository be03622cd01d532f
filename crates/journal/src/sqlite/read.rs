//! SQL statements that read, on read-only connections.

use protocol::{Event, OwnerId, SessionId, SessionName, SessionView, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{chain, write};
use crate::{CatalogPage, Cursor, Error, SessionFilter, Snapshot, encoding::item_sums};

/// Result of a read. The caller, which knows the file, explains SQLite's own errors.
pub(super) type ReadResult<T> = rusqlite::Result<Result<T, Error>>;

pub(super) fn events(
    connection: &Connection,
    session_id: SessionId,
    after: u64,
    limit: usize,
) -> ReadResult<Vec<Event>> {
    let mut events = Vec::new();
    let walked = chain::walk(connection, session_id, after, limit, |stored| {
        events.push(stored.event()?);
        Ok(())
    })?;
    Ok(walked.map(|()| events))
}

pub(super) fn named(connection: &Connection, owner: &OwnerId, name: &SessionName) -> ReadResult<Option<SessionId>> {
    connection
        .prepare_cached("SELECT id FROM sessions WHERE owner = ?1 AND name = ?2")?
        .query_row(params![owner.as_str(), name.as_str()], |row| row.get(0))
        .optional()
        .map(|id| Ok(id.map(SessionId::from_bytes)))
}

pub(super) fn list(
    connection: &Connection,
    owner: &OwnerId,
    wanted: &SessionFilter,
    after: Option<Cursor>,
    limit: usize,
) -> ReadResult<CatalogPage> {
    let mut statement = connection.prepare_cached(
        "SELECT sid, updated_at, id, view FROM sessions
         WHERE owner = ?1 AND (updated_at, id) < (?2, ?3)
         ORDER BY updated_at DESC, id DESC",
    )?;
    let (updated_at, id) =
        after.map_or((i64::MAX, [0xff; 16]), |cursor| (cursor.updated_at.as_millis(), cursor.session_id.to_bytes()));
    // The rows come in index order, so only as many are read as the page needs.
    let mut rows = statement.query(params![owner.as_str(), updated_at, id])?;
    let mut page = CatalogPage { sessions: Vec::new(), next: None };
    while page.sessions.len() < limit
        && let Some(row) = rows.next()?
    {
        let mut view = match view(row, 3)? {
            Ok(view) => view,
            Err(error) => return Ok(Err(error)),
        };
        if !wanted.has(&view) {
            continue;
        }
        // Events with text only do not update the catalog's row, so the newest number comes from
        // the events.
        view.last_seq = write::newest(connection, row.get(0)?)?;
        let updated_at = Timestamp::from_millis(row.get(1)?);
        page.next = Some(Cursor { updated_at, session_id: SessionId::from_bytes(row.get(2)?) });
        page.sessions.push(view);
    }
    if page.sessions.len() < limit {
        page.next = None;
    }
    Ok(Ok(page))
}

/// A session's catalog entry.
fn view(row: &Row<'_>, column: usize) -> ReadResult<SessionView> {
    let text: String = row.get(column)?;
    Ok(serde_json::from_str(&text)
        .map_err(|error| Error::Storage { action: "read the catalog", cause: error.to_string() }))
}

pub(super) fn idle(
    connection: &Connection,
    before: Timestamp,
    after: Option<&(OwnerId, Cursor)>,
    limit: usize,
) -> ReadResult<Vec<SessionView>> {
    // The index `sessions_by_activity` has all columns but the view, so no row of an active session
    // is read.
    let mut statement = connection.prepare_cached(
        "SELECT view FROM sessions
         WHERE (owner, updated_at, id) > (?1, ?2, ?3) AND updated_at < ?4 AND is_temporary = 0
         ORDER BY owner, updated_at, id LIMIT ?5",
    )?;
    let (owner, updated_at, id) = after.map_or(("", i64::MIN, [0; 16]), |(owner, cursor)| {
        (owner.as_str(), cursor.updated_at.as_millis(), cursor.session_id.to_bytes())
    });
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![owner, updated_at, id, before.as_millis(), limit], |row| view(row, 0))?;
    rows.collect::<rusqlite::Result<Vec<_>>>().map(|rows| rows.into_iter().collect())
}

pub(super) fn moving(connection: &Connection) -> ReadResult<Vec<SessionId>> {
    let mut statement = connection.prepare_cached("SELECT id FROM sessions WHERE is_moving ORDER BY sid")?;
    let ids = statement.query_map([], |row| row.get(0).map(SessionId::from_bytes))?;
    ids.collect::<rusqlite::Result<Vec<_>>>().map(Ok)
}

/// The newest snapshot. A damaged or outdated snapshot is ignored, since the events hold the same
/// state.
pub(super) fn latest_snapshot(connection: &Connection, session_id: SessionId) -> ReadResult<Option<Snapshot>> {
    let found = connection
        .prepare_cached(
            "SELECT p.seq, p.format, p.state, p.sum, p.event_sum IS e.sum
             FROM snapshots p JOIN sessions s USING (sid) LEFT JOIN events e ON e.sid = p.sid AND e.seq = p.seq
             WHERE s.id = ?1",
        )?
        .query_row([session_id.to_bytes()], |row| {
            let seq = u64::try_from(row.get::<_, i64>(0)?).unwrap_or(0);
            let state = String::from_utf8_lossy(row.get_ref(2)?.as_bytes()?).into_owned();
            let snapshot = Snapshot { seq, format: row.get(1)?, state };
            let is_whole = item_sums::of_snapshot(session_id, &snapshot).as_bytes() == row.get_ref(3)?.as_bytes()?;
            Ok((snapshot, is_whole, row.get::<_, bool>(4)?))
        })
        .optional()?;
    Ok(Ok(match found {
        Some((snapshot, true, true)) => Some(snapshot),
        Some((snapshot, is_whole, _)) => {
            let detail = if is_whole { "it does not match the events" } else { "it is not what was written" };
            tracing::warn!(session = %session_id, seq = snapshot.seq, detail, "a snapshot is damaged; the events are read instead");
            None
        }
        None => None,
    }))
}
