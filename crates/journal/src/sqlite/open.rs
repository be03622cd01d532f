//! Opening the file. A foreign or damaged file is refused and left unchanged.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};

use super::schema;
use crate::Error;

/// The journal's file in the data folder.
pub const FILE: &str = "journal.db";
/// Files up to this size are checked page by page when they are opened. A check of a larger one
/// would take too long.
pub(super) const CHECK_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// How long a connection waits for a lock of another one.
pub(super) const WAIT_MAX: Duration = Duration::from_secs(10);
const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 100;
const APPLICATION_ID_AT: usize = 68;

/// How the previous process shut down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PreviousShutdown {
    /// A new or properly closed file.
    Closed,
    /// It was killed or crashed. The file was recovered to its last commit.
    CutOff,
}

/// Opens or creates the journal for writing.
pub(super) fn open_for_writing(path: &Path) -> Result<(Connection, PreviousShutdown), Error> {
    check_header(path)?;
    let found = if size(&beside(path, "-wal")) > 0 { PreviousShutdown::CutOff } else { PreviousShutdown::Closed };
    create_private(path)?;
    let mut connection = Connection::open(path).map_err(|error| explain(path, "open the journal", &error))?;
    prepare(path, &mut connection).map_err(|error| explain(path, "open the journal", &error))??;
    Ok((connection, found))
}

/// Creates the file with permissions for its user only. SQLite gives its other files the same ones.
pub(super) fn create_private(path: &Path) -> Result<(), Error> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let created = options.open(path).map(drop);
    created.map_err(|error| Error::Storage { action: "open the journal", cause: error.to_string() })
}

/// Page size of a new file in bytes. A commit writes every page it touches, and changes a few
/// hundred bytes of each, so small pages make small commits. Existing files keep their page size.
const PAGE_BYTES: i64 = 1024;
/// The write-ahead log is checkpointed at about this size.
const LOG_BYTES: i64 = 4 * 1024 * 1024;

/// Page cache of the writer. It holds all pages that a transaction touches in a second; otherwise
/// they would be written twice.
const CACHE_KIB: i64 = 16 * 1024;

/// Maximum number of compiled statements per connection: enough for all statements.
const STATEMENTS_MAX: usize = 256;

/// Opens the journal for reading only.
pub(super) fn open_for_reading(path: &Path) -> Result<Connection, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, flags).map_err(|error| explain(path, "open the journal", &error))?;
    let settings = connection.busy_timeout(WAIT_MAX).and_then(|()| keep_statements(&connection));
    settings.map_err(|error| explain(path, "open the journal", &error))?;
    Ok(connection)
}

/// Keeps compiled statements. Otherwise SQLite recompiles those over tables with partial indexes
/// each time another value is bound to them.
fn keep_statements(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

fn prepare(path: &Path, connection: &mut Connection) -> rusqlite::Result<Result<(), Error>> {
    connection.busy_timeout(WAIT_MAX)?;
    keep_statements(connection)?;
    let format = schema::format(connection)?;
    if format > schema::CURRENT {
        return Ok(Err(Error::Newer { path: path.to_owned(), found: format, known: schema::CURRENT }));
    }
    let application_id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if format > 0 && application_id != schema::APPLICATION_ID {
        return Ok(Err(foreign(path, "it belongs to another program")));
    }
    if let Some(detail) = check_pages(path, connection)? {
        return Ok(Err(Error::Damaged { path: path.to_owned(), detail }));
    }
    if format == 0 {
        connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    }
    // The first tables are created before WAL mode is switched on, so that the file's own header
    // identifies it from the first commit on.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Removed data is overwritten, not only freed.
    connection.pragma_update(None, "secure_delete", "ON")?;
    // Statement journals are small and stay in memory.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    schema::migrate(connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let page_bytes: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_BYTES / page_bytes.max(1))?;
    Ok(Ok(()))
}

fn check_pages(path: &Path, connection: &Connection) -> rusqlite::Result<Option<String>> {
    if size(path) > CHECK_BYTES_MAX {
        tracing::info!(bytes = size(path), "the journal is too large for a check of every page at start");
        return Ok(None);
    }
    let verdict: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    Ok((verdict != "ok").then_some(verdict))
}

/// Checks the file before SQLite opens it, because SQLite would accept an empty or foreign file.
pub(super) fn check_header(path: &Path) -> Result<(), Error> {
    let bytes = size(path);
    if bytes == 0 {
        if size(&beside(path, "-wal")) > 0 {
            let detail = "it is missing or empty while its write-ahead log is there".to_owned();
            return Err(Error::Damaged { path: path.to_owned(), detail });
        }
        return Ok(());
    }
    let mut header = [0u8; HEADER_BYTES];
    if bytes < HEADER_BYTES as u64 {
        return Err(if starts_like_ours(path) {
            Error::Damaged { path: path.to_owned(), detail: format!("only {bytes} bytes are left of it") }
        } else {
            foreign(path, "it is not a database")
        });
    }
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut header))
        .map_err(|error| Error::Storage { action: "read the journal", cause: error.to_string() })?;
    if !header.starts_with(MAGIC) {
        return Err(foreign(path, "it is not a database"));
    }
    // A file whose creation was interrupted has a rollback journal, and no application id yet.
    let is_marked = header[APPLICATION_ID_AT..APPLICATION_ID_AT + 4] == schema::APPLICATION_ID.to_be_bytes();
    if is_marked || size(&beside(path, "-journal")) > 0 {
        return Ok(());
    }
    Err(foreign(path, "it belongs to another program"))
}

fn starts_like_ours(path: &Path) -> bool {
    let mut start = [0u8; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == MAGIC
}

fn foreign(path: &Path, why: &str) -> Error {
    Error::Foreign { path: path.to_owned(), why: why.to_owned() }
}

pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

pub(super) fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// The error for the caller that an SQLite error stands for.
pub(super) fn explain(path: &Path, action: &'static str, error: &rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::Damaged { path: path.to_owned(), detail: error.to_string() }
        }
        _ => Error::Storage { action, cause: error.to_string() },
    }
}
