//! A look at a database, for `dwell doctor`.

use std::time::{Duration, Instant};

use async_trait::async_trait;

use super::{
    address::Address,
    database::{Database, Write},
    failure::Failure,
    pool::{Connection, Pool},
    schema, tail_check,
};
use crate::{Error, LostWrites};

/// What a look at the database has found.
#[derive(Debug, Clone)]
pub struct DatabaseCheck {
    /// The hosts and the name of the database.
    pub shown: String,
    /// Version of the server.
    pub version: String,
    /// Number of the schema, and the program that wrote it; `None` if there is none yet.
    pub schema: Option<(i64, String)>,
    /// Number of the schema that this program writes.
    pub known: i64,
    /// Whether this program can work with the schema that is there.
    pub is_known: bool,
    /// What nodes have found missing in it, and when.
    pub lost: Option<LostWrites>,
    /// How long a commit takes; `None` without a schema, in which nothing can be written.
    pub commit: Option<Duration>,
}

/// Looks at a database, and changes nothing that counts. Refused with [`Error::Unfit`] if Dwell
/// cannot use it, with [`Error::Away`] if it cannot be reached.
pub async fn check(url: &str) -> Result<DatabaseCheck, Error> {
    let address = Address::parse(url)?;
    let shown = address.shown.clone();
    let database = Database::new(Pool::new(address, 1));
    // No patience: the user wants to know how it is now.
    let first = database.pool.take().await.map_err(|failure| failure.explain("connect to the database"))?;
    drop(first);
    let version = schema::check_server(&database).await?;
    let found = schema::find(&database).await?;
    let is_known = found.as_ref().is_none_or(|found| found.check_known().is_ok());
    let (commit, lost) = match &found {
        Some(found) if found.number > 0 && is_known => {
            let began = Instant::now();
            database.write("write to the database", &Probe).await?;
            (Some(began.elapsed()), tail_check::recorded(&database).await?)
        }
        _ => (None, None),
    };
    let schema = found.map(|found| (found.number, found.program));
    Ok(DatabaseCheck { shown, version, schema, known: schema::CURRENT, is_known, lost, commit })
}

struct Probe;

#[async_trait]
impl Write for Probe {
    type Answer = ();
    const IS_REPEATABLE: bool = true;

    async fn run(&self, on: &Connection) -> Result<(), Failure> {
        let sql = "INSERT INTO dwell.meta (name, value) VALUES ('probe', 0)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        on.execute(sql, &[]).await.map(drop)
    }
}
