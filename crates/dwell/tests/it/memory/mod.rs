//! Memory as clients see it.

mod agent;
mod agent_tools;
mod by_words;
mod changing;
mod command_line;
mod exchange;
mod filters;
mod forgetting;
mod forgotten;
mod graph;
mod kill;
mod model;
mod profile;
mod prompt;
mod ranking;
mod reset;
mod rest;
mod scopes;
mod socket;
mod update_pairs;
mod vaults;
mod writing;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{RestClient, RestResponse};

/// An id that does not exist.
const NOWHERE: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// The path of a new memory in a new vault.
async fn memory(rest: &RestClient) -> String {
    let vault = rest.post("/api/v1/vaults", json!({ "title": "house" })).await.ok();
    let path = format!("/api/v1/vaults/{}/memories", vault["vault_id"].as_str().unwrap());
    let memory = rest.post(&path, json!({ "title": "garden" })).await.ok();
    format!("{path}/{}", memory["memory_id"].as_str().unwrap())
}

/// Writes an entry with a date in May 2026.
async fn entry(rest: &RestClient, memory: &str, day: u32, words: &str) -> Value {
    let at = format!("2026-05-{day:02}T10:00:00Z");
    rest.post(&format!("{memory}/entries"), json!({ "raw_entry": words, "conversation_time": at })).await.ok()
}

/// The texts of the search results, in order.
fn texts(snapshot: &Value) -> Vec<&str> {
    snapshot["items"].as_array().unwrap().iter().map(|item| item["text"].as_str().unwrap()).collect()
}

/// Writes an entry with these fields.
async fn add(rest: &RestClient, memory: &str, body: Value) -> Value {
    rest.post(&format!("{memory}/entries"), body).await.ok()
}

/// Searches memory.
async fn search(rest: &RestClient, body: Value) -> Value {
    rest.post("/api/v1/memories/search", body).await.ok()
}

/// Sets a line of the profile.
async fn line(rest: &RestClient, key: &str, value: &str) -> Value {
    rest.call(Method::PUT, &format!("/api/v1/profile/{key}"), Some(json!({ "value": value })), &[]).await.ok()
}

/// Sends a POST request with an idempotency key.
async fn keyed(rest: &RestClient, path: &str, body: &Value, key: &str) -> RestResponse {
    rest.call(Method::POST, path, Some(body.clone()), &[("idempotency-key", key)]).await
}

/// Sends a message and waits for the end of its turn.
async fn exchange(rest: &RestClient, session: &str, message: &str) -> Value {
    let turn = rest.send(session, message).await;
    rest.ended(&turn).await
}

/// Waits until everything that was said and written can be found.
async fn settled(rest: &RestClient) -> Value {
    let state = rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 30_000 })).await.ok();
    assert_eq!(state["consistent"], true, "{state}");
    state
}

/// The path of the memory that follows a session, once it is up to date.
async fn memory_of(rest: &RestClient, session: &str) -> String {
    settled(rest).await;
    let vaults = rest.get("/api/v1/vaults").await.ok();
    let all = vaults["data"].as_array().unwrap();
    let vault = all.iter().find(|vault| vault["title"] == "conversations").unwrap();
    let path = format!("/api/v1/vaults/{}/memories", vault["vault_id"].as_str().unwrap());
    let memories = rest.get(&format!("{path}?limit=100")).await.ok();
    let own = memories["data"].as_array().unwrap().iter().find(|memory| memory["session_id"] == session);
    format!("{path}/{}", own.unwrap()["memory_id"].as_str().unwrap())
}

/// The events of one type, in order.
fn events<'a>(log: &'a [Value], kind: &str) -> Vec<&'a Value> {
    log.iter().filter(|event| event["type"] == kind).collect()
}
