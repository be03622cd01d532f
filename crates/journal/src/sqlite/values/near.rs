//! Values by the similarity of their embeddings.
//!
//! All embeddings below the given parts are compared: programs store thousands of values, not
//! millions, and nothing has to be kept up to date beside the rows.

use std::cmp::Ordering;

use protocol::OwnerId;
use rusqlite::{Connection, params};

use super::{super::read::ReadResult, read};
use crate::{Value, ValueFilter};

/// The bytes of embeddings: one after the other, each number as a little-endian `f32`.
pub(super) fn pack(vectors: &[Vec<f32>]) -> Vec<u8> {
    vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
}

pub(super) fn list(
    connection: &Connection,
    owner: &OwnerId,
    filter: &ValueFilter,
    near: &[f32],
    skip: usize,
) -> ReadResult<Vec<Value>> {
    let (low, high) = read::range(filter);
    let mut statement = connection.prepare_cached(
        "SELECT vid, updated_at, dimensions, vectors FROM stored_values
         WHERE owner = ?1 AND key > ?2 AND key < ?3 AND (expires_at IS NULL OR expires_at > ?4) ORDER BY key",
    )?;
    let mut rows = statement.query(params![owner.as_str(), low, high, filter.now.as_millis()])?;
    let mut ranked: Vec<(Option<f64>, i64, i64)> = Vec::new();
    while let Some(row) = rows.next()? {
        let is_comparable = usize::try_from(row.get::<_, i64>(2)?) == Ok(near.len());
        let score = if is_comparable { best(near, row.get_ref(3)?.as_bytes()?) } else { None };
        ranked.push((score, row.get(1)?, row.get(0)?));
    }
    ranked.sort_by(|(score, at, _), (other, than, _)| compare(*other, *score).then(than.cmp(at)));
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

/// Nothing is less than any similarity.
fn compare(score: Option<f64>, other: Option<f64>) -> Ordering {
    match (score, other) {
        (Some(score), Some(other)) => score.total_cmp(&other),
        (score, other) => score.is_some().cmp(&other.is_some()),
    }
}

/// The highest similarity to one of the embeddings.
fn best(near: &[f32], packed: &[u8]) -> Option<f64> {
    let vectors = packed.chunks_exact(near.len() * 4);
    vectors.map(|vector| cosine(near, vector)).max_by(f64::total_cmp)
}

fn cosine(near: &[f32], packed: &[u8]) -> f64 {
    let (mut product, mut ours, mut theirs) = (0.0, 0.0, 0.0);
    for (number, bytes) in near.iter().zip(packed.as_chunks::<4>().0) {
        let (here, there) = (f64::from(*number), f64::from(f32::from_le_bytes(*bytes)));
        product += here * there;
        ours += here * here;
        theirs += there * there;
    }
    if ours > 0.0 && theirs > 0.0 { product / (ours.sqrt() * theirs.sqrt()) } else { 0.0 }
}
