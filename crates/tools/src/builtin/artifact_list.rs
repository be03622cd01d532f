//! `artifact_list`: the artifacts of this session.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    artifact::{ArtifactSummary, failed},
    artifact_store::ArtifactStore,
};
use crate::tool::{CallContext, Declaration, Tool};

/// The number of artifacts listed, newest first.
const LISTED_MAX: usize = 100;

/// Lists artifacts.
pub(super) struct ArtifactList(pub(super) ArtifactStore);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ListOutput {
    /// The artifacts, newest first.
    artifacts: Vec<ArtifactSummary>,
    /// Whether there are older ones that are not listed.
    more: bool,
}

#[async_trait]
impl Tool for ArtifactList {
    type Input = Input;
    type Output = ListOutput;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new(
            "artifact_list",
            "Lists what this session has kept beside the conversation: ids, names, kinds and sizes, newest first.",
        )
        .about(&["file", "files", "saved", "kept", "document", "documents", "report", "download"]);
        Declaration {
            effect: Effect::Pure,
            safety: Safety::Observes,
            parallel: true,
            needs_session: true,
            ..declaration
        }
    }

    async fn call(&self, _input: Input, context: &CallContext) -> Result<ListOutput, ToolFailure> {
        // One more than is shown tells whether there are more.
        let page = self.0.store().artifacts(&context.owner, Some(context.session_id), None, LISTED_MAX + 1).await;
        let mut artifacts: Vec<ArtifactSummary> =
            page.map_err(|error| failed(&error))?.artifacts.into_iter().map(ArtifactSummary::from).collect();
        let more = artifacts.len() > LISTED_MAX;
        artifacts.truncate(LISTED_MAX);
        Ok(ListOutput { artifacts, more })
    }

    /// Names of artifacts may contain untrusted text.
    fn origin(&self, output: &ListOutput) -> Option<Origin> {
        let is_trusted = output.artifacts.iter().all(|artifact| artifact.origin == Origin::Trusted);
        Some(if is_trusted { Origin::Trusted } else { Origin::Untrusted })
    }
}
