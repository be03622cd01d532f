//! SQL statements that read records of memory, on read-only connections.

use protocol::{ItemId, Level, Memory, OwnerId, SessionId, Timestamp, Vault, VaultId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::super::read::ReadResult;
use crate::{Bookmark, Error, Record, RecordCursor, RecordFilter, UnreadSession, WriteKey};

/// All levels of records.
const LEVELS: [Level; 5] = [Level::Pin, Level::Profile, Level::Fact, Level::Entry, Level::Context];

pub(super) fn vaults(
    connection: &Connection,
    owner: &OwnerId,
    after: Option<RecordCursor>,
    limit: usize,
) -> ReadResult<Vec<Vault>> {
    let mut statement = connection.prepare_cached(
        "SELECT body FROM vaults WHERE owner = ?1 AND (created_at, id) > (?2, ?3) ORDER BY created_at, id LIMIT ?4",
    )?;
    let (at, id) = beginning(after, false);
    let rows = statement.query_map(params![owner.as_str(), at, id, rows_max(limit)], |row| row.get::<_, String>(0))?;
    rows.map(|text| text.map(|text| parse(&text))).collect()
}

pub(super) fn memories(
    connection: &Connection,
    owner: &OwnerId,
    vault_id: Option<VaultId>,
    after: Option<RecordCursor>,
    limit: usize,
) -> ReadResult<Vec<Memory>> {
    // Two statements rather than one with OR, so that each uses its index. The plus excludes the
    // index by owner from the second.
    let filter = if vault_id.is_none() { "owner = ?1 AND ?5 IS NULL" } else { "vault = ?5 AND +owner = ?1" };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT body FROM memories WHERE {filter} AND (created_at, id) > (?2, ?3) ORDER BY created_at, id LIMIT ?4"
    ))?;
    let (at, id) = beginning(after, false);
    let vault = vault_id.map(VaultId::to_bytes);
    let params = params![owner.as_str(), at, id, rows_max(limit), vault];
    let rows = statement.query_map(params, |row| row.get::<_, String>(0))?;
    rows.map(|text| text.map(|text| parse(&text))).collect()
}

pub(super) fn records(
    connection: &Connection,
    owner: &OwnerId,
    filter: &RecordFilter,
    after: Option<RecordCursor>,
    limit: usize,
) -> ReadResult<Vec<Record>> {
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
            "SELECT level, body, at, id FROM records
             WHERE memory = ?5 AND +owner = ?1 AND +level IN ('{levels}') AND (at, id) {than} (?2, ?3)"
        )
    } else {
        let of_level = |level: &&str| {
            format!(
                "SELECT level, body, at, id FROM records
                 WHERE owner = ?1 AND level = '{level}' AND (at, id) {than} (?2, ?3) AND ?5 IS NULL"
            )
        };
        levels.iter().map(of_level).collect::<Vec<_>>().join(" UNION ALL ")
    };
    let mut statement = connection.prepare_cached(&format!("{chosen} ORDER BY at {order}, id {order} LIMIT ?4"))?;
    let (at, id) = beginning(after, !filter.oldest_first);
    let memory = filter.memory_id.map(protocol::MemoryId::to_bytes);
    let rows = statement.query_map(params![owner.as_str(), at, id, rows_max(limit), memory], parse_record)?;
    rows.collect()
}

pub(super) fn record(connection: &Connection, owner: &OwnerId, id: ItemId) -> ReadResult<Option<Record>> {
    let found = connection
        .prepare_cached("SELECT level, body FROM records WHERE id = ?1 AND owner = ?2")?
        .query_row(params![id.to_bytes(), owner.as_str()], parse_record)
        .optional()?;
    Ok(found.transpose())
}

pub(super) fn taken(connection: &Connection, owner: &OwnerId, ids: Vec<[u8; 16]>) -> ReadResult<Vec<[u8; 16]>> {
    let mut statement = connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM records WHERE id = ?1 AND owner <> ?2)
             OR EXISTS (SELECT 1 FROM memories WHERE id = ?1 AND owner <> ?2)
             OR EXISTS (SELECT 1 FROM vaults WHERE id = ?1 AND owner <> ?2)",
    )?;
    let mut taken = Vec::new();
    for id in ids {
        if statement.query_row(params![id, owner.as_str()], |row| row.get(0))? {
            taken.push(id);
        }
    }
    Ok(Ok(taken))
}

