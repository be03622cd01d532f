//! The raw bytes of the journal's files, as a program sees them without SQLite.

use std::{
    fs::File,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::super::{log, open::beside};
use crate::{Error, needles::PieceSearch};

/// The files that can contain text: the database and its logs. The file `-shm` has page numbers
/// only.
///
/// The database stays open here as long as SQLite has it open: closing any handle on it would
/// release the locks of this process, and another program could then take SQLite's log for
/// abandoned.
#[derive(Debug, Clone)]
pub(in super::super) struct Residue {
    database: Arc<Mutex<File>>,
    /// The write-ahead log, and the log of uncommitted writes.
    logs: [PathBuf; 2],
}

impl Residue {
    pub(in super::super) fn open(path: &Path) -> Result<Self, Error> {
        let database = File::open(path).map_err(|error| failed(&error))?;
        let logs = [beside(path, "-wal"), path.with_file_name(log::FILE)];
        Ok(Self { database: Arc::new(Mutex::new(database)), logs })
    }

    pub(super) fn look_through(&self, search: &mut PieceSearch<'_>) -> Result<(), Error> {
        let database = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        search.look_through(&*database).map_err(|error| failed(&error))?;
        for log in &self.logs {
            match File::open(log) {
                Ok(log) => search.look_through(log).map_err(|error| failed(&error))?,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(failed(&error)),
            }
        }
        Ok(())
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::Storage { action: "read the journal's bytes", cause: error.to_string() }
}
