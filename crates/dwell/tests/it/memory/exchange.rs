//! Memory over REST: imported conversations, archives and the audit.

use reqwest::Method;
use serde_json::{Value, json};

use super::{entry, memory, texts};
use crate::started;

#[tokio::test]
async fn a_conversation_from_elsewhere_is_taken_in_once() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let conversation = json!({
        "title": "call with Hartmann",
        "messages": [
            { "role": "user", "content": "When do you come for the boiler?", "at": "2026-05-03T10:00:00Z" },
            { "role": "assistant", "speaker": "Hartmann", "content": "On the ninth of October." },
        ],
    });
    let ingest = async |body: &Value, key: Option<&str>| {
        let headers: Vec<_> = key.iter().map(|key| ("idempotency-key", *key)).collect();
        rest.call(Method::POST, "/api/v1/memories/ingest", Some(body.clone()), &headers).await
    };
    let took = ingest(&conversation, Some("i1")).await.ok();
    assert_eq!((&took["entries"], &took["known"]), (&json!(2), &json!(0)), "{took}");
    assert_eq!(ingest(&conversation, Some("i1")).await.ok(), took, "the same key, the same answer");
    let again = ingest(&conversation, None).await.ok();
    assert_eq!((&again["entries"], &again["known"]), (&json!(0), &json!(2)), "also without a key: {again}");
    let other = json!({ "title": "another", "messages": [] });
    assert_eq!(ingest(&other, Some("i1")).await.code(409), "idempotency_conflict");
    assert_eq!(ingest(&json!({ "messages": [] }), None).await.code(400), "invalid_request");

    let path = format!(
        "/api/v1/vaults/{}/memories/{}",
        took["vault_id"].as_str().unwrap(),
        took["memory_id"].as_str().unwrap()
    );
    assert_eq!(rest.get(&path).await.ok()["title"], "call with Hartmann");
    let entries = rest.get(&format!("{path}/entries?order=oldest")).await.ok();
    assert_eq!(entries["data"].as_array().unwrap().len(), 2, "{entries}");
    assert!(rest.get(&format!("{path}/contexts/latest")).await.ok()["version"].is_u64(), "it is summed up at its end");
    let found = rest.get("/api/v1/memories?query=boiler&level=entry").await.ok();
    assert!(texts(&found).contains(&"When do you come for the boiler?"), "{found}");
}

#[tokio::test]
async fn an_archive_carries_all_of_it_to_another_server() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    entry(&rest, &memory, 3, "The boiler is serviced by Hartmann.").await;
    rest.call(Method::PUT, "/api/v1/profile/diet", Some(json!({ "value": "vegan" })), &[]).await.ok();
    let archive = rest.get("/api/v1/memories/export").await.ok();
    assert_eq!(archive["entries"].as_array().unwrap().len(), 1);

    let (_other_model, _other_program, other) = started().await;
    let rest = other.rest();
    let import = async |body: Value| rest.post("/api/v1/memories/import", body).await;
    let new = import(json!({ "text": archive.to_string() })).await.ok();
    let count = |name: &str| new[name].as_u64().unwrap();
    assert_eq!((count("vaults"), count("memories"), count("entries")), (1, 1, 1), "{new}");
    let again = import(json!({ "archive": archive })).await.ok();
    assert_eq!((&again["entries"], &again["facts"]), (&json!(0), &json!(0)), "{again}");
    let found = rest.get("/api/v1/memories?query=boiler&level=entry").await.ok();
    assert_eq!(texts(&found), ["The boiler is serviced by Hartmann."]);

    assert_eq!(import(json!({})).await.code(400), "invalid_request");
    assert_eq!(import(json!({ "archive": archive, "text": "x" })).await.code(400), "invalid_request");
    assert_eq!(import(json!({ "text": "{}", "format": "diary" })).await.code(400), "invalid_request");
    assert_eq!(import(json!({ "text": "my diary" })).await.code(400), "invalid_request");
}

#[tokio::test]
async fn what_other_programs_wrote_is_taken_in_without_its_secrets() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let secret = "sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12";
    let chat = json!([
        { "role": "user", "content": format!("{} {secret}, keep it safe.", "Here is a long beginning. ".repeat(2)) },
        { "role": "assistant", "content": "I would rather not." },
    ]);
    let notes = json!([{ "id": "1", "memory": "Likes the window seat", "created_at": "2026-05-03T10:00:00Z" }]);
    let import = async |text: &Value, vault: &str| {
        rest.post("/api/v1/memories/import", json!({ "text": text.to_string(), "vault": vault })).await.ok()
    };
    let new = import(&chat, "chats").await;
    assert_eq!((&new["vaults"], &new["memories"], &new["entries"]), (&json!(1), &json!(1), &json!(2)), "{new}");
    let new = import(&notes, "notes").await;
    assert_eq!((&new["memories"], &new["entries"]), (&json!(1), &json!(1)), "{new}");
    let again = import(&notes, "notes").await;
    assert_eq!((&again["memories"], &again["entries"], &again["known"]), (&json!(0), &json!(0), &json!(1)), "{again}");
    let archive = rest.text("/api/v1/memories/export").await;
    let half = &secret[..12];
    assert!(!archive.contains(half) && archive.contains("[redacted") && archive.contains("window seat"));

    let mut smuggled: Value = serde_json::from_str(&archive.replace("window seat", secret)).unwrap();
    // An attacker who changes an archive removes its manifest too.
    smuggled.as_object_mut().unwrap().remove("manifest");
    let smuggled = smuggled.to_string();
    rest.post("/api/v1/memories/import", json!({ "text": smuggled })).await.ok();
    assert!(!rest.text("/api/v1/memories/export").await.contains(secret), "nor does an archive bring one in");
}

#[tokio::test]
async fn the_audit_counts_what_should_be_looked_at() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    for day in 1..=2 {
        entry(&rest, &memory, day, "The boiler is serviced by Hartmann every October.").await;
    }
    let audit = rest.get("/api/v1/memories/audit").await.ok();
    assert_eq!(audit["counts"]["entry"], 2, "{audit}");
    assert!(audit["duplicates"]["count"].as_u64().unwrap() >= 1, "{audit}");
    assert_eq!(audit["secrets"]["count"], 0);
}
