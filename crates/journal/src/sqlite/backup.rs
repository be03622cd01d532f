//! Copies of the journal: one moment of it, page by page, while others read and write.

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
    write::Failure,
};
use crate::Error;

/// Pages copied between two reports of progress.
const PAGES_PER_STEP: i32 = 1024;
/// How long to wait when another connection is in the way, and how often.
const BUSY_WAIT: Duration = Duration::from_millis(50);
const BUSY_MAX: u32 = 200;
const COPY: &str = "copy the journal";
const CHECK: &str = "check the journal";

/// What a journal holds, to compare a copy with what was written down of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contents {
    /// The format of the file.
    pub format: i64,
    /// How many sessions.
    pub sessions: u64,
    /// How many events, over all sessions.
    pub events: u64,
    /// How many artifacts.
    pub artifacts: u64,
    /// When the newest event happened.
    pub newest_at: Option<Timestamp>,
}

/// Copies the journal of a data folder into a new file, as it stands at one moment, and checks the copy. It works while
/// another process, or this one, uses the folder; `told` hears how many pages of how many are copied.
pub fn copy(folder: &Path, to: &Path, told: &mut dyn FnMut(u64, u64)) -> Result<Contents, Error> {
    let from = folder.join(FILE);
    if !from.exists() {
        let cause = format!("there is no journal in {}", folder.display());
        return Err(Error::Storage { action: COPY, cause });
    }
    // Only through SQLite: closing a plain handle on the file would take this process's locks on it away.
    let source = open_for_reading(&from)?;
    check_kind(&from, &source)?;
    create_private(to)?;
    let mut target = Connection::open(to).map_err(|error| explain(to, COPY, &error))?;
    let pending = copy_moment(folder, &source, &mut target, told)?;
    drop(source);
    // A copy of a file with a write-ahead log asks for one too; this one is to be a single file.
    target.pragma_update(None, "journal_mode", "DELETE").map_err(|error| explain(to, COPY, &error))?;
    complete(&target, &pending).map_err(|failure| match failure {
        Failure::Refused(error) => error,
        Failure::Sql(error) => explain(to, COPY, &error),
    })?;
    examine(to, &target)
}

/// Copies the database as it stands at one moment; gives what was acknowledged by then and is not in it.
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
        // While this transaction is open the source stands still for us; without it, each commit of others would make the
        // copying begin again.
        let moment = source.unchecked_transaction().map_err(failed)?;
        let generation = log::generation(&moment).map_err(failed)?;
        let pending = PendingFrames::read(&folder.join(log::FILE), generation)?;
        // The log belongs to that moment, unless something was committed while it was read.
        if log::generation(&others).map_err(failed)? == generation {
            copy_pages(&moment, target, told).map_err(failed)??;
            return Ok(pending);
        }
    }
}

/// Brings a copy up to what was acknowledged. It has no log of its own.
fn complete(copy: &Connection, pending: &PendingFrames) -> Result<(), Failure> {
    let transaction = copy.unchecked_transaction()?;
    pending.repeat(&transaction)?;
    let commits = pending.last_number().map_or_else(|| heads::commits(&transaction), Ok)?;
    log::detach(&transaction, commits)?;
    Ok(transaction.commit()?)
}

/// Checks a copy without changing anything beside it: every page, every index, and that no number is missing.
pub fn check(path: &Path) -> Result<Contents, Error> {
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

fn examine(path: &Path, connection: &Connection) -> Result<Contents, Error> {
    let looked = look_through(connection).map_err(|error| explain(path, CHECK, &error))?;
    looked.map_err(|detail| Error::Damaged { path: path.to_owned(), detail })
}

fn look_through(connection: &Connection) -> rusqlite::Result<Result<Contents, String>> {
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
    Ok(Ok(Contents {
        format: schema::format(connection)?,
        sessions: count("sessions")?,
        events: count("events")?,
        artifacts: if has_artifacts { count("artifacts")? } else { 0 },
        newest_at: newest.map(Timestamp::from_millis),
    }))
}

/// The address of a file that is read as it is: no log beside it is looked for, and none is made.
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
