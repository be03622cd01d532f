//! Vaults as scopes: what is said in a vault belongs to it. It is found there, is no part of the
//! profile nor of other conversations, and goes with the vault. Vaults and memories can be renamed
//! and removed over every API, and the memory agent can be run for them.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{McpWire, RestClient};

use super::{NOWHERE, add, events, exchange, search, settled};
use crate::started;

/// A vault with a memory; returns the vault's id and the memory's id.
async fn vault(rest: &RestClient, title: &str) -> (String, String) {
    let vault = rest.post("/api/v1/vaults", json!({ "title": title })).await.ok()["vault_id"].clone();
    let vault = vault.as_str().unwrap().to_owned();
    let memory = rest.post(&format!("/api/v1/vaults/{vault}/memories"), json!({ "title": "notes" })).await.ok();
    (vault, memory["memory_id"].as_str().unwrap().to_owned())
}

fn path(vault: &str, memory: &str) -> String {
    format!("/api/v1/vaults/{vault}/memories/{memory}")
}

async fn values(rest: &RestClient, body: Value) -> Vec<String> {
    let found = search(rest, body).await;
    let items = found["items"].as_array().unwrap().iter().filter_map(|item| item["value"].as_str());
    items.map(str::to_owned).collect()
}

#[tokio::test]
async fn what_is_said_in_a_vault_belongs_to_it() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    exchange(&rest, &session, "I live in Leiden.").await;
    let (vault, memory) = vault(&rest, "novel").await;
    for words in ["My name is Blackbeard.", "I live in Tortuga.", "My locker code is 4711."] {
        add(&rest, &path(&vault, &memory), json!({ "raw_entry": words, "origin": "trusted" })).await;
    }
    settled(&rest).await;
    let profile = rest.get("/api/v1/profile").await.ok();
    assert!(profile.to_string().contains("Leiden") && !profile.to_string().contains("Tortuga"), "{profile}");
    assert!(!profile.to_string().contains("Blackbeard"), "{profile}");

    let facts = ["fact", "profile"];
    let inside = values(&rest, json!({ "query": "live name code", "vault_id": vault, "levels": facts })).await;
    for value in ["Tortuga", "Blackbeard", "4711"] {
        assert!(inside.iter().any(|known| known == value), "{value}: {inside:?}");
    }
    assert!(!inside.iter().any(|value| value == "Leiden"), "{inside:?}");
    let vaults = rest.get("/api/v1/vaults").await.ok();
    let own = vaults["data"].as_array().unwrap().iter().find(|vault| vault["title"] == "conversations").unwrap();
    let own = json!({ "query": "where do I live", "vault_id": own["vault_id"], "levels": facts });
    assert_eq!(values(&rest, own).await, ["Leiden"], "the conversations are a scope too");
    let all = values(&rest, json!({ "query": "where do I live", "levels": facts })).await;
    assert!(all.contains(&"Tortuga".to_owned()) && all.contains(&"Leiden".to_owned()), "{all:?}");

    let other = rest.session().await;
    exchange(&rest, &other, "Where do I live, and what is my locker code?").await;
    let log = rest.log(&other).await;
    for item in events(&log, "memory.used")[0]["data"]["items"].as_array().unwrap() {
        let is_fact = item["level"] == "fact" || item["level"] == "profile";
        let is_foreign = ["Tortuga", "4711", "Blackbeard"].iter().any(|word| item.to_string().contains(word));
        assert!(!is_fact || !is_foreign, "{item}");
    }
    // The other way round: what the user says later ends nothing in the vault.
    exchange(&rest, &other, "I moved to Delft.").await;
    settled(&rest).await;
    let inside = search(&rest, json!({ "query": "live Tortuga", "vault_id": vault, "levels": facts })).await;
    let tortuga = inside["items"].as_array().unwrap().iter().find(|item| item["value"] == "Tortuga").unwrap();
    assert!(tortuga["valid_until"].is_null() && tortuga["vault_id"] == vault.as_str(), "{tortuga}");

    let gone = rest.call(Method::DELETE, &format!("/api/v1/vaults/{vault}"), None, &[]).await.ok();
    assert!(gone["items"].as_array().unwrap().len() >= 6, "entries and facts: {gone}");
    assert_eq!(rest.get(&format!("/api/v1/vaults/{vault}")).await.code(404), "not_found");
    let archive = rest.text("/api/v1/memories/export").await;
    assert!(!archive.contains("Tortuga") && !archive.contains("Blackbeard") && archive.contains("Delft"), "{archive}");
}

