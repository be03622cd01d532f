//! Files that all nodes share: tokens, owners, keys. Each has a version that grows with every
//! write, and is written only if its version is still the one that the writer has read.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;

use super::{
    Postgres,
    address::Address,
    database::{Database, Write},
    failure::Failure,
    params::params,
    pool::{Connection, Pool},
    rows, schema,
};
use crate::Error;

/// A file that all nodes share.
#[derive(Clone, PartialEq, Eq)]
pub struct SharedFile {
    /// Its name.
    pub name: String,
    /// Grows with every write.
    pub version: i64,
    /// The contents, which often are secret.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for SharedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedFile").field("name", &self.name).field("version", &self.version).finish_non_exhaustive()
    }
}

/// The shared files of a database.
#[derive(Debug, Clone)]
pub struct SharedFiles {
    database: Arc<Database>,
    /// Whether the tables are known to be there.
    is_ready: Arc<AtomicBool>,
}

impl Postgres {
    /// The shared files of this store's database.
    pub fn shared_files(&self) -> SharedFiles {
        SharedFiles { database: self.database.clone(), is_ready: Arc::new(AtomicBool::new(true)) }
    }
}

impl SharedFiles {
    /// The shared files of a database that this process uses for nothing else: it is no node.
    pub async fn open(url: &str) -> Result<Self, Error> {
        Self::on(Arc::new(Database::new(Pool::new(Address::parse(url)?, 1)))).await
    }

    /// The shared files of a database of a process that is no node.
    pub(super) async fn on(database: Arc<Database>) -> Result<Self, Error> {
        // Like a node's, the tokens of its writes must be no other process's.
        let action = "connect to the database";
        let row = database.first(action, "SELECT gen_random_uuid()::text", &[]).await?;
        if let Some(process) = rows::one(action, row, |row| Ok(row.try_get(0)?))? {
            database.identify(process);
        }
        Ok(Self { database, is_ready: Arc::default() })
    }

    /// Makes the tables, if there are none yet.
    pub async fn prepare(&self) -> Result<(), Error> {
        if self.is_prepared().await? { Ok(()) } else { schema::migrate(&self.database).await }
    }

    /// All files whose versions are not among the known ones, in one query.
    pub async fn changed(&self, known: &[(&str, i64)]) -> Result<Vec<SharedFile>, Error> {
        let action = "read the shared files";
        let sql = "SELECT f.name, f.version, f.bytes FROM dwell.shared_files f
             LEFT JOIN unnest($1, $2) AS k (name, version) USING (name)
             WHERE k.version IS DISTINCT FROM f.version ORDER BY f.name";
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let versions: Vec<i64> = known.iter().map(|(_, version)| *version).collect();
        let found = self.database.query(action, sql, &params![names, versions]).await?;
        rows::all(action, &found, |row| {
            Ok(SharedFile { name: row.try_get(0)?, version: row.try_get(1)?, bytes: row.try_get(2)? })
        })
    }

    /// A file, if there is one of that name.
    pub async fn read(&self, name: &str) -> Result<Option<SharedFile>, Error> {
        if !self.is_prepared().await? {
            return Ok(None);
        }
        let action = "read a shared file";
        let sql = "SELECT version, bytes FROM dwell.shared_files WHERE name = $1";
        let row = self.database.first(action, sql, &params![name]).await?;
        rows::one(action, row, |row| {
            Ok(SharedFile { name: name.to_owned(), version: row.try_get(0)?, bytes: row.try_get(1)? })
        })
    }

    /// Writes a file if its version is still this one, `None` if there was no file. The answer is
    /// its new version; `None` if another writer was faster, and nothing was written.
    pub async fn write(&self, name: &str, expected: Option<i64>, bytes: &[u8]) -> Result<Option<i64>, Error> {
        self.database.write("write a shared file", &WriteFile { name, expected, bytes }).await
    }

    /// Whether there are tables. A newer Dwell's are refused.
    async fn is_prepared(&self) -> Result<bool, Error> {
        if self.is_ready.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let is_ready = match schema::find(&self.database).await? {
            Some(found) => {
                found.check_known()?;
                found.number > 0
            }
            None => false,
        };
        self.is_ready.store(is_ready, Ordering::Relaxed);
        Ok(is_ready)
    }
}

struct WriteFile<'a> {
    name: &'a str,
    expected: Option<i64>,
    bytes: &'a [u8],
}

#[async_trait]
impl Write for WriteFile<'_> {
    type Answer = Option<i64>;

    async fn run(&self, on: &Connection) -> Result<Option<i64>, Failure> {
        let Self { name, expected, bytes } = *self;
        let row = match expected {
            None => {
                let sql = "INSERT INTO dwell.shared_files (name, version, bytes) VALUES ($1, 1, $2)
                     ON CONFLICT (name) DO NOTHING RETURNING version";
                on.first(sql, &params![name, bytes]).await?
            }
            Some(version) => {
                let sql = "UPDATE dwell.shared_files SET version = version + 1, bytes = $3
                     WHERE name = $1 AND version = $2 RETURNING version";
                on.first(sql, &params![name, version, bytes]).await?
            }
        };
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }
}
