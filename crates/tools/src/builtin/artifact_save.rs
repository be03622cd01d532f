//! `artifact_save`: stores a text as an artifact.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{ArtifactId, Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    artifact::{ArtifactSummary, checked_media_type, checked_name},
    artifact_store::{ArtifactStore, NewArtifact},
};
use crate::tool::{CallContext, Declaration, Tool};

/// Stores artifacts.
pub(super) struct ArtifactSave(pub(super) ArtifactStore);

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
    type Output = ArtifactSummary;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new(
            "artifact_save",
            "Keeps a text under a name beside the conversation, where the user can open and download it. Use it for \
             reports, code, tables and whatever else is too long for an answer or is wanted as a file.",
        )
        .about(&["save", "file", "report", "code", "table", "write", "draft", "store", "keep", "download", "document"]);
        Declaration { effect: Effect::Idempotent, safety: Safety::Keeps, ..declaration }
    }

    async fn call(&self, input: Input, context: &CallContext) -> Result<ArtifactSummary, ToolFailure> {
        let name = checked_name(&input.name)?.to_owned();
        let media_type = checked_media_type(input.media_type.as_deref().unwrap_or("text/plain"))?.to_owned();
        self.0.keep(NewArtifact { name, media_type, bytes: input.content.into_bytes() }, context).await
    }

    fn origin(&self, output: &ArtifactSummary) -> Option<Origin> {
        Some(output.origin)
    }

    fn artifacts(&self, output: &ArtifactSummary) -> Vec<ArtifactId> {
        vec![output.artifact_id]
    }
}
