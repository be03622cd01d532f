//! Copying everything from one store into another: row by row in the order of keys, then a
//! comparison of both sides.
//!
//! Each batch is one transaction of the target, which also has the position up to which the table
//! is copied. An interrupted migration therefore goes on after the last batch that was committed.
//! Both sides keep servers away: a data folder by its lock, a database by marks that a server looks
//! for before it becomes a node.

mod row;
mod tables;

use async_trait::async_trait;
use row::RowDigest;
pub use row::{Cell, ColumnKind, TableRow};
use serde::Serialize;
pub use tables::Table;
pub(crate) use tables::{ARTIFACTS, EVENTS, HEADS, TABLES};

use crate::Error;

/// Maximum number of rows in a batch.
pub(crate) const ROWS_MAX: usize = 1000;
/// Bytes after which a batch gets no more rows.
pub(crate) const BYTES_MAX: usize = 4 * 1024 * 1024;

/// Mark of a store into which a migration is copying, with the source's state.
pub(crate) const MIGRATING: &str = "migrating";
/// Mark of a store into which a migration has copied everything, with the source's state.
pub(crate) const MIGRATED: &str = "migrated";

/// A store whose rows are read. No server uses it meanwhile.
#[async_trait]
pub trait RowSource: Send + Sync {
    /// What it is, for messages. It has no password.
    fn place(&self) -> String;

    /// Identifies what the store has. It differs after a server has run on it.
    async fn state(&self) -> Result<i64, Error>;

    /// The number of rows of a table.
    async fn count(&self, table: &'static Table) -> Result<u64, Error>;

    /// The next rows after a key, in the order of keys: at most [`ROWS_MAX`] rows, and few bytes
    /// more than [`BYTES_MAX`]. None at the end.
    async fn read(&self, table: &'static Table, after: Option<&[Cell]>) -> Result<Vec<TableRow>, Error>;
}

/// A store into which rows are copied. No server uses it meanwhile.
#[async_trait]
pub trait RowTarget: RowSource {
    /// Begins a migration from a source in this state, or goes on with it. Refused with
    /// [`Error::NotMigrated`] if there is anything else.
    async fn begin(&self, state: i64) -> Result<TargetStatus, Error>;

    /// How far a table is copied.
    async fn position(&self, table: &'static Table) -> Result<CopyPosition, Error>;

    /// Writes rows and the position after them in one transaction. Refused if the position is not
    /// the one that rows were read from.
    async fn write(&self, table: &'static Table, rows: &[TableRow], at: &CopyPosition) -> Result<(), Error>;

    /// Marks the migration as complete: from now on a server may use the store. Does nothing if it
    /// is marked already.
    async fn finish(&self) -> Result<(), Error>;
}

/// What a target has at the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetStatus {
    /// Nothing or a part.
    Unfinished,
    /// Everything, from an earlier run.
    Complete,
}

/// How far a table is copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyPosition {
    /// The number of rows so far.
    pub rows: u64,
    /// The key of the last one.
    pub last: Option<Vec<Cell>>,
}

/// What a migration is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrationStep {
    /// Rows of a table are copied.
    Copying,
    /// Both sides of a table are compared.
    Comparing,
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationProgress {
    /// What is done.
    pub step: MigrationStep,
    /// The table.
    pub table: &'static str,
    /// Rows that are done.
    pub done: u64,
    /// All rows.
    pub total: u64,
}

/// A table that is the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MigratedTable {
    /// Its name.
    pub table: String,
    /// The number of rows.
    pub rows: u64,
    /// The digest of all rows.
    pub sha256: String,
}

/// What a migration has done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MigrationReport {
    /// Rows that this run has copied.
    pub copied_rows: u64,
    /// Rows that an earlier, interrupted run had copied.
    pub resumed_rows: u64,
    /// Whether an earlier run had copied everything.
    pub was_complete: bool,
    /// All tables, with what both sides have.
    pub tables: Vec<MigratedTable>,
}

