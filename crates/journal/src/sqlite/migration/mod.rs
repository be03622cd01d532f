//! The data folder as one side of a migration.
//!
//! What is copied into a folder goes into a file in the subfolder `.migrating` first. The finished
//! file is moved to its place, so that a server finds all of it or refuses to start.

mod rows;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension};
use sha2::{Digest, Sha256};

use super::{
    folder::FolderLock,
    heads, log, make_heads,
    open::{self, FILE, explain},
    schema,
    start::{self, OnLoss, StartState},
    write::WriteFailure,
};
use crate::{
    Error,
    migration::{Cell, CopyPosition, MIGRATED, MIGRATING, RowSource, RowTarget, TABLES, Table, TableRow, TargetStatus},
};

/// The subfolder in which a journal is until all of it is copied.
pub const MIGRATING_FOLDER: &str = ".migrating";
const COPY: &str = "copy rows";

/// The journal of a data folder, which no server uses meanwhile.
pub struct FolderRows {
    folder: PathBuf,
    path: PathBuf,
    /// `None` once it is finished.
    connection: Arc<Mutex<Option<Connection>>>,
    _lock: FolderLock,
}

impl FolderRows {
    /// The journal of a folder, to be copied. What a killed server acknowledged is in it after
    /// this.
    pub fn source(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(FILE);
        if folder.join(MIGRATING_FOLDER).exists() {
            return Err(unfinished(folder));
        }
        if !path.exists() {
            return Err(Error::NotMigrated(format!("there is no journal in {}", folder.display())));
        }
        let lock = FolderLock::take(folder)?;
        let StartState { connection, .. } = start::start(folder, &path, OnLoss::Refuse)?;
        Ok(Self::new(folder, path, connection, lock))
    }

    /// A folder to copy into: a new one, or one of an earlier run. `restart` removes what an
    /// interrupted run has copied.
    pub fn target(folder: &Path, restart: bool) -> Result<Self, Error> {
        let lock = FolderLock::take(folder)?;
        let (waiting, path) = (folder.join(MIGRATING_FOLDER), folder.join(FILE));
        let failed = |error: std::io::Error| Error::Storage {
            action: "prepare the data folder",
            cause: format!("{}: {error}", waiting.display()),
        };
        if restart && waiting.exists() {
            fs::remove_dir_all(&waiting).map_err(failed)?;
        }
        let beside = waiting.join(FILE);
        if path.exists() && !beside.exists() {
            open::check_header(&path)?;
            let connection = start::open_read_only(&path).map_err(|error| explain(&path, COPY, &error))?;
            return Ok(Self::new(folder, path, connection, lock));
        }
        for name in [FILE, heads::FILE, log::FILE] {
            if folder.join(name).exists() {
                return Err(occupied(folder, name));
            }
        }
        fs::create_dir_all(&waiting).map_err(failed)?;
        let (connection, _) = open::open_for_writing(&beside)?;
        Ok(Self::new(folder, beside, connection, lock))
    }

    fn new(folder: &Path, path: PathBuf, connection: Connection, lock: FolderLock) -> Self {
        let connection = Arc::new(Mutex::new(Some(connection)));
        Self { folder: folder.to_owned(), path, connection, _lock: lock }
    }

    /// Runs statements on a thread that may block.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, WriteFailure> + Send + 'static,
    ) -> Result<T, Error> {
        let (connection, path) = (self.connection.clone(), self.path.clone());
        let task = tokio::task::spawn_blocking(move || {
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            let connection = connection.as_mut().ok_or(Error::Closed)?;
            work(connection).map_err(|failure| match failure {
                WriteFailure::Refused(error) => error,
                WriteFailure::Sql(error) => explain(&path, COPY, &error),
            })
        });
        task.await.unwrap_or(Err(Error::Closed))
    }

    /// What the marks in the file say of an earlier run.
    async fn status(&self, state: i64) -> Result<Option<TargetStatus>, Error> {
        let (folder, path) = (self.folder.clone(), self.path.clone());
        self.run(move |on| {
            let format = schema::format(on)?;
            if format > schema::CURRENT {
                return Err(WriteFailure::Refused(Error::Newer { path, found: format, known: schema::CURRENT }));
            }
            let (migrating, migrated) = (rows::mark(on, MIGRATING)?, rows::mark(on, MIGRATED)?);
            let status = match (migrating, migrated) {
                (Some(of), _) if of == state => Some(TargetStatus::Unfinished),
                (_, Some(of)) if of == state && rows::mark(on, "boots")? == Some(0) => Some(TargetStatus::Complete),
                (Some(_), _) => return Err(WriteFailure::Refused(other_state(&folder.display()))),
                (None, Some(_)) => return Err(WriteFailure::Refused(occupied(&folder, FILE))),
                (None, None) => None,
            };
            Ok(status)
        })
        .await
    }
}

fn unfinished(folder: &Path) -> Error {
    let why = format!("a migration into {} was not completed; run it again to complete it", folder.display());
    Error::NotMigrated(why)
}

fn occupied(folder: &Path, name: &str) -> Error {
    let why = format!("{} has data already (`{name}`); name a new folder with --data", folder.display());
    Error::NotMigrated(why)
}

