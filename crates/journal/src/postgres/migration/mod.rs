//! The database as one side of a migration.

mod marks;
mod rows;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use futures::TryStreamExt;
pub(super) use marks::check_free;
use marks::{BeginTarget, FinishTarget, HoldSource};
use sha2::{Digest, Sha256};

use super::{
    address::Address,
    database::Database,
    failure::Failure,
    params::{Param, params},
    pool::Pool,
    rows as columns, schema,
    shared_files::SharedFiles,
};
use crate::{
    Error,
    migration::{Cell, CopyPosition, MIGRATED, RowSource, RowTarget, Table, TableRow, TargetStatus},
};

/// Connections of a migration: one for rows, one for shared files.
const CONNECTIONS_MAX: usize = 2;
/// How often the mark of a source is renewed.
const HOLD_EVERY: Duration = Duration::from_secs(10);
const COPY: &str = "copy rows";

/// The journal in a database, which no server uses meanwhile.
pub struct DatabaseRows {
    database: Arc<Database>,
    files: SharedFiles,
    place: String,
    restart: bool,
    /// When the mark of a source was renewed; `None` for a target.
    held: Option<Mutex<Instant>>,
}

impl DatabaseRows {
    /// The journal of a database, to be copied. [`Self::release`] lets servers use it again.
    pub async fn source(url: &str) -> Result<Self, Error> {
        let mut rows = Self::connect(url, false).await?;
        match marks::check_schema(&rows.database).await? {
            Some(number) if number > 0 => schema::migrate(&rows.database).await?,
            _ => return Err(Error::NotMigrated(format!("there is no journal in {}", rows.place))),
        }
        rows.database.write("keep servers away", &HoldSource).await?;
        rows.held = Some(Mutex::new(Instant::now()));
        Ok(rows)
    }

    /// A database to copy into: an empty one, or one of an earlier run. `restart` removes what an
    /// interrupted run has copied.
    pub async fn target(url: &str, restart: bool) -> Result<Self, Error> {
        let rows = Self::connect(url, restart).await?;
        marks::check_schema(&rows.database).await?;
        schema::migrate(&rows.database).await?;
        Ok(rows)
    }

    async fn connect(url: &str, restart: bool) -> Result<Self, Error> {
        let address = Address::parse(url)?;
        let place = address.shown.clone();
        let database = Arc::new(Database::new(Pool::new(address, CONNECTIONS_MAX)));
        let files = SharedFiles::on(database.clone()).await?;
        Ok(Self { database, files, place, restart, held: None })
    }

    /// The shared files of the database.
    pub fn shared_files(&self) -> SharedFiles {
        self.files.clone()
    }

    /// Lets servers use a source again.
    pub async fn release(&self) -> Result<(), Error> {
        if self.held.is_some() { marks::release_source(&self.database).await } else { Ok(()) }
    }

    /// Renews the mark of a source. A server that has become a node meanwhile is noticed.
    async fn hold(&self) -> Result<(), Error> {
        let Some(held) = &self.held else { return Ok(()) };
        let now = Instant::now();
        let is_due = {
            let mut last = held.lock().unwrap_or_else(PoisonError::into_inner);
            let is_due = now.duration_since(*last) >= HOLD_EVERY;
            if is_due {
                *last = now;
            }
            is_due
        };
        if is_due { self.database.write("keep servers away", &HoldSource).await } else { Ok(()) }
    }
}

#[async_trait]
impl RowSource for DatabaseRows {
    fn place(&self) -> String {
        format!("the database {}", self.place)
    }

    async fn state(&self) -> Result<i64, Error> {
        let action = "read the state of the database";
        // A database that no node has used yet is known by what was migrated into it.
        let sql = "SELECT concat_ws(' ', (SELECT string_agg(id || ':' || boot, ' ' ORDER BY id) FROM dwell.nodes),
                 (SELECT value FROM dwell.meta WHERE name = $1),
                 count(*), min(encode(id, 'hex')), max(encode(id, 'hex'))) FROM dwell.sessions";
        let row = self.database.first(action, sql, &params![MIGRATED]).await?;
        let text = columns::one(action, row, |row| Ok(row.try_get::<_, String>(0)?))?.unwrap_or_default();
        Ok(Sha256::digest(text).first_chunk().map_or(0, |bytes| i64::from_be_bytes(*bytes)))
    }

    async fn count(&self, table: &'static Table) -> Result<u64, Error> {
        self.hold().await?;
        // Counting a large table takes longer than a statement may take elsewhere.
        let connection = self.database.connection().await?;
        let count = async {
            let rows: Vec<_> = connection.stream(&rows::count(table), &[]).await?.try_collect().await?;
            rows.first().map_or(Ok(0), |row| Ok::<_, Failure>(columns::unsigned(row.try_get(0)?)))
        };
        count.await.map_err(|failure| failure.explain("count rows"))
    }

    async fn read(&self, table: &'static Table, after: Option<&[Cell]>) -> Result<Vec<TableRow>, Error> {
        self.hold().await?;
        let after: Vec<Param<'_>> = after.unwrap_or_default().iter().map(rows::key_param).collect();
        let found = self.database.query(COPY, &rows::read(table, after.len()), &after).await?;
        columns::all(COPY, &found, |row| rows::table_row(row, table))
    }
}

#[async_trait]
impl RowTarget for DatabaseRows {
    async fn begin(&self, state: i64) -> Result<TargetStatus, Error> {
        let begin = BeginTarget { state, place: self.place(), restart: self.restart };
        self.database.write("begin the migration", &begin).await
    }

    async fn position(&self, table: &'static Table) -> Result<CopyPosition, Error> {
        let action = "read the position of the migration";
        let sql = "SELECT rows, last FROM dwell.migration WHERE name = $1";
        let row = self.database.first(action, sql, &params![table.name]).await?;
        let position = columns::one(action, row, |row| {
            let last: Option<String> = row.try_get(1)?;
            let last = last.map(|last| serde_json::from_str(&last)).transpose()?;
            Ok(CopyPosition { rows: columns::unsigned(row.try_get(0)?), last })
        });
        Ok(position?.unwrap_or_default())
    }

    async fn write(&self, table: &'static Table, rows: &[TableRow], at: &CopyPosition) -> Result<(), Error> {
        let Some(last) = rows.last().map(|row| row.key(table.key)) else { return Ok(()) };
        let last = serde_json::to_string(&last).map_err(|error| Failure::from(error).explain(COPY))?;
        self.database.write(COPY, &rows::WriteRows { table, rows, at, last }).await
    }

    async fn finish(&self) -> Result<(), Error> {
        self.database.write("complete the migration", &FinishTarget).await
    }
}
