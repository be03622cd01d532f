//! `artifact_list`: what this session has kept beside the conversation.

use async_trait::async_trait;
use protocol::{Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    artifact::{Told, failed},
    cabinet::Cabinet,
};
use crate::tool::{Context, Declaration, Failure, Tool};

/// How many are listed, newest first.
const LISTED_MAX: usize = 100;

/// Lists artifacts.
pub(super) struct ArtifactList(pub(super) Cabinet);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Listed {
    /// The artifacts, newest first.
    artifacts: Vec<Told>,
    /// Whether there are older ones that are not listed.
    more: bool,
}

#[async_trait]
impl Tool for ArtifactList {
    type Input = Input;
    type Output = Listed;

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

    async fn call(&self, _input: Input, context: &Context) -> Result<Listed, Failure> {
        // One more than is shown tells whether there are more.
        let page = self.0.store().artifacts(&context.owner, Some(context.session_id), None, LISTED_MAX + 1).await;
        let mut artifacts: Vec<Told> =
            page.map_err(|error| failed(&error))?.artifacts.into_iter().map(Told::from).collect();
        let more = artifacts.len() > LISTED_MAX;
        artifacts.truncate(LISTED_MAX);
        Ok(Listed { artifacts, more })
    }

    /// Names are words too.
    fn origin(&self, output: &Listed) -> Option<Origin> {
        let is_trusted = output.artifacts.iter().all(|artifact| artifact.origin == Origin::Trusted);
        Some(if is_trusted { Origin::Trusted } else { Origin::Untrusted })
    }
}
