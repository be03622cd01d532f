//! Tool results that are too large for the conversation: it gets their beginning and end, and an
//! artifact stores the whole.

use journal::Artifact;
use protocol::{ArtifactId, ArtifactView, Origin, OwnerId, SessionId, TurnId};
use tools::{SESSION_ARTIFACT_BYTES_MAX, ShortenLimits, shorten};

use crate::hub::Services;

/// The call that produced a result.
#[derive(Clone, Copy)]
pub(crate) struct ResultSource<'a> {
    pub(crate) session_id: SessionId,
    pub(crate) turn_id: TurnId,
    pub(crate) owner: &'a OwnerId,
    pub(crate) tool: &'a str,
}

/// The text for the conversation, and the artifact with the whole result if the text is shortened.
pub(crate) async fn keep(
    services: &Services,
    maker: ResultSource<'_>,
    text: String,
    origin: Origin,
) -> (String, Option<ArtifactId>) {
    let ResultSource { session_id, turn_id, owner, tool } = maker;
    let lengths = ShortenLimits::default();
    if text.len() <= lengths.whole_bytes_max {
        return (text, None);
    }
    // The artifacts of a session and of an owner are limited. Beyond the limit only beginning and
    // end are kept.
    let size = text.len() as u64;
    let in_session = services.store.artifact_bytes(session_id).await.unwrap_or(0);
    let in_all = services.store.owner_artifact_bytes(owner).await.unwrap_or(0);
    let owner_max = services.options.owner_artifact_bytes_max;
    if in_session.saturating_add(size) > SESSION_ARTIFACT_BYTES_MAX || in_all.saturating_add(size) > owner_max {
        return (shorten(&text, lengths, None).text, None);
    }
    let artifact_id = ArtifactId::new(services.world.ulid());
    let view = ArtifactView {
        artifact_id,
        session_id,
        turn_id: Some(turn_id),
        name: format!("{tool}.txt"),
        media_type: "text/plain".to_owned(),
        bytes: size,
        origin,
        created_at: services.world.now(),
    };
    let artifact = Artifact { view, owner: owner.clone(), bytes: text.clone().into_bytes() };
    match services.store.put(artifact).await {
        Ok(()) => (shorten(&text, lengths, Some(artifact_id)).text, Some(artifact_id)),
        Err(error) => {
            tracing::warn!(%error, "failed to keep a large result");
            (shorten(&text, lengths, None).text, None)
        }
    }
}
