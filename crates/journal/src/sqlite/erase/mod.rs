//! Striking words out of the file, and making sure that no byte of them is left in it.

mod needles;
mod residue;
pub(super) mod statements;
pub(super) mod upkeep;

use std::sync::Arc;

use async_trait::async_trait;
use needles::{Pieces, Texts};
use protocol::{OwnerId, SessionId};
pub(super) use residue::Residue;
use upkeep::Upkeep;

use super::{Sqlite, writer::Job};
use crate::{Eraser, Error, Lease, Strike, Summary};

#[async_trait]
impl Eraser for Sqlite {
    async fn sessions_with(&self, owner: &OwnerId, texts: &[String]) -> Result<Vec<SessionId>, Error> {
        let (owner, texts) = (owner.clone(), Texts::in_json(texts)?);
        let find = move |connection: &_| statements::sessions_with(connection, &owner, &texts);
        self.readers.query("look for words in sessions", find).await
    }

    async fn strike(&self, lease: Lease, strikes: Vec<Strike>, summary: Option<Box<Summary>>) -> Result<(), Error> {
        self.ask(|reply| Job::Strike { lease, strikes, summary, reply }).await
    }

    async fn remove_artifacts_with(&self, owner: &OwnerId, texts: &[String]) -> Result<u64, Error> {
        let (of, plain, in_json) = (owner.clone(), Texts::anywhere(texts)?, Texts::in_json(texts)?);
        // Artifacts never change, so they can be looked at while others write.
        let find = move |connection: &_| statements::artifacts_with(connection, &of, &plain, &in_json);
        let ids = self.readers.query("look for words in artifacts", find).await?;
        if ids.is_empty() {
            return Ok(0);
        }
        let owner = owner.clone();
        self.ask(|reply| Job::RemoveArtifacts { owner, ids, reply }).await
    }

    async fn scrub(&self, texts: &[String]) -> Result<Vec<String>, Error> {
        self.ask(|reply| Job::Upkeep { task: Upkeep::Fold, reply }).await?;
        let (pieces, texts) = (Arc::new(Pieces::new(texts)?), Arc::new(texts.to_vec()));
        if pieces.is_empty() {
            return Ok(Vec::new());
        }
        let (found, is_stale) = self.look(&pieces, &texts).await?;
        if !is_stale {
            return Ok(found);
        }
        // Pages that were split or joined keep copies of rows in their slack, which only writing them anew takes away.
        self.ask(|reply| Job::Upkeep { task: Upkeep::Rebuild, reply }).await?;
        let (found, is_stale) = self.look(&pieces, &texts).await?;
        if is_stale {
            tracing::warn!(
                "words that were to be forgotten are still in the journal's files; somebody else reads them"
            );
        }
        Ok(found)
    }

    async fn begin_erasing(&self) -> Result<(), Error> {
        self.ask(|reply| Job::NoteErasing { by: 1, reply }).await
    }

    async fn end_erasing(&self) -> Result<(), Error> {
        self.ask(|reply| Job::NoteErasing { by: -1, reply }).await
    }

    async fn finish_erasing(&self) -> Result<bool, Error> {
        let unfinished = self.readers.query("look for what was erased", statements::unfinished_erasures).await?;
        if unfinished == 0 {
            return Ok(false);
        }
        self.ask(|reply| Job::Upkeep { task: Upkeep::Rebuild, reply }).await?;
        self.ask(|reply| Job::NoteErasing { by: -unfinished, reply }).await?;
        Ok(true)
    }
}

impl Sqlite {
    /// The texts of which something is in the files, and whether some of that is in no row.
    async fn look(&self, pieces: &Arc<Pieces>, texts: &Arc<Vec<String>>) -> Result<(Vec<String>, bool), Error> {
        let (residue, pieces, texts) = (self.residue.clone(), pieces.clone(), texts.clone());
        let look = move |connection: &_| {
            let mut search = pieces.search();
            if let Err(error) = residue.look_through(&mut search) {
                return Ok(Err(error));
            }
            let found = search.texts_in(&texts);
            if search.found_nothing() {
                return Ok(Ok((found, false)));
            }
            let mut in_rows = pieces.search();
            statements::look_in_rows(connection, &mut in_rows)?;
            Ok(Ok((found, !in_rows.found_all_of(&search))))
        };
        self.readers.query("look for words in the file", look).await
    }
}
