//! The marks by which a migration and servers keep away from each other, and their transactions.
//!
//! A server looks for the marks before and after it registers its node. A migration sets them while
//! it has locked the table of nodes, so that one of the two sees the other.

use async_trait::async_trait;

use super::super::{
    database::{Database, Write},
    failure::Failure,
    params::params,
    pool::Connection,
    rows, schema,
};
use crate::{
    Error,
    migration::{MIGRATED, MIGRATING, TABLES, TargetStatus},
};

/// Mark of a database from which a migration is copying: until when it counts, in milliseconds.
const READ_UNTIL: &str = "migration_reads_until";
/// How long the mark counts after its last renewal. A migration that was killed keeps servers away
/// for that long.
const READ_SECONDS: i64 = 60;

/// Refuses a database with which a migration is at work.
pub(in super::super) async fn check_free(database: &Database) -> Result<(), Error> {
    let action = "look for a migration";
    let sql = "SELECT name, ceil(value / 1000.0 - extract(epoch FROM clock_timestamp()))::bigint FROM dwell.meta
         WHERE name = $1 OR (name = $2 AND value > extract(epoch FROM clock_timestamp()) * 1000) ORDER BY name";
    let row = database.first(action, sql, &params![MIGRATING, READ_UNTIL]).await?;
    let found = rows::one(action, row, |row| Ok((row.try_get::<_, String>(0)?, row.try_get::<_, i64>(1)?)))?;
    match found {
        None => Ok(()),
        Some((name, _)) if name == MIGRATING => {
            let why = "a migration into it was not completed; run `dwell migrate` again to complete it";
            Err(Error::Unfit(why.to_owned()))
        }
        Some((_, left)) => {
            let why = format!("a migration reads from it; if that was interrupted, it is free in {left} s");
            Err(Error::Unfit(why))
        }
    }
}

/// Refuses a schema that this program does not know in every detail: what it does not know would be
/// left out.
pub(super) async fn check_schema(database: &Database) -> Result<Option<i64>, Error> {
    schema::check_server(database).await?;
    let Some(found) = schema::find(database).await? else { return Ok(None) };
    if found.number > schema::CURRENT {
        return Err(Error::NewerSchema { found: found.number, known: schema::CURRENT, program: found.program });
    }
    Ok(Some(found.number))
}

/// Locks out new nodes for the rest of the transaction, and refuses if there are living ones.
async fn check_no_nodes(on: &Connection) -> Result<(), Failure> {
    on.short_batch("LOCK TABLE dwell.nodes IN SHARE ROW EXCLUSIVE MODE").await?;
    let sql = "SELECT string_agg(id, ', ' ORDER BY id),
             ceil(extract(epoch FROM max(lease_until) - clock_timestamp()))::bigint
         FROM dwell.nodes WHERE lease_until > clock_timestamp()";
    let Some(row) = on.first(sql, &[]).await? else { return Ok(()) };
    let (nodes, left): (Option<String>, Option<i64>) = (row.try_get(0)?, row.try_get(1)?);
    let Some(nodes) = nodes else { return Ok(()) };
    let why = format!(
        "the database is in use by {nodes}: stop Dwell there; a node that was killed counts for {} s more",
        left.unwrap_or(0)
    );
    Err(Error::NotMigrated(why).into())
}

/// Keeps servers away from the source.
pub(super) struct HoldSource;

#[async_trait]
impl Write for HoldSource {
    type Answer = ();
    const IS_REPEATABLE: bool = true;

    async fn run(&self, on: &Connection) -> Result<(), Failure> {
        check_no_nodes(on).await?;
        let sql = "SELECT 1 FROM dwell.meta WHERE name = $1";
        if on.first(sql, &params![MIGRATING]).await?.is_some() {
            let why = "a migration into this database was not completed; run that one again to complete it";
            return Err(Error::NotMigrated(why.to_owned()).into());
        }
        let sql = "INSERT INTO dwell.meta (name, value)
             VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2 * 1000)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        on.execute(sql, &params![READ_UNTIL, READ_SECONDS]).await.map(drop)
    }
}

/// Lets servers use the source again.
pub(super) async fn release_source(database: &Database) -> Result<(), Error> {
    let sql = "DELETE FROM dwell.meta WHERE name = $1";
    database.query("end the migration", sql, &params![READ_UNTIL]).await.map(drop)
}

/// Begins a migration into a database, or goes on with it.
pub(super) struct BeginTarget {
    /// The state of the source.
    pub(super) state: i64,
    /// What the database is called in messages.
    pub(super) place: String,
    pub(super) restart: bool,
}

