//! Quotas on each owner's memory.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::RestClient;

use super::{TwoOwners, assert_refused, own, works};

/// Creates a vault with a memory; returns the path of its entries.
async fn entries(rest: &RestClient) -> String {
    let vault = rest.post("/api/v1/vaults", json!({ "title": "garden" })).await.ok();
    let path = format!("/api/v1/vaults/{}/memories", vault["vault_id"].as_str().unwrap());
    let memory = rest.post(&path, json!({ "title": "trees" })).await.ok();
    format!("{path}/{}/entries", memory["memory_id"].as_str().unwrap())
}

fn entry(words: &str) -> Value {
    json!({ "raw_entry": words, "role": "assistant" })
}

#[tokio::test]
async fn a_full_memory_takes_no_more_and_forgetting_makes_room() {
    let two = TwoOwners::with(&[("QUOTA_MEMORY_RECORDS_MAX", "7")]).await;
    let path = entries(&two.ada).await;
    for tree in ["maple", "oak", "birch", "larch", "elm"] {
        two.ada.post(&path, entry(&format!("The {tree} is old."))).await.ok();
    }
    let refused = two.ada.post(&path, entry("The beech is old.")).await;
    assert_refused(&refused, "quota.memory_records_max");
    let line = || two.ada.call(Method::PUT, "/api/v1/profile/tree", Some(json!({ "value": "maple" })), &[]);
    assert_refused(&line().await, "quota.memory_records_max");
    assert_eq!(own(&two.ada).await["memory_records"], json!({ "used": 7, "max": 7 }));

    // An owner without memory quota can still chat, and nothing is retried endlessly.
    works(&two.ada).await;
    let session = two.ada.session().await;
    let turn = two.ada.send(&session, "My favourite tree is the larch.").await;
    let ended = two.ada.ended(&turn).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    two.ada.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 20_000 })).await.ok();

    let bobs = entries(&two.bob).await;
    two.bob.post(&bobs, entry("The birch is white.")).await.ok();
    let memory = path.strip_suffix("/entries").unwrap();
    two.ada.call(Method::DELETE, memory, None, &[]).await.ok();
    line().await.ok();
}

#[tokio::test]
async fn bytes_of_memory_are_limited_as_well() {
    let two = TwoOwners::with(&[("QUOTA_MEMORY_BYTES_MAX", "20000")]).await;
    let path = entries(&two.ada).await;
    let refused = two.ada.post(&path, entry(&"The maple is red. ".repeat(2_000))).await;
    assert_refused(&refused, "quota.memory_bytes_max");
    two.ada.post(&path, entry("The maple is red.")).await.ok();
}
