//! Opening the file. Its content is derived, so an unusable file is set aside and rebuilt.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use ports::LibraryError;
use rusqlite::{Connection, ErrorCode};

use super::{LibraryStore, failed};

const FILE: &str = "research.sqlite";
/// Application id of the file ("dwlr").
const APPLICATION_ID: i32 = 0x6477_6c72;
/// The format that this program writes.
const FORMAT: i32 = 1;
/// Files up to this size are checked page by page. A check of a larger one would take too long.
const CHECK_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// How long a connection waits for a lock of another program.
const WAIT_MAX: Duration = Duration::from_secs(10);

const TABLES: &str = "
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE folders (
        id BLOB PRIMARY KEY, owner TEXT NOT NULL, path TEXT NOT NULL, name TEXT NOT NULL UNIQUE,
        shared INTEGER NOT NULL, added_at INTEGER NOT NULL, device INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE documents (
        id INTEGER PRIMARY KEY, folder BLOB NOT NULL, path TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
        digest BLOB, title TEXT NOT NULL, published TEXT, trouble TEXT, passages INTEGER NOT NULL,
        UNIQUE (folder, path)
    );
    CREATE TABLE passages (
        document INTEGER NOT NULL, ordinal INTEGER NOT NULL, digest BLOB NOT NULL, text TEXT NOT NULL, waits INTEGER NOT NULL,
        PRIMARY KEY (document, ordinal)
    ) WITHOUT ROWID;
    CREATE INDEX passages_by_digest ON passages (digest);
    CREATE INDEX passages_waiting ON passages (document) WHERE waits = 1;
    CREATE TABLE vectors (
        digest BLOB NOT NULL, model TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (digest, model)
    ) WITHOUT ROWID;
";

/// Why a file cannot be used.
enum OpenFault {
    /// It is damaged, foreign, or of an unknown format.
    Useless(String),
    /// It cannot be opened at present.
    Closed(rusqlite::Error),
}

impl From<rusqlite::Error> for OpenFault {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Useless(error.to_string()),
            _ => Self::Closed(error),
        }
    }
}

impl LibraryStore {
    /// Opens or creates the file. Returns whether it is new.
    pub(in super::super) fn open(data: &Path, model: Option<String>) -> Result<(Self, bool), LibraryError> {
        let path = data.join(FILE);
        let opened = match prepared(&path) {
            Err(OpenFault::Useless(why)) => {
                tracing::warn!(
                    why,
                    "the library's file cannot be used; it is set aside, and the documents are read again"
                );
                put_aside(&path).map_err(|error| LibraryError::Failed(format!("{FILE} cannot be moved: {error}")))?;
                prepared(&path)
            }
            other => other,
        };
        let (connection, is_new) = opened.map_err(|fault| match fault {
            OpenFault::Useless(why) => LibraryError::Failed(format!("{FILE} cannot be made: {why}")),
            OpenFault::Closed(error) => failed(error),
        })?;
        let mut store = Self { connection, model };
        store.settle_model()?;
        Ok((store, is_new))
    }
}

fn prepared(path: &Path) -> Result<(Connection, bool), OpenFault> {
    create_private(path);
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(WAIT_MAX)?;
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (format, application_id) = (number("user_version")?, number("application_id")?);
    let tables: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let is_new = format == 0 && tables == 0;
    if !is_new && application_id != APPLICATION_ID {
        return Err(OpenFault::Useless("it belongs to another program".to_owned()));
    }
    if !is_new && format != FORMAT {
        return Err(OpenFault::Useless(format!("it has format {format}; this Dwell knows format {FORMAT}")));
    }
    if fs::metadata(path).is_ok_and(|metadata| metadata.len() <= CHECK_BYTES_MAX) {
        let verdict: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
        if verdict != "ok" {
            return Err(OpenFault::Useless(verdict));
        }
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // Text of removed files must not stay in the file.
    connection.pragma_update(None, "secure_delete", "ON")?;
    if is_new {
        let transaction = connection.transaction()?;
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
        transaction.commit()?;
    }
    Ok((connection, is_new))
}

/// Creates the file with permissions for its user only. SQLite gives its other files the same ones.
/// An error is ignored here, because opening the file reports it better.
fn create_private(path: &Path) {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

fn put_aside(path: &Path) -> std::io::Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        let (from, to) = (with_suffix(path, suffix), with_suffix(path, &format!(".old{suffix}")));
        // A leftover of an older file must not become a part of this one.
        let _ = fs::remove_file(&to);
        match fs::rename(&from, &to) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
