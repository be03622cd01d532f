//! `dwell export`: a session as one file, or as a folder of readable files.

mod folder;

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::Context;
use protocol::{ExportFormat, SessionId};

use super::sessions::find;
use crate::{client::Client, command_error::CommandError, config::Config};

/// What to export, and where to.
pub(crate) struct ExportArgs {
    pub(crate) session: String,
    pub(crate) format: Option<String>,
    pub(crate) to: Option<PathBuf>,
    /// For a damaged session: only the events before the damage.
    pub(crate) sound: bool,
}

pub(crate) async fn run(config: &Config, wanted: ExportArgs) -> Result<(), CommandError> {
    let ExportArgs { session, format, to, sound } = wanted;
    let format = read_format(format.as_deref())?;
    let client = crate::client(config).await?;
    if sound {
        return write(&client, export_sound(&client, &session).await?, to);
    }
    let session = find(&client, &session).await?;
    if let Some(folder) = to.as_deref().filter(|path| is_folder(path)) {
        if !matches!(format, None | Some(ExportFormat::Ndjson)) {
            return Err(CommandError::Usage(
                "a folder always holds the journal; name a file for another format".to_owned(),
            ));
        }
        return folder::write(&client, &session, folder).await;
    }
    let format = format.unwrap_or_default();
    let query = if format == ExportFormat::Ndjson { "&artifacts=true" } else { "" };
    let busy = client.output.busy("exporting");
    let text = client.get_text(&format!("/sessions/{}/export?format={format}{query}", session.session_id)).await?;
    drop(busy);
    write(&client, text, to)
}

/// A damaged session cannot be looked up, so an id is used as given.
async fn export_sound(client: &Client, session: &str) -> Result<String, CommandError> {
    let id = match session.parse::<SessionId>() {
        Ok(id) => id,
        Err(_) => find(client, session).await?.session_id,
    };
    client.get_text(&format!("/sessions/{id}/export?sound=true")).await
}

fn write(client: &Client, text: String, to: Option<PathBuf>) -> Result<(), CommandError> {
    match to {
        Some(path) => {
            std::fs::write(&path, &text).with_context(|| format!("failed to write {}", path.display()))?;
            let written = serde_json::json!({ "path": path, "bytes": text.len() });
            if client.output.json {
                return crate::print_json(&written);
            }
            client.output.remark(&format!("wrote {}", path.display()));
        }
        None => std::io::stdout().write_all(text.as_bytes()).context("failed to write to standard output")?,
    }
    Ok(())
}

/// Whether a path is a folder, or ends like one.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(std::path::MAIN_SEPARATOR)
}

pub(super) fn read_format(text: Option<&str>) -> Result<Option<ExportFormat>, CommandError> {
    text.map(str::parse).transpose().map_err(|error: protocol::BadFormat| CommandError::Usage(error.to_string()))
}
