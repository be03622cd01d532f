//! Memory as clients meet it.

mod agent;
mod changing;
mod command_line;
mod doors;
mod exchange;
mod forgetting;
mod forgotten;
mod kill;
mod profile;
mod prompt;
mod ranking;
mod reset;
mod socket;
mod update_pairs;
mod vaults;
mod writing;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Answer, Rest};

/// An id that exists nowhere.
const NOWHERE: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/// The path of a fresh memory in a fresh vault.
async fn memory(rest: &Rest) -> String {
    let vault = rest.post("/api/v1/vaults", json!({ "title": "house" })).await.ok();
    let path = format!("/api/v1/vaults/{}/memories", vault["vault_id"].as_str().unwrap());
    let memory = rest.post(&path, json!({ "title": "garden" })).await.ok();
    format!("{path}/{}", memory["memory_id"].as_str().unwrap())
}

/// Writes an entry that happened on a day of May 2026.
async fn entry(rest: &Rest, memory: &str, day: u32, words: &str) -> Value {
    let at = format!("2026-05-{day:02}T10:00:00Z");
    rest.post(&format!("{memory}/entries"), json!({ "raw_entry": words, "conversation_time": at })).await.ok()
}

/// The words of what was found, in order.
fn texts(snapshot: &Value) -> Vec<&str> {
    snapshot["items"].as_array().unwrap().iter().map(|item| item["text"].as_str().unwrap()).collect()
}

/// Writes an entry in some way.
async fn add(rest: &Rest, memory: &str, body: Value) -> Value {
    rest.post(&format!("{memory}/entries"), body).await.ok()
}

/// What fits a question.
async fn search(rest: &Rest, body: Value) -> Value {
    rest.post("/api/v1/memories/search", body).await.ok()
}

/// Sets a line of the profile.
async fn line(rest: &Rest, key: &str, value: &str) -> Value {
    rest.call(Method::PUT, &format!("/api/v1/profile/{key}"), Some(json!({ "value": value })), &[]).await.ok()
}

/// Asks for something to be done once, whatever the network does.
async fn keyed(rest: &Rest, path: &str, body: &Value, key: &str) -> Answer {
    rest.call(Method::POST, path, Some(body.clone()), &[("idempotency-key", key)]).await
}

/// Says something, and waits until it was answered.
async fn exchange(rest: &Rest, session: &str, message: &str) -> Value {
    let turn = rest.send(session, message).await;
    rest.ended(&turn).await
}

/// Waits until all that was said and written can be found.
async fn settled(rest: &Rest) -> Value {
    let state = rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 30_000 })).await.ok();
    assert_eq!(state["consistent"], true, "{state}");
    state
}

/// The path of the memory that follows a session, once it is up to date.
async fn memory_of(rest: &Rest, session: &str) -> String {
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
