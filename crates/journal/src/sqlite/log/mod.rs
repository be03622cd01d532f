//! The log of writes that are acknowledged and not yet committed to the database.
//!
//! A commit of SQLite writes every page it touches, and a turn touches the same few pages again and
//! again. The writer therefore leaves its transaction open over many batches. It makes each batch
//! durable by one frame at the end of the file `journal.log`, which is flushed before the callers
//! are answered. The transaction is committed after a second at the latest, or because a reader
//! needs it. Its frames are then obsolete, and the next frame overwrites the first.
//!
//! A killed process leaves frames behind, which the next start replays. Each frame has the
//! generation of the log, a random number that every commit draws and stores in the database.
//! Frames of another generation are ignored: the database has their content already, or they belong
//! to another copy of it.

mod frame;
mod logged_write;

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{ErrorKind, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

pub(super) use frame::Generation;
use frame::LogFrame;
pub(super) use logged_write::LoggedWrite;
use rusqlite::{Connection, OptionalExtension};

use super::{
    heads::LogHeads,
    memories::write as remember,
    open::{self, explain},
    schema, write,
};
use crate::{
    Error,
    encoding::{Head, digest},
};

/// The file's name in the data folder.
pub(super) const FILE: &str = "journal.log";

/// The file. Only the writer thread writes it.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
    generation: Generation,
    /// Bytes of the frames of this generation.
    length: u64,
    /// Bytes of the file, most of which can be of earlier generations.
    file_length: u64,
}

impl Log {
    /// Opens the file as empty: its frames were replayed before.
    pub(super) fn open(folder: &Path, generation: Generation) -> Result<Self, Error> {
        let path = folder.join(FILE);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).map_err(|error| failed(&path, &error))?;
        // After a power cut the directory entry must exist, not only the content.
        #[cfg(unix)]
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| failed(&path, &error))?;
        Ok(Self { path, file, generation, length: 0, file_length: 0 })
    }

    /// Appends a frame, and returns once it is on the disk. After a failure the next frame
    /// overwrites it.
    pub(super) fn append(&mut self, number: u64, jobs: &[LoggedWrite]) -> Result<(), Error> {
        let bytes = LogFrame { generation: self.generation, number, jobs }
            .encode()
            .map_err(|error| Error::Storage { action: "write to the journal's log", cause: error.to_string() })?;
        let written = self
            .file
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| self.file.write_all(&bytes))
            .and_then(|()| self.file.sync_data());
        written.map_err(|error| failed(&self.path, &error))?;
        self.length += bytes.len() as u64;
        self.file_length = self.file_length.max(self.length);
        Ok(())
    }

    /// Path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The generation of the frames that count.
    pub(super) const fn generation(&self) -> Generation {
        self.generation
    }

    /// Bytes of the frames that count.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// Starts a new generation. The database has all earlier frames.
    pub(super) const fn begin(&mut self, generation: Generation) {
        self.generation = generation;
        self.length = 0;
    }

    /// Truncates what earlier generations have left in the file.
    pub(super) fn cut(&mut self) -> Result<(), Error> {
        if self.file_length > self.length {
            self.file.set_len(self.length).map_err(|error| failed(&self.path, &error))?;
            self.file_length = self.length;
        }
        Ok(())
    }
}

/// The frames of a folder's log that the database does not have yet.
#[derive(Debug, Default)]
pub(super) struct PendingFrames {
    frames: Vec<(u64, Vec<LoggedWrite>)>,
}

impl PendingFrames {
    /// Reads the log. Frames of other generations do not count, nor does an incomplete frame, which
    /// was never acknowledged.
    pub(super) fn read(path: &Path, generation: Generation) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        match File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Ok(_) => Ok(Self { frames: frame::decode_all(&bytes, generation)? }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(failed(path, &error)),
        }
    }

    /// The number of the last commit in it.
    pub(super) fn last_number(&self) -> Option<u64> {
        self.frames.last().map(|(number, _)| *number)
    }

    /// The heads of sessions after replaying it, computed without doing so.
    pub(super) fn ahead(&self, connection: &Connection) -> rusqlite::Result<LogHeads> {
        let mut ahead = LogHeads { commits: self.last_number().unwrap_or(0), heads: HashMap::new() };
        for job in self.frames.iter().flat_map(|(_, jobs)| jobs) {
            let (id, expected, events) = match job {
                LoggedWrite::Create { events, summary } => (summary.session_id, 0, events),
                LoggedWrite::Append { session_id, expected_head, events, .. } => (*session_id, *expected_head, events),
                LoggedWrite::Change { .. } => continue,
            };
            let mut head = match ahead.heads.get(&id) {
                Some(head) => *head,
                None => match write::sid(connection, id)? {
                    Some(sid) => write::head(connection, sid)?,
                    None => Head::START,
                },
            };
            // What was committed meanwhile is in the database.
            if head.seq == expected {
                for event in events {
                    head = head.then(id, event, digest(event.body.get()).as_deref());
                }
                ahead.heads.insert(id, head);
            }
        }
        Ok(ahead)
    }

    /// Replays all frames within a transaction of the caller.
    pub(super) fn repeat(&self, connection: &Connection) -> Result<(), write::WriteFailure> {
        self.frames.iter().flat_map(|(_, jobs)| jobs).try_for_each(|job| apply(connection, job).map(drop))
    }
}

/// The generation of the log that belongs to the database.
pub(super) fn generation(connection: &Connection) -> rusqlite::Result<Generation> {
    let found: Option<i64> =
        connection.query_row("SELECT value FROM meta WHERE name = 'log'", [], |row| row.get(0)).optional()?;
    Ok(found.map_or(Generation::NONE, Generation))
}

/// What the log of a folder has beyond the database, for read-only callers.
pub(super) fn ahead(folder: &Path, connection: &Connection) -> Result<LogHeads, Error> {
    let looked = |error| explain(&folder.join(open::FILE), "open the journal", &error);
    let is_there = schema::format(connection).map_err(looked)? >= schema::WITH_LOG;
    let generation = if is_there { generation(connection).map_err(looked)? } else { Generation::NONE };
    PendingFrames::read(&folder.join(FILE), generation)?.ahead(connection).map_err(looked)
}

/// Stores a new generation in the database, which has everything up to the given commit.
pub(super) fn detach(connection: &Connection, commits: u64) -> rusqlite::Result<Generation> {
    let generation = Generation::draw(connection)?;
    connection
        .prepare_cached(
            "UPDATE meta SET value = CASE name WHEN 'commits' THEN ?1 ELSE ?2 END WHERE name IN ('commits', 'log')",
        )?
        .execute([write::number(commits), generation.0])?;
    Ok(generation)
}

/// Applies a logged write, and returns the head of its session.
pub(super) fn apply(connection: &Connection, job: &LoggedWrite) -> Result<Option<Head>, write::WriteFailure> {
    match job {
        LoggedWrite::Create { events, summary } => write::create(connection, events, summary).map(Some),
        LoggedWrite::Append { session_id, expected_head, events, summary } => {
            write::append(connection, *session_id, *expected_head, events, summary.as_ref()).map(Some)
        }
        LoggedWrite::Change { owner, changes } => remember::change(connection, owner, changes).map(|()| None),
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::Storage { action: "write to the journal's log", cause: format!("{}: {error}", path.display()) }
}
