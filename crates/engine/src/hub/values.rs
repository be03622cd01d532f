//! Values: bytes that programs store under keys of their own, for their owner only.
//!
//! They are stored as they are: nothing is redacted in them, extracted from them or recalled.

use base64::{Engine, prelude::BASE64_STANDARD};
use journal::{ChangedValues, NewValue, Value, ValueChange, ValueCursor, ValueFilter};
use protocol::{
    OwnerId, PutValue, StoredValue, Timestamp, ValueKey, ValueList, ValuePage, ValueRead, ValueWrite, ValueWriteResult,
};

use super::Hub;
use crate::{
    Error,
    quota::{QuotaExceeded, QuotaKind},
};

/// Default and maximum number of values on a page.
const LIST_DEFAULT: u32 = 100;
const LIST_MAX: u32 = 1_000;
/// A page ends when it has more bytes than this.
const PAGE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Most bytes of values that are read by their keys at once; more than one value can have.
const READ_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Maximum number of keys in a request.
const KEYS_MAX: usize = 1_000;
const VALUE_BYTES_MAX: usize = 32 * 1024 * 1024;
const VECTORS_MAX: usize = 64;
const DIMENSIONS_MAX: usize = 4_096;
/// Expired values that are deleted in one transaction, so that other writes do not wait long.
const SWEEP_MAX: usize = 200;

impl Hub {
    /// Makes changes of values, all or none of them. A repetition does no harm.
    pub async fn write_values(&self, owner: &OwnerId, asked: ValueWrite) -> Result<ValueWriteResult, Error> {
        for keys in [&asked.deletes, &asked.deletes_below, &asked.refreshes] {
            check_keys(keys)?;
        }
        check_count(asked.puts.len())?;
        let change = ValueChange {
            puts: asked.puts.into_iter().map(new_value).collect::<Result<_, _>>()?,
            deletes: asked.deletes,
            deletes_below: asked.deletes_below,
            refreshes: asked.refreshes,
            now: self.now(),
            bytes_max: self.services().options.quota.value_bytes_max,
        };
        let changed = self.services().store.change_values(owner, change).await;
        let ChangedValues { written, deleted } = changed.map_err(|error| match error {
            journal::Error::ValuesFull { used, wanted, max } => {
                QuotaExceeded { limit: QuotaKind::ValueBytes, used, wanted, max }.into()
            }
            other => Error::from(other),
        })?;
        Ok(ValueWriteResult { written, deleted })
    }

    /// Values by their keys; keys without a value are left out.
    pub async fn read_values(&self, owner: &OwnerId, asked: ValueRead) -> Result<ValuePage, Error> {
        check_keys(&asked.keys)?;
        let values = self.services().store.values(owner, asked.keys, self.now(), READ_BYTES_MAX).await?;
        Ok(ValuePage { data: values.into_iter().map(view).collect(), next_cursor: None })
    }

    /// The values below some parts of a key.
    pub async fn list_values(&self, owner: &OwnerId, asked: ValueList) -> Result<ValuePage, Error> {
        check_parts(&asked.below)?;
        if let Some(before) = &asked.before {
            check_key(before)?;
        }
        let limit = asked.limit.unwrap_or(LIST_DEFAULT).clamp(1, LIST_MAX) as usize;
        let mut filter = ValueFilter {
            below: asked.below,
            before: asked.before,
            order: asked.order,
            after: None,
            limit,
            bytes_max: PAGE_BYTES_MAX,
            with_bytes: !asked.keys_only,
            now: self.now(),
        };
        let cursor = asked.cursor.as_deref().map(read_cursor).transpose()?;
        let store = &self.services().store;
        let (values, next_cursor) = if let Some(near) = asked.near {
            check_vector(&near)?;
            let skip = cursor.map_or(0, |(skip, _)| usize::try_from(skip).unwrap_or(usize::MAX));
            let values = store.nearest_values(owner, filter, near, skip).await?;
            let next = format!("{}.", skip.saturating_add(values.len()));
            (values, next)
        } else {
            filter.after = cursor.map(|(at, key)| {
                let updated_at = Timestamp::from_millis(i64::try_from(at).unwrap_or(i64::MAX));
                ValueCursor { updated_at, key }
            });
            let values = store.list_values(owner, filter).await?;
            let next = values.last().map(write_cursor).unwrap_or_default();
            (values, next)
        };
        let is_last = values.len() < limit && size(&values) <= PAGE_BYTES_MAX;
        let next_cursor = (!is_last && !values.is_empty()).then_some(next_cursor);
        Ok(ValuePage { data: values.into_iter().map(view).collect(), next_cursor })
    }

