//! SQL statements that find and redact text.

use protocol::{ArtifactId, CURRENT_FORMAT, OwnerId, SessionId};
use rusqlite::{Connection, OptionalExtension, Row, params, types::ValueRef};

use super::super::{
    chain,
    read::ReadResult,
    write::{StoredBody, WriteFailure, head, number, sid, text_or_blob, update_catalog},
};
use crate::{
    Error, RedactedEvent, SessionSummary,
    encoding::{Head, PreparedSummary},
    needles::{PieceSearch, TextMatcher},
};

pub(super) fn sessions_with(
    connection: &Connection,
    owner: &OwnerId,
    texts: &TextMatcher,
) -> ReadResult<Vec<SessionId>> {
    if texts.is_empty() {
        return Ok(Ok(Vec::new()));
    }
    let mut sessions = connection.prepare_cached("SELECT sid, id FROM sessions WHERE owner = ?1 ORDER BY sid")?;
    let mut bodies = connection.prepare_cached(
        "SELECT e.body, b.bytes FROM events e LEFT JOIN blobs b ON b.digest = e.blob WHERE e.sid = ?1 ORDER BY e.seq",
    )?;
    let mut sessions = sessions.query([owner.as_str()])?;
    let mut found = Vec::new();
    while let Some(session) = sessions.next()? {
        let mut rows = bodies.query([session.get::<_, i64>(0)?])?;
        while let Some(row) = rows.next()? {
            if texts.are_in(bytes(row, 0)?) || texts.are_in(bytes(row, 1)?) {
                found.push(SessionId::from_bytes(session.get(1)?));
                break;
            }
        }
    }
    Ok(Ok(found))
}

pub(super) fn artifacts_with(
    connection: &Connection,
    owner: &OwnerId,
    plain: &TextMatcher,
    in_json: &TextMatcher,
) -> ReadResult<Vec<ArtifactId>> {
    let mut statement = connection.prepare_cached("SELECT id, view, bytes FROM artifacts WHERE owner = ?1")?;
    let mut rows = statement.query([owner.as_str()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if in_json.are_in(bytes(row, 1)?) || plain.are_in(bytes(row, 2)?) {
            found.push(ArtifactId::from_bytes(row.get(0)?));
        }
    }
    Ok(Ok(found))
}

pub(in super::super) fn remove_artifacts(
    connection: &Connection,
    owner: &OwnerId,
    ids: &[ArtifactId],
) -> Result<u64, WriteFailure> {
    let mut statement = connection.prepare_cached("DELETE FROM artifacts WHERE id = ?1 AND owner = ?2")?;
    let mut removed = 0;
    for id in ids {
        removed += statement.execute(params![id.to_bytes(), owner.as_str()])? as u64;
    }
    Ok(removed)
}

/// Rewrites events and returns the session's head. The checksums are recomputed from the first of
/// them on, so that none is left that covers erased text.
pub(in super::super) fn redact(
    connection: &Connection,
    session_id: SessionId,
    redactions: &[RedactedEvent],
    summary: Option<&SessionSummary>,
) -> Result<Head, WriteFailure> {
    let sid = sid(connection, session_id)?.ok_or(WriteFailure::Refused(Error::NotFound))?;
    let mut before = connection.prepare_cached("SELECT blob FROM events WHERE sid = ?1 AND seq = ?2")?;
    let mut rewrite =
        connection.prepare_cached("UPDATE events SET format = ?3, body = ?4, blob = ?5 WHERE sid = ?1 AND seq = ?2")?;
    let mut abandon = connection.prepare_cached(
        "DELETE FROM blobs WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM events WHERE blob = blobs.digest)",
    )?;
    for redact in redactions {
        let seq = number(redact.seq);
        let old: Option<Option<Vec<u8>>> = before.query_row([sid, seq], |row| row.get(0)).optional()?;
        let old = old.ok_or(WriteFailure::Refused(Error::NotFound))?;
        let text = serde_json::to_string(&redact.body)?;
        let StoredBody { text: body, blob } = text_or_blob(connection, &text)?;
        rewrite.execute(params![sid, seq, CURRENT_FORMAT, body, blob])?;
        if let Some(old) = old {
            abandon.execute([old])?;
        }
    }
    // The snapshot contains the erased text.
    connection.prepare_cached("DELETE FROM snapshots WHERE sid = ?1")?.execute([sid])?;
    if let Some(summary) = summary {
        update_catalog(connection, sid, &PreparedSummary::of(summary, false)?)?;
    }
    match redactions.iter().map(|redact| redact.seq).min() {
        Some(first) => Ok(chain::rechain(connection, sid, first)?),
        None => Ok(head(connection, sid)?),
    }
}

/// Name in `meta` of the number of unfinished erasures.
const ERASING: &str = "erasing";

pub(in super::super) fn note_erasing(connection: &Connection, by: i64) -> Result<(), WriteFailure> {
    connection
        .prepare_cached(
            "INSERT INTO meta (name, value) VALUES (?1, max(0, ?2))
             ON CONFLICT (name) DO UPDATE SET value = max(0, value + ?2)",
        )?
        .execute(params![ERASING, by])?;
    Ok(())
}

pub(super) fn unfinished_erasures(connection: &Connection) -> ReadResult<i64> {
    connection
        .prepare_cached("SELECT value FROM meta WHERE name = ?1")?
        .query_row([ERASING], |row| row.get(0))
        .optional()
        .map(|count| Ok(count.unwrap_or(0)))
}

/// Searches every row of every table. A match in a row is legitimate content of the file.
pub(super) fn look_in_rows(connection: &Connection, search: &mut PieceSearch<'_>) -> rusqlite::Result<()> {
    let mut tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
    let mut tables = tables.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    tables.push("sqlite_schema".to_owned());
    for table in tables {
        let mut statement = connection.prepare(&format!("SELECT * FROM \"{table}\""))?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                search.look_in(bytes(row, column)?);
            }
        }
    }
    Ok(())
}

/// The bytes of a text or of a blob, without a copy; empty for other values.
fn bytes<'row>(row: &'row Row<'_>, column: usize) -> rusqlite::Result<&'row [u8]> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => &[],
    })
}
