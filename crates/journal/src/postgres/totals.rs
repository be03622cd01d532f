//! Totals of owners, and the clock record. Triggers keep the totals up to date.

use async_trait::async_trait;
use protocol::{OwnerId, Timestamp};
use tokio_postgres::Row;

use super::{
    Postgres,
    failure::Failure,
    params::{number, params},
    rows::{self, unsigned},
};
use crate::{ClockRecord, ClockRecords, Error, OwnerTotals, Totals};

const COLUMNS: &str = "sum(sessions)::bigint, sum(journal_bytes)::bigint, sum(records)::bigint,
    sum(record_bytes)::bigint, sum(artifacts)::bigint, sum(artifact_bytes)::bigint, sum(value_bytes)::bigint, owner";

#[async_trait]
impl Totals for Postgres {
    async fn totals(&self, owner: &OwnerId) -> Result<OwnerTotals, Error> {
        let action = "read an owner's totals";
        let sql = format!("SELECT {COLUMNS} FROM dwell.owner_totals WHERE owner = $1 GROUP BY owner");
        let row = self.database.first(action, &sql, &params![owner.as_str()]).await?;
        Ok(rows::one(action, row, read)?.unwrap_or_default())
    }

    async fn all_totals(&self) -> Result<Vec<(OwnerId, OwnerTotals)>, Error> {
        let action = "read the owners' totals";
        let sql = format!("SELECT {COLUMNS} FROM dwell.owner_totals GROUP BY owner ORDER BY owner");
        let found = self.database.query(action, &sql, &[]).await?;
        let all = rows::all(action, &found, |row| Ok((rows::owner(row, 7)?, read(row)?)))?;
        Ok(all.into_iter().filter(|(_, totals)| *totals != OwnerTotals::default()).collect())
    }
}

fn read(row: &Row) -> Result<OwnerTotals, Failure> {
    let number = |column: usize| row.try_get(column).map(unsigned);
    Ok(OwnerTotals {
        sessions: number(0)?,
        journal_bytes: number(1)?,
        records: number(2)?,
        record_bytes: number(3)?,
        artifacts: number(4)?,
        artifact_bytes: number(5)?,
        value_bytes: number(6)?,
    })
}

const AGREED: &str = "clock_agreed";
const SEEN: &str = "clock_seen";
const STEADY: &str = "clock_steady_ms";

#[async_trait]
impl ClockRecords for Postgres {
    async fn newest_at(&self) -> Result<Option<Timestamp>, Error> {
        let action = "find the newest event";
        // The catalog has the newest time of each session, with an index; the events have no index
        // by time.
        let row = self.database.first(action, "SELECT max(updated_at) FROM dwell.sessions", &[]).await?;
        let newest = rows::one(action, row, |row| Ok(row.try_get::<_, Option<i64>>(0)?))?;
        Ok(newest.flatten().map(Timestamp::from_millis))
    }

    async fn clock_record(&self) -> Result<Option<ClockRecord>, Error> {
        let action = "read the clock record";
        let found = self.database.query(action, "SELECT name, value FROM dwell.meta", &[]).await?;
        let all = rows::all(action, &found, |row| Ok((row.try_get::<_, String>(0)?, row.try_get::<_, i64>(1)?)))?;
        let value = |wanted| all.iter().find(|(name, _)| name == wanted).map(|(_, value)| *value);
        Ok(value(AGREED).map(|agreed| ClockRecord {
            agreed: Timestamp::from_millis(agreed),
            seen: Timestamp::from_millis(value(SEEN).unwrap_or(agreed)),
            steady_ms: value(STEADY).map_or(0, unsigned),
        }))
    }

    async fn keep_clock_record(&self, record: ClockRecord) -> Result<(), Error> {
        let sql = "INSERT INTO dwell.meta (name, value) SELECT * FROM unnest($1::text[], $2::bigint[])
             ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        let values = vec![record.agreed.as_millis(), record.seen.as_millis(), number(record.steady_ms)];
        let params = params![vec![AGREED, SEEN, STEADY], values];
        self.database.query("keep the clock record", sql, &params).await.map(drop)
    }
}
