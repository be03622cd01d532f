//! Events as rows, and the checksums that chain them.

use protocol::SessionId;
use rusqlite::{
    Connection, Row, params,
    types::{Type, ValueRef},
};

use super::{read::ReadResult, write};
use crate::{
    Checksum, Damage, Error,
    encoding::{Head, StoredEvent},
};

/// The columns of an event, for [`stored_event`].
pub(super) const COLUMNS: &str = "s.id, e.seq, e.format, e.at, e.turn, e.agent, e.body, e.blob, e.sum, b.bytes";
/// Number of these columns. The checksum of the previous event is the column after them.
pub(super) const COLUMN_COUNT: usize = 10;

/// Reads an event from the [`COLUMNS`] of its row.
pub(super) fn stored_event(row: &Row<'_>) -> rusqlite::Result<StoredEvent> {
    Ok(StoredEvent {
        session_id: SessionId::from_bytes(row.get(0)?),
        seq: u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
        format: u32::try_from(row.get::<_, i64>(2)?).unwrap_or(u32::MAX),
        at: row.get(3)?,
        turn: bytes(row, 4)?,
        agent: bytes(row, 5)?,
        inline: bytes(row, 6)?,
        digest: bytes(row, 7)?,
        sum: bytes(row, 8)?.unwrap_or_default(),
        beside: bytes(row, 9)?,
    })
}

/// The bytes of a text or of a blob, valid or not.
fn bytes(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Vec<u8>>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(Some(bytes.to_vec())),
        other => Err(rusqlite::Error::InvalidColumnType(column, "bytes".to_owned(), other.data_type())),
    }
}

/// The error for an invalid checksum.
pub(super) fn corrupt_sum(column: usize) -> rusqlite::Error {
    rusqlite::Error::InvalidColumnType(column, "sum".to_owned(), Type::Blob)
}

/// Visits at most `limit` events after a number. Each of them must exist and be what was written.
pub(super) fn walk(
    connection: &Connection,
    session_id: SessionId,
    after: u64,
    limit: usize,
    mut take: impl FnMut(StoredEvent) -> Result<(), Error>,
) -> ReadResult<()> {
    let Some(sid) = write::sid(connection, session_id)? else { return Ok(Err(Error::NotFound)) };
    let missing = |seq| Ok(Err(Damage { session_id, seq, detail: "it is missing".to_owned() }.into()));
    let mut before = sum_of(connection, sid, after)?;
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM events e JOIN sessions s USING (sid) LEFT JOIN blobs b ON b.digest = e.blob
         WHERE e.sid = ?1 AND e.seq > ?2 ORDER BY e.seq LIMIT ?3"
    ))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![sid, write::number(after), limit])?;
    let mut expected = after;
    while let Some(row) = rows.next()? {
        let Some(sum) = before else { return missing(expected) };
        expected += 1;
        let stored = stored_event(row)?;
        if stored.seq != expected {
            return missing(expected);
        }
        match stored.verify(sum) {
            Ok(sum) => before = Some(sum),
            Err(damage) => return Ok(Err(damage.into())),
        }
        if let Err(error) = take(stored) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

/// The checksum of an event; `None` if there is no such event.
fn sum_of(connection: &Connection, sid: i64, seq: u64) -> rusqlite::Result<Option<Checksum>> {
    if seq == 0 {
        return Ok(Some(Checksum::START));
    }
    let mut statement = connection.prepare_cached("SELECT sum FROM events WHERE sid = ?1 AND seq = ?2")?;
    let mut rows = statement.query(params![sid, write::number(seq)])?;
    // An invalid checksum matches no event after it.
    Ok(rows
        .next()?
        .map(|row| bytes(row, 0))
        .transpose()?
        .map(|sum| sum.and_then(|sum| Checksum::from_slice(&sum)).unwrap_or(Checksum::START)))
}

/// Recomputes the checksums of a session from an event on, and returns its head. The caller has
/// rewritten that event.
pub(super) fn rechain(connection: &Connection, sid: i64, from: u64) -> rusqlite::Result<Head> {
    let first = from.max(1);
    let mut head = Head { seq: first - 1, sum: sum_of(connection, sid, first - 1)?.unwrap_or(Checksum::START) };
    let mut sums = Vec::new();
    {
        // The checksum covers only the digest of a body in the table of blobs, so the body is not
        // read.
        let mut statement = connection.prepare_cached(
            "SELECT s.id, e.seq, e.format, e.at, e.turn, e.agent, e.body, e.blob, e.sum, NULL
             FROM events e JOIN sessions s USING (sid) WHERE e.sid = ?1 AND e.seq >= ?2 ORDER BY e.seq",
        )?;
        let mut rows = statement.query(params![sid, write::number(first)])?;
        while let Some(row) = rows.next()? {
            let stored = stored_event(row)?;
            head = Head { seq: stored.seq, sum: stored.chained(head.sum) };
            sums.push(head);
        }
    }
    let mut update = connection.prepare_cached("UPDATE events SET sum = ?3 WHERE sid = ?1 AND seq = ?2")?;
    for Head { seq, sum } in sums {
        update.execute(params![sid, write::number(seq), sum.as_bytes()])?;
    }
    Ok(head)
}
