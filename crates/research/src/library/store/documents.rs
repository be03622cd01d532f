//! SQL statements about documents and their passages.

use std::collections::HashMap;

use ports::LibraryError;
use protocol::FolderId;
use rusqlite::{Connection, params};

use super::{
    super::passage_location::{DocumentNo, PassageLocation},
    LibraryStore, PassageDigest, digest, failed,
};

/// The known state of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct KnownFile {
    pub(in super::super) document: DocumentNo,
    pub(in super::super) size: i64,
    pub(in super::super) written_ns: i64,
    pub(in super::super) digest: Option<[u8; 32]>,
    pub(in super::super) trouble: Option<String>,
}

/// A document to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct NewDocument {
    pub(in super::super) path: String,
    pub(in super::super) size: i64,
    pub(in super::super) written_ns: i64,
    pub(in super::super) digest: Option<[u8; 32]>,
    pub(in super::super) title: String,
    pub(in super::super) published: Option<String>,
    pub(in super::super) trouble: Option<String>,
    pub(in super::super) passages: Vec<String>,
}

/// A stored document, for an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct StoredDocument {
    pub(in super::super) document: DocumentNo,
    pub(in super::super) folder: FolderId,
    pub(in super::super) path: String,
    pub(in super::super) title: String,
    pub(in super::super) published: Option<String>,
    /// The passages, each with its embedding if there is one.
    pub(in super::super) passages: Vec<(String, Option<Vec<u8>>)>,
}

impl LibraryStore {
    /// The known files of a folder, by path.
    pub(in super::super) fn known(&self, folder: FolderId) -> Result<HashMap<String, KnownFile>, LibraryError> {
        let sql = "SELECT path, id, size, mtime_ns, digest, trouble FROM documents WHERE folder = ?1";
        let listed = self.connection.prepare_cached(sql).and_then(|mut statement| {
            let rows = statement.query_map([folder.to_bytes()], |row| {
                let known = KnownFile {
                    document: row.get(1)?,
                    size: row.get(2)?,
                    written_ns: row.get(3)?,
                    digest: row.get(4)?,
                    trouble: row.get(5)?,
                };
                Ok((row.get(0)?, known))
            })?;
            rows.collect()
        });
        listed.map_err(failed)
    }

    /// Stores a document, replaces the earlier version of the file, and returns it for the indexes.
    pub(in super::super) fn put(
        &mut self,
        folder: FolderId,
        mut put: NewDocument,
    ) -> Result<StoredDocument, LibraryError> {
        let model = self.model.clone();
        let passages = std::mem::take(&mut put.passages);
        let count = i64::try_from(passages.len()).unwrap_or(i64::MAX);
        let written = self.connection.transaction().and_then(|transaction| {
            let document = put_row(&transaction, folder, &put, count)?;
            transaction.execute("DELETE FROM passages WHERE document = ?1", [document])?;
            let passages = put_passages(&transaction, document, &put.title, passages, model.as_deref())?;
            transaction.commit()?;
            Ok((document, passages))
        });
        let (document, passages) = written.map_err(failed)?;
        Ok(StoredDocument { document, folder, path: put.path, title: put.title, published: put.published, passages })
    }

    /// Updates size and time of a file whose bytes have not changed.
    pub(in super::super) fn touch(&self, document: DocumentNo, size: i64, written_ns: i64) -> Result<(), LibraryError> {
        let sql = "UPDATE documents SET size = ?2, mtime_ns = ?3 WHERE id = ?1";
        self.connection.execute(sql, params![document, size, written_ns]).map(drop).map_err(failed)
    }

    /// Removes documents with their passages.
    pub(in super::super) fn remove(&mut self, documents: &[DocumentNo]) -> Result<(), LibraryError> {
        let removed = self.connection.transaction().and_then(|transaction| {
            for document in documents {
                transaction.prepare_cached("DELETE FROM passages WHERE document = ?1")?.execute([document])?;
                transaction.prepare_cached("DELETE FROM documents WHERE id = ?1")?.execute([document])?;
            }
            transaction.commit()
        });
        removed.map_err(failed)
    }