/// Copies all rows that are not copied yet, and compares both sides. The target is not
/// [finished](RowTarget::finish) by this. A table that differs is [`Error::Differs`].
pub async fn migrate(
    source: &dyn RowSource,
    target: &dyn RowTarget,
    told: &mut (dyn FnMut(MigrationProgress) + Send),
) -> Result<MigrationReport, Error> {
    let was_complete = target.begin(source.state().await?).await? == TargetStatus::Complete;
    let mut report = MigrationReport { copied_rows: 0, resumed_rows: 0, was_complete, tables: Vec::new() };
    if !was_complete {
        for table in &TABLES {
            copy(source, target, table, &mut report, told).await?;
        }
    }
    for table in &TABLES {
        report.tables.push(compare(source, target, table, told).await?);
    }
    Ok(report)
}

/// Copies what is missing of a table. The next rows are read while the last ones are written.
async fn copy(
    source: &dyn RowSource,
    target: &dyn RowTarget,
    table: &'static Table,
    report: &mut MigrationReport,
    told: &mut (dyn FnMut(MigrationProgress) + Send),
) -> Result<(), Error> {
    let total = source.count(table).await?;
    let mut at = target.position(table).await?;
    report.resumed_rows += at.rows;
    let mut tell = |done| told(MigrationProgress { step: MigrationStep::Copying, table: table.name, done, total });
    tell(at.rows);
    let mut rows = source.read(table, at.last.as_deref()).await?;
    while let Some(last) = rows.last().map(|row| row.key(table.key)) {
        let (next, written) = futures::join!(source.read(table, Some(&last)), target.write(table, &rows, &at));
        written.map_err(|error| in_table(table, error))?;
        report.copied_rows += rows.len() as u64;
        at = CopyPosition { rows: at.rows + rows.len() as u64, last: Some(last) };
        tell(at.rows);
        rows = next.map_err(|error| in_table(table, error))?;
    }
    Ok(())
}

/// The same error with the name of the table.
fn in_table(table: &Table, error: Error) -> Error {
    match error {
        Error::Storage { action, cause } => Error::Storage { action, cause: format!("`{}`: {cause}", table.name) },
        other => other,
    }
}

/// Compares the counts and the digests of a table on both sides.
async fn compare(
    source: &dyn RowSource,
    target: &dyn RowTarget,
    table: &'static Table,
    told: &mut (dyn FnMut(MigrationProgress) + Send),
) -> Result<MigratedTable, Error> {
    let total = source.count(table).await?;
    let mut tell = |done| told(MigrationProgress { step: MigrationStep::Comparing, table: table.name, done, total });
    tell(0);
    // Both sides are about equally far.
    let mut silent = |_| ();
    let (ours, theirs) = futures::join!(digest(source, table, &mut tell), digest(target, table, &mut silent));
    let (ours, theirs) = (ours?, theirs?);
    if ours == theirs {
        return Ok(ours);
    }
    let side = |place, side: &MigratedTable| format!("{place} has {} rows with the digest {}", side.rows, side.sha256);
    let detail = format!("{}, {}", side(source.place(), &ours), side(target.place(), &theirs));
    Err(Error::Differs { table: table.name.to_owned(), detail })
}

async fn digest<S: RowSource + ?Sized>(
    side: &S,
    table: &'static Table,
    tell: &mut (dyn FnMut(u64) + Send),
) -> Result<MigratedTable, Error> {
    let (mut digest, mut last) = (RowDigest::default(), None);
    loop {
        let rows = side.read(table, last.as_deref()).await?;
        let Some(newest) = rows.last() else { break };
        last = Some(newest.key(table.key));
        rows.iter().for_each(|row| digest.add(row));
        tell(digest.rows);
    }
    Ok(MigratedTable { table: table.name.to_owned(), rows: digest.rows, sha256: digest.text() })
}
