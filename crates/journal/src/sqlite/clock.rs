//! SQL statements about the time: the newest event, and the clock record in the table `meta`.

use protocol::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    read::ReadResult,
    write::{WriteFailure, number},
};
use crate::ClockRecord;

const AGREED: &str = "clock_agreed";
const SEEN: &str = "clock_seen";
const STEADY: &str = "clock_steady_ms";

pub(super) fn newest_at(connection: &Connection) -> ReadResult<Option<Timestamp>> {
    // The catalog has the newest time of each session, with an index; the events have no index by
    // time.
    let newest: Option<i64> =
        connection.prepare_cached("SELECT max(updated_at) FROM sessions")?.query_row([], |row| row.get(0))?;
    Ok(Ok(newest.map(Timestamp::from_millis)))
}

pub(super) fn record(connection: &Connection) -> ReadResult<Option<ClockRecord>> {
    let value = |name: &str| {
        connection
            .prepare_cached("SELECT value FROM meta WHERE name = ?1")?
            .query_row([name], |row| row.get::<_, i64>(0))
            .optional()
    };
    let (agreed, seen, steady) = (value(AGREED)?, value(SEEN)?, value(STEADY)?);
    Ok(Ok(agreed.map(|agreed| ClockRecord {
        agreed: Timestamp::from_millis(agreed),
        seen: Timestamp::from_millis(seen.unwrap_or(agreed)),
        steady_ms: steady.and_then(|ms| u64::try_from(ms).ok()).unwrap_or(0),
    })))
}

pub(super) fn keep(connection: &Connection, record: &ClockRecord) -> Result<(), WriteFailure> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)")?;
    statement.execute(params![AGREED, record.agreed.as_millis()])?;
    statement.execute(params![SEEN, record.seen.as_millis()])?;
    statement.execute(params![STEADY, number(record.steady_ms)])?;
    Ok(())
}
