//! The profile, corrections and vaults.

use protocol::{Fact, Item, MemoryPage, VaultPage};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{paper, read_id};
use crate::{client::Client, commands::sessions::encode, failure::Failure, print_json};

/// What the server says of the profile.
#[derive(Debug, Deserialize, serde::Serialize)]
struct Facts {
    data: Vec<Fact>,
}

pub(super) async fn set(client: &Client, key: &str, line: &Value, is_json: bool) -> Result<(), Failure> {
    let fact: Fact = client.call_with(Method::PUT, &format!("/profile/{}", encode(key)), line).await?;
    if is_json {
        return print_json(&fact);
    }
    println!("{}", paper::fact(&fact));
    Ok(())
}

pub(super) async fn profile(client: &Client, is_json: bool) -> Result<(), Failure> {
    show(&client.get("/profile").await?, "the profile is empty", is_json)
}

pub(super) async fn history(client: &Client, key: &str, is_json: bool) -> Result<(), Failure> {
    show(&client.get(&format!("/profile/{}", encode(key))).await?, "nothing was stated", is_json)
}

fn show(facts: &Facts, nothing: &str, is_json: bool) -> Result<(), Failure> {
    if is_json {
        return print_json(facts);
    }
    if facts.data.is_empty() {
        println!("{nothing}");
    }
    facts.data.iter().for_each(|fact| println!("{}", paper::fact(fact)));
    Ok(())
}

pub(super) async fn correct(client: &Client, id: &str, text: &str, is_json: bool) -> Result<(), Failure> {
    let path = format!("/memories/{}/correct", read_id(id)?);
    let item: Item = client.call_with(Method::POST, &path, &json!({ "text": text })).await?;
    if is_json {
        return print_json(&item);
    }
    println!("{}", paper::item(&item));
    Ok(())
}

pub(super) async fn vaults(client: &Client, is_json: bool) -> Result<(), Failure> {
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

async fn memories(client: &Client, vault: &protocol::Vault) -> Result<Vec<protocol::Memory>, Failure> {
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
