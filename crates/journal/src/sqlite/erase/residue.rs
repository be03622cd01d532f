//! The bytes of the journal's files, as somebody sees them who opens the files without SQLite.

use std::{
    fs::File,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    super::{log, open::beside},
    needles::Search,
};
use crate::Error;

/// The files that can hold words: the database and its logs. Another, `-shm`, holds page numbers alone.
///
/// The database stays open here for as long as SQLite has it: closing any handle on it would take away the locks that
/// this process has on it, and another program could then take SQLite's log for abandoned.
#[derive(Debug, Clone)]
pub(in super::super) struct Residue {
    database: Arc<Mutex<File>>,
    /// The write-ahead log, and the log of what is not committed yet.
    logs: [PathBuf; 2],
}

impl Residue {
    pub(in super::super) fn open(path: &Path) -> Result<Self, Error> {
        let database = File::open(path).map_err(|error| failed(&error))?;
        let logs = [beside(path, "-wal"), path.with_file_name(log::FILE)];
        Ok(Self { database: Arc::new(Mutex::new(database)), logs })
    }

    pub(super) fn look_through(&self, search: &mut Search<'_>) -> Result<(), Error> {
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
