//! The library's file: `research.sqlite` in the data folder. All SQL of the library is in this
//! module.
//!
//! Its content can be rebuilt from the folders, so it is flushed lazily, and an unusable file is
//! set aside.

mod documents;
mod open;
mod vectors;

use ports::LibraryError;
use protocol::{FolderId, OwnerId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

pub(super) use self::{
    documents::{KnownFile, NewDocument, StoredDocument},
    vectors::{PassageDigest, UnembeddedPassage, digest},
};

/// The open file.
#[derive(Debug)]
pub(super) struct LibraryStore {
    connection: Connection,
    /// The embedding model whose vectors are stored; `None` if there is none.
    model: Option<String>,
}

/// A folder of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LibraryFolder {
    pub(super) id: FolderId,
    pub(super) owner: OwnerId,
    pub(super) path: String,
    /// Name of the folder in the sources of its documents.
    pub(super) name: String,
    pub(super) shared: bool,
    pub(super) added_at: Timestamp,
    /// The device of the folder when it last had files.
    #[serde(skip)]
    pub(super) device: Option<u64>,
}

impl LibraryFolder {
    pub(super) fn is_seen_by(&self, owner: &OwnerId) -> bool {
        self.shared || self.owner == *owner
    }
}

/// Counts of a folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FolderCounts {
    pub(super) documents: u64,
    pub(super) troubled: u64,
    pub(super) passages: u64,
    pub(super) waiting: u64,
}

/// Number and size of readable documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LibrarySize {
    pub(super) documents: u64,
    pub(super) bytes: u64,
}

const FOLDER: &str = "SELECT id, owner, path, name, shared, added_at, device FROM folders";

impl LibraryStore {
    pub(super) fn folders(&self) -> Result<Vec<LibraryFolder>, LibraryError> {
        self.listed(&format!("{FOLDER} ORDER BY added_at, id"), params![])
    }

    /// The folders that an owner can search.
    pub(super) fn folders_of(&self, owner: &OwnerId) -> Result<Vec<LibraryFolder>, LibraryError> {
        let sql = format!("{FOLDER} WHERE shared OR owner = ?1 ORDER BY added_at, id");
        self.listed(&sql, params![owner.as_str()])
    }

    /// A folder, if it still exists.
    pub(super) fn folder(&self, id: FolderId) -> Result<Option<LibraryFolder>, LibraryError> {
        let sql = format!("{FOLDER} WHERE id = ?1");
        Ok(self.listed(&sql, params![id.to_bytes()])?.into_iter().next())
    }

    fn listed(&self, sql: &str, with: impl rusqlite::Params) -> Result<Vec<LibraryFolder>, LibraryError> {
        let listed = self.connection.prepare_cached(sql).and_then(|mut statement| {
            let rows = statement.query_map(with, read_folder)?;
            rows.collect::<Result<Vec<_>, _>>()
        });
        listed.map_err(failed)
    }

    /// Stores a folder or replaces it.
    pub(super) fn put_folder(&self, folder: &LibraryFolder) -> Result<(), LibraryError> {
        let sql =
            "INSERT INTO folders (id, owner, path, name, shared, added_at, device) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                   ON CONFLICT (id) DO UPDATE SET shared = excluded.shared, device = excluded.device";
        let LibraryFolder { id, owner, path, name, shared, added_at, device } = folder;
        let device = device.map(u64::cast_signed);
        let with = params![id.to_bytes(), owner.as_str(), path, name, shared, added_at.as_millis(), device];
        self.connection.execute(sql, with).map(drop).map_err(failed)
    }

    /// Removes a folder with all its documents.
    pub(super) fn remove_folder(&mut self, id: FolderId) -> Result<(), LibraryError> {
        let key = id.to_bytes();
        let removed = self.connection.transaction().and_then(|transaction| {
            let of_folder = "DELETE FROM passages WHERE document IN (SELECT id FROM documents WHERE folder = ?1)";
            transaction.execute(of_folder, [key])?;
            transaction.execute("DELETE FROM documents WHERE folder = ?1", [key])?;
            transaction.execute("DELETE FROM folders WHERE id = ?1", [key])?;
            transaction.commit()
        });
        removed.map_err(failed)?;
        self.drop_orphans()
    }

