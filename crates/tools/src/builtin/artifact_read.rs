//! `artifact_read`: reads a page of an artifact.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{artifact::ArtifactSummary, artifact_store::ArtifactStore};
use crate::tool::{CallContext, Declaration, Tool};

/// The largest page of one call.
pub const READ_BYTES_MAX: usize = 16 * 1024;

/// Reads artifacts.
pub(super) struct ArtifactRead(pub(super) ArtifactStore);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Which one, by its id.
    #[serde(default)]
    artifact_id: Option<String>,
    /// Which one, by its name in this session; the newest if several have it.
    #[serde(default)]
    name: Option<String>,
    /// The byte to start at; 0 if absent. `next_offset` of the page before goes on where that
    /// ended.
    #[serde(default)]
    offset: Option<u64>,
    /// How many bytes to read at most, up to 16384.
    #[serde(default)]
    limit: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ReadOutput {
    /// The artifact.
    #[serde(flatten)]
    artifact: ArtifactSummary,
    /// Where this page starts.
    offset: usize,
    /// The text from there.
    text: String,
    /// Where the next page starts; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

#[async_trait]
impl Tool for ArtifactRead {
    type Input = Input;
    type Output = ReadOutput;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new(
            "artifact_read",
            "Reads a page of a text that was kept beside the conversation, by id or by name. Use it when a result says that \
             an artifact has the full text, or when the user mentions something saved.",
        )
        .core();
        Declaration {
            effect: Effect::Pure,
            safety: Safety::Observes,
            parallel: true,
            needs_session: true,
            ..declaration
        }
    }

    async fn call(&self, input: Input, context: &CallContext) -> Result<ReadOutput, ToolFailure> {
        let found = self.0.find(context, input.artifact_id.as_deref(), input.name.as_deref()).await;
        let (view, bytes) = found?;
        let Ok(text) = std::str::from_utf8(&bytes) else {
            let kind = format!("`{}` is not text but {} of {} bytes", view.name, view.media_type, view.bytes);
            return Err(ToolFailure::Failed(kind));
        };
        let start = usize::try_from(input.offset.unwrap_or(0)).unwrap_or(usize::MAX);
        if start > text.len() {
            return Err(ToolFailure::Invalid(format!(
                "`offset` is {start}, and the artifact has {} bytes",
                text.len()
            )));
        }
        let limit = input.limit.map_or(READ_BYTES_MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let (offset, end) = page(text, start, limit);
        let next_offset = (end < text.len()).then_some(end);
        Ok(ReadOutput { artifact: view.into(), offset, text: text[offset..end].to_owned(), next_offset })
    }

    fn origin(&self, output: &ReadOutput) -> Option<Origin> {
        Some(output.artifact.origin)
    }
}

/// The byte range of a page: whole characters, and at least one if there is any.
fn page(text: &str, start: usize, limit: usize) -> (usize, usize) {
    let start = text.floor_char_boundary(start);
    let limit = limit.clamp(1, READ_BYTES_MAX);
    let end = text.floor_char_boundary(start.saturating_add(limit).min(text.len()));
    (start, if end > start { end } else { text.ceil_char_boundary((start + 1).min(text.len())) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pages_together_are_the_text(text in "(\\PC|ä|🦉){0,40}", limit in 0usize..20) {
            let (mut read, mut at) = (String::new(), 0);
            while at < text.len() {
                let (start, end) = page(&text, at, limit);
                prop_assert!(start == at && end > start);
                read.push_str(&text[start..end]);
                at = end;
            }
            prop_assert_eq!(read, text);
        }

        #[test]
        fn any_offset_gives_whole_characters(text in "(\\PC|ä|🦉){0,40}", at in 0usize..200) {
            let (start, end) = page(&text, at.min(text.len()), 7);
            prop_assert!(text.get(start..end).is_some());
        }
    }
}
