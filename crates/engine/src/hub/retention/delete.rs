//! `session.delete`: deletes a session with all of its data, from every table, index and file.
//!
//! The parts that can be requested again come first, and the session itself last: a client that was
//! cut off in between deletes it again.

use std::time::Duration;

use protocol::{DeletedSession, OwnerId, PageRequest, SessionDelete, SessionId, SessionStatus, SessionView};
use session::{Command, Refusal};

use super::erased_texts::ErasedTexts;
use crate::{
    Error,
    hub::Hub,
    live::{Mail, Removal},
};

/// Events that are read at once.
const PAGE: usize = 1_000;
/// How long the follower gets to catch up if the memories are to stay.
const PATIENCE: Duration = Duration::from_secs(2);
/// The reason why a session ends before it is deleted, as its subscribers read it.
const REASON: &str = "it is deleted";

impl Hub {
    /// Deletes a session. Its open turns are cancelled first. If requested, its memories are
    /// deleted too; otherwise they stay and record that the session is gone. A deleted session is
    /// not found, except that its remaining memories can be deleted by its id.
    pub async fn delete(&self, owner: &OwnerId, asked: SessionDelete) -> Result<DeletedSession, Error> {
        let session_id = self.find(owner, &asked.session, false).await?;
        let view = match self.view(owner, session_id).await {
            Err(Error::NoSession) if asked.memories => return self.forget_rest(owner, session_id).await,
            view => view?,
        };
        if let Some(expected) = asked.version.filter(|version| *version != view.version) {
            return Err(Refusal::VersionConflict { expected, actual: view.version }.into());
        }
        let store = &self.services().store;
        store.begin_erasing().await?;
        let mut said = ErasedTexts::begun();
        let removed = self.remove(owner, &view, &asked, &mut said).await;
        if matches!(removed, Err(Error::NoSession | Error::InUse { .. } | Error::Refused(_))) {
            // A concurrent request was faster and cleans up, or nothing was removed.
            store.end_erasing().await?;
        }
        let gone = removed?;
        self.scrub(said).await?;
        self.note_removed(owner, &gone, false);
        Ok(gone)
    }

    async fn remove(
        &self,
        owner: &OwnerId,
        view: &SessionView,
        asked: &SessionDelete,
        said: &mut ErasedTexts,
    ) -> Result<DeletedSession, Error> {
        let (session_id, memories) = (view.session_id, asked.memories);
        let mut gone = DeletedSession { session_id, events: 0, artifacts: 0, memories: 0, redacted_sessions: 0 };
        // The follower must catch up first: otherwise it would derive memories after the entries
        // are gone.
        if self.follower().behind(owner).await?.contains(&session_id) {
            self.follower().wait_for(session_id, view.last_seq, PATIENCE).await;
        }
        if memories {
            // This fails while a turn uses the memories, so it comes before the session is changed.
            self.settle_memory(owner, true, &mut gone, said).await?;
        }
        self.end_first(owner, view, asked.version).await?;
        let held = self.measure(owner, session_id, Some(said)).await?;
        (gone.events, gone.artifacts) = (held.events, held.artifacts);
        if !memories {
            self.settle_memory(owner, false, &mut gone, said).await?;
        }
        let removal = Removal::Asked;
        self.ask(session_id, |reply| Mail::Remove { owner: owner.clone(), removal, reply }).await?;
        self.follower().drop_session(session_id);
        // No new memories can come up from here on, but some may have meanwhile.
        match self.settle_memory(owner, memories, &mut gone, said).await {
            Err(Error::InUse { .. }) => {
                tracing::warn!(%owner, session = %session_id, "a turn uses memories of a deleted session; delete it again");
            }
            settled => settled?,
        }
        Ok(gone)
    }

    /// Ends a session, so that it accepts nothing new and clients that wait for a turn learn how it
    /// ended.
    async fn end_first(&self, owner: &OwnerId, view: &SessionView, version: Option<u64>) -> Result<(), Error> {
        // An ended session is not ended again.
        if view.status != SessionStatus::Active || self.is_temporary(view).await? {
            return Ok(());
        }
        let end = Command::End { reason: Some(REASON.to_owned()), version };
        self.command(owner, view.session_id, end).await?;
        if self.follower().behind(owner).await?.contains(&view.session_id) {
            let head = self.view(owner, view.session_id).await?.last_seq;
            self.follower().wait_for(view.session_id, head, PATIENCE).await;
        }
        Ok(())
    }

