//! Values by the similarity of their embeddings.
//!
//! All embeddings below the given parts are compared: programs store thousands of values, not
//! millions, and nothing has to be kept up to date beside the rows.

use protocol::OwnerId;
use rusqlite::{Connection, params};

use super::{super::read::ReadResult, read};
use crate::{Value, ValueFilter, similarity};

pub(super) fn list(
    connection: &Connection,
    owner: &OwnerId,
    filter: &ValueFilter,
    near: &[f32],
    skip: usize,
) -> ReadResult<Vec<Value>> {
    let (low, high) = filter.range();
    let mut statement = connection.prepare_cached(
        "SELECT vid, updated_at, dimensions, vectors FROM stored_values
         WHERE owner = ?1 AND key > ?2 AND key < ?3 AND (expires_at IS NULL OR expires_at > ?4) ORDER BY key",
    )?;
    let mut rows = statement.query(params![owner.as_str(), low, high, filter.now.as_millis()])?;
    let mut ranked: Vec<(Option<f64>, i64, i64)> = Vec::new();
    while let Some(row) = rows.next()? {
        let is_comparable = usize::try_from(row.get::<_, i64>(2)?) == Ok(near.len());
        let score = if is_comparable { similarity::best(near, row.get_ref(3)?.as_bytes()?) } else { None };
        ranked.push((score, row.get(1)?, row.get(0)?));
    }
    ranked.sort_by(|(score, at, _), (other, than, _)| similarity::compare(*other, *score).then(than.cmp(at)));
    let (mut values, mut bytes) = (Vec::new(), 0);
    for (score, _, vid) in ranked.into_iter().skip(skip).take(filter.limit) {
        if bytes > filter.bytes_max {
            break;
        }
        match read::by_row(connection, owner, vid, filter.with_bytes)? {
            Ok(value) => {
                bytes += value.bytes.as_ref().map_or(0, Vec::len);
                values.push(Value { score, ..value });
            }
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(values))
}
