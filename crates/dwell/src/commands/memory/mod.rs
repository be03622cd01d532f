//! `dwell memory`: what is remembered, put right, and forgotten.

mod exchange;
mod forgetting;
mod keeping;
mod looking;
mod paper;

use std::time::Duration;

use protocol::{Consistency, MemoryImport, WindowView};
use reqwest::Method;
use serde_json::json;

use super::sessions;
use crate::{cli::Memory, client::Client, config::Config, failure::Failure, print_json};

pub(crate) async fn run(config: &Config, command: Memory, is_json: bool) -> Result<(), Failure> {
    let client = crate::client(config)?;
    match command {
        Memory::List { level, history, limit } => {
            let levels: Vec<protocol::Level> = level.into_iter().map(Into::into).collect();
            looking::list(&client, &levels, history, limit, is_json).await
        }
        Memory::Search { words, session, mode, limit, scores } => {
            let asked = looking::Asked { words, session, mode: mode.into(), limit };
            looking::search(&client, asked, scores, is_json).await
        }
        Memory::Set { key, value, priority, ttl } => {
            let line = json!({ "value": value, "priority": priority, "ttl_s": ttl });
            keeping::set(&client, &key, &line, is_json).await
        }
        Memory::Profile => keeping::profile(&client, is_json).await,
        Memory::History { key } => keeping::history(&client, &key, is_json).await,
        Memory::Correct { id, text } => keeping::correct(&client, &id, &text.join(" "), is_json).await,
        Memory::Forget { ids, key, text, yes } => {
            forgetting::forget(&client, &forgetting::what(&ids, key, text)?, yes, is_json).await
        }
        Memory::Ingest { file, title, vault, format } => {
            let asked = MemoryImport { title, vault, format, ..MemoryImport::default() };
            exchange::ingest(&client, &file, asked, is_json).await
        }
        Memory::Export { file } => exchange::export(&client, file.as_deref()).await,
        Memory::Import { file, format, vault, accept_damage } => {
            let asked = MemoryImport { vault, format, accept_damage, ..MemoryImport::default() };
            exchange::import(&client, &file, asked, is_json).await
        }
        Memory::Audit => exchange::audit(&client, is_json).await,
        Memory::Vaults => keeping::vaults(&client, is_json).await,
        Memory::Wait { timeout } => wait(&client, Duration::from_secs(timeout), is_json).await,
        Memory::Window { session } => window(&client, &session, is_json).await,
    }
}

async fn wait(client: &Client, patience: Duration, is_json: bool) -> Result<(), Failure> {
    let timeout_ms = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
    let asked = json!({ "timeout_ms": timeout_ms });
    let state: Consistency = client.call_with(Method::POST, "/memories/await_consistency", &asked).await?;
    if is_json {
        print_json(&state)?;
    } else if state.consistent {
        println!("all that was said and written can be found");
        state.notices.iter().for_each(|notice| println!("{notice}"));
    }
    if state.consistent {
        return Ok(());
    }
    let missing: Vec<String> = state.missing.iter().map(|it| format!("{}: {}", it.id, it.why)).collect();
    Err(Failure::Failed(anyhow::anyhow!("not everything can be found yet; {}", missing.join("; "))))
}

async fn window(client: &Client, session: &str, is_json: bool) -> Result<(), Failure> {
    let id = sessions::find(client, session).await?.session_id;
    let window: WindowView = client.get(&format!("/sessions/{id}/window")).await?;
    if is_json {
        return print_json(&window);
    }
    println!("{} messages, {} tokens of {}", window.messages, window.tokens, window.tokens_max);
    println!("{:.1} % taken, {} messages have left it", window.utilisation, window.evicted);
    window.tags.iter().for_each(|(tag, count)| println!("{count:6}  {tag}"));
    window.health.iter().for_each(|remark| println!("{remark}"));
    Ok(())
}

fn read_id(text: &str) -> Result<protocol::ItemId, Failure> {
    text.parse().map_err(|error| Failure::Usage(format!("{error}; `dwell memory list` shows the ids")))
}
