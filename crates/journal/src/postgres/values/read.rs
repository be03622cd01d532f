//! Statements that read values.

use protocol::{OwnerId, Timestamp, ValueKey, ValueOrder};
use tokio_postgres::Row;

use super::super::{
    database::Database,
    failure::Failure,
    params::params,
    rows::{self, time, unsigned},
};
use crate::{Error, Value, ValueFilter, encoding::item_sums, needles::TextMatcher, similarity, value_key as key};

/// The columns of a value; the bytes are read only where they are wanted.
const COLUMNS: &str = "key, size, created_at, updated_at, expires_at, sum";
/// Values that are read with their bytes at a time, so that a page that ends by its bytes does not
/// read many more.
const WITH_BYTES_ROWS: usize = 32;

pub(super) async fn all(
    database: &Database,
    owner: &OwnerId,
    keys: &[ValueKey],
    now: Timestamp,
    bytes_max: usize,
) -> Result<Vec<Value>, Error> {
    let action = "read the values";
    let encoded: Vec<Vec<u8>> = keys.iter().map(|wanted| key::encode(&wanted.0)).collect();
    // The sizes come first: what is too much is not read.
    let measure = "SELECT coalesce(sum(v.size), 0)::bigint FROM unnest($2::bytea[]) AS w(key)
         JOIN dwell.stored_values v ON v.owner = $1 AND v.key = w.key AND (v.expires_at IS NULL OR v.expires_at > $3)";
    let params = params![owner.as_str(), encoded.clone(), now.as_millis()];
    let size = database.query_as(owner, action, measure, &params).await?.into_iter().next();
    let size = rows::one(action, size, |row| Ok(unsigned(row.try_get(0)?)))?.unwrap_or(0);
    if size > bytes_max as u64 {
        return Err(Error::TooLarge { max: bytes_max });
    }
    let sql = "SELECT v.key, v.size, v.created_at, v.updated_at, v.expires_at, v.sum, v.bytes
         FROM unnest($2::bytea[]) WITH ORDINALITY AS w(key, n)
         JOIN dwell.stored_values v ON v.owner = $1 AND v.key = w.key AND (v.expires_at IS NULL OR v.expires_at > $3)
         ORDER BY w.n";
    let found = database.query_as(owner, action, sql, &params).await?;
    rows::all(action, &found, |row| value(row, owner, true))
}

pub(super) async fn list(database: &Database, owner: &OwnerId, filter: &ValueFilter) -> Result<Vec<Value>, Error> {
    let action = "list the values";
    let (low, high) = filter.range();
    let mut place = filter.after.as_ref().map(|after| (after.updated_at.as_millis(), after.key.clone()));
    let (mut values, mut bytes): (Vec<Value>, usize) = (Vec::new(), 0);
    while bytes <= filter.bytes_max && values.len() < filter.limit {
        let left = filter.limit - values.len();
        let batch = if filter.with_bytes { left.min(WITH_BYTES_ROWS) } else { left };
        let (since, order) = match (filter.order, &place) {
            (ValueOrder::Key, None) => ("true", "key"),
            (ValueOrder::Key, Some(_)) => ("key > $6", "key"),
            (ValueOrder::KeyDescending, None) => ("true", "key DESC"),
            (ValueOrder::KeyDescending, Some(_)) => ("key < $6", "key DESC"),
            (ValueOrder::Newest, None) => ("true", "updated_at DESC, key DESC"),
            (ValueOrder::Newest, Some(_)) => ("(updated_at, key) < ($5, $6)", "updated_at DESC, key DESC"),
        };
        let (at, beyond) = place.as_ref().map_or((0, &[][..]), |(at, key)| (*at, key.as_slice()));
        let with_bytes = if filter.with_bytes { ", bytes" } else { "" };
        let sql = format!(
            "SELECT {COLUMNS}{with_bytes} FROM dwell.stored_values
             WHERE owner = $1 AND key > $2 AND key < $3 AND (expires_at IS NULL OR expires_at > $4)
                 AND {since}
             ORDER BY {order} LIMIT $7"
        );
        let params = params![owner.as_str(), &low, &high, filter.now.as_millis(), at, beyond, batch];
        let found = database.query_as(owner, action, &sql, &params).await?;
        let page = rows::all(action, &found, |row| {
            Ok((row.try_get::<_, i64>(3)?, row.try_get::<_, Vec<u8>>(0)?, value(row, owner, filter.with_bytes)?))
        })?;
        let is_last = page.len() < batch;
        for (at, key, value) in page {
            if bytes > filter.bytes_max {
                return Ok(values);
            }
            bytes += value.bytes.as_ref().map_or(0, Vec::len);
            place = Some((at, key));
            values.push(value);
        }
        if is_last {
            break;
        }
    }
    Ok(values)
}

