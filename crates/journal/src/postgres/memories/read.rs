//! Statements that read records of memory.

use protocol::{ItemId, Level, Memory, OwnerId, SessionId, Vault, VaultId};
use tokio_postgres::Row;

use super::super::{
    database::Database,
    failure::Failure,
    owners::not_elsewhere,
    params::params,
    rows::{self, id, json, time, unsigned},
};
use crate::{Bookmark, Error, Record, RecordCursor, RecordFilter, UnreadSession, WriteKey};

/// All levels of records.
const LEVELS: [Level; 5] = [Level::Pin, Level::Profile, Level::Fact, Level::Entry, Level::Context];

const READ: &str = "read a record of memory";

pub(super) async fn vaults(
    database: &Database,
    owner: &OwnerId,
    after: Option<RecordCursor>,
    limit: usize,
) -> Result<Vec<Vault>, Error> {
    let action = "list the vaults";
    let sql = "SELECT body FROM dwell.vaults WHERE owner = $1 AND (created_at, id) > ($2, $3)
         ORDER BY created_at, id LIMIT $4";
    let (at, id) = beginning(after, false);
    let found = database.query_as(owner, action, sql, &params![owner.as_str(), at, id, limit]).await?;
    rows::all(action, &found, |row| json(row, 0, READ))
}

pub(super) async fn memories(
    database: &Database,
    owner: &OwnerId,
    vault_id: Option<VaultId>,
    after: Option<RecordCursor>,
    limit: usize,
) -> Result<Vec<Memory>, Error> {
    let action = "list the memories";
    let of = if vault_id.is_none() { "true" } else { "vault = $5" };
    let sql = format!(
        "SELECT body FROM dwell.memories WHERE owner = $1 AND {of} AND (created_at, id) > ($2, $3)
         ORDER BY created_at, id LIMIT $4"
    );
    let (at, id) = beginning(after, false);
    let params = params![owner.as_str(), at, id, limit, vault_id.map(VaultId::to_bytes)];
    let found = database.query_as(owner, action, &sql, &params).await?;
    rows::all(action, &found, |row| json(row, 0, READ))
}

pub(super) async fn records(
    database: &Database,
    owner: &OwnerId,
    filter: &RecordFilter,
    after: Option<RecordCursor>,
    limit: usize,
) -> Result<Vec<Record>, Error> {
    let action = "list the records of memory";
    let (than, order) = if filter.oldest_first { (">", "ASC") } else { ("<", "DESC") };
    let levels: Vec<&str> = LEVELS
        .into_iter()
        .filter(|level| filter.levels.is_empty() || filter.levels.contains(level))
        .map(Level::as_str)
        .collect();
    // The names of levels are this program's own; all external values are bound.
    let chosen = if filter.memory_id.is_some() {
        let levels = levels.join("', '");
        format!(
            "SELECT level, body, at, id FROM dwell.records
             WHERE memory = $5 AND owner = $1 AND level IN ('{levels}') AND (at, id) {than} ($2, $3)"
        )
    } else {
        // Each level in its own order and limited, so that the index gives no more than the page
        // needs.
        let of_level = |level: &&str| {
            format!(
                "(SELECT level, body, at, id FROM dwell.records
                  WHERE owner = $1 AND level = '{level}' AND (at, id) {than} ($2, $3)
                  ORDER BY at {order}, id {order} LIMIT $4)"
            )
        };
        let each = levels.iter().map(of_level).collect::<Vec<_>>().join(" UNION ALL ");
        format!("SELECT level, body, at, id FROM ({each}) AS each")
    };
    let sql = format!("{chosen} ORDER BY at {order}, id {order} LIMIT $4");
    let (at, id) = beginning(after, !filter.oldest_first);
    let params = params![owner.as_str(), at, id, limit, filter.memory_id.map(protocol::MemoryId::to_bytes)];
    let found = database.query_as(owner, action, &sql, &params).await?;
    rows::all(action, &found, parse_record)
}

pub(super) async fn record(database: &Database, owner: &OwnerId, id: ItemId) -> Result<Option<Record>, Error> {
    let sql = "SELECT level, body FROM dwell.records WHERE id = $1 AND owner = $2";
    let found = database.query_as(owner, READ, sql, &params![id.to_bytes(), owner.as_str()]).await?;
    rows::one(READ, found.into_iter().next(), parse_record)
}

pub(super) async fn taken(database: &Database, owner: &OwnerId, ids: Vec<[u8; 16]>) -> Result<Vec<[u8; 16]>, Error> {
    let action = "look up ids";
    let sql = "SELECT w.id FROM unnest($1::bytea[]) WITH ORDINALITY AS w(id, n)
         WHERE EXISTS (SELECT 1 FROM dwell.records r WHERE r.id = w.id AND r.owner <> $2)
            OR EXISTS (SELECT 1 FROM dwell.memories m WHERE m.id = w.id AND m.owner <> $2)
            OR EXISTS (SELECT 1 FROM dwell.vaults v WHERE v.id = w.id AND v.owner <> $2)
         ORDER BY w.n";
    let found = database.query(action, sql, &params![ids, owner.as_str()]).await?;
    rows::all(action, &found, |row| id(row, 0))
}

