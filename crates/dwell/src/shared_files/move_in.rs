//! Files of the data folder that belong into the database since the journal is there.

use std::{fs, path::Path};

use anyhow::Context;

use super::{FolderFiles, NAMES, SharedFiles};

/// Moves the files of a data folder to where all nodes share them. A file is removed from the
/// folder once the other place has it. Where both have one, the other place's counts.
pub(crate) async fn move_in(folder: &Path, to: &dyn SharedFiles) -> anyhow::Result<()> {
    let from = FolderFiles::new(folder);
    for name in NAMES {
        let Some(ours) = from.find(name)? else { continue };
        let ours = ours.bytes.trim_ascii();
        // If another node is faster, its file counts.
        let is_moved = to.write(name, None, ours).await.with_context(|| format!("failed to move `{name}`"))?;
        let theirs = if is_moved { None } else { to.read(name).await? };
        if theirs.is_some_and(|theirs| theirs.bytes.trim_ascii() != ours) {
            let (file, place) = (from.path(name), to.place(name));
            tracing::warn!(file = %file.display(), "this file is not used: {place} differs from it, and counts");
            continue;
        }
        let path = from.path(name);
        fs::remove_file(&path).with_context(|| format!("failed to remove {}", path.display()))?;
        if is_moved {
            tracing::info!(name, "moved from the data folder into the database, where all nodes share it");
        }
    }
    Ok(())
}
