//! SQL statements that read values, on read-only connections.

use protocol::{OwnerId, Timestamp, ValueKey, ValueOrder};
use rusqlite::{Connection, Row, params};

use super::super::read::ReadResult;
use crate::{Error, Value, ValueFilter, encoding::item_sums, needles::TextMatcher, value_key as key};

/// The columns of a value; the bytes are read only where they are wanted.
const COLUMNS: &str = "key, size, created_at, updated_at, expires_at, sum";

pub(super) fn all(
    connection: &Connection,
    owner: &OwnerId,
    keys: &[ValueKey],
    now: Timestamp,
    bytes_max: usize,
) -> ReadResult<Vec<Value>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}, bytes FROM stored_values
         WHERE owner = ?1 AND key = ?2 AND (expires_at IS NULL OR expires_at > ?3)"
    ))?;
    let (mut values, mut bytes) = (Vec::new(), 0);
    for wanted in keys {
        let mut rows = statement.query(params![owner.as_str(), key::encode(&wanted.0), now.as_millis()])?;
        while let Some(row) = rows.next()? {
            match value(row, owner, true)? {
                Ok(value) => {
                    bytes += value.bytes.as_ref().map_or(0, Vec::len);
                    values.push(value);
                }
                Err(error) => return Ok(Err(error)),
            }
            if bytes > bytes_max {
                return Ok(Err(Error::TooLarge { max: bytes_max }));
            }
        }
    }
    Ok(Ok(values))
}

pub(super) fn list(connection: &Connection, owner: &OwnerId, filter: &ValueFilter) -> ReadResult<Vec<Value>> {
    let (mut low, mut high) = filter.range();
    let mut newest = (i64::MAX, Vec::new());
    if let Some(after) = &filter.after {
        let at = after.key.clone();
        match filter.order {
            ValueOrder::Key => low = low.max(at),
            ValueOrder::KeyDescending => high = high.min(at),
            ValueOrder::Newest => newest = (after.updated_at.as_millis(), at),
        }
    }
    let order = match filter.order {
        ValueOrder::Key => "key",
        ValueOrder::KeyDescending => "key DESC",
        ValueOrder::Newest => "updated_at DESC, key DESC",
    };
    // The plus excludes the index by time, which would be read from its beginning.
    let since = match filter.order {
        ValueOrder::Newest => "(updated_at, key) < (?5, ?6)",
        ValueOrder::Key | ValueOrder::KeyDescending => "(+updated_at <= ?5 OR ?6 IS NULL)",
    };
    let bytes = if filter.with_bytes { ", bytes" } else { "" };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}{bytes} FROM stored_values
         WHERE owner = ?1 AND key > ?2 AND key < ?3 AND (expires_at IS NULL OR expires_at > ?4) AND {since}
         ORDER BY {order} LIMIT ?7"
    ))?;
    let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
    let params = params![owner.as_str(), low, high, filter.now.as_millis(), newest.0, newest.1, limit];
    let mut rows = statement.query(params)?;
    let (mut values, mut bytes) = (Vec::new(), 0);
    while bytes <= filter.bytes_max
        && let Some(row) = rows.next()?
    {
        match value(row, owner, filter.with_bytes)? {
            Ok(value) => {
                bytes += value.bytes.as_ref().map_or(0, Vec::len);
                values.push(value);
            }
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(values))
}

/// One value by its row id.
pub(super) fn by_row(connection: &Connection, owner: &OwnerId, vid: i64, with_bytes: bool) -> ReadResult<Value> {
    let bytes = if with_bytes { ", bytes" } else { "" };
    let mut statement =
        connection.prepare_cached(&format!("SELECT {COLUMNS}{bytes} FROM stored_values WHERE vid = ?1"))?;
    statement.query_row([vid], |row| value(row, owner, with_bytes))
}

/// Row ids and checksums of the owner's values that contain one of the texts.
pub(super) fn with_text(
    connection: &Connection,
    owner: &OwnerId,
    texts: &TextMatcher,
) -> ReadResult<Vec<(i64, Vec<u8>)>> {
    let mut statement = connection.prepare_cached("SELECT vid, sum, key, bytes FROM stored_values WHERE owner = ?1")?;
    let mut rows = statement.query([owner.as_str()])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if texts.are_in(row.get_ref(2)?.as_bytes()?) || texts.are_in(row.get_ref(3)?.as_bytes()?) {
            found.push((row.get(0)?, row.get(1)?));
        }
    }
    Ok(Ok(found))
}

fn value(row: &Row<'_>, owner: &OwnerId, with_bytes: bool) -> ReadResult<Value> {
    let encoded = row.get_ref(0)?.as_bytes()?;
    let bytes: Option<Vec<u8>> = if with_bytes { Some(row.get(6)?) } else { None };
    if let Some(bytes) = &bytes
        && item_sums::of_value(owner.as_str(), encoded, bytes).as_bytes() != row.get_ref(5)?.as_bytes()?
    {
        return Ok(Err(Error::DamagedValue));
    }
    Ok(key::decode(encoded).and_then(|key| {
        let moment = |column| row.get(column).map(Timestamp::from_millis);
        let read = || -> rusqlite::Result<Value> {
            Ok(Value {
                key,
                bytes,
                size: u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
                created_at: moment(2)?,
                updated_at: moment(3)?,
                expires_at: row.get::<_, Option<i64>>(4)?.map(Timestamp::from_millis),
                score: None,
            })
        };
        read().map_err(|error| Error::Storage { action: "read a value", cause: error.to_string() })
    }))
}
