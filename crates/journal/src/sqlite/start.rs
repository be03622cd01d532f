//! Starting on a data folder: what was acknowledged is compared with what is there, before anything is changed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, config::DbConfig};

use super::{
    heads::{self, Acknowledged, Comparison, Heads, Scope},
    open::{self, Found, beside, explain, size},
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
    /// Sessions whose newest event is another than the one that was acknowledged.
    pub(super) changed: Vec<Damage>,
}

pub(super) fn start(folder: &Path, path: &Path, on_loss: OnLoss) -> Result<Start, Error> {
    let heads_path = folder.join(heads::FILE);
    let acknowledged = heads::read(&heads_path)?;
    let is_new = size(path) == 0;
    let Comparison { loss, changed } = match &acknowledged {
        Some(acknowledged) => look(path, acknowledged)?,
        None => Comparison::default(),
    };
    if let Some(loss) = &loss {
        match on_loss {
            OnLoss::Refuse => return Err(Error::Lost { path: path.to_owned(), loss: Box::new(loss.clone()) }),
            OnLoss::Accept => accept(folder, path, loss)?,
        }
    }
    let (connection, found) = open::open_for_writing(path)?;
    let opened = |error| explain(path, "open the journal", &error);
    say_what_is_missing(&connection, acknowledged.as_ref(), is_new && loss.is_none()).map_err(opened)?;
    let commits = heads::commits(&connection).map_err(opened)?;
    // After a loss the numbers go on behind the last one that was acknowledged, so that none is used twice.
    let last = loss.as_ref().map_or(commits, |loss| commits.max(loss.acknowledged_commits));
    connection
        .execute_batch(&format!(
            "UPDATE meta SET value = {last} WHERE name = 'commits' AND value <> {last};
             UPDATE meta SET value = 1 WHERE name = 'heads' AND value <> 1;"
        ))
        .map_err(opened)?;
    let known = match acknowledged {
        Some(exact) if loss.is_none() && exact.commits == commits && exact.bad_lines == 0 => exact.heads,
        _ => heads::all(&connection).map_err(opened)?,
    };
    let heads = Heads::create(heads_path, last, known);
    Ok(Start { connection, was_cut_off: found == Found::CutOff, heads, changed })
}

/// Compares what was acknowledged with the files as they are, through a connection that cannot change them.
fn look(path: &Path, acknowledged: &Acknowledged) -> Result<Comparison, Error> {
    if size(path) == 0 {
        return Ok(Comparison { loss: heads::lost_whole(acknowledged), changed: Vec::new() });
    }
    open::check_header(path)?;
    let scope = if size(path) > open::CHECK_BYTES_MAX { Scope::Recent } else { Scope::All };
    let looked = look_only(path).and_then(|connection| heads::compare(&connection, acknowledged, scope));
    looked.map_err(|error| explain(path, "open the journal", &error))
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
    let log = beside(path, "-wal");
    for file in [path, &log, &folder.join(heads::FILE)] {
        if let Some(name) = file.file_name().filter(|_| file.exists()) {
            fs::copy(file, copies.join(name)).map_err(failed)?;
        }
    }
    let text = serde_json::to_string_pretty(loss).map_err(|error| failed(error.into()))?;
    fs::write(copies.join("loss.json"), text + "\n").map_err(failed)?;
    if size(path) == 0 && log.exists() {
        // Without its database the log says nothing; its copy is kept.
        fs::remove_file(&log).map_err(failed)?;
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