    /// Counts of a folder.
    pub(super) fn extent(&self, id: FolderId) -> Result<FolderCounts, LibraryError> {
        let sums = "SELECT count(*) FILTER (WHERE trouble IS NULL), count(*) FILTER (WHERE trouble IS NOT NULL),
                    coalesce(sum(passages), 0) FROM documents WHERE folder = ?1";
        let waits = "SELECT count(*) FROM passages WHERE waits = 1 AND document IN (SELECT id FROM documents WHERE folder = ?1)";
        let key = id.to_bytes();
        let counted = self.connection.query_row(sums, [key], |row| {
            Ok(FolderCounts {
                documents: count(row, 0)?,
                troubled: count(row, 1)?,
                passages: count(row, 2)?,
                waiting: 0,
            })
        });
        let mut extent = counted.map_err(failed)?;
        if self.model.is_some() {
            extent.waiting = self.connection.query_row(waits, [key], |row| count(row, 0)).map_err(failed)?;
        }
        Ok(extent)
    }

    /// Size of all folders.
    pub(super) fn held(&self) -> Result<LibrarySize, LibraryError> {
        let sql = "SELECT count(*), coalesce(sum(size), 0) FROM documents WHERE trouble IS NULL";
        self.connection.query_row(sql, [], read_held).map_err(failed)
    }

    /// Size of one document.
    pub(super) fn held_by(&self, folder: FolderId, path: &str) -> Result<LibrarySize, LibraryError> {
        let sql = "SELECT count(*), coalesce(sum(size), 0) FROM documents
                   WHERE folder = ?1 AND path = ?2 AND trouble IS NULL";
        self.connection.query_row(sql, params![folder.to_bytes(), path], read_held).map_err(failed)
    }

    /// The first unreadable documents of a folder, with the reason.
    pub(super) fn troubles(&self, id: FolderId, limit: u32) -> Result<Vec<(String, String)>, LibraryError> {
        let sql =
            "SELECT path, trouble FROM documents WHERE folder = ?1 AND trouble IS NOT NULL ORDER BY path LIMIT ?2";
        let listed = self.connection.prepare_cached(sql).and_then(|mut statement| {
            let rows = statement.query_map(params![id.to_bytes(), limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        });
        listed.map_err(failed)
    }

    /// Whether an owner has any readable document.
    pub(super) fn has_documents(&self, owner: &OwnerId) -> Result<bool, LibraryError> {
        let sql = "SELECT 1 FROM folders f JOIN documents d ON d.folder = f.id
                   WHERE (f.shared OR f.owner = ?1) AND d.trouble IS NULL LIMIT 1";
        let found = self.connection.query_row(sql, [owner.as_str()], |_| Ok(())).optional();
        Ok(found.map_err(failed)?.is_some())
    }
}

fn read_folder(row: &Row<'_>) -> rusqlite::Result<LibraryFolder> {
    let owner: String = row.get(1)?;
    let owner = OwnerId::try_from(owner)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Text, Box::new(error)))?;
    let device: Option<i64> = row.get(6)?;
    Ok(LibraryFolder {
        id: FolderId::from_bytes(row.get(0)?),
        owner,
        path: row.get(2)?,
        name: row.get(3)?,
        shared: row.get(4)?,
        added_at: Timestamp::from_millis(row.get(5)?),
        device: device.map(i64::cast_unsigned),
    })
}

fn read_held(row: &Row<'_>) -> rusqlite::Result<LibrarySize> {
    Ok(LibrarySize { documents: count(row, 0)?, bytes: count(row, 1)? })
}

fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get(column).map(i64::cast_unsigned)
}

fn failed(error: rusqlite::Error) -> LibraryError {
    LibraryError::Failed(format!("its file cannot be used: {error}"))
}
