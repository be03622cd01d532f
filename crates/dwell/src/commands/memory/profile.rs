//! The profile, corrections and vaults.

use protocol::{Fact, MemoryItem, MemoryPage, Vault, VaultId, VaultPage};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{format, read_id};
use crate::{client::Client, command_error::CommandError, commands::sessions::encode, print_json};

/// The server's answer about the profile.
#[derive(Debug, Deserialize, serde::Serialize)]
struct ProfilePage {
    data: Vec<Fact>,
}

pub(super) async fn set(client: &Client, key: &str, line: &Value) -> Result<(), CommandError> {
    let fact: Fact = client.call_with(Method::PUT, &format!("/profile/{}", encode(key)), line).await?;
    if client.output.json {
        return print_json(&fact);
    }
    println!("{}", format::fact(&fact));
    Ok(())
}

pub(super) async fn profile(client: &Client) -> Result<(), CommandError> {
    show(client, &client.get("/profile").await?, "the profile is empty")
}

pub(super) async fn history(client: &Client, key: &str) -> Result<(), CommandError> {
    show(client, &client.get(&format!("/profile/{}", encode(key))).await?, "this key has no values")
}

fn show(client: &Client, facts: &ProfilePage, nothing: &str) -> Result<(), CommandError> {
    if client.output.json {
        return print_json(facts);
    }
    if facts.data.is_empty() {
        client.output.say(nothing);
    }
    facts.data.iter().for_each(|fact| println!("{}", format::fact(fact)));
    Ok(())
}

pub(super) async fn correct(client: &Client, id: &str, text: &str) -> Result<(), CommandError> {
    let path = format!("/memories/{}/correct", read_id(id)?);
    let item: MemoryItem = client.call_with(Method::POST, &path, &json!({ "text": text })).await?;
    if client.output.json {
        return print_json(&item);
    }
    println!("{}", format::item(&item));
    Ok(())
}

/// A vault by its id or its title, which is unique.
pub(super) async fn vault_id(client: &Client, asked: &str) -> Result<VaultId, CommandError> {
    if let Ok(id) = asked.parse() {
        return Ok(id);
    }
    let found = all_vaults(client).await?.into_iter().find(|vault| vault.title == asked);
    let unknown = || CommandError::Usage(format!("--vault: there is no vault `{asked}`; see `dwell memory vaults`"));
    found.map(|vault| vault.vault_id).ok_or_else(unknown)
}

async fn all_vaults(client: &Client) -> Result<Vec<Vault>, CommandError> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page: VaultPage = client.get(&format!("/vaults?limit=200{cursor}")).await?;
        all.extend(page.data);
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={}", encode(&next)),
            None => return Ok(all),
        }
    }
}

pub(super) async fn vaults(client: &Client) -> Result<(), CommandError> {
    let mut all = Vec::new();
    for vault in all_vaults(client).await? {
        let memories = memories(client, &vault).await?;
        all.push((vault, memories));
    }
    if client.output.json {
        let all: Vec<Value> = all.iter().map(|(vault, of)| json!({ "vault": vault, "memories": of })).collect();
        return print_json(&all);
    }
    if all.is_empty() {
        client.output.say("no vaults yet");
    }
    for (vault, memories) in all {
        println!("{}  {}", vault.vault_id, vault.title);
        memories.iter().for_each(|memory| println!("    {}  {}", memory.memory_id, memory.title));
    }
    Ok(())
}

async fn memories(client: &Client, vault: &protocol::Vault) -> Result<Vec<protocol::Memory>, CommandError> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let page: MemoryPage = client.get(&format!("/vaults/{}/memories?limit=200{cursor}", vault.vault_id)).await?;
        all.extend(page.data);
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={}", encode(&next)),
            None => return Ok(all),
        }
    }
}
