//! Start on a data folder. Acknowledged and stored data are compared before any change.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, TransactionBehavior, config::DbConfig};

use super::{
    heads::{self, AcknowledgedHeads, CheckScope, Heads, HeadsComparison},
    log::{self, Log, PendingFrames},
    open::{self, PreviousShutdown, beside, explain, size},
    write::WriteFailure,
};
use crate::{Damage, Error, Loss};

/// What to do when the journal has less than was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnLoss {
    Refuse,
    Accept,
}

/// The state after the start.
pub(super) struct StartState {
    pub(super) connection: Connection,
    /// Whether the last process did not shut down properly.
    pub(super) was_cut_off: bool,
    pub(super) heads: Heads,
    pub(super) log: Log,
    /// The number of the last commit.
    pub(super) commits: u64,
    /// Sessions whose newest event differs from the acknowledged one.
    pub(super) changed: Vec<Damage>,
}

pub(super) fn start(folder: &Path, path: &Path, on_loss: OnLoss) -> Result<StartState, Error> {
    let heads_path = folder.join(heads::FILE);
    let acknowledged = heads::read(&heads_path)?;
    let is_new = size(path) == 0;
    let HeadsComparison { loss, changed } = match &acknowledged {
        Some(acknowledged) => look(folder, path, acknowledged)?,
        None => HeadsComparison::default(),
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
    // After a loss, numbering continues after the last acknowledged commit, so that no number is
    // used twice.
    let last = loss.as_ref().map_or(commits, |loss| commits.max(loss.acknowledged_commits));
    connection.execute_batch("UPDATE meta SET value = 1 WHERE name = 'heads' AND value <> 1;").map_err(opened)?;
    let known = match acknowledged {
        Some(exact) if loss.is_none() && exact.commits == commits && exact.bad_lines == 0 => exact.heads,
        _ => heads::all(&connection).map_err(opened)?,
    };
    let heads = Heads::create(heads_path, last, known);
    let generation = log::detach(&connection, last).map_err(opened)?;
    let log = Log::open(folder, generation)?;
    Ok(StartState {
        connection,
        was_cut_off: was_repeated || found == PreviousShutdown::CutOff,
        heads,
        log,
        commits: last,
        changed,
    })
}

/// Replays what a killed process acknowledged and did not commit. Returns whether there was
/// anything.
fn repeat_log(folder: &Path, path: &Path) -> Result<bool, Error> {
    let file = folder.join(log::FILE);
    if size(path) == 0 || size(&file) == 0 {
        return Ok(false);
    }
    open::check_header(path)?;
    let failed = |error| explain(path, "open the journal", &error);
    let generation = open_read_only(path).and_then(|connection| log::generation(&connection)).map_err(failed)?;
    let pending = PendingFrames::read(&file, generation)?;
    let Some(last) = pending.last_number() else { return Ok(false) };
    let (mut connection, _) = open::open_for_writing(path)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    pending.repeat(&transaction).map_err(|failure| match failure {
        WriteFailure::Refused(error) => error,
        WriteFailure::Sql(error) => failed(error),
    })?;
    log::detach(&transaction, last).map_err(failed)?;
    transaction.commit().map_err(failed)?;
    Ok(true)
}

/// Compares what was acknowledged with the files, through a connection that cannot change them.
fn look(folder: &Path, path: &Path, acknowledged: &AcknowledgedHeads) -> Result<HeadsComparison, Error> {
    if size(path) == 0 {
        return Ok(HeadsComparison { loss: heads::lost_whole(acknowledged), changed: Vec::new() });
    }
    open::check_header(path)?;
    let scope = if size(path) > open::CHECK_BYTES_MAX { CheckScope::Recent } else { CheckScope::All };
    let failed = |error| explain(path, "open the journal", &error);
    let connection = open_read_only(path).map_err(failed)?;
    let ahead = log::ahead(folder, &connection)?;
    heads::compare(&connection, &ahead, acknowledged, scope).map_err(failed)
}

/// A connection that reads the database with its write-ahead log, and leaves both unchanged on
/// close.
pub(super) fn open_read_only(path: &Path) -> rusqlite::Result<Connection> {
    use rusqlite::OpenFlags;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.busy_timeout(open::WAIT_MAX)?;
    Ok(connection)
}

fn say_what_is_missing(
    connection: &Connection,
    acknowledged: Option<&AcknowledgedHeads>,
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
        tracing::info!(file, "creating the file of heads, by which a loss is noticed");
    }
    Ok(())
}

/// Copies the files together with a description of the loss, and logs it.
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
        // Without its database the write-ahead log is useless; its copy is kept.
        fs::remove_file(&wal).map_err(failed)?;
    }
    tracing::warn!(events = loss.events(), copies = %copies.display(),
        "a loss was accepted: {}. A copy of the original files is kept", loss.in_words());
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

/// The copies contain all conversations, so only their user may read them.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
