//! `session.delete`: a session goes with all that was said in it, from every table, index and byte.
//!
//! What can be asked for again comes first, and the session itself last: whoever is cut off in between deletes it again.

use std::time::Duration;

use protocol::{Delete, Deleted, List, OwnerId, SessionId, SessionStatus, SessionView};
use session::{Command, Refusal};

use super::said::Said;
use crate::{
    Error,
    hub::Hub,
    live::{Mail, Removal},
};

/// Events that are read at once.
const PAGE: usize = 1_000;
/// How long memory gets to take in what was said last, where it is to stay.
const PATIENCE: Duration = Duration::from_secs(2);
/// Why a session ends before it is deleted, as its followers read it.
const REASON: &str = "it is deleted";

impl Hub {
    /// Deletes a session. What is under way in it is cancelled first. What memory made of it goes as well if that is asked
    /// for, and else stays and says that the session is gone. A session that is gone is not found; but if some of its
    /// memories are left, by its id these can be asked for.
    pub async fn delete(&self, owner: &OwnerId, asked: Delete) -> Result<Deleted, Error> {
        let session_id = self.find(owner, &asked.session, false).await?;
        let view = match self.view(owner, session_id).await {
            Err(Error::NoSession) if asked.memories => return self.forget_rest(owner, session_id).await,
            view => view?,
        };
        if let Some(expected) = asked.version.filter(|version| *version != view.version) {
            return Err(Refusal::VersionConflict { expected, actual: view.version }.into());
        }
        let store = &self.house().store;
        store.begin_erasing().await?;
        let mut said = Said::begun();
        let removed = self.remove(owner, &view, &asked, &mut said).await;
        if matches!(removed, Err(Error::NoSession | Error::InUse { .. } | Error::Refused(_))) {
            // Somebody else was faster, and cleans up; or nothing was removed.
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
        asked: &Delete,
        said: &mut Said,
    ) -> Result<Deleted, Error> {
        let (session_id, memories) = (view.session_id, asked.memories);
        let mut gone = Deleted { session_id, events: 0, artifacts: 0, memories: 0, redacted_sessions: 0 };
        // What memory has not read yet it would otherwise make something of after its entries are gone.
        if self.follower().behind(owner).await?.contains(&session_id) {
            self.follower().wait_for(session_id, view.last_seq, PATIENCE).await;
        }
        if memories {
            // It is refused while a turn uses them: so it comes before the session is touched.
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
        // Nothing more can be made of it from here on; but something may have been meanwhile.
        match self.settle_memory(owner, memories, &mut gone, said).await {
            Err(Error::InUse { .. }) => {
                tracing::warn!(%owner, session = %session_id, "a turn uses memories of a deleted session; delete it again");
            }
            settled => settled?,
        }
        Ok(gone)
    }

    /// Ends a session, so that nothing new is said in it and whoever waits for a turn hears how that ended.
    async fn end_first(&self, owner: &OwnerId, view: &SessionView, version: Option<u64>) -> Result<(), Error> {
        // One that was ended is not ended again.
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

    /// Takes away what memory has of a session, or notes that the session is gone.
    async fn settle_memory(
        &self,
        owner: &OwnerId,
        is_forgotten: bool,
        gone: &mut Deleted,
        said: &mut Said,
    ) -> Result<(), Error> {
        let session_id = gone.session_id;
        if !is_forgotten {
            self.room().mark_session_deleted(owner, session_id).await?;
            return Ok(());
        }
        let going = self.room().going_with_session(owner, session_id).await?;
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

    /// Forgets what is left in memory of a session that is gone.
    async fn forget_rest(&self, owner: &OwnerId, session_id: SessionId) -> Result<Deleted, Error> {
        if self.room().going_with_session(owner, session_id).await?.is_empty() {
            return Err(Error::NoSession);
        }
        self.house().store.begin_erasing().await?;
        let mut said = Said::begun();
        let mut gone = Deleted { session_id, events: 0, artifacts: 0, memories: 0, redacted_sessions: 0 };
        self.settle_memory(owner, true, &mut gone, &mut said).await?;
        self.scrub(said).await?;
        tracing::info!(%owner, session = %session_id, memories = gone.memories, "forgot what was left of a deleted session");
        Ok(gone)
    }

    /// How much a session holds, and its words where they are wanted.
    pub(super) async fn measure(
        &self,
        owner: &OwnerId,
        session_id: SessionId,
        mut said: Option<&mut Said>,
    ) -> Result<Deleted, Error> {
        let mut gone = Deleted { session_id, events: 0, artifacts: 0, memories: 0, redacted_sessions: 0 };
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
            let page = self.artifacts(owner, &session_id.into(), &List { cursor, limit: None }).await?;
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

    /// Makes sure that no byte of what was said is left in what was freed.
    pub(super) async fn scrub(&self, said: Said) -> Result<(), Error> {
        let store = &self.house().store;
        if !said.is_begun() {
            return Ok(());
        }
        match said.into_texts() {
            Some(texts) => {
                // What is still there stands in what others said, or in what memory keeps.
                store.scrub(&texts).await?;
                store.end_erasing().await?;
            }
            // Writing the files anew takes everything away, however much it was.
            None => drop(store.finish_erasing().await?),
        }
        Ok(())
    }

    /// Says what is gone, in the log and in the statistics: counts, and no words.
    pub(super) fn note_removed(&self, owner: &OwnerId, gone: &Deleted, is_archived: bool) {
        let Deleted { session_id, events, artifacts, memories, redacted_sessions } = *gone;
        let what = if is_archived { "archived a session" } else { "deleted a session" };
        tracing::info!(%owner, session = %session_id, events, artifacts, memories, redacted_sessions, "{what}");
        self.house().counters.session_removed(is_archived, gone, self.now());
    }
}
