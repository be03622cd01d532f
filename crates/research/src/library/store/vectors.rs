//! Embeddings of passages, stored by the digest of title and text: equal texts share one.

use ports::LibraryError;
use rusqlite::params;
use sha2::{Digest as _, Sha256};

use super::{LibraryStore, failed};

/// Digest of a passage and its title, which together are the input of the embedding model.
pub(in super::super) type PassageDigest = [u8; 16];

/// A passage without an embedding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct UnembeddedPassage {
    pub(in super::super) digest: PassageDigest,
    pub(in super::super) title: String,
    pub(in super::super) text: String,
}

pub(in super::super) fn digest(title: &str, text: &str) -> PassageDigest {
    let whole = Sha256::new().chain_update(title).chain_update([0]).chain_update(text).finalize();
    let mut short = PassageDigest::default();
    short.copy_from_slice(&whole[..16]);
    short
}

impl LibraryStore {
    /// Drops embeddings of another model, and marks the passages that need one of this model.
    pub(super) fn settle_model(&mut self) -> Result<(), LibraryError> {
        let Some(model) = self.model.clone() else { return Ok(()) };
        let settled = self.connection.transaction().and_then(|transaction| {
            let known: String = transaction.query_row(
                "SELECT coalesce((SELECT value FROM meta WHERE name = 'model'), '')",
                [],
                |row| row.get(0),
            )?;
            if known != model {
                transaction.execute("DELETE FROM vectors WHERE model <> ?1", [&model])?;
                let waits =
                    "UPDATE passages SET waits = NOT EXISTS (SELECT 1 FROM vectors v WHERE v.digest = passages.digest)";
                transaction.execute(waits, [])?;
                transaction.execute("INSERT OR REPLACE INTO meta (name, value) VALUES ('model', ?1)", [&model])?;
            }
            transaction.commit()
        });
        settled.map_err(failed)
    }

    /// Some passages without an embedding, each text once.
    pub(in super::super) fn waiting(&self, limit: u32) -> Result<Vec<UnembeddedPassage>, LibraryError> {
        let sql = "SELECT p.digest, d.title, p.text FROM passages p JOIN documents d ON d.id = p.document
                   WHERE p.waits = 1 LIMIT ?1";
        let listed = self.connection.prepare_cached(sql).and_then(|mut statement| {
            let rows = statement.query_map([limit], |row| {
                Ok(UnembeddedPassage { digest: row.get(0)?, title: row.get(1)?, text: row.get(2)? })
            })?;
            rows.collect::<Result<Vec<_>, _>>()
        });
        let mut waiting = listed.map_err(failed)?;
        waiting.sort_unstable_by_key(|it| it.digest);
        waiting.dedup_by_key(|it| it.digest);
        Ok(waiting)
    }

    /// Stores embeddings. Empty bytes mean that there is none for this text.
    pub(in super::super) fn keep(&mut self, said: &[(PassageDigest, Vec<u8>)]) -> Result<(), LibraryError> {
        let Some(model) = self.model.clone() else { return Ok(()) };
        let kept = self.connection.transaction().and_then(|transaction| {
            for (digest, bytes) in said {
                let waits = "UPDATE passages SET waits = 0 WHERE digest = ?1";
                // The passage may have been removed meanwhile.
                if transaction.prepare_cached(waits)?.execute([digest])? > 0 {
                    let insert = "INSERT OR REPLACE INTO vectors (digest, model, bytes) VALUES (?1, ?2, ?3)";
                    transaction.prepare_cached(insert)?.execute(params![digest, model, bytes])?;
                }
            }
            transaction.commit()
        });
        kept.map_err(failed)
    }

    /// Drops embeddings of texts that no longer occur.
    pub(in super::super) fn drop_orphans(&self) -> Result<(), LibraryError> {
        let sql = "DELETE FROM vectors WHERE NOT EXISTS (SELECT 1 FROM passages p WHERE p.digest = vectors.digest)";
        self.connection.execute(sql, []).map(drop).map_err(failed)
    }
}