pub(super) async fn vectors(
    database: &Database,
    owner: &OwnerId,
    model: &str,
) -> Result<Vec<(ItemId, Vec<u8>)>, Error> {
    let action = "read the vectors";
    let sql = "SELECT item, bytes FROM dwell.vectors WHERE owner = $1 AND model = $2";
    let found = database.query_as(owner, action, sql, &params![owner.as_str(), model]).await?;
    rows::all(action, &found, |row| Ok((ItemId::from_bytes(id(row, 0)?), row.try_get(1)?)))
}

pub(super) async fn write_key(database: &Database, owner: &OwnerId, key: &str) -> Result<Option<WriteKey>, Error> {
    let action = "look up a key";
    let sql = "SELECT digest, answer, at FROM dwell.write_keys WHERE owner = $1 AND key = $2";
    let found = database.query_as(owner, action, sql, &params![owner.as_str(), key]).await?;
    rows::one(action, found.into_iter().next(), |row| {
        Ok(WriteKey { key: key.to_owned(), digest: row.try_get(0)?, answer: row.try_get(1)?, at: time(row, 2)? })
    })
}

pub(super) async fn bookmark(
    database: &Database,
    follower: &str,
    session_id: SessionId,
) -> Result<Option<Bookmark>, Error> {
    let action = "find the bookmark";
    let sql = "SELECT b.seq, b.state FROM dwell.bookmarks b JOIN dwell.sessions s USING (sid)
         WHERE b.follower = $1 AND s.id = $2";
    let row = database.first(action, sql, &params![follower, session_id.to_bytes()]).await?;
    rows::one(action, row, |row| {
        let (seq, state) = (unsigned(row.try_get(0)?), row.try_get(1)?);
        Ok(Bookmark { follower: follower.to_owned(), session_id, seq, state })
    })
}

pub(super) async fn unread(database: &Database, node: i64, follower: &str) -> Result<Vec<UnreadSession>, Error> {
    let action = "find unread sessions";
    let sql = format!(
        "SELECT s.owner, s.id, coalesce(b.seq, 0) FROM dwell.sessions s JOIN dwell.heads h USING (sid)
         LEFT JOIN dwell.bookmarks b ON b.follower = $2 AND b.sid = s.sid
         WHERE NOT s.is_temporary AND (h.head > coalesce(b.seq, 0) OR b.state <> '') AND {}
         ORDER BY s.sid",
        not_elsewhere(1)
    );
    let found = database.query(action, &sql, &params![node, follower]).await?;
    rows::all(action, &found, |row| {
        let (owner, session_id) = (rows::owner(row, 0)?, SessionId::from_bytes(id(row, 1)?));
        Ok(UnreadSession { owner, session_id, seq: unsigned(row.try_get(2)?) })
    })
}

/// One index lookup per owner, not one per record.
pub(super) async fn owners(database: &Database) -> Result<Vec<OwnerId>, Error> {
    let action = "list the owners";
    let sql = "WITH RECURSIVE
           of_vaults(owner) AS (
             (SELECT min(owner) FROM dwell.vaults)
             UNION ALL
             SELECT (SELECT min(v.owner) FROM dwell.vaults v WHERE v.owner > o.owner)
             FROM of_vaults o WHERE o.owner IS NOT NULL),
           of_records(owner) AS (
             (SELECT min(owner) FROM dwell.records)
             UNION ALL
             SELECT (SELECT min(r.owner) FROM dwell.records r WHERE r.owner > o.owner)
             FROM of_records o WHERE o.owner IS NOT NULL)
         SELECT owner FROM of_vaults WHERE owner IS NOT NULL
         UNION SELECT owner FROM of_records WHERE owner IS NOT NULL ORDER BY 1";
    let found = database.query(action, sql, &[]).await?;
    rows::all(action, &found, |row| rows::owner(row, 0))
}

fn parse_record(row: &Row) -> Result<Record, Failure> {
    match row.try_get::<_, &str>(0)? {
        "entry" => json(row, 1, READ).map(Record::Entry),
        "context" => json(row, 1, READ).map(Record::Context),
        _ => json(row, 1, READ).map(Record::Fact),
    }
}

/// Where a list starts: after the cursor, or before everything.
fn beginning(after: Option<RecordCursor>, newest_first: bool) -> (i64, [u8; 16]) {
    match after {
        Some(place) => (place.at.as_millis(), place.id),
        None if newest_first => (i64::MAX, [0xff; 16]),
        None => (i64::MIN, [0; 16]),
    }
}