/// All embeddings below the given parts are compared here: programs store thousands of values, not
/// millions, and the database needs no extension for it.
pub(super) async fn nearest(
    database: &Database,
    owner: &OwnerId,
    filter: &ValueFilter,
    near: &[f32],
    skip: usize,
) -> Result<Vec<Value>, Error> {
    let action = "compare the values";
    let (low, high) = filter.range();
    let sql = "SELECT vid, updated_at, CASE WHEN dimensions = $5 THEN vectors END FROM dwell.stored_values
         WHERE owner = $1 AND key > $2 AND key < $3 AND (expires_at IS NULL OR expires_at > $4) ORDER BY key";
    let params = params![owner.as_str(), &low, &high, filter.now.as_millis(), near.len()];
    let found = database.query_as(owner, action, sql, &params).await?;
    let mut ranked: Vec<(Option<f64>, i64, i64)> = rows::all(action, &found, |row| {
        let vectors: Option<&[u8]> = row.try_get(2)?;
        let score = vectors.and_then(|vectors| similarity::best(near, vectors));
        Ok((score, row.try_get(1)?, row.try_get(0)?))
    })?;
    ranked.sort_by(|(score, at, _), (other, than, _)| similarity::compare(*other, *score).then(than.cmp(at)));
    let (mut values, mut bytes) = (Vec::new(), 0);
    let with_bytes = if filter.with_bytes { ", bytes" } else { "" };
    let sql = format!("SELECT {COLUMNS}{with_bytes} FROM dwell.stored_values WHERE vid = $1 AND owner = $2");
    for (score, _, vid) in ranked.into_iter().skip(skip).take(filter.limit) {
        if bytes > filter.bytes_max {
            break;
        }
        let row = database.query_as(owner, action, &sql, &params![vid, owner.as_str()]).await?.into_iter().next();
        // One that was removed meanwhile is left out.
        if let Some(value) = rows::one(action, row, |row| value(row, owner, filter.with_bytes))? {
            bytes += value.bytes.as_ref().map_or(0, Vec::len);
            values.push(Value { score, ..value });
        }
    }
    Ok(values)
}

/// Row ids and checksums of the owner's values that contain one of the texts.
pub(super) async fn with_text(
    database: &Database,
    owner: &OwnerId,
    texts: &TextMatcher,
) -> Result<Vec<(i64, Vec<u8>)>, Error> {
    let action = "search the values";
    let (mut found, mut after) = (Vec::new(), 0);
    loop {
        let sql = "SELECT vid, sum, key, bytes FROM dwell.stored_values WHERE owner = $1 AND vid > $2
             ORDER BY vid LIMIT $3";
        let params = params![owner.as_str(), after, WITH_BYTES_ROWS];
        let rows = database.query_as(owner, action, sql, &params).await?;
        let page = rows::all(action, &rows, |row| {
            let is_in = texts.are_in(row.try_get(2)?) || texts.are_in(row.try_get(3)?);
            Ok((row.try_get(0)?, row.try_get(1)?, is_in))
        })?;
        let is_last = page.len() < WITH_BYTES_ROWS;
        after = page.last().map_or(after, |(vid, _, _)| *vid);
        found.extend(page.into_iter().filter(|(_, _, is_in)| *is_in).map(|(vid, sum, _)| (vid, sum)));
        if is_last {
            return Ok(found);
        }
    }
}

fn value(row: &Row, owner: &OwnerId, with_bytes: bool) -> Result<Value, Failure> {
    let encoded: &[u8] = row.try_get(0)?;
    let bytes: Option<Vec<u8>> = if with_bytes { Some(row.try_get(6)?) } else { None };
    if let Some(bytes) = &bytes
        && item_sums::of_value(owner.as_str(), encoded, bytes).as_bytes() != row.try_get::<_, &[u8]>(5)?
    {
        return Err(Error::DamagedValue.into());
    }
    Ok(Value {
        key: key::decode(encoded)?,
        bytes,
        size: unsigned(row.try_get(1)?),
        created_at: time(row, 2)?,
        updated_at: time(row, 3)?,
        expires_at: row.try_get::<_, Option<i64>>(4)?.map(Timestamp::from_millis),
        score: None,
    })
}
