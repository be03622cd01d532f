//! `dwell import`: a session from a file or a folder.

pub(super) mod folder;

use std::{
    io::Read as _,
    path::{Path, PathBuf},
};

use anyhow::Context;
use protocol::{ExportFormat, ImportedSession, SessionManifest};
use serde_json::Value;

use super::{export::read_format, sessions::encode};
use crate::{command_error::CommandError, config::Config, print_json};

/// What to import, and in which format.
pub(crate) struct ImportArgs {
    pub(crate) path: PathBuf,
    pub(crate) format: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) accept_damage: bool,
}

pub(crate) async fn run(config: &Config, given: ImportArgs) -> Result<(), CommandError> {
    let ImportArgs { path, format, name, accept_damage } = given;
    let format = read_format(format.as_deref())?;
    let (text, format) = if path.is_dir() {
        (folder::read(&path)?, ExportFormat::Ndjson)
    } else {
        let text = read(&path)?;
        let format = format.or_else(|| detect(&text));
        let unknown = || {
            let what = "its format is not known; name it with --format";
            CommandError::Usage(format!("{}: {what}", path.display()))
        };
        (text, format.ok_or_else(unknown)?)
    };
    let client = crate::client(config).await?;
    let name = name.map(|name| format!("&conversation_id={}", encode(&name))).unwrap_or_default();
    let damage = if accept_damage { "&accept_damage=true" } else { "" };
    let busy = client.output.busy(format!("importing {}", path.display()));
    let taken = client.post_text(&format!("/sessions/import?format={format}{name}{damage}"), text).await;
    drop(busy);
    let imported: ImportedSession = taken.map_err(|failure| match failure {
        CommandError::Usage(why) => CommandError::Usage(format!("{}: {why}", path.display())),
        other => other,
    })?;
    if config.output.json {
        return print_json(&imported);
    }
    let ImportedSession { session, left_out, damage, origins_kept } = imported;
    damage.iter().for_each(|what| config.output.remark(&format!("damaged: {what}")));
    if !left_out.is_empty() {
        let counts: Vec<String> = left_out.iter().map(|(what, count)| format!("{count} {what}")).collect();
        config.output.remark(&format!("left out: {}", counts.join(", ")));
    }
    if !origins_kept {
        config
            .output
            .remark("imported messages are untrusted: actions outside Dwell that follow from them need approval");
    }
    println!("{}  {} turns, from {format}", session.session_id, session.stats.turns);
    Ok(())
}

fn read(path: &Path) -> Result<String, CommandError> {
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).context("failed to read standard input")?;
        return Ok(text);
    }
    Ok(std::fs::read_to_string(path).with_context(|| format!("failed to read {}", path.display()))?)
}

/// Detects the format of a text.
fn detect(text: &str) -> Option<ExportFormat> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let is_journal = |line: Value| line["type"] == "session.started" || line["type"] == SessionManifest::TYPE;
    if serde_json::from_str::<Value>(first).is_ok_and(is_journal) {
        return Some(ExportFormat::Ndjson);
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let is_state = value["values"].is_object() || value["config"].is_object();
    let messages = if value["messages"].is_array() { &value["messages"] } else { &value["values"]["messages"] };
    let messages = if value.is_array() { &value } else { messages };
    let message = messages.as_array()?.first()?;
    Some(match () {
        () if is_state => ExportFormat::Langgraph,
        () if message["role"].is_string() => ExportFormat::Openai,
        () if message["type"].is_string() => ExportFormat::Langchain,
        () => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_is_shows_in_its_beginning() {
        for (text, format) in [
            ("\n{\"seq\":1,\"type\":\"session.started\"}\n{}\n", Some(ExportFormat::Ndjson)),
            (r#"[{"role":"user","content":"hi"}]"#, Some(ExportFormat::Openai)),
            (r#"{"messages":[{"role":"user","content":"hi"}]}"#, Some(ExportFormat::Openai)),
            (r#"[{"type":"human","data":{"content":"hi"}}]"#, Some(ExportFormat::Langchain)),
            (r#"{"messages":[{"type":"human","content":"hi"}],"config":{}}"#, Some(ExportFormat::Langgraph)),
            (r#"{"values":{"messages":[{"type":"human","content":"hi"}]}}"#, Some(ExportFormat::Langgraph)),
            ("[]", None),
            ("hello", None),
        ] {
            assert_eq!(detect(text), format, "{text}");
        }
    }
}