    /// A temporary session is removed by ending it.
    async fn is_temporary(&self, view: &SessionView) -> Result<bool, Error> {
        let first = self.page(view.session_id, 0, 1).await?;
        Ok(matches!(first.first().map(|event| &event.body), Some(protocol::Body::SessionStarted(it)) if it.temporary))
    }

    /// Deletes the memories of a session, or records in them that the session is gone.
    async fn settle_memory(
        &self,
        owner: &OwnerId,
        is_forgotten: bool,
        gone: &mut DeletedSession,
        said: &mut ErasedTexts,
    ) -> Result<(), Error> {
        let session_id = gone.session_id;
        if !is_forgotten {
            self.long_term().mark_session_deleted(owner, session_id).await?;
            return Ok(());
        }
        let going = self.long_term().forget_plan_for_session(owner, session_id).await?;
        if going.is_empty() {
            return Ok(());
        }
        let sessions = self.sessions_of(owner, &going, Some(session_id)).await?;
        let (forgotten, sought) = self.carry_out(owner, going, sessions).await?;
        gone.memories += forgotten.items.len() as u64;
        gone.redacted_sessions += forgotten.sessions.len() as u64;
        sought.into_iter().for_each(|text| said.take(text));
        Ok(())
    }

    /// Deletes the remaining memories of a deleted session.
    async fn forget_rest(&self, owner: &OwnerId, session_id: SessionId) -> Result<DeletedSession, Error> {
        if self.long_term().forget_plan_for_session(owner, session_id).await?.is_empty() {
            return Err(Error::NoSession);
        }
        self.services().store.begin_erasing().await?;
        let mut said = ErasedTexts::begun();
        let mut gone = DeletedSession { session_id, events: 0, artifacts: 0, memories: 0, redacted_sessions: 0 };
        self.settle_memory(owner, true, &mut gone, &mut said).await?;
        self.scrub(said).await?;
        tracing::info!(%owner, session = %session_id, memories = gone.memories, "deleted the remaining memories of a deleted session");
        Ok(gone)
    }

    /// The size of a session, and its texts if requested.
    pub(super) async fn measure(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
        mut said: Option<&mut ErasedTexts>,
    ) -> Result<DeletedSession, Error> {
        let mut gone = DeletedSession { session_id, events: 0, artifacts: 0, memories: 0, redacted_sessions: 0 };
        loop {
            let page = self.page(session_id, gone.events, PAGE).await?;
            let is_last = page.len() < PAGE;
            gone.events += page.len() as u64;
            if let Some(said) = &mut said {
                page.iter().for_each(|event| said.take_event(event));
            }
            if is_last {
                break;
            }
        }
        let mut cursor = None;
        loop {
            let page = self.artifacts(owner, &session_id.into(), &PageRequest { cursor, limit: None }).await?;
            gone.artifacts += page.data.len() as u64;
            if let Some(said) = &mut said {
                for view in page.data {
                    let (view, bytes) = self.artifact(owner, view.artifact_id).await?;
                    said.take(view.name);
                    said.take_bytes(&bytes);
                }
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(gone);
            }
        }
    }

    /// Makes sure that no freed page still contains the deleted texts.
    pub(super) async fn scrub(&self, said: ErasedTexts) -> Result<(), Error> {
        let store = &self.services().store;
        if !said.is_begun() {
            return Ok(());
        }
        match said.into_texts() {
            Some(texts) => {
                // Remaining occurrences belong to other owners or to kept memories.
                store.scrub(&texts).await?;
                store.end_erasing().await?;
            }
            // Rewriting the files removes everything, however much it was.
            None => drop(store.finish_erasing().await?),
        }
        Ok(())
    }

    /// Reports the removal in the log and the statistics: counts only, no text.
    pub(super) fn note_removed(&self, owner: &OwnerId, gone: &DeletedSession, is_archived: bool) {
        let DeletedSession { session_id, events, artifacts, memories, redacted_sessions } = *gone;
        let what = if is_archived { "archived a session" } else { "deleted a session" };
        tracing::info!(%owner, session = %session_id, events, artifacts, memories, redacted_sessions, "{what}");
        self.services().counters.session_removed(is_archived, gone, self.now());
    }
}