/// The target has a part of something else.
fn other_state(place: &impl std::fmt::Display) -> Error {
    Error::NotMigrated(format!(
        "{place} has a part of another migration, or the source has changed since that one began; \
         --restart removes the part and begins anew"
    ))
}

/// Refuses a data folder in which a migration was interrupted.
pub fn check_migrated(folder: &Path) -> Result<(), Error> {
    if folder.join(MIGRATING_FOLDER).exists() { Err(unfinished(folder)) } else { Ok(()) }
}

#[async_trait]
impl RowSource for FolderRows {
    fn place(&self) -> String {
        self.folder.display().to_string()
    }

    async fn state(&self) -> Result<i64, Error> {
        let read = |on: &mut Connection| {
            let sql = "SELECT (SELECT value FROM meta WHERE name = 'boots') || ' '
                     || (SELECT value FROM meta WHERE name = 'commits') || ' ' || count(*) || ' '
                     || coalesce(hex(min(id)) || hex(max(id)), '') FROM sessions";
            Ok(on.query_row(sql, [], |row| row.get::<_, String>(0))?)
        };
        let digest = Sha256::digest(self.run(read).await?);
        Ok(digest.first_chunk().map_or(0, |bytes| i64::from_be_bytes(*bytes)))
    }

    async fn count(&self, table: &'static Table) -> Result<u64, Error> {
        self.run(|on| Ok(rows::count(on, table)?)).await
    }

    async fn read(&self, table: &'static Table, after: Option<&[Cell]>) -> Result<Vec<TableRow>, Error> {
        let after = after.map(<[Cell]>::to_vec);
        self.run(move |on| Ok(rows::read(on, table, after.as_deref())?)).await
    }
}

#[async_trait]
impl RowTarget for FolderRows {
    async fn begin(&self, state: i64) -> Result<TargetStatus, Error> {
        if let Some(status) = self.status(state).await? {
            return Ok(status);
        }
        if !self.path.starts_with(self.folder.join(MIGRATING_FOLDER)) {
            return Err(occupied(&self.folder, FILE));
        }
        self.run(move |on| {
            let transaction = on.transaction()?;
            transaction.execute_batch(
                "CREATE TABLE migration (name TEXT PRIMARY KEY, rows INTEGER NOT NULL, last TEXT) STRICT",
            )?;
            for table in &TABLES {
                transaction.execute("INSERT INTO migration (name, rows) VALUES (?1, 0)", [table.name])?;
            }
            rows::set_mark(&transaction, MIGRATING, Some(state))?;
            transaction.commit()?;
            Ok(TargetStatus::Unfinished)
        })
        .await
    }

    async fn position(&self, table: &'static Table) -> Result<CopyPosition, Error> {
        self.run(|on| {
            let read = on.query_row("SELECT rows, last FROM migration WHERE name = ?1", [table.name], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, Option<String>>(1)?))
            });
            let (rows, last) = read.optional()?.unwrap_or_default();
            let last = last.map(|last| serde_json::from_str(&last)).transpose()?;
            Ok(CopyPosition { rows: u64::try_from(rows).unwrap_or(0), last })
        })
        .await
    }

    async fn write(&self, table: &'static Table, rows: &[TableRow], at: &CopyPosition) -> Result<(), Error> {
        let (rows, before) = (rows.to_vec(), at.rows);
        self.run(move |on| {
            let Some(last) = rows.last().map(|row| row.key(table.key)) else { return Ok(()) };
            let last = serde_json::to_string(&last)?;
            let transaction = on.transaction()?;
            rows::write(&transaction, table, &rows)?;
            rows::advance(&transaction, table, before, before + rows.len() as u64, &last)?;
            transaction.commit()?;
            Ok(())
        })
        .await
    }

    async fn finish(&self) -> Result<(), Error> {
        let waiting = self.folder.join(MIGRATING_FOLDER);
        let failed = |error: std::io::Error| Error::Storage {
            action: "put the journal in its place",
            cause: format!("{}: {error}", self.folder.display()),
        };
        let (path, place) = (self.path.clone(), self.folder.join(FILE));
        if path == place && !waiting.exists() {
            return Ok(());
        }
        if path != place {
            self.run(|on| {
                let transaction = on.transaction()?;
                if let Some(state) = rows::mark(&transaction, MIGRATING)? {
                    rows::set_mark(&transaction, MIGRATED, Some(state))?;
                    rows::set_mark(&transaction, MIGRATING, None)?;
                    transaction.execute_batch("DROP TABLE migration")?;
                }
                transaction.commit()?;
                // One file, without a write-ahead log beside it.
                Ok(on.pragma_update(None, "journal_mode", "DELETE")?)
            })
            .await?;
            drop(self.connection.lock().unwrap_or_else(PoisonError::into_inner).take());
            fs::rename(&path, &place).map_err(failed)?;
            sync_folder(&self.folder).map_err(failed)?;
        }
        make_heads(&self.folder)?;
        fs::remove_dir_all(&waiting).map_err(failed)?;
        sync_folder(&self.folder).map_err(failed)
    }
}

fn sync_folder(folder: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    fs::File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
