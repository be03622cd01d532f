//! Reading the totals of owners. Triggers in the file keep them up to date.

use async_trait::async_trait;
use protocol::OwnerId;
use rusqlite::{Connection, OptionalExtension, Row};

use super::{Sqlite, read::ReadResult};
use crate::{Error, OwnerTotals, Totals};

const COLUMNS: &str = "sessions, journal_bytes, records, record_bytes, artifacts, artifact_bytes, value_bytes, owner";

#[async_trait]
impl Totals for Sqlite {
    async fn totals(&self, owner: &OwnerId) -> Result<OwnerTotals, Error> {
        let owner = owner.clone();
        self.readers.look("read an owner's totals", move |connection| one(connection, &owner)).await
    }

    async fn all_totals(&self) -> Result<Vec<(OwnerId, OwnerTotals)>, Error> {
        self.readers.query("read the owners' totals", all).await
    }
}

fn one(connection: &Connection, owner: &OwnerId) -> ReadResult<OwnerTotals> {
    let found = connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM owner_totals WHERE owner = ?1"))?
        .query_row([owner.as_str()], read)
        .optional()?;
    Ok(Ok(found.unwrap_or_default()))
}

fn all(connection: &Connection) -> ReadResult<Vec<(OwnerId, OwnerTotals)>> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM owner_totals ORDER BY owner"))?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let (owner, totals): (String, OwnerTotals) = (row.get(7)?, read(row)?);
        match OwnerId::try_from(owner) {
            Ok(_) if totals == OwnerTotals::default() => {}
            Ok(owner) => found.push((owner, totals)),
            Err(error) => return Ok(Err(Error::Storage { action: "read an owner", cause: error.to_string() })),
        }
    }
    Ok(Ok(found))
}

fn read(row: &Row<'_>) -> rusqlite::Result<OwnerTotals> {
    let number = |column: usize| row.get::<_, i64>(column).map(|number| u64::try_from(number).unwrap_or(0));
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