#[tokio::test]
async fn vaults_and_memories_are_renamed_and_removed_over_every_api() {
    let (_model, program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    exchange(&rest, &session, "I live in Leiden.").await;
    settled(&rest).await;
    let vaults = rest.get("/api/v1/vaults").await.ok();
    let conversations = format!("/api/v1/vaults/{}", vaults["data"][0]["vault_id"].as_str().unwrap());
    let patch = async |path: &str, body: Value| rest.call(Method::PATCH, path, Some(body), &[]).await;
    assert_eq!(patch(&conversations, json!({ "title": "talk" })).await.code(400), "invalid_request");
    assert_eq!(rest.call(Method::DELETE, &conversations, None, &[]).await.code(400), "invalid_request");

    let (vault_id, memory_id) = vault(&rest, "garden").await;
    let (other, _) = vault(&rest, "cellar").await;
    let (at_vault, at_memory) = (format!("/api/v1/vaults/{vault_id}"), path(&vault_id, &memory_id));
    let renamed = patch(&at_vault, json!({ "title": "allotment", "description": "beds" })).await.ok();
    assert_eq!((&renamed["title"], &renamed["description"]), (&json!("allotment"), &json!("beds")));
    assert_eq!(patch(&at_vault, json!({ "title": "cellar" })).await.code(409), "name_conflict");
    assert_eq!(patch(&at_vault, json!({ "title": "conversations" })).await.code(400), "invalid_request");
    assert_eq!(patch(&at_vault, json!({})).await.code(400), "invalid_request");
    assert_eq!(patch(&format!("/api/v1/vaults/{NOWHERE}"), json!({ "title": "x" })).await.code(404), "not_found");
    assert_eq!(patch(&at_memory, json!({ "title": "beans" })).await.ok()["title"], "beans");
    let elsewhere = path(&other, &memory_id);
    assert_eq!(patch(&elsewhere, json!({ "title": "peas" })).await.code(404), "not_found");

    let mut socket = server.socket().await;
    let asked = json!({ "vault_id": vault_id, "title": "orchard" });
    assert_eq!(socket.ask("vault.update", asked).await.unwrap()["title"], "orchard");
    let asked = json!({ "vault_id": vault_id, "memory_id": memory_id, "title": "plums" });
    assert_eq!(socket.ask("memory.update", asked).await.unwrap()["title"], "plums");

    let mcp = server.mcp(McpWire::Alone, json!({})).await;
    mcp.data("update_vault", json!({ "vault_id": vault_id, "title": "park" })).await;
    let asked = json!({ "vault_id": vault_id, "memory_id": memory_id, "title": "oaks" });
    assert_eq!(mcp.data("update_memory", asked).await["title"], "oaks");
    server.kill().await;
    let server = program.start().await;
    let rest = server.rest();
    assert_eq!(rest.get(&at_vault).await.ok()["title"], "park", "it is durable");
    assert_eq!(rest.get(&at_memory).await.ok()["title"], "oaks");

    let entry = add(&rest, &at_memory, json!({ "raw_entry": "The oldest oak is hollow." })).await;
    let mcp = server.mcp(McpWire::Alone, json!({})).await;
    let shown = mcp.data("delete_memory", json!({ "vault_id": vault_id, "memory_id": memory_id })).await;
    assert!(shown["forgotten"] == false && shown["items"][0]["id"] == entry["entry_id"], "{shown}");
    assert_eq!(rest.get(&at_memory).await.ok()["title"], "oaks", "nothing went");
    // It has read an entry of unknown origin now: another client has not.
    let mcp = server.mcp_named("gardener", McpWire::Alone, json!({})).await;
    let asked = json!({ "vault_id": vault_id, "memory_id": memory_id, "confirm": true });
    assert_eq!(mcp.data("delete_memory", asked).await["forgotten"], true);
    assert_eq!(rest.get(&at_memory).await.code(404), "not_found");
    assert_eq!(mcp.data("delete_vault", json!({ "vault_id": vault_id, "confirm": true })).await["forgotten"], true);
    let mut socket = server.socket().await;
    socket.ask("memory.forget", json!({ "vault_id": other })).await.unwrap();
    let left = rest.get("/api/v1/vaults").await.ok();
    assert_eq!(left["data"].as_array().unwrap().len(), 1, "{left}");
}

#[tokio::test]
async fn clients_of_mcp_look_before_they_forget_and_set_and_correct() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    exchange(&rest, &session, "My locker code is 4712.").await;
    settled(&rest).await;
    let mcp = server.mcp(McpWire::Session, json!({})).await;
    mcp.data("set_profile", json!({ "key": "diet", "value": "vegan" })).await;
    let profile = mcp.data("get_profile", json!({})).await;
    assert!(profile["data"].as_array().unwrap().iter().any(|line| line["value"] == "vegan"), "{profile}");
    let shown = mcp.data("forget", json!({ "query": "locker code" })).await;
    let fact = shown["items"].as_array().unwrap().iter().find(|item| item["value"] == "4712").unwrap();
    assert_eq!(shown["forgotten"], false, "{shown}");
    let right = mcp.data("correct", json!({ "id": fact["id"], "text": "4711" })).await;
    assert_eq!(right["value"], "4711", "{right}");
    for wrong in [json!({ "query": "locker", "confirm": true }), json!({}), json!({ "confirm": true })] {
        assert_eq!(mcp.call("forget", wrong.clone()).await.unwrap()["isError"], true, "{wrong}");
    }
    let gone = mcp.data("forget", json!({ "ids": [fact["id"], right["id"]], "confirm": true })).await;
    assert_eq!(gone["forgotten"], true, "{gone}");
    settled(&rest).await;
    let left = rest.text("/api/v1/memories/export").await;
    assert!(!left.contains("4711") && !left.contains("4712"), "{left}");
}

