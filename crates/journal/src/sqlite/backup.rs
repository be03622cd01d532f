//! Copies of the journal: a consistent snapshot, page by page, while other connections read and
//! write.

use std::{path::Path, time::Duration};

use protocol::Timestamp;
use rusqlite::{
    Connection, OpenFlags,
    backup::{Backup, StepResult},
};

use super::{
    heads,
    log::{self, PendingFrames},
    open::{FILE, create_private, explain, open_for_reading},
    schema,
    write::WriteFailure,
};
use crate::Error;

/// Pages copied between two reports of progress.
const PAGES_PER_STEP: i32 = 1024;
/// Wait for another connection's lock: duration of one wait, and number of waits.
const BUSY_WAIT: Duration = Duration::from_millis(50);
const BUSY_MAX: u32 = 200;
const COPY: &str = "copy the journal";
const CHECK: &str = "check the journal";

/// Counts of a journal, by which a copy is compared with its manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalContents {
    /// The format of the file.
    pub format: i64,
    /// Number of sessions.
    pub sessions: u64,
    /// Number of events, over all sessions.
    pub events: u64,
    /// Number of artifacts.
    pub artifacts: u64,
    /// When the newest event happened.
    pub newest_at: Option<Timestamp>,
}

/// Copies the journal of a data folder into a new file, as one consistent snapshot, and checks the
/// copy. Other processes, or this one, may use the folder meanwhile. `told` gets the number of
/// copied pages and of all pages.
pub fn copy(folder: &Path, to: &Path, told: &mut dyn FnMut(u64, u64)) -> Result<JournalContents, Error> {
    let from = folder.join(FILE);
    if !from.exists() {
        let cause = format!("there is no journal in {}", folder.display());
        return Err(Error::Storage { action: COPY, cause });
    }
    // Only through SQLite: closing another handle on the file would release this process's locks on
    // it.
    let source = open_for_reading(&from)?;
    check_kind(&from, &source)?;
    create_private(to)?;
    let mut target = Connection::open(to).map_err(|error| explain(to, COPY, &error))?;
    let pending = copy_moment(folder, &source, &mut target, told)?;
    drop(source);
    // The copy of a file in WAL mode is in WAL mode too. It is switched off to make it a single
    // file.
    target.pragma_update(None, "journal_mode", "DELETE").map_err(|error| explain(to, COPY, &error))?;
    complete(&target, &pending).map_err(|failure| match failure {
        WriteFailure::Refused(error) => error,
        WriteFailure::Sql(error) => explain(to, COPY, &error),
    })?;
    examine(to, &target)
}

/// Copies the database at one moment. Returns what was acknowledged by then and is not in it.
fn copy_moment(
    folder: &Path,
    source: &Connection,
    target: &mut Connection,
    told: &mut dyn FnMut(u64, u64),
) -> Result<PendingFrames, Error> {
    let from = folder.join(FILE);
    let failed = |error| explain(&from, COPY, &error);
    let others = open_for_reading(&from)?;
    loop {
        // While this transaction is open, the source does not change for us. Without it, each
        // commit of another connection would restart the copy.
        let moment = source.unchecked_transaction().map_err(failed)?;
        let generation = log::generation(&moment).map_err(failed)?;
        let pending = PendingFrames::read(&folder.join(log::FILE), generation)?;
        // The log belongs to that moment, unless a commit happened while it was read.
        if log::generation(&others).map_err(failed)? == generation {
            copy_pages(&moment, target, told).map_err(failed)??;
            return Ok(pending);
        }
    }
}

/// Adds to a copy what was acknowledged. The copy has no log of its own.
fn complete(copy: &Connection, pending: &PendingFrames) -> Result<(), WriteFailure> {
    let transaction = copy.unchecked_transaction()?;
    pending.repeat(&transaction)?;
    let commits = pending.last_number().map_or_else(|| heads::commits(&transaction), Ok)?;
    log::detach(&transaction, commits)?;
    Ok(transaction.commit()?)
}

/// Checks a copy and changes nothing: every page, every index, and that no event number is missing.
pub fn check(path: &Path) -> Result<JournalContents, Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let opened = Connection::open_with_flags(immutable_uri(path), flags);
    let connection = opened.map_err(|error| explain(path, CHECK, &error))?;
    check_kind(path, &connection)?;
    examine(path, &connection)
}

fn copy_pages(
    moment: &Connection,
    target: &mut Connection,
    told: &mut dyn FnMut(u64, u64),
) -> rusqlite::Result<Result<(), Error>> {
    let backup = Backup::new(moment, target)?;
    let mut busy = 0;
    loop {
        let step = backup.step(PAGES_PER_STEP)?;
        let progress = backup.progress();
        let total = u64::try_from(progress.pagecount).unwrap_or(0);
        let left = u64::try_from(progress.remaining).unwrap_or(0);
        told(total.saturating_sub(left), total);
        match step {
            StepResult::Done => return Ok(Ok(())),
            StepResult::Busy | StepResult::Locked if busy < BUSY_MAX => {
                busy += 1;
                std::thread::sleep(BUSY_WAIT);
            }
            StepResult::Busy | StepResult::Locked => {
                return Ok(Err(Error::Storage { action: COPY, cause: "another program holds it locked".to_owned() }));
            }
            _ => {}
        }
    }
}

/// Refuses a file of another program, and one that a newer Dwell wrote.
fn check_kind(path: &Path, connection: &Connection) -> Result<(), Error> {
    let failed = |error| explain(path, CHECK, &error);
    let format = schema::format(connection).map_err(failed)?;
    if format > schema::CURRENT {
        return Err(Error::Newer { path: path.to_owned(), found: format, known: schema::CURRENT });
    }
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed)?;
    if id == schema::APPLICATION_ID {
        return Ok(());
    }
    Err(Error::Foreign { path: path.to_owned(), why: "it belongs to another program".to_owned() })
}

fn examine(path: &Path, connection: &Connection) -> Result<JournalContents, Error> {
    let looked = look_through(connection).map_err(|error| explain(path, CHECK, &error))?;
    looked.map_err(|detail| Error::Damaged { path: path.to_owned(), detail })
}

fn look_through(connection: &Connection) -> rusqlite::Result<Result<JournalContents, String>> {
    let verdict: String = connection.pragma_query_value(None, "integrity_check", |row| row.get(0))?;
    if verdict != "ok" {
        return Ok(Err(verdict));
    }
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let gaps = number("SELECT count(*) FROM (SELECT 1 FROM events GROUP BY sid HAVING max(seq) <> count(*))")?;
    if gaps > 0 {
        return Ok(Err(format!("events are missing in {gaps} of its sessions")));
    }
    let count = |table: &str| -> rusqlite::Result<u64> {
        Ok(u64::try_from(number(&format!("SELECT count(*) FROM {table}"))?).unwrap_or(0))
    };
    let newest: Option<i64> = connection.query_row("SELECT max(updated_at) FROM sessions", [], |row| row.get(0))?;
    let has_artifacts = number("SELECT count(*) FROM sqlite_schema WHERE name = 'artifacts'")? > 0;
    Ok(Ok(JournalContents {
        format: schema::format(connection)?,
        sessions: count("sessions")?,
        events: count("events")?,
        artifacts: if has_artifacts { count("artifacts")? } else { 0 },
        newest_at: newest.map(Timestamp::from_millis),
    }))
}

/// The URI of a file that is opened as immutable: SQLite neither looks for a log nor creates one.
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}
