//! The schema and its migrations.
//!
//! Every statement names the schema `dwell`, since a search path would be state of a connection.

use async_trait::async_trait;
use tokio_postgres::Row;

use super::{
    database::{Database, Write},
    failure::Failure,
    params::params,
    pool::Connection,
};
use crate::Error;

/// A step brings a database from the number of its index to the next. Released steps never change.
struct Step {
    parts: &'static [&'static str],
    /// The oldest schema that a program has to know to work on a database after this step. A step
    /// that only adds what older programs leave alone has a smaller number than its own, so that
    /// nodes of two versions work side by side while they are upgraded one by one.
    oldest: i64,
}

const STEPS: [Step; 1] =
    [Step { parts: &[include_str!("first.sql"), include_str!("totals.sql"), include_str!("fences.sql")], oldest: 1 }];

/// The schema this program writes.
pub(super) const CURRENT: i64 = STEPS.len() as i64;

/// The row that says which schema there is. A program that migrates locks it.
const LEDGER: &str = r#"
    CREATE SCHEMA IF NOT EXISTS dwell;
    CREATE TABLE IF NOT EXISTS dwell.schema (
        is_only BOOLEAN PRIMARY KEY CHECK (is_only),
        number  BIGINT NOT NULL,
        program TEXT NOT NULL,
        oldest  BIGINT NOT NULL
    );
    INSERT INTO dwell.schema VALUES (true, 0, '', 0) ON CONFLICT DO NOTHING;
"#;

/// The schema of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundSchema {
    /// Its number.
    pub(super) number: i64,
    /// The program that wrote it.
    pub(super) program: String,
    /// The oldest schema that a program has to know to work on it.
    oldest: i64,
}

impl FoundSchema {
    fn read(row: &Row) -> Result<Self, tokio_postgres::Error> {
        Ok(Self { number: row.try_get(0)?, program: row.try_get(1)?, oldest: row.try_get(2)? })
    }

    /// Refuses the schema of a newer program, unless it only adds to one that is known here.
    pub(super) fn check_known(&self) -> Result<(), Error> {
        if self.oldest <= CURRENT {
            return Ok(());
        }
        Err(Error::NewerSchema { found: self.number, known: CURRENT, program: self.program.clone() })
    }
}

/// The oldest version of the database that is supported.
pub(super) const SERVER_MIN: i64 = 150_000;

/// Checks the database, and brings it to the current schema.
pub(super) async fn migrate(database: &Database) -> Result<(), Error> {
    check_server(database).await?;
    if find(database).await?.is_none() {
        database.write("prepare the database", &MakeLedger).await?;
    }
    database.write("migrate the database", &Migrate { steps: &STEPS }).await
}

/// The schema of a database; `None` if it has none.
pub(super) async fn find(database: &Database) -> Result<Option<FoundSchema>, Error> {
    let action = "read the schema's number";
    let there = database.first(action, "SELECT to_regclass('dwell.schema') IS NOT NULL", &[]).await?;
    let is_there = there.map(|row| row.try_get::<_, bool>(0)).transpose().map_err(|error| explain(error, action))?;
    if is_there != Some(true) {
        return Ok(None);
    }
    let row = database.first(action, "SELECT number, program, oldest FROM dwell.schema", &[]).await?;
    row.map(|row| FoundSchema::read(&row)).transpose().map_err(|error| explain(error, action))
}

fn explain(error: tokio_postgres::Error, action: &'static str) -> Error {
    Failure::from(error).explain(action)
}

/// The server's version, if it is new enough and stores UTF-8.
pub(super) async fn check_server(database: &Database) -> Result<String, Error> {
    let action = "ask the database for its version";
    let sql = "SELECT current_setting('server_version'), current_setting('server_version_num')::bigint,
               current_setting('server_encoding')";
    let row = database.first(action, sql, &[]).await?.ok_or(Error::Closed)?;
    let read = || Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?));
    let (version, number, encoding): (String, i64, String) = read().map_err(|error| explain(error, action))?;
    if number < SERVER_MIN {
        return Err(Error::Unfit(format!("it is PostgreSQL {version}, and 15 or newer is needed")));
    }
    if encoding != "UTF8" {
        let why = format!("its encoding is {encoding}, and UTF8 is needed: create it with `ENCODING 'UTF8'`");
        return Err(Error::Unfit(why));
    }
    Ok(version)
}