    /// Visits all readable documents of a folder.
    pub(in super::super) fn each(
        &self,
        folder: FolderId,
        mut take: impl FnMut(StoredDocument),
    ) -> Result<(), LibraryError> {
        let sql = "SELECT d.id, d.path, d.title, d.published, p.ordinal, p.text, v.bytes FROM documents d
                   LEFT JOIN passages p ON p.document = d.id LEFT JOIN vectors v ON v.digest = p.digest AND v.model = ?2
                   WHERE d.folder = ?1 AND d.trouble IS NULL ORDER BY d.id, p.ordinal";
        let gone_through = self.connection.prepare_cached(sql).and_then(|mut statement| {
            let mut rows = statement.query(params![folder.to_bytes(), self.model.as_deref().unwrap_or_default()])?;
            let mut filed: Option<StoredDocument> = None;
            while let Some(row) = rows.next()? {
                let document: DocumentNo = row.get(0)?;
                if filed.as_ref().is_none_or(|filed| filed.document != document) {
                    let (path, title, published) = (row.get(1)?, row.get(2)?, row.get(3)?);
                    let next = StoredDocument { document, folder, path, title, published, passages: Vec::new() };
                    filed.replace(next).into_iter().for_each(&mut take);
                }
                if let (Some(filed), Some(text)) = (&mut filed, row.get(5)?) {
                    filed.passages.push((text, row.get(6)?));
                }
            }
            filed.into_iter().for_each(&mut take);
            Ok(())
        });
        gone_through.map_err(failed)
    }

    /// Locations of the passages with this digest.
    pub(in super::super) fn passage_locations(
        &self,
        digest: PassageDigest,
    ) -> Result<Vec<PassageLocation>, LibraryError> {
        let sql = "SELECT document, ordinal FROM passages WHERE digest = ?1";
        let listed = self.connection.prepare_cached(sql).and_then(|mut statement| {
            let rows = statement
                .query_map([digest], |row| Ok(PassageLocation { document: row.get(0)?, ordinal: row.get(1)? }))?;
            rows.collect()
        });
        listed.map_err(failed)
    }
}

fn put_row(connection: &Connection, folder: FolderId, put: &NewDocument, count: i64) -> rusqlite::Result<DocumentNo> {
    let sql = "INSERT INTO documents (folder, path, size, mtime_ns, digest, title, published, trouble, passages)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
               ON CONFLICT (folder, path) DO UPDATE SET size = ?3, mtime_ns = ?4, digest = ?5, title = ?6, published = ?7,
               trouble = ?8, passages = ?9 RETURNING id";
    let NewDocument { path, size, written_ns, digest, title, published, trouble, .. } = put;
    let with = params![folder.to_bytes(), path, size, written_ns, digest, title, published, trouble, count];
    connection.prepare_cached(sql)?.query_row(with, |row| row.get(0))
}

/// Stores the passages, and returns them with the embeddings of equal texts that are known.
fn put_passages(
    connection: &Connection,
    document: DocumentNo,
    title: &str,
    passages: Vec<String>,
    model: Option<&str>,
) -> rusqlite::Result<Vec<(String, Option<Vec<u8>>)>> {
    let mut known = connection.prepare_cached("SELECT bytes FROM vectors WHERE digest = ?1 AND model = ?2")?;
    let mut insert = connection
        .prepare_cached("INSERT INTO passages (document, ordinal, digest, text, waits) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    let mut put = Vec::with_capacity(passages.len());
    for (ordinal, text) in (0_u32..).zip(passages) {
        let digest = digest(title, &text);
        let mut rows = known.query(params![digest, model.unwrap_or_default()])?;
        let vector: Option<Vec<u8>> = rows.next()?.map(|row| row.get(0)).transpose()?;
        insert.execute(params![document, ordinal, digest, text, vector.is_none()])?;
        put.push((text, vector));
    }
    Ok(put)
}
