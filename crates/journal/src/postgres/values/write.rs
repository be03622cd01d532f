//! Changes of values.

use async_trait::async_trait;
use protocol::{OwnerId, Timestamp};

use super::super::{database::Write, failure::Failure, params::params, pool::Connection, rows::unsigned};
use crate::{ChangedValues, Error, NewValue, ValueChange, encoding::item_sums, similarity, value_key as key};

/// Changes of an owner's values, all or none.
pub(super) struct ChangeValues<'a> {
    pub(super) owner: &'a OwnerId,
    pub(super) change: &'a ValueChange,
}

#[async_trait]
impl Write for ChangeValues<'_> {
    type Answer = ChangedValues;

    async fn run(&self, on: &Connection) -> Result<ChangedValues, Failure> {
        let Self { owner, change } = self;
        let (owner, now) = (owner.as_str(), change.now.as_millis());
        let before = bytes_of(on, owner).await?;
        let mut changed = ChangedValues::default();
        if !change.deletes.is_empty() {
            let keys: Vec<Vec<u8>> = change.deletes.iter().map(|each| key::encode(&each.0)).collect();
            let sql = "DELETE FROM dwell.stored_values WHERE owner = $1 AND key = ANY($2)";
            changed.deleted += on.execute(sql, &params![owner, keys]).await?;
        }
        for each in &change.deletes_below {
            let beginning = key::encode(&each.0);
            let end = key::end_of(beginning.clone());
            let sql = "DELETE FROM dwell.stored_values WHERE owner = $1 AND key > $2 AND key < $3";
            changed.deleted += on.execute(sql, &params![owner, &beginning, &end]).await?;
        }
        for new in &change.puts {
            changed.written += put(on, owner, new, now).await?;
        }
        if !change.refreshes.is_empty() {
            let keys: Vec<Vec<u8>> = change.refreshes.iter().map(|each| key::encode(&each.0)).collect();
            let sql = "UPDATE dwell.stored_values SET expires_at = $3 + ttl_ms
                 WHERE owner = $1 AND key = ANY($2) AND ttl_ms IS NOT NULL AND expires_at > $3";
            on.execute(sql, &params![owner, keys, now]).await?;
        }
        let used = bytes_of(on, owner).await?;
        match change.bytes_max {
            Some(max) if used > max && used > before => {
                Err(Error::ValuesFull { used: before, wanted: used - before, max }.into())
            }
            _ => Ok(changed),
        }
    }
}

async fn put(on: &Connection, owner: &str, new: &NewValue, now: i64) -> Result<u64, Failure> {
    let key = key::encode(&new.key.0);
    // An expired value is gone, even if it is not swept yet.
    let expired = "DELETE FROM dwell.stored_values WHERE owner = $1 AND key = $2 AND expires_at <= $3";
    on.execute(expired, &params![owner, &key, now]).await?;
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
    let sql = format!(
        "INSERT INTO dwell.stored_values (owner, key, created_at, updated_at, ttl_ms, expires_at, size, stored, sum,
             dimensions, vectors, bytes)
         VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (owner, key) {on_conflict}"
    );
    let sum = item_sums::of_value(owner, &key, &new.bytes);
    let params = params![
        owner,
        &key,
        now,
        new.ttl_ms,
        new.ttl_ms.map(|ttl| now.saturating_add(ttl)),
        new.bytes.len(),
        stored,
        sum.as_bytes(),
        dimensions,
        &vectors,
        &new.bytes,
    ];
    on.execute(&sql, &params).await
}

/// Values that were found by their text, by row id and checksum. One that was replaced since stays.
pub(super) struct RemoveValues {
    pub(super) found: Vec<(i64, Vec<u8>)>,
}

#[async_trait]
impl Write for RemoveValues {
    type Answer = u64;

    async fn run(&self, on: &Connection) -> Result<u64, Failure> {
        let vids: Vec<i64> = self.found.iter().map(|(vid, _)| *vid).collect();
        let sums: Vec<Vec<u8>> = self.found.iter().map(|(_, sum)| sum.clone()).collect();
        let sql = "DELETE FROM dwell.stored_values v USING unnest($1::bigint[], $2::bytea[]) AS f(vid, sum)
             WHERE v.vid = f.vid AND v.sum = f.sum";
        on.execute(sql, &params![vids, sums]).await
    }
}

/// Expired values to remove, of all owners.
pub(super) struct SweepValues {
    pub(super) now: Timestamp,
    pub(super) limit: usize,
}

#[async_trait]
impl Write for SweepValues {
    type Answer = u64;

    async fn run(&self, on: &Connection) -> Result<u64, Failure> {
        let sql = "DELETE FROM dwell.stored_values WHERE vid IN (
             SELECT vid FROM dwell.stored_values WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)";
        on.execute(sql, &params![self.now.as_millis(), self.limit]).await
    }
}

async fn bytes_of(on: &Connection, owner: &str) -> Result<u64, Failure> {
    let sql = "SELECT coalesce(sum(value_bytes), 0)::bigint FROM dwell.owner_totals WHERE owner = $1";
    let row = on.first(sql, &params![owner]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?.map_or(0, unsigned))
}