struct MakeLedger;

#[async_trait]
impl Write for MakeLedger {
    type Answer = ();
    const IS_REPEATABLE: bool = true;

    async fn run(&self, on: &Connection) -> Result<(), Failure> {
        on.batch(LEDGER).await
    }
}

struct Migrate {
    steps: &'static [Step],
}

#[async_trait]
impl Write for Migrate {
    type Answer = ();
    const IS_REPEATABLE: bool = true;

    async fn run(&self, on: &Connection) -> Result<(), Failure> {
        // Nodes that start together come here one after the other.
        let row = on.first("SELECT number, program, oldest FROM dwell.schema FOR UPDATE", &[]).await?;
        let Some(found) = row.map(|row| FoundSchema::read(&row)).transpose()? else { return Ok(()) };
        found.check_known().map_err(Failure::Refused)?;
        let missing = self.steps.get(usize::try_from(found.number).unwrap_or(0)..).unwrap_or_default();
        if missing.is_empty() {
            return Ok(());
        }
        let oldest = missing.iter().map(|step| step.oldest).max().unwrap_or(0).max(found.oldest);
        if found.number > 0 {
            refuse_older_nodes(on, oldest).await?;
        }
        for part in missing.iter().flat_map(|step| step.parts) {
            on.batch(part).await?;
        }
        let (number, program) = (self.steps.len() as i64, concat!("Dwell ", env!("CARGO_PKG_VERSION")));
        let sql = "UPDATE dwell.schema SET number = $1, program = $2, oldest = $3";
        on.execute(sql, &params![number, program, oldest]).await?;
        tracing::info!(from = found.number, to = number, "the database has a new schema");
        Ok(())
    }
}

/// Refuses a migration that living nodes of an older program could not work with.
async fn refuse_older_nodes(on: &Connection, oldest: i64) -> Result<(), Failure> {
    let sql = "SELECT string_agg(id || ' (' || version || ')', ', ' ORDER BY id) FROM dwell.nodes
         WHERE schema < $1 AND lease_until > clock_timestamp()";
    let older: Option<String> = match on.first(sql, &params![oldest]).await? {
        Some(row) => row.try_get(0)?,
        None => None,
    };
    match older {
        None => Ok(()),
        Some(nodes) => Err(Failure::Refused(Error::OlderNodes { nodes })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgres::{Postgres, PostgresOptions};

    const ADDS: Step = Step { parts: &["ALTER TABLE dwell.sessions ADD COLUMN hue TEXT"], oldest: 1 };
    const CHANGES: Step = Step { parts: &["ALTER TABLE dwell.sessions DROP COLUMN hue"], oldest: 3 };

    /// A migration by a program that is two versions ahead of this one, or one.
    fn newer(steps: usize) -> Migrate {
        let all = Vec::from([Step { parts: STEPS[0].parts, oldest: STEPS[0].oldest }, ADDS, CHANGES]);
        Migrate { steps: &all.leak()[..steps] }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nodes_of_two_versions_work_side_by_side_while_nothing_of_the_older_is_changed() {
        let cluster = testkit::PostgresCluster::shared();
        let url = cluster.database();
        let options = |node: &str| PostgresOptions {
            url: url.clone(),
            node: node.to_owned(),
            address: None,
            lease: std::time::Duration::from_secs(15),
            connections_max: 2,
        };
        let one = Postgres::open(&options("one")).await.unwrap();
        one.database.write("migrate", &newer(2)).await.unwrap();
        // This program knows the first schema only. A running node goes on, another one starts.
        drop(Postgres::open(&options("two")).await.unwrap());
        let checked = crate::postgres::check(&url).await.unwrap();
        assert!(checked.is_known && checked.commit.is_some(), "{checked:?}");
        // A step that older programs cannot work with waits until they are gone.
        let refused = one.database.write("migrate", &newer(3)).await.unwrap_err();
        assert!(matches!(&refused, Error::OlderNodes { nodes } if nodes.contains("one (")), "{refused:?}");
        cluster.sql(&url, "UPDATE dwell.nodes SET lease_until = clock_timestamp()");
        one.database.write("migrate", &newer(3)).await.unwrap();
        let refused = Postgres::open(&options("three")).await.unwrap_err();
        assert!(matches!(refused, Error::NewerSchema { found: 3, .. }), "{refused:?}");
    }
}
