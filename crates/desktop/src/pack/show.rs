//! `artifact_show`: shows an artifact in a window.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{ArtifactId, Origin, ShownArtifact, WindowContent, WindowId, beginning};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{ArtifactStore, CallContext, Declaration, Tool};

use super::{TITLE_CHARS_MAX, acts, bounds::RequestedBounds, naming, open::open, title};

/// The tool `artifact_show`.
pub(super) struct ArtifactShow(pub(super) ArtifactStore);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ShowInput {
    /// Which one, by its id.
    #[serde(default)]
    artifact_id: Option<String>,
    /// Which one, by its name in this session; the newest if several have it.
    #[serde(default)]
    name: Option<String>,
    /// The window's title; the artifact's name if absent.
    #[serde(default)]
    title: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShowOutput {
    /// The window's name.
    window_id: WindowId,
    /// What it shows.
    artifact_id: ArtifactId,
}

#[async_trait]
impl Tool for ArtifactShow {
    type Input = ShowInput;
    type Output = ShowOutput;

    fn declaration(&self) -> Declaration {
        acts(
            "artifact_show",
            "Opens a window on the user's desktop that shows something kept beside the conversation, such as a report, a table or a \
             plot, by id or by name.",
        )
        .about(&["window", "open", "display", "file", "report", "picture", "desktop"])
    }

    async fn call(&self, input: ShowInput, context: &CallContext) -> Result<ShowOutput, ToolFailure> {
        let (view, _) = self.0.find(context, input.artifact_id.as_deref(), input.name.as_deref()).await?;
        let above = match &input.title {
            Some(given) => title(given)?,
            None => beginning(&view.name, TITLE_CHARS_MAX),
        };
        let window_id = naming::window(&above, context.session_id, &context.key)
            .ok_or_else(|| ToolFailure::Invalid("`title`: no name for a window can be made from it".to_owned()))?;
        let artifact_id = view.artifact_id;
        let content =
            WindowContent::Artifact(ShownArtifact { artifact_id, name: view.name, media_type: view.media_type });
        // If the artifact is untrusted, so is the window, regardless of who asks for it.
        let is_trusted = view.origin == Origin::Trusted && context.origin == Origin::Trusted;
        let origin = if is_trusted { Origin::Trusted } else { Origin::Untrusted };
        open(context, &window_id, above, content, RequestedBounds::default(), origin).await?;
        Ok(ShowOutput { window_id, artifact_id })
    }
}
