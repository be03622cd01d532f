//! Artifacts: files that turns have stored, for their owner only.

use journal::ArtifactCursor;
use protocol::{ArtifactId, ArtifactPage, ArtifactView, OwnerId, PageRequest, SessionId, SessionRef, Timestamp};

use super::Hub;
use crate::Error;

/// Default and maximum number of artifacts on a page.
const LIST_DEFAULT: u32 = 50;
const LIST_MAX: u32 = 200;

impl Hub {
    /// An artifact with its bytes.
    pub async fn artifact(&self, owner: &OwnerId, id: ArtifactId) -> Result<(ArtifactView, Vec<u8>), Error> {
        self.services().store.artifact(owner, id).await?.ok_or(Error::NoArtifact)
    }

    /// The artifacts of a session, newest first.
    pub async fn artifacts(
        &self,
        owner: &OwnerId,
        session: &SessionRef,
        list: &PageRequest,
    ) -> Result<ArtifactPage, Error> {
        let session_id = self.session(owner, session).await?.session_id;
        self.artifact_page(owner, Some(session_id), list).await
    }

    /// All artifacts of an owner, newest first.
    pub async fn all_artifacts(&self, owner: &OwnerId, list: &PageRequest) -> Result<ArtifactPage, Error> {
        self.artifact_page(owner, None, list).await
    }

    /// Removes an artifact. The text about it stays in the conversation.
    pub async fn remove_artifact(&self, owner: &OwnerId, id: ArtifactId) -> Result<(), Error> {
        let was_there = self.services().store.remove_artifact(owner, id).await?;
        was_there.then_some(()).ok_or(Error::NoArtifact)
    }

    async fn artifact_page(
        &self,
        owner: &OwnerId,
        session_id: Option<SessionId>,
        list: &PageRequest,
    ) -> Result<ArtifactPage, Error> {
        let cursor = list.cursor.as_deref().map(read_cursor).transpose()?;
        let limit = list.limit.unwrap_or(LIST_DEFAULT).clamp(1, LIST_MAX) as usize;
        let page = self.services().store.artifacts(owner, session_id, cursor, limit).await?;
        let next_cursor = page.next.map(|next| format!("{}.{}", next.created_at.as_millis(), next.artifact_id));
        Ok(ArtifactPage { data: page.artifacts, next_cursor })
    }
}

fn read_cursor(text: &str) -> Result<ArtifactCursor, Error> {
    let parts = text.split_once('.').and_then(|(at, id)| Some((at.parse().ok()?, id.parse().ok()?)));
    let (at, artifact_id) = parts.ok_or_else(|| Error::Invalid("the cursor is invalid".to_owned()))?;
    Ok(ArtifactCursor { created_at: Timestamp::from_millis(at), artifact_id })
}
