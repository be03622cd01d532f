//! Reading a folder that `dwell export` wrote: the journal and the artifacts.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use base64::{Engine, engine::general_purpose::STANDARD};
use protocol::ArtifactView;
use serde_json::json;

use crate::command_error::CommandError;

/// The paths of its files.
pub(in crate::commands) struct ExportPaths {
    pub(in crate::commands) session: PathBuf,
    pub(in crate::commands) turns: PathBuf,
    pub(in crate::commands) logs: PathBuf,
    pub(in crate::commands) messages: PathBuf,
    pub(in crate::commands) artifacts: PathBuf,
    pub(in crate::commands) artifact_list: PathBuf,
    /// The journal, from which everything but the artifacts is read.
    pub(in crate::commands) journal: PathBuf,
}

impl ExportPaths {
    pub(in crate::commands) fn of(folder: &Path) -> Self {
        let artifacts = folder.join("artifacts");
        Self {
            session: folder.join("session.json"),
            turns: folder.join("turns"),
            logs: folder.join("logs"),
            messages: folder.join("messages.jsonl"),
            artifact_list: artifacts.join("index.json"),
            artifacts,
            journal: folder.join("journal.ndjson"),
        }
    }
}

/// The folder as one journal, followed by the artifacts.
pub(super) fn read(folder: &Path) -> Result<String, CommandError> {
    let names = ExportPaths::of(folder);
    let mut text = fs::read_to_string(&names.journal)
        .with_context(|| format!("{} is not a folder that `dwell export` wrote", folder.display()))?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let list = match fs::read(&names.artifact_list) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(text),
        list => list.with_context(|| format!("failed to read {}", names.artifact_list.display()))?,
    };
    let list: Vec<ArtifactView> =
        serde_json::from_slice(&list).with_context(|| format!("{} is wrong", names.artifact_list.display()))?;
    for view in list {
        let path = names.artifacts.join(view.artifact_id.to_string());
        let bytes = fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?;
        let line = json!({ "type": "artifact", "artifact": view, "data": STANDARD.encode(bytes) });
        text.push_str(&format!("{line}\n"));
    }
    Ok(text)
}
