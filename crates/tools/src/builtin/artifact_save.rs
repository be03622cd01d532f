//! `artifact_save`: keeps a text beside the conversation.

use std::sync::Arc;

use async_trait::async_trait;
use journal::{Artifact, Artifacts};
use protocol::{ArtifactId, ArtifactView, Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::Deserialize;

use super::artifact::{
    ARTIFACT_BYTES_MAX, SESSION_ARTIFACT_BYTES_MAX, Told, artifact_id, checked_media_type, checked_name, failed,
};
use crate::tool::{Context, Declaration, Failure, Tool};

/// Keeps artifacts.
pub(super) struct ArtifactSave(pub(super) Arc<dyn Artifacts>);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What it is called, as in `report.md`.
    name: String,
    /// The text.
    content: String,
    /// Its kind, as in `text/markdown`; `text/plain` if absent.
    #[serde(default)]
    media_type: Option<String>,
}

#[async_trait]
impl Tool for ArtifactSave {
    type Input = Input;
    type Output = Told;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new(
            "artifact_save",
            "Keeps a text under a name beside the conversation, where the user can open and download it. Use it for \
             reports, code, tables and whatever else is too long for an answer or is wanted as a file.",
        );
        Declaration { effect: Effect::Idempotent, safety: Safety::Keeps, ..declaration }
    }

    async fn call(&self, input: Input, context: &Context) -> Result<Told, Failure> {
        let name = checked_name(&input.name)?.to_owned();
        let media_type = checked_media_type(input.media_type.as_deref().unwrap_or("text/plain"))?.to_owned();
        let bytes = input.content.into_bytes();
        if bytes.len() > ARTIFACT_BYTES_MAX {
            return Err(Failure::Invalid(format!(
                "`content` has {} bytes, and an artifact has at most {ARTIFACT_BYTES_MAX}: save it in parts",
                bytes.len()
            )));
        }
        let id = artifact_id(context.session_id, &context.key);
        // The call is being run again: it counts once.
        let kept = self.0.artifact(&context.owner, id).await.map_err(|error| failed(&error))?;
        if let Some((view, _)) = kept {
            return Ok(view.into());
        }
        let size = bytes.len() as u64;
        let used = self.0.artifact_bytes(context.session_id).await.map_err(|error| failed(&error))?;
        if used.saturating_add(size) > SESSION_ARTIFACT_BYTES_MAX {
            return Err(Failure::Failed(format!(
                "the artifacts of this session would have more than {SESSION_ARTIFACT_BYTES_MAX} bytes; {} are left",
                SESSION_ARTIFACT_BYTES_MAX.saturating_sub(used)
            )));
        }
        let view = ArtifactView {
            artifact_id: id,
            session_id: context.session_id,
            turn_id: Some(context.turn_id),
            name,
            media_type,
            bytes: size,
            origin: context.origin,
            created_at: context.now,
        };
        let artifact = Artifact { view: view.clone(), owner: context.owner.clone(), bytes };
        self.0.put(artifact).await.map_err(|error| failed(&error))?;
        Ok(view.into())
    }

    fn origin(&self, output: &Told) -> Option<Origin> {
        Some(output.origin)
    }

    fn artifacts(&self, output: &Told) -> Vec<ArtifactId> {
        vec![output.artifact_id]
    }
}