#[async_trait]
impl Write for BeginTarget {
    type Answer = TargetStatus;
    const IS_REPEATABLE: bool = true;

    async fn run(&self, on: &Connection) -> Result<TargetStatus, Failure> {
        check_no_nodes(on).await?;
        let Self { state, place, restart } = self;
        let migrating = mark(on, MIGRATING).await?;
        if migrating.is_some() && *restart {
            clear(on).await?;
        } else if let Some(of) = migrating {
            let why = format!(
                "{place} has a part of another migration, or the source has changed since that one began; \
                 --restart removes the part and begins anew"
            );
            return if of == *state { Ok(TargetStatus::Unfinished) } else { Err(Error::NotMigrated(why).into()) };
        }
        if mark(on, MIGRATED).await? == Some(*state) {
            let used = "SELECT string_agg(id, ', ' ORDER BY id) FROM dwell.nodes";
            let used: Option<String> = on.first(used, &[]).await?.map(|row| row.try_get(0)).transpose()?.flatten();
            return match used {
                None => Ok(TargetStatus::Complete),
                Some(nodes) => {
                    let why = format!("{place} has everything from an earlier run, and {nodes} has used it since");
                    Err(Error::NotMigrated(why).into())
                }
            };
        }
        check_empty(on, place).await?;
        let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        on.short_batch("CREATE TABLE dwell.migration (name TEXT PRIMARY KEY, rows BIGINT NOT NULL, last TEXT)").await?;
        let sql = "INSERT INTO dwell.migration (name, rows) SELECT name, 0 FROM unnest($1::text[]) AS t(name)";
        on.execute(sql, &params![names]).await?;
        let sql = "INSERT INTO dwell.meta (name, value) VALUES ($1, $2)";
        on.execute(sql, &params![MIGRATING, *state]).await?;
        Ok(TargetStatus::Unfinished)
    }
}

/// Refuses a database that has rows.
async fn check_empty(on: &Connection, place: &str) -> Result<(), Failure> {
    let names = TABLES.iter().map(|table| (table.name, table.condition)).chain([("shared_files", "")]);
    for (name, condition) in names {
        let condition = if condition.is_empty() { "true" } else { condition };
        let sql = format!("SELECT 1 FROM dwell.{name} WHERE {condition} LIMIT 1");
        if on.first(&sql, &[]).await?.is_some() {
            let why = format!(
                "{place} has data already (in `dwell.{name}`); name an empty database, \
                 or empty this one with DROP SCHEMA dwell CASCADE"
            );
            return Err(Error::NotMigrated(why).into());
        }
    }
    Ok(())
}

/// Removes what an interrupted migration has copied.
async fn clear(on: &Connection) -> Result<(), Failure> {
    let names: Vec<String> = TABLES
        .iter()
        .filter(|table| table.condition.is_empty())
        .map(|table| format!("dwell.{}", table.name))
        .chain(["dwell.owner_totals".to_owned(), "dwell.shared_files".to_owned()])
        .collect();
    on.short_batch(&format!("TRUNCATE {}; DROP TABLE dwell.migration", names.join(", "))).await?;
    for table in TABLES.iter().filter(|table| !table.condition.is_empty()) {
        on.execute(&format!("DELETE FROM dwell.{} WHERE {}", table.name, table.condition), &[]).await?;
    }
    on.execute("DELETE FROM dwell.meta WHERE name = $1", &params![MIGRATING]).await.map(drop)
}

async fn mark(on: &Connection, name: &str) -> Result<Option<i64>, Failure> {
    let row = on.first("SELECT value FROM dwell.meta WHERE name = $1", &params![name]).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

/// Marks a migration as complete.
pub(super) struct FinishTarget;

#[async_trait]
impl Write for FinishTarget {
    type Answer = ();
    const IS_REPEATABLE: bool = true;

    async fn run(&self, on: &Connection) -> Result<(), Failure> {
        let Some(state) = mark(on, MIGRATING).await? else { return Ok(()) };
        // New rows get numbers after those that were copied.
        for (table, column) in [("sessions", "sid"), ("stored_values", "vid")] {
            let sql = format!(
                "SELECT setval(pg_get_serial_sequence('dwell.{table}', '{column}'),
                     coalesce(max({column}), 1), max({column}) IS NOT NULL) FROM dwell.{table}"
            );
            on.query(&sql, &[]).await?;
        }
        on.short_batch("DROP TABLE dwell.migration").await?;
        let sql = "INSERT INTO dwell.meta (name, value) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        on.execute(sql, &params![MIGRATED, state]).await?;
        on.execute("DELETE FROM dwell.meta WHERE name = $1", &params![MIGRATING]).await.map(drop)
    }
}
