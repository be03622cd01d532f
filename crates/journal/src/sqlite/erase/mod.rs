//! Redaction of text in the file, and the check that no byte of it is left.

pub(super) mod maintenance;
mod residue;
pub(super) mod statements;

use std::sync::Arc;

use async_trait::async_trait;
use maintenance::Maintenance;
use protocol::{OwnerId, SessionId};
pub(super) use residue::Residue;

use super::{Sqlite, writer::Job};
use crate::{
    Eraser, Error, Lease, RedactedEvent, SessionSummary,
    needles::{PieceMatcher, TextMatcher},
};

#[async_trait]
impl Eraser for Sqlite {
    async fn sessions_with(&self, owner: &OwnerId, texts: &[String]) -> Result<Vec<SessionId>, Error> {
        let (owner, texts) = (owner.clone(), TextMatcher::in_json(texts)?);
        let find = move |connection: &_| statements::sessions_with(connection, &owner, &texts);
        self.readers.query("search the sessions", find).await
    }

    async fn redact(
        &self,
        lease: Lease,
        redactions: Vec<RedactedEvent>,
        summary: Option<Box<SessionSummary>>,
    ) -> Result<(), Error> {
        self.ask(|reply| Job::Redact { lease, redactions, summary, reply }).await
    }

    async fn remove_artifacts_with(&self, owner: &OwnerId, texts: &[String]) -> Result<u64, Error> {
        let (of, plain, in_json) = (owner.clone(), TextMatcher::anywhere(texts)?, TextMatcher::in_json(texts)?);
        // Artifacts never change, so they can be read while others write.
        let find = move |connection: &_| statements::artifacts_with(connection, &of, &plain, &in_json);
        let ids = self.readers.query("search the artifacts", find).await?;
        if ids.is_empty() {
            return Ok(0);
        }
        let owner = owner.clone();
        self.ask(|reply| Job::RemoveArtifacts { owner, ids, reply }).await
    }

    async fn scrub(&self, texts: &[String]) -> Result<Vec<String>, Error> {
        self.ask(|reply| Job::Upkeep { task: Maintenance::Fold, reply }).await?;
        let (pieces, texts) = (Arc::new(PieceMatcher::new(texts)?), Arc::new(texts.to_vec()));
        if pieces.is_empty() {
            return Ok(Vec::new());
        }
        let (found, is_stale) = self.look(&pieces, &texts).await?;
        if !is_stale {
            return Ok(found);
        }
        // Pages that were split or merged keep copies of rows in their slack, which only a rewrite
        // removes.
        self.ask(|reply| Job::Upkeep { task: Maintenance::Rebuild, reply }).await?;
        let (found, is_stale) = self.look(&pieces, &texts).await?;
        if is_stale {
            tracing::warn!("erased text is still in the journal's files, because another process reads them");
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
        let unfinished = self.readers.query("find unfinished erasures", statements::unfinished_erasures).await?;
        if unfinished == 0 {
            return Ok(false);
        }
        self.ask(|reply| Job::Upkeep { task: Maintenance::Rebuild, reply }).await?;
        self.ask(|reply| Job::NoteErasing { by: -unfinished, reply }).await?;
        Ok(true)
    }
}

impl Sqlite {
    /// The texts of which a piece is in the files, and whether a piece is outside of all rows.
    async fn look(&self, pieces: &Arc<PieceMatcher>, texts: &Arc<Vec<String>>) -> Result<(Vec<String>, bool), Error> {
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
        self.readers.query("search the file", look).await
    }
}
