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
    sessions::{encode, find, one_line},
    size::size,
};
use crate::{cli::ArtifactsCommand, client::Client, command_error::CommandError, config::Config, print_json};

/// The server's largest page.
const PAGE: u32 = 200;

pub(crate) async fn run(config: &Config, command: ArtifactsCommand) -> Result<(), CommandError> {
    let client = crate::client(config).await?;
    match command {
        ArtifactsCommand::List { session, limit } => list(&client, session.as_deref(), limit).await,
        ArtifactsCommand::Get { artifact, to, force } => {
            get(&client, id_of(&client, &artifact).await?, to, force).await
        }
        ArtifactsCommand::Remove { artifact } => remove(&client, id_of(&client, &artifact).await?).await,
    }
}

/// An artifact by its id, or by its name if only one has it.
async fn id_of(client: &Client, artifact: &str) -> Result<ArtifactId, CommandError> {
    if let Ok(id) = artifact.parse() {
        return Ok(id);
    }
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page: ArtifactPage = client.get(&format!("/artifacts?limit={PAGE}{cursor}")).await?;
        found.extend(page.data.into_iter().filter(|view| view.name == artifact).map(|view| view.artifact_id));
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={}", encode(&next)),
            None => break,
        }
    }
    let ids: Vec<String> = found.iter().map(ToString::to_string).collect();
    match found[..] {
        [id] => Ok(id),
        [] => {
            let advice = "`dwell artifacts list` shows ids and names";
            Err(CommandError::Usage(format!("there is no artifact `{artifact}`; {advice}")))
        }
        [..] => Err(CommandError::Usage(format!("several artifacts are named `{artifact}`: {}", ids.join(", ")))),
    }
}

async fn list(client: &Client, session: Option<&str>, limit: u32) -> Result<(), CommandError> {
    let path = match session {
        Some(session) => format!("/sessions/{}/artifacts", find(client, session).await?.session_id),
        None => "/artifacts".to_owned(),
    };
    let page: ArtifactPage = client.get(&format!("{path}?limit={limit}")).await?;
    if client.output.json {
        return print_json(&page);
    }
    if page.data.is_empty() {
        client.output.say("no artifacts yet");
    }
    for artifact in &page.data {
        let ArtifactView { artifact_id, created_at, bytes, media_type, name, .. } = artifact;
        println!("{artifact_id}  {created_at}  {:>10}  {media_type:16}  {}", size(*bytes), one_line(name));
    }
    if page.next_cursor.is_some() {
        client.output.remark("there are more; use --limit to show them");
    }
    Ok(())
}

async fn get(client: &Client, id: ArtifactId, to: Option<PathBuf>, force: bool) -> Result<(), CommandError> {
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
    if client.output.json {
        return print_json(&json!({ "artifact_id": id, "path": path, "bytes": bytes.len() }));
    }
    client.output.remark(&format!("wrote {} ({})", path.display(), size(bytes.len() as u64)));
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

async fn remove(client: &Client, id: ArtifactId) -> Result<(), CommandError> {
    client.delete(&format!("/artifacts/{id}")).await?;
    client.output.done(&json!({ "artifact_id": id, "removed": true }), &format!("removed {id}"))
}
