//! The migration that adds checksums to an older file.

use protocol::SessionId;
use rusqlite::{Connection, params};

use super::chain;
use crate::{
    Snapshot,
    encoding::item_sums::{of_record, of_snapshot},
};

/// Computes the checksums of everything in an older file. Existing damage stays unnoticed, except
/// in bodies in the table of blobs, which always had digests.
pub(super) fn fill(connection: &Connection) -> rusqlite::Result<()> {
    let sessions = connection
        .prepare("SELECT sid FROM sessions")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    if !sessions.is_empty() {
        tracing::info!(sessions = sessions.len(), "computing the checksums of the journal; this happens once");
    }
    for sid in sessions {
        chain::rechain(connection, sid, 1)?;
    }
    fill_snapshots(connection)?;
    fill_records(connection)
}

fn fill_snapshots(connection: &Connection) -> rusqlite::Result<()> {
    let mut sums = Vec::new();
    let mut statement = connection
        .prepare("SELECT p.sid, s.id, p.seq, p.format, p.state FROM snapshots p JOIN sessions s USING (sid)")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let seq = u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
        let snapshot = Snapshot { seq, format: row.get(3)?, state: row.get(4)? };
        sums.push((row.get::<_, i64>(0)?, of_snapshot(SessionId::from_bytes(row.get(1)?), &snapshot)));
    }
    for (sid, sum) in sums {
        connection.execute(
            "UPDATE snapshots SET sum = ?2, event_sum = (
                 SELECT e.sum FROM events e WHERE e.sid = snapshots.sid AND e.seq = snapshots.seq) WHERE sid = ?1",
            params![sid, sum.as_bytes()],
        )?;
    }
    Ok(())
}

fn fill_records(connection: &Connection) -> rusqlite::Result<()> {
    let mut sums = Vec::new();
    let mut statement = connection.prepare("SELECT rid, id, owner, body FROM records")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, owner, body): (Vec<u8>, String, String) = (row.get(1)?, row.get(2)?, row.get(3)?);
        sums.push((row.get::<_, i64>(0)?, of_record(&id, &owner, &body)));
    }
    let mut update = connection.prepare("UPDATE records SET sum = ?2 WHERE rid = ?1")?;
    for (rid, sum) in sums {
        update.execute(params![rid, sum.as_bytes()])?;
    }
    Ok(())
}
