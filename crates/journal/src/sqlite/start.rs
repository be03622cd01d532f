//! Starting on a data folder: what was acknowledged is compared with what is there, before anything is changed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, TransactionBehavior, config::DbConfig};

use super::{
    heads::{self, Acknowledged, Comparison, Heads, Scope},
    log::{self, Log, PendingFrames},
    open::{self, Found, beside, explain, size},
    write::Failure,
};
use crate::{Damage, Error, Loss};

/// What to do when the journal has less than was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnLoss {
    Refuse,
    Accept,
}

/// What starting gives.
pub(super) struct Start {
    pub(super) connection: Connection,
    /// Whether the last process was cut off.
    pub(super) was_cut_off: bool,
    pub(super) heads: Heads,
    pub(super) log: Log,
    /// The number of the last commit.
    pub(super) commits: u64,
    /// Sessions whose newest event is another than the one that was acknowledged.
    pub(super) changed: Vec<Damage>,
}

pub(super) fn start(folder: &Path, path: &Path, on_loss: OnLoss) -> Result<Start, Error> {
    let heads_path = folder.join(heads::FILE);
    let acknowledged = heads::read(&heads_path)?;
    let is_new = size(path) == 0;
    let Comparison { loss, changed } = match &acknowledged {
        Some(acknowledged) => look(folder, path, acknowledged)?,
        None => Comparison::default(),
    };
    if let Some(loss) = &loss {
        match on_loss {
            OnLoss::Refuse => return Err(Error::Lost { path: path.to_owned(), loss: Box::new(loss.clone()) }),
            OnLoss::Accept => accept(folder, path, loss)?,
        }
    }
    let was_repeated = repeat_log(folder, path)?;
    let (connection, found) = open::open_for_writing(path)?;
    let opened = |error| explain(path, "open the journal", &error);
    say_what_is_missing(&connection, acknowledged.as_ref(), is_new && loss.is_none()).map_err(opened)?;
    let commits = heads::commits(&connection).map_err(opened)?;
    // After a loss the numbers go on behind the last one that was acknowledged, so that none is used twice.
    let last = loss.as_ref().map_or(commits, |loss| commits.max(loss.acknowledged_commits));
    connection.execute_batch("UPDATE meta SET value = 1 WHERE name = 'heads' AND value <> 1;").map_err(opened)?;
    let known = match acknowledged {
        Some(exact) if loss.is_none() && exact.commits == commits && exact.bad_lines == 0 => exact.heads,
        _ => heads::all(&connection).map_err(opened)?,
    };
    let heads = Heads::create(heads_path, last, known);
    let generation = log::detach(&connection, last).map_err(opened)?;
    let log = Log::open(folder, generation)?;
    Ok(Start { connection, was_cut_off: was_repeated || found == Found::CutOff, heads, log, commits: last, changed })
}

/// Repeats what a process that was cut off has acknowledged and not committed; whether there was anything.
fn repeat_log(folder: &Path, path: &Path) -> Result<bool, Error> {
    let file = folder.join(log::FILE);
    if size(path) == 0 || size(&file) == 0 {
        return Ok(false);
    }
    open::check_header(path)?;
    let failed = |error| explain(path, "open the journal", &error);
    let generation = look_only(path).and_then(|connection| log::generation(&connection)).map_err(failed)?;
    let pending = PendingFrames::read(&file, generation)?;
    let Some(last) = pending.last_number() else { return Ok(false) };
    let (mut connection, _) = open::open_for_writing(path)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    pending.repeat(&transaction).map_err(|failure| match failure {
        Failure::Refused(error) => error,
        Failure::Sql(error) => failed(error),
    })?;
    log::detach(&transaction, last).map_err(failed)?;
    transaction.commit().map_err(failed)?;
    Ok(true)
}

/// Compares what was acknowledged with the files as they are, through a connection that cannot change them.
fn look(folder: &Path, path: &Path, acknowledged: &Acknowledged) -> Result<Comparison, Error> {
    if size(path) == 0 {
        return Ok(Comparison { loss: heads::lost_whole(acknowledged), changed: Vec::new() });
    }
    open::check_header(path)?;
    let scope = if size(path) > open::CHECK_BYTES_MAX { Scope::Recent } else { Scope::All };
    let failed = |error| explain(path, "open the journal", &error);
    let connection = look_only(path).map_err(failed)?;
    let ahead = log::ahead(folder, &connection)?;
    heads::compare(&connection, &ahead, acknowledged, scope).map_err(failed)
}

/// A connection that reads the database with its log, and leaves both as they are when it is closed.
pub(super) fn look_only(path: &Path) -> rusqlite::Result<Connection> {
    use rusqlite::OpenFlags;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.busy_timeout(open::WAIT_MAX)?;
    Ok(connection)
}

fn say_what_is_missing(
    connection: &Connection,
    acknowledged: Option<&Acknowledged>,
    is_new: bool,
) -> rusqlite::Result<()> {
    let file = heads::FILE;
    if let Some(acknowledged) = acknowledged {
        if acknowledged.bad_lines > 0 {
            tracing::warn!(
                file,
                lines = acknowledged.bad_lines,
                "the file of heads is damaged; a loss of what was acknowledged may have gone unnoticed"
            );
        }
        return Ok(());
    }
    let had_heads: bool = connection.query_row("SELECT value FROM meta WHERE name = 'heads'", [], |row| row.get(0))?;
    if had_heads {
        tracing::warn!(
            file,
            "the file of heads is gone or cannot be read; \
            whether something that was acknowledged is missing cannot be told. It is made anew from the journal"
        );
    } else if !is_new {
        tracing::info!(file, "the journal gets a file of heads, by which a loss will be noticed");
    }
    Ok(())
}

/// Keeps a copy of the files as they are, with what is lost, and says so.
fn accept(folder: &Path, path: &Path, loss: &Loss) -> Result<(), Error> {
    let copies = copies(folder);
    let failed = |error: std::io::Error| Error::Storage {
        action: "keep a copy of the damaged journal",
        cause: format!("{}: {error}", copies.display()),
    };
    create_private(&copies).map_err(failed)?;
    let wal = beside(path, "-wal");
    for file in [path, &wal, &folder.join(heads::FILE), &folder.join(log::FILE)] {
        if let Some(name) = file.file_name().filter(|_| file.exists()) {
            fs::copy(file, copies.join(name)).map_err(failed)?;
        }
    }
    let text = serde_json::to_string_pretty(loss).map_err(|error| failed(error.into()))?;
    fs::write(copies.join("loss.json"), text + "\n").map_err(failed)?;
    if size(path) == 0 && wal.exists() {
        // Without its database the log says nothing; its copy is kept.
        fs::remove_file(&wal).map_err(failed)?;
    }
    tracing::warn!(events = loss.events(), copies = %copies.display(),
        "a loss was accepted: {}. The files as they were are kept", loss.in_words());
    Ok(())
}

/// A folder that does not exist yet.
fn copies(folder: &Path) -> PathBuf {
    let mut number = 1u32;
    loop {
        let copies = folder.join(format!("damaged-{number}"));
        if !copies.exists() {
            return copies;
        }
        number += 1;
    }
}

/// The copies hold all that was said, so they are for their user alone.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
