//! `dwell artifacts`: list, get, remove.

use std::{
    fs::OpenOptions,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
};

use anyhow::Context;
use protocol::{ArtifactId, ArtifactPage, ArtifactView};
use serde_json::json;

use super::{
    sessions::{find, one_line},
    size::size,
};
use crate::{cli::ArtifactsCommand, client::Client, command_error::CommandError, config::Config, print_json};

pub(crate) async fn run(config: &Config, command: ArtifactsCommand, is_json: bool) -> Result<(), CommandError> {
    let client = crate::client(config)?;
    match command {
        ArtifactsCommand::List { session, limit } => list(&client, session.as_deref(), limit, is_json).await,
        ArtifactsCommand::Get { id, to, force } => get(&client, read_id(&id)?, to, force, is_json).await,
        ArtifactsCommand::Remove { id } => remove(&client, read_id(&id)?, is_json).await,
    }
}

fn read_id(text: &str) -> Result<ArtifactId, CommandError> {
    text.parse().map_err(|error| CommandError::Usage(format!("{error}; `dwell artifacts list` shows the ids")))
}

async fn list(client: &Client, session: Option<&str>, limit: u32, is_json: bool) -> Result<(), CommandError> {
    let path = match session {
        Some(session) => format!("/sessions/{}/artifacts", find(client, session).await?.session_id),
        None => "/artifacts".to_owned(),
    };
    let page: ArtifactPage = client.get(&format!("{path}?limit={limit}")).await?;
    if is_json {
        return print_json(&page);
    }
    if page.data.is_empty() {
        println!("no artifacts yet");
    }
    for artifact in &page.data {
        let ArtifactView { artifact_id, created_at, bytes, media_type, name, .. } = artifact;
        println!("{artifact_id}  {created_at}  {:>10}  {media_type:16}  {}", size(*bytes), one_line(name));
    }
    if page.next_cursor.is_some() {
        println!("there are more; use --limit to show them");
    }
    Ok(())
}

async fn get(
    client: &Client,
    id: ArtifactId,
    to: Option<PathBuf>,
    force: bool,
    is_json: bool,
) -> Result<(), CommandError> {
    let (bytes, name) = client.get_file(&format!("/artifacts/{id}")).await?;
    let path = match to {
        Some(path) if path.as_os_str() == "-" => {
            std::io::stdout().write_all(&bytes).context("failed to write to standard output")?;
            return Ok(());
        }
        Some(path) => path,
        // The name is untrusted: only its last component is used, so that the file stays in this
        // folder.
        None => name
            .as_deref()
            .and_then(|name| Path::new(name).file_name())
            .map_or_else(|| PathBuf::from(id.to_string()), PathBuf::from),
    };
    write(&path, &bytes, force)?;
    if is_json {
        return print_json(&json!({ "artifact_id": id, "path": path, "bytes": bytes.len() }));
    }
    eprintln!("wrote {} ({})", path.display(), size(bytes.len() as u64));
    Ok(())
}

fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), CommandError> {
    let mut options = OpenOptions::new();
    options.write(true);
    if force {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    let failed = || format!("failed to write {}", path.display());
    match options.open(path) {
        Ok(mut file) => Ok(file.write_all(bytes).with_context(failed)?),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(CommandError::Usage(format!(
            "{} already exists; use --force to overwrite it, or --to FILE",
            path.display()
        ))),
        Err(error) => Err(anyhow::Error::from(error).context(failed()).into()),
    }
}

async fn remove(client: &Client, id: ArtifactId, is_json: bool) -> Result<(), CommandError> {
    client.delete(&format!("/artifacts/{id}")).await?;
    if is_json {
        return print_json(&json!({ "artifact_id": id, "removed": true }));
    }
    println!("removed {id}");
    Ok(())
}
