//! Reading columns.

use protocol::{OwnerId, SessionId, Timestamp};
use tokio_postgres::Row;

use super::failure::Failure;
use crate::{
    Checksum, Error,
    encoding::{Head, StoredEvent},
};

/// The columns of an event, for [`stored_event`]; the session's id is known or selected first.
pub(super) const EVENT: &str = "e.seq, e.format, e.at, e.turn, e.agent, e.body, e.sum";

/// The columns of an event from `at` on.
pub(super) fn stored_event(row: &Row, session_id: SessionId, at: usize) -> Result<StoredEvent, Failure> {
    let bytes = |column| row.try_get::<_, Option<Vec<u8>>>(column);
    let text = |column| row.try_get::<_, Option<String>>(column).map(|text| text.map(String::into_bytes));
    let body = text(at + 5)?.unwrap_or_default();
    let mut stored = StoredEvent {
        session_id,
        seq: unsigned(row.try_get(at)?),
        format: u32::try_from(row.try_get::<_, i64>(at + 1)?).unwrap_or(u32::MAX),
        at: row.try_get(at + 2)?,
        turn: bytes(at + 3)?,
        agent: text(at + 4)?,
        inline: None,
        digest: None,
        sum: bytes(at + 6)?.unwrap_or_default(),
        beside: None,
    };
    stored.set_body(body);
    Ok(stored)
}

/// An id of sixteen bytes.
pub(super) fn id(row: &Row, column: usize) -> Result<[u8; 16], Failure> {
    let bytes: &[u8] = row.try_get(column)?;
    let wrong = || Error::Storage { action: "read an id", cause: format!("it has {} bytes", bytes.len()) };
    Ok(bytes.try_into().map_err(|_| wrong())?)
}

pub(super) fn time(row: &Row, column: usize) -> Result<Timestamp, Failure> {
    Ok(Timestamp::from_millis(row.try_get(column)?))
}

pub(super) fn owner(row: &Row, column: usize) -> Result<OwnerId, Failure> {
    let name: String = row.try_get(column)?;
    let wrong = |error: &dyn std::fmt::Display| Error::Storage { action: "read an owner", cause: error.to_string() };
    Ok(OwnerId::try_from(name).map_err(|error| wrong(&error))?)
}

/// A column that is JSON.
pub(super) fn json<T: serde::de::DeserializeOwned>(
    row: &Row,
    column: usize,
    action: &'static str,
) -> Result<T, Failure> {
    let text: &str = row.try_get(column)?;
    Ok(serde_json::from_str(text).map_err(|error| Error::Storage { action, cause: error.to_string() })?)
}

/// Reads all rows, and explains the first that cannot be read.
pub(super) fn all<T>(
    action: &'static str,
    rows: &[Row],
    read: impl Fn(&Row) -> Result<T, Failure>,
) -> Result<Vec<T>, Error> {
    rows.iter().map(read).collect::<Result<_, _>>().map_err(|failure| failure.explain(action))
}

/// The same for one row.
pub(super) fn one<T>(
    action: &'static str,
    row: Option<Row>,
    read: impl Fn(&Row) -> Result<T, Failure>,
) -> Result<Option<T>, Error> {
    row.as_ref().map(read).transpose().map_err(|failure| failure.explain(action))
}

/// Reads a head from two columns.
pub(super) fn head(row: &Row, column: usize) -> Result<Head, Failure> {
    let sum = Checksum::from_slice(row.try_get(column + 1)?);
    let corrupt = || Error::Storage { action: "read a head", cause: "its checksum is invalid".to_owned() };
    Ok(Head { seq: unsigned(row.try_get(column)?), sum: sum.ok_or_else(corrupt)? })
}

pub(super) fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
