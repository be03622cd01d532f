//! A session as a folder: its view, turns, steps, messages and artifacts, and the journal, from
//! which all other files are derived.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::Context;
use base64::{Engine, engine::general_purpose::STANDARD};
use protocol::{ArtifactId, SessionManifest, SessionView, TurnId, TurnPage, TurnView};
use serde_json::{Value, json};

use crate::{client::Client, command_error::CommandError, commands::import::folder::ExportPaths};

/// Writes the folder. Existing files are overwritten.
pub(super) async fn write(client: &Client, session: &SessionView, folder: &Path) -> Result<(), CommandError> {
    let id = session.session_id;
    let journal = client.get_text(&format!("/sessions/{id}/export?artifacts=true")).await?;
    let turns = turns(client, session).await?;
    let names = ExportPaths::of(folder);
    for inner in [folder, &names.turns, &names.logs, &names.artifacts] {
        fs::create_dir_all(inner).with_context(|| format!("failed to create {}", inner.display()))?;
    }
    save(&names.session, &pretty(&json!(session))?)?;
    let (mut manifest, mut events, mut logs, mut kept) = (String::new(), String::new(), BTreeMap::new(), Vec::new());
    for line in journal.lines() {
        let value: Value = serde_json::from_str(line).context("the server's answer cannot be read")?;
        if value["type"] == SessionManifest::TYPE {
            // The manifest covers the artifacts too; reading the folder puts them together again.
            manifest = format!("{line}\n");
        } else if value["type"] == "artifact" {
            kept.push(value);
        } else {
            events.push_str(line);
            events.push('\n');
            log(&mut logs, &value)?;
        }
    }
    save(&names.journal, &(manifest + &events))?;
    for (turn, steps) in &logs {
        save(&names.logs.join(format!("{turn}.log")), steps)?;
    }
    for turn in &turns {
        save(&names.turns.join(format!("{}.json", turn.turn_id)), &pretty(&json!(turn))?)?;
    }
    save(&names.messages, &turns.iter().flat_map(messages).map(|message| format!("{message}\n")).collect::<String>())?;
    keep(&names, kept)?;
    if client.output.json {
        return crate::print_json(&serde_json::json!({ "path": folder, "turns": turns.len() }));
    }
    client.output.remark(&format!("wrote {} with {} turns", folder.display(), turns.len()));
    Ok(())
}

async fn turns(client: &Client, session: &SessionView) -> Result<Vec<TurnView>, CommandError> {
    let (mut turns, mut cursor) = (Vec::new(), String::new());
    loop {
        let page: TurnPage = client.get(&format!("/sessions/{}/turns?limit=100{cursor}", session.session_id)).await?;
        turns.extend(page.data);
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(turns),
        }
    }
}

/// Adds a step to the log of its turn.
fn log(logs: &mut BTreeMap<TurnId, String>, event: &Value) -> Result<(), CommandError> {
    let (Some("step"), Some(turn)) = (event["type"].as_str(), event["turn_id"].as_str()) else { return Ok(()) };
    // Parsed as an id, since nothing else may become part of a path.
    let turn = turn.parse().context("the server's answer cannot be read")?;
    let (kind, detail) = (&event["data"]["type"], &event["data"]["detail"]);
    let step = json!({ "seq": event["seq"], "at": event["at"], "type": kind, "detail": detail });
    logs.entry(turn).or_default().push_str(&format!("{step}\n"));
    Ok(())
}

/// The messages of a turn, with their authors and monitors.
fn messages(turn: &TurnView) -> Vec<Value> {
    let source = turn.request.window.as_ref().map_or_else(|| json!("main"), |it| json!({ "window": it.window_id }));
    let message = |kind: &str, content: &str, at| {
        json!({
            "type": kind,
            "content": content,
            "agentId": turn.agent_id,
            "source": source,
            "turnId": turn.turn_id,
            "timestamp": at,
        })
    };
    let asked = message("user", &turn.request.message, turn.created_at);
    let answered = (!turn.text.is_empty()).then(|| message("assistant", &turn.text, turn.updated_at));
    std::iter::once(asked).chain(answered).collect()
}

/// Writes the artifacts under their ids, with a list that describes them.
fn keep(names: &ExportPaths, kept: Vec<Value>) -> Result<(), CommandError> {
    let mut list = Vec::new();
    for line in kept {
        let id: ArtifactId = line["artifact"]["artifact_id"]
            .as_str()
            .unwrap_or_default()
            .parse()
            .context("the server's answer cannot be read")?;
        let bytes =
            STANDARD.decode(line["data"].as_str().unwrap_or_default()).context("the server's answer cannot be read")?;
        let path = names.artifacts.join(id.to_string());
        fs::write(&path, bytes).with_context(|| format!("failed to write {}", path.display()))?;
        list.push(line["artifact"].clone());
    }
    save(&names.artifact_list, &pretty(&json!(list))?)
}

fn pretty(value: &Value) -> Result<String, CommandError> {
    Ok(serde_json::to_string_pretty(value).map_err(anyhow::Error::from)? + "\n")
}

fn save(path: &Path, text: &str) -> Result<(), CommandError> {
    Ok(fs::write(path, text).with_context(|| format!("failed to write {}", path.display()))?)
}