    /// Deletes values whose time to live has ended.
    pub(super) async fn sweep_values(&self, now: Timestamp) -> Result<(), Error> {
        let services = self.services();
        while !services.stopping.is_cancelled() {
            if services.store.sweep_values(now, SWEEP_MAX).await? < SWEEP_MAX as u64 {
                break;
            }
        }
        Ok(())
    }
}

fn size(values: &[Value]) -> usize {
    values.iter().filter_map(|value| value.bytes.as_ref()).map(Vec::len).sum()
}

fn view(value: Value) -> StoredValue {
    StoredValue {
        key: value.key,
        value: value.bytes.map(|bytes| BASE64_STANDARD.encode(bytes)),
        size: value.size,
        created_at: value.created_at,
        updated_at: value.updated_at,
        expires_at: value.expires_at,
        score: value.score,
    }
}

fn new_value(put: PutValue) -> Result<NewValue, Error> {
    check_key(&put.key)?;
    let bytes = BASE64_STANDARD
        .decode(&put.value)
        .map_err(|error| Error::Invalid(format!("the value is not valid Base64: {error}")))?;
    if bytes.len() > VALUE_BYTES_MAX {
        return Err(Error::Invalid(format!("the value has more than {VALUE_BYTES_MAX} bytes; divide it into several")));
    }
    if put.vectors.len() > VECTORS_MAX {
        return Err(Error::Invalid(format!("a value has at most {VECTORS_MAX} vectors")));
    }
    for vector in &put.vectors {
        check_vector(vector)?;
        if Some(vector.len()) != put.vectors.first().map(Vec::len) {
            return Err(Error::Invalid("the vectors of a value differ in length".to_owned()));
        }
    }
    let ttl_ms = match put.ttl_s {
        Some(0) => return Err(Error::Invalid("`ttl_s` is at least 1".to_owned())),
        Some(seconds) => Some(i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX)),
        None => None,
    };
    Ok(NewValue { key: put.key, bytes, ttl_ms, vectors: put.vectors, keep: put.keep })
}

fn check_vector(vector: &[f32]) -> Result<(), Error> {
    if vector.is_empty() || vector.len() > DIMENSIONS_MAX {
        return Err(Error::Invalid(format!("a vector has 1 to {DIMENSIONS_MAX} numbers")));
    }
    if vector.iter().all(|number| number.is_finite()) {
        Ok(())
    } else {
        Err(Error::Invalid("a number of a vector is too large".to_owned()))
    }
}

fn check_count(count: usize) -> Result<(), Error> {
    if count > KEYS_MAX {
        return Err(Error::Invalid(format!("a list has at most {KEYS_MAX} keys; send several requests")));
    }
    Ok(())
}

fn check_keys(keys: &[ValueKey]) -> Result<(), Error> {
    check_count(keys.len())?;
    keys.iter().try_for_each(check_key)
}

fn check_key(key: &ValueKey) -> Result<(), Error> {
    if key.0.is_empty() {
        return Err(Error::Invalid("a key has at least one part".to_owned()));
    }
    check_parts(&key.0)
}

fn check_parts(parts: &[String]) -> Result<(), Error> {
    let (parts_max, chars_max) = (ValueKey::PARTS_MAX, ValueKey::PART_CHARS_MAX);
    if parts.len() > parts_max {
        return Err(Error::Invalid(format!("a key has at most {parts_max} parts")));
    }
    if parts.iter().any(|part| part.chars().nth(chars_max).is_some()) {
        return Err(Error::Invalid(format!("a part of a key has at most {chars_max} characters")));
    }
    Ok(())
}

/// A number and a position: of a list by similarity the number of values before it, of other lists
/// when the last value was stored, and its key.
fn write_cursor(last: &Value) -> String {
    let ValueCursor { updated_at, key } = ValueCursor::after(last);
    let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}.{key}", updated_at.as_millis())
}

fn read_cursor(text: &str) -> Result<(u64, Vec<u8>), Error> {
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    let read = || {
        let (number, key) = text.split_once('.').filter(|(_, key)| key.len() % 2 == 0)?;
        let key = key.as_bytes().chunks(2).map(byte).collect::<Option<_>>()?;
        Some((number.parse().ok()?, key))
    };
    read().ok_or_else(|| Error::Invalid("the cursor is invalid".to_owned()))
}
