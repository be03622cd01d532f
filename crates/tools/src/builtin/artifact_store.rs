//! The artifact store of the tools, with its quotas.

use std::sync::Arc;

use journal::{Artifact, Artifacts};
use ports::ToolFailure;
use protocol::{ArtifactId, ArtifactView};

use super::artifact::{
    ARTIFACT_BYTES_MAX, ArtifactSummary, SESSION_ARTIFACT_BYTES_MAX, artifact_id, checked_name, failed,
};
use crate::tool::CallContext;

/// The default total size of an owner's artifacts.
pub const OWNER_ARTIFACT_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// The number of artifacts of a session or an owner that are searched for a name or for the
/// largest.
const LOOKED_AT_MAX: usize = 1_000;
/// The number of large artifacts that the quota error names.
const NAMED_MAX: usize = 3;

/// Stores the artifacts of tools, within the quotas. Cheap to clone.
#[derive(Clone)]
pub struct ArtifactStore {
    store: Arc<dyn Artifacts>,
    owner_bytes_max: u64,
}

/// A new artifact whose name and media type are checked.
pub(super) struct NewArtifact {
    pub(super) name: String,
    pub(super) media_type: String,
    pub(super) bytes: Vec<u8>,
}

impl<S: Artifacts> From<Arc<S>> for ArtifactStore {
    fn from(store: Arc<S>) -> Self {
        Self::new(store, OWNER_ARTIFACT_BYTES_MAX)
    }
}

impl ArtifactStore {
    /// Wraps a store, with a quota in bytes for each owner.
    pub fn new(store: Arc<dyn Artifacts>, owner_bytes_max: u64) -> Self {
        Self { store, owner_bytes_max }
    }

    pub(super) fn store(&self) -> &Arc<dyn Artifacts> {
        &self.store
    }

    /// Stores the artifact of a call, once however often the call is run.
    pub(super) async fn keep(&self, made: NewArtifact, context: &CallContext) -> Result<ArtifactSummary, ToolFailure> {
        let NewArtifact { name, media_type, bytes } = made;
        if bytes.len() > ARTIFACT_BYTES_MAX {
            return Err(ToolFailure::Invalid(format!(
                "`{name}` has {} bytes, and an artifact has at most {ARTIFACT_BYTES_MAX}: save it in parts",
                bytes.len()
            )));
        }
        let id = artifact_id(context.session_id, &context.key);
        // The call is being run again: its artifact counts once.
        let kept = self.store.artifact(&context.owner, id).await.map_err(|error| failed(&error))?;
        if let Some((view, _)) = kept {
            return Ok(view.into());
        }
        let size = bytes.len() as u64;
        self.check_room(size, context).await?;
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
        self.store.put(artifact).await.map_err(|error| failed(&error))?;
        Ok(view.into())
    }

    /// Finds an artifact with its bytes: by id, or the newest of that name in this session.
    pub async fn find(
        &self,
        context: &CallContext,
        artifact_id: Option<&str>,
        name: Option<&str>,
    ) -> Result<(ArtifactView, Vec<u8>), ToolFailure> {
        let id = match (artifact_id, name) {
            (Some(id), None) => {
                id.trim().parse().map_err(|error| ToolFailure::Invalid(format!("`artifact_id`: {error}")))?
            }
            (None, Some(name)) => {
                let name = checked_name(name)?;
                let found = self.named(context, name).await?;
                found.ok_or_else(|| not_found(&format!("no artifact named `{name}` in this session")))?
            }
            _ => return Err(ToolFailure::Invalid("give either `artifact_id` or `name`".to_owned())),
        };
        let found = self.store.artifact(&context.owner, id).await.map_err(|error| failed(&error))?;
        found.ok_or_else(|| not_found(&format!("no artifact {id}")))
    }

    /// The session's newest artifact of that name.
    async fn named(&self, context: &CallContext, name: &str) -> Result<Option<ArtifactId>, ToolFailure> {
        let page = self.store.artifacts(&context.owner, Some(context.session_id), None, LOOKED_AT_MAX).await;
        let found = page.map_err(|error| failed(&error))?.artifacts.into_iter().find(|view| view.name == name);
        Ok(found.map(|view| view.artifact_id))
    }

    async fn check_room(&self, size: u64, context: &CallContext) -> Result<(), ToolFailure> {
        let used = self.store.artifact_bytes(context.session_id).await.map_err(|error| failed(&error))?;
        if used.saturating_add(size) > SESSION_ARTIFACT_BYTES_MAX {
            return Err(ToolFailure::Failed(format!(
                "the artifacts of this session would have more than {SESSION_ARTIFACT_BYTES_MAX} bytes; {} are left: the user \
                 can remove some{}",
                SESSION_ARTIFACT_BYTES_MAX.saturating_sub(used),
                self.largest(context, true).await?
            )));
        }
        let used = self.store.owner_artifact_bytes(&context.owner).await.map_err(|error| failed(&error))?;
        if used.saturating_add(size) > self.owner_bytes_max {
            return Err(ToolFailure::Failed(format!(
                "all artifacts of the user would have more than {} bytes (`artifacts.owner_bytes_max`); {} are left: the user \
                 can remove some{}",
                self.owner_bytes_max,
                self.owner_bytes_max.saturating_sub(used),
                self.largest(context, false).await?
            )));
        }
        Ok(())
    }

    /// Names the largest artifacts and how to remove them.
    async fn largest(&self, context: &CallContext, of_session: bool) -> Result<String, ToolFailure> {
        let session_id = of_session.then_some(context.session_id);
        let page = self.store.artifacts(&context.owner, session_id, None, LOOKED_AT_MAX).await;
        let mut all = page.map_err(|error| failed(&error))?.artifacts;
        all.sort_by_key(|view| std::cmp::Reverse(view.bytes));
        let named = all.iter().take(NAMED_MAX);
        let named: Vec<String> =
            named.map(|view| format!("{} `{}` ({} bytes)", view.artifact_id, view.name, view.bytes)).collect();
        let how = " with `dwell artifacts remove ID`";
        Ok(if named.is_empty() { how.to_owned() } else { format!("{how}; the largest: {}", named.join(", ")) })
    }
}

fn not_found(what: &str) -> ToolFailure {
    ToolFailure::Invalid(format!("there is {what}; `artifact_list` lists them"))
}