pub(super) fn vectors(connection: &Connection, owner: &OwnerId, model: &str) -> ReadResult<Vec<(ItemId, Vec<u8>)>> {
    let mut statement = connection.prepare_cached("SELECT item, bytes FROM vectors WHERE owner = ?1 AND model = ?2")?;
    let rows = statement
        .query_map(params![owner.as_str(), model], |row| Ok((ItemId::from_bytes(row.get(0)?), row.get(1)?)))?;
    rows.collect::<rusqlite::Result<Vec<_>>>().map(Ok)
}

pub(super) fn write_key(connection: &Connection, owner: &OwnerId, key: &str) -> ReadResult<Option<WriteKey>> {
    connection
        .prepare_cached("SELECT digest, answer, at FROM write_keys WHERE owner = ?1 AND key = ?2")?
        .query_row(params![owner.as_str(), key], |row| {
            let at = Timestamp::from_millis(row.get(2)?);
            Ok(WriteKey { key: key.to_owned(), digest: row.get(0)?, answer: row.get(1)?, at })
        })
        .optional()
        .map(Ok)
}

pub(super) fn bookmark(connection: &Connection, follower: &str, session_id: SessionId) -> ReadResult<Option<Bookmark>> {
    connection
        .prepare_cached(
            "SELECT b.seq, b.state FROM bookmarks b JOIN sessions s USING (sid) WHERE b.follower = ?1 AND s.id = ?2",
        )?
        .query_row(params![follower, session_id.to_bytes()], |row| {
            let seq = u64::try_from(row.get::<_, i64>(0)?).unwrap_or(0);
            Ok(Bookmark { follower: follower.to_owned(), session_id, seq, state: row.get(1)? })
        })
        .optional()
        .map(Ok)
}

/// Two index lookups per session; neither views nor bodies are read.
pub(super) fn unread(connection: &Connection, follower: &str) -> ReadResult<Vec<UnreadSession>> {
    let mut statement = connection.prepare_cached(
        "SELECT s.owner, s.id, coalesce(b.seq, 0) FROM sessions s INDEXED BY sessions_kept
         LEFT JOIN bookmarks b ON b.follower = ?1 AND b.sid = s.sid
         WHERE s.is_temporary = 0
           AND ((SELECT max(e.seq) FROM events e WHERE e.sid = s.sid) > coalesce(b.seq, 0) OR b.state <> '')
         ORDER BY s.sid",
    )?;
    let mut rows = statement.query([follower])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let owner = match parse_owner(row.get(0)?) {
            Ok(owner) => owner,
            Err(error) => return Ok(Err(error)),
        };
        let seq = u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
        all.push(UnreadSession { owner, session_id: SessionId::from_bytes(row.get(1)?), seq });
    }
    Ok(Ok(all))
}

/// One index lookup per owner, not one per record.
pub(super) fn owners(connection: &Connection) -> ReadResult<Vec<OwnerId>> {
    let mut statement = connection.prepare_cached(
        "WITH RECURSIVE
           shelved(owner) AS (
             SELECT min(owner) FROM vaults
             UNION ALL
             SELECT (SELECT min(v.owner) FROM vaults v WHERE v.owner > shelved.owner)
             FROM shelved WHERE shelved.owner IS NOT NULL),
           recorded(owner) AS (
             SELECT min(owner) FROM records
             UNION ALL
             SELECT (SELECT min(r.owner) FROM records r WHERE r.owner > recorded.owner)
             FROM recorded WHERE recorded.owner IS NOT NULL)
         SELECT owner FROM shelved WHERE owner IS NOT NULL
         UNION SELECT owner FROM recorded WHERE owner IS NOT NULL ORDER BY 1",
    )?;
    let rows = statement.query_map([], |row| row.get(0).map(parse_owner))?;
    rows.collect()
}

fn parse_owner(name: String) -> Result<OwnerId, Error> {
    OwnerId::try_from(name).map_err(|error| Error::Storage { action: "read an owner", cause: error.to_string() })
}

fn parse_record(row: &Row<'_>) -> rusqlite::Result<Result<Record, Error>> {
    let (level, text): (String, String) = (row.get(0)?, row.get(1)?);
    Ok(match level.as_str() {
        "entry" => parse(&text).map(Record::Entry),
        "context" => parse(&text).map(Record::Context),
        _ => parse(&text).map(Record::Fact),
    })
}

fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_str(text)
        .map_err(|error| Error::Storage { action: "read a record of memory", cause: error.to_string() })
}

/// Where a list starts: after the cursor, or before everything.
fn beginning(after: Option<RecordCursor>, newest_first: bool) -> (i64, [u8; 16]) {
    match after {
        Some(place) => (place.at.as_millis(), place.id),
        None if newest_first => (i64::MAX, [0xff; 16]),
        None => (i64::MIN, [0; 16]),
    }
}

fn rows_max(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
