//! SQL statements that change values.

use protocol::{OwnerId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::super::write::WriteFailure;
use crate::{ChangedValues, Error, NewValue, ValueChange, encoding::item_sums, similarity, value_key as key};

pub(in super::super) fn change(
    connection: &Connection,
    owner: &OwnerId,
    change: &ValueChange,
) -> Result<ChangedValues, WriteFailure> {
    let before = bytes_of(connection, owner)?;
    let mut changed = ChangedValues::default();
    for each in &change.deletes {
        changed.deleted += connection
            .prepare_cached("DELETE FROM stored_values WHERE owner = ?1 AND key = ?2")?
            .execute(params![owner.as_str(), key::encode(&each.0)])? as u64;
    }
    for each in &change.deletes_below {
        let beginning = key::encode(&each.0);
        changed.deleted += connection
            .prepare_cached("DELETE FROM stored_values WHERE owner = ?1 AND key > ?2 AND key < ?3")?
            .execute(params![owner.as_str(), beginning, key::end_of(beginning.clone())])?
            as u64;
    }
    for new in &change.puts {
        changed.written += put(connection, owner, new, change.now)?;
    }
    for each in &change.refreshes {
        connection
            .prepare_cached(
                "UPDATE stored_values SET expires_at = ?3 + ttl_ms
                 WHERE owner = ?1 AND key = ?2 AND ttl_ms IS NOT NULL AND expires_at > ?3",
            )?
            .execute(params![owner.as_str(), key::encode(&each.0), change.now.as_millis()])?;
    }
    let used = bytes_of(connection, owner)?;
    match change.bytes_max {
        Some(max) if used > max && used > before => {
            Err(WriteFailure::Refused(Error::ValuesFull { used: before, wanted: used - before, max }))
        }
        _ => Ok(changed),
    }
}

fn put(connection: &Connection, owner: &OwnerId, new: &NewValue, now: Timestamp) -> Result<u64, WriteFailure> {
    let (key, now) = (key::encode(&new.key.0), now.as_millis());
    // An expired value is gone, even if it is not swept yet.
    connection
        .prepare_cached("DELETE FROM stored_values WHERE owner = ?1 AND key = ?2 AND expires_at <= ?3")?
        .execute(params![owner.as_str(), key, now])?;
    let vectors = similarity::pack(&new.vectors);
    let dimensions = new.vectors.first().map_or(0, Vec::len);
    let stored = key.len() + vectors.len() + new.bytes.len();
    let on_conflict = if new.keep {
        "DO NOTHING"
    } else {
        "DO UPDATE SET updated_at = excluded.updated_at, ttl_ms = excluded.ttl_ms, expires_at = excluded.expires_at,
             size = excluded.size, stored = excluded.stored, sum = excluded.sum, dimensions = excluded.dimensions,
             vectors = excluded.vectors, bytes = excluded.bytes"
    };
    let written = connection
        .prepare_cached(&format!(
            "INSERT INTO stored_values (owner, key, created_at, updated_at, ttl_ms, expires_at, size, stored, sum,
                 dimensions, vectors, bytes)
             VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT (owner, key) {on_conflict}"
        ))?
        .execute(params![
            owner.as_str(),
            key,
            now,
            new.ttl_ms,
            new.ttl_ms.map(|ttl| now.saturating_add(ttl)),
            number(new.bytes.len()),
            number(stored),
            item_sums::of_value(owner.as_str(), &key, &new.bytes).as_bytes(),
            number(dimensions),
            vectors,
            new.bytes,
        ])?;
    Ok(written as u64)
}

/// Removes values that were found by their text, unless they were replaced since.
pub(in super::super) fn remove(connection: &Connection, found: &[(i64, Vec<u8>)]) -> Result<u64, WriteFailure> {
    let mut statement = connection.prepare_cached("DELETE FROM stored_values WHERE vid = ?1 AND sum = ?2")?;
    let mut removed = 0;
    for (vid, sum) in found {
        removed += statement.execute(params![vid, sum])? as u64;
    }
    Ok(removed)
}

pub(in super::super) fn sweep(connection: &Connection, now: Timestamp, limit: usize) -> Result<u64, WriteFailure> {
    let swept = connection
        .prepare_cached(
            "DELETE FROM stored_values WHERE vid IN (
                 SELECT vid FROM stored_values WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)",
        )?
        .execute(params![now.as_millis(), number(limit)])?;
    Ok(swept as u64)
}

fn bytes_of(connection: &Connection, owner: &OwnerId) -> rusqlite::Result<u64> {
    let total: Option<i64> = connection
        .prepare_cached("SELECT value_bytes FROM owner_totals WHERE owner = ?1")?
        .query_row([owner.as_str()], |row| row.get(0))
        .optional()?;
    Ok(total.and_then(|total| u64::try_from(total).ok()).unwrap_or(0))
}

fn number(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
