//! The profile, corrections and vaults.

use protocol::{Fact, MemoryItem, MemoryPage, VaultPage};
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

pub(super) async fn set(client: &Client, key: &str, line: &Value, is_json: bool) -> Result<(), CommandError> {
    let fact: Fact = client.call_with(Method::PUT, &format!("/profile/{}", encode(key)), line).await?;
    if is_json {
        return print_json(&fact);
    }
    println!("{}", format::fact(&fact));
    Ok(())
}

pub(super) async fn profile(client: &Client, is_json: bool) -> Result<(), CommandError> {
    show(&client.get("/profile").await?, "the profile is empty", is_json)
}

pub(super) async fn history(client: &Client, key: &str, is_json: bool) -> Result<(), CommandError> {
    show(&client.get(&format!("/profile/{}", encode(key))).await?, "this key has no values", is_json)
}

fn show(facts: &ProfilePage, nothing: &str, is_json: bool) -> Result<(), CommandError> {
    if is_json {
        return print_json(facts);
    }
    if facts.data.is_empty() {
        println!("{nothing}");
    }
    facts.data.iter().for_each(|fact| println!("{}", format::fact(fact)));
    Ok(())
}

pub(super) async fn correct(client: &Client, id: &str, text: &str, is_json: bool) -> Result<(), CommandError> {
    let path = format!("/memories/{}/correct", read_id(id)?);
    let item: MemoryItem = client.call_with(Method::POST, &path, &json!({ "text": text })).await?;
    if is_json {
        return print_json(&item);
    }
    println!("{}", format::item(&item));
    Ok(())
}

pub(super) async fn vaults(client: &Client, is_json: bool) -> Result<(), CommandError> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let page: VaultPage = client.get(&format!("/vaults?limit=200{cursor}")).await?;
        for vault in page.data {
            let memories = memories(client, &vault).await?;
            all.push((vault, memories));
        }
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={}", encode(&next)),
            None => break,
        }
    }
    if is_json {
        let all: Vec<Value> = all.iter().map(|(vault, of)| json!({ "vault": vault, "memories": of })).collect();
        return print_json(&all);
    }
    if all.is_empty() {
        println!("no vaults yet");
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
