//! Answers of tools that are too large for the conversation: its ends stay there, the whole of it is kept beside.

use journal::Artifact;
use protocol::{ArtifactId, ArtifactView, Origin, OwnerId, SessionId, TurnId};
use tools::{Lengths, SESSION_ARTIFACT_BYTES_MAX, shorten};

use crate::hub::House;

/// Who has made an answer.
#[derive(Clone, Copy)]
pub(crate) struct Maker<'a> {
    pub(crate) session_id: SessionId,
    pub(crate) turn_id: TurnId,
    pub(crate) owner: &'a OwnerId,
    pub(crate) tool: &'a str,
}

/// What is told of an answer, and the artifact that holds all of it if that is more.
pub(crate) async fn keep(
    house: &House,
    maker: Maker<'_>,
    text: String,
    origin: Origin,
) -> (String, Option<ArtifactId>) {
    let Maker { session_id, turn_id, owner, tool } = maker;
    let lengths = Lengths::default();
    if text.len() <= lengths.whole_bytes_max {
        return (text, None);
    }
    // A session has so much room for all it keeps, and so has an owner; past it, beginning and end have to do.
    let size = text.len() as u64;
    let in_session = house.store.artifact_bytes(session_id).await.unwrap_or(0);
    let in_all = house.store.owner_artifact_bytes(owner).await.unwrap_or(0);
    let owner_max = house.options.owner_artifact_bytes_max;
    if in_session.saturating_add(size) > SESSION_ARTIFACT_BYTES_MAX || in_all.saturating_add(size) > owner_max {
        return (shorten(&text, lengths, None).text, None);
    }
    let artifact_id = ArtifactId::new(house.world.ulid());
    let view = ArtifactView {
        artifact_id,
        session_id,
        turn_id: Some(turn_id),
        name: format!("{tool}.txt"),
        media_type: "text/plain".to_owned(),
        bytes: size,
        origin,
        created_at: house.world.now(),
    };
    let artifact = Artifact { view, owner: owner.clone(), bytes: text.clone().into_bytes() };
    match house.store.put(artifact).await {
        Ok(()) => (shorten(&text, lengths, Some(artifact_id)).text, Some(artifact_id)),
        Err(error) => {
            tracing::warn!(%error, "failed to keep a large result");
            (shorten(&text, lengths, None).text, None)
        }
    }
}