#[tokio::test]
async fn the_control_states_run_the_memory_agent_for_a_conversation_of_a_client() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let (vault_id, memory_id) = vault(&rest, "threads").await;
    let control = format!("{}/control", path(&vault_id, &memory_id));
    let run = async |body: Value| rest.post(&control, body).await;
    let said = |n: u32| json!({ "role": "user", "content": format!("Bed {n} has tulips."), "origin": "trusted" });
    let started = run(json!({ "control": "start_session" })).await.ok();
    assert_eq!(started["tools"], json!(["get_context", "list_entries"]), "{started}");
    for n in 1..=6 {
        let ran = run(json!({ "message": said(n) })).await.ok();
        let (state, tools) = match n {
            6 => ("process_message_and_flush", json!(["add_entry", "await_consistency", "put_context"])),
            _ => ("process_message", json!(["add_entry"])),
        };
        assert_eq!((&ran["control"], &ran["tools"]), (&json!(state), &tools), "{n}: {ran}");
        assert!(ran["entry"]["raw_entry"].as_str().unwrap().contains(&format!("Bed {n}")), "{ran}");
    }
    let kept = run(json!({ "control": "process_message", "message": said(7), "idempotency_key": "k" })).await.ok();
    let again = run(json!({ "control": "process_message", "message": said(7), "idempotency_key": "k" })).await.ok();
    assert_eq!(kept["entry"], again["entry"], "once");
    let ended = run(json!({ "control": "end_session" })).await.ok();
    assert_eq!(
        (&ended["tools"], &ended["context"]["version"]),
        (&json!(["await_consistency", "put_context"]), &json!(2))
    );
    let next = run(json!({ "control": "start_session" })).await.ok();
    assert!(next["context"]["content"].as_str().unwrap().contains("Bed 7"), "{next}");
    assert_eq!(next["recent"].as_array().unwrap().len(), 7);
    for wrong in [
        json!({}),
        json!({ "control": "process_message" }),
        json!({ "control": "end_session", "message": said(8) }),
        json!({ "control": "sleep" }),
    ] {
        assert_eq!(run(wrong.clone()).await.code(400), "invalid_request", "{wrong}");
    }
    let mcp = server.mcp(McpWire::Alone, json!({})).await;
    let asked = json!({ "vault_id": vault_id, "memory_id": memory_id, "message": said(8) });
    let ran = mcp.data("control_memory", asked).await;
    assert_eq!(ran["entry"]["origin"], "untrusted", "a model cannot vouch for its words: {ran}");

    let session = rest.session().await;
    exchange(&rest, &session, "Hello.").await;
    let own = super::memory_of(&rest, &session).await;
    let refused = rest.post(&format!("{own}/control"), json!({ "control": "end_session" })).await;
    assert_eq!(refused.code(400), "invalid_request", "the server runs that one itself");
}
