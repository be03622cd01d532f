//! `dwell memory`: listing, searching, correcting and forgetting memories.

mod forget;
mod format;
mod graph;
mod profile;
mod search;
mod transfer;

use std::time::Duration;

use protocol::{Consistency, ContextWindowView, MemoryImport, Origin};
use reqwest::Method;
use serde_json::json;

use super::sessions;
use crate::{cli::MemoryCommand, client::Client, command_error::CommandError, config::Config, print_json};

pub(crate) async fn run(config: &Config, command: MemoryCommand) -> Result<(), CommandError> {
    let client = crate::client(config).await?;
    match command {
        MemoryCommand::List { level, history, limit } => {
            let levels: Vec<protocol::Level> = level.into_iter().map(Into::into).collect();
            search::list(&client, &levels, history, limit).await
        }
        MemoryCommand::Search { words, session, mode, limit, scores } => {
            let asked = search::SearchArgs { words, session, mode: mode.into(), limit };
            search::search(&client, asked, scores).await
        }
        MemoryCommand::Graph { subject, as_of, known_at, ended, vault, limit } => {
            let vault = match vault {
                Some(vault) => Some(profile::vault_id(&client, &vault).await?),
                None => None,
            };
            let asked = graph::query(subject, as_of.as_deref(), known_at.as_deref(), ended, vault, limit)?;
            graph::graph(&client, asked).await
        }
        MemoryCommand::Set { key, value, priority, ttl } => {
            let line = json!({ "value": value, "priority": priority, "ttl_s": ttl });
            profile::set(&client, &key, &line).await
        }
        MemoryCommand::Profile => profile::profile(&client).await,
        MemoryCommand::History { key } => profile::history(&client, &key).await,
        MemoryCommand::Correct { id, text } => profile::correct(&client, &id, &text.join(" ")).await,
        MemoryCommand::Forget { ids, key, text, yes } => {
            forget::forget(&client, &forget::what(&ids, key, text)?, yes).await
        }
        MemoryCommand::Ingest { file, title, vault, format, trusted } => {
            let origin = trusted.then_some(Origin::Trusted);
            let asked = MemoryImport { title, vault, format, origin, ..MemoryImport::default() };
            transfer::ingest(&client, &file, asked).await
        }
        MemoryCommand::Export { file } => transfer::export(&client, file.as_deref()).await,
        MemoryCommand::Import { file, format, vault, accept_damage, trusted } => {
            let origin = trusted.then_some(Origin::Trusted);
            let asked = MemoryImport { vault, format, accept_damage, origin, ..MemoryImport::default() };
            transfer::import(&client, &file, asked).await
        }
        MemoryCommand::Audit => transfer::audit(&client).await,
        MemoryCommand::Vaults => profile::vaults(&client).await,
        MemoryCommand::Wait { timeout } => wait(&client, Duration::from_secs(timeout)).await,
        MemoryCommand::Window { session } => window(&client, &session).await,
    }
}

async fn wait(client: &Client, patience: Duration) -> Result<(), CommandError> {
    let timeout_ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
    let asked = json!({ "timeout_ms": timeout_ms });
    let state: Consistency = client.call_with(Method::POST, "/memories/await_consistency", &asked).await?;
    if client.output.json {
        print_json(&state)?;
    } else if state.consistent {
        client.output.say("everything written so far can be found");
        state.notices.iter().for_each(|notice| client.output.say(notice));
    }
    if state.consistent {
        return Ok(());
    }
    let missing: Vec<String> = state.missing.iter().map(|it| format!("{}: {}", it.id, it.why)).collect();
    Err(CommandError::Failed(anyhow::anyhow!("not everything can be found yet; {}", missing.join("; "))))
}

async fn window(client: &Client, session: &str) -> Result<(), CommandError> {
    let id = sessions::find(client, session).await?.session_id;
    let window: ContextWindowView = client.get(&format!("/sessions/{id}/window")).await?;
    if client.output.json {
        return print_json(&window);
    }
    println!("{} messages, {} tokens of {}", window.messages, window.tokens, window.tokens_max);
    println!("{:.1} % used, {} messages left out", window.utilisation, window.evicted);
    window.tags.iter().for_each(|(tag, count)| println!("{count:6}  {tag}"));
    window.health.iter().for_each(|remark| println!("{remark}"));
    Ok(())
}

fn read_id(text: &str) -> Result<protocol::ItemId, CommandError> {
    text.parse().map_err(|error| CommandError::Usage(format!("{error}; `dwell memory list` shows the ids")))
}
