//! Filters, time ranges, thresholds and pages of a search.

use serde_json::{Value, json};
use testkit::McpWire;

use super::{add, line, memory, search, texts};
use crate::started;

/// The texts of the results in alphabetical order, since scores differ by age only.
fn sorted(snapshot: &Value) -> Vec<&str> {
    let mut texts = texts(snapshot);
    texts.sort_unstable();
    texts
}

#[tokio::test]
async fn a_search_is_narrowed_by_role_time_tag_and_their_combinations_on_every_api() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    for (role, speaker, month, topic, text) in [
        ("user", "Ann", "03", "pets", "The boiler hums, and the cat likes it."),
        ("user", "Bob", "04", "garden", "The boiler stands beside the garden door."),
        ("assistant", "Ann", "05", "pets", "The boiler can be serviced in May."),
    ] {
        let at = format!("2026-{month}-02T10:00:00Z");
        let body = json!({
            "raw_entry": text, "role": role, "speaker": speaker, "conversation_time": at, "tags": { "topic": topic },
        });
        add(&rest, &memory, body).await;
    }
    let [hums, stands, serviced] = [
        "The boiler hums, and the cat likes it.",
        "The boiler stands beside the garden door.",
        "The boiler can be serviced in May.",
    ];
    let mut socket = server.socket().await;
    let mcp = server.mcp(McpWire::Alone, json!({})).await;
    for (narrowed, expected) in [
        (json!({ "role": "user" }), vec![hums, stands]),
        (json!({ "after": "2026-04-02T10:00:00Z" }), vec![serviced, stands]),
        (json!({ "before": "2026-04-02T10:00:00Z" }), vec![hums]),
        (json!({ "filter": { "not": { "role": "user" } } }), vec![serviced]),
        (json!({ "filter": { "tag": { "name": "topic", "value": "pets" } } }), vec![serviced, hums]),
        (json!({ "filter": { "and": [{ "speaker": "ann" }, { "before": "2026-05-01T00:00:00Z" }] } }), vec![hums]),
        (json!({ "filter": { "or": [{ "speaker": "Bob" }, { "role": "assistant" }] } }), vec![serviced, stands]),
        (json!({ "filter": { "level": "context" } }), vec![]),
        (json!({ "min_score": 5.0 }), vec![]),
    ] {
        let mut asked = json!({ "query": "boiler" });
        asked.as_object_mut().unwrap().extend(narrowed.as_object().unwrap().clone());
        assert_eq!(sorted(&search(&rest, asked.clone()).await), expected, "REST {asked}");
        assert_eq!(sorted(&socket.ask("memory.search", asked.clone()).await.unwrap()), expected, "WebSocket {asked}");
        assert_eq!(sorted(&mcp.data("search_memories", asked.clone()).await), expected, "MCP {asked}");
    }
}

#[tokio::test]
async fn results_come_in_pages_and_mistakes_are_named() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    for number in 0..7 {
        add(&rest, &memory, json!({ "raw_entry": format!("Boiler number {number} is warm.") })).await;
    }
    let whole = search(&rest, json!({ "query": "boiler", "limit": 7, "levels": ["entry"] })).await;
    assert!(whole["next_cursor"].is_null(), "{whole}");
    let mut pages = Vec::new();
    let mut cursor = Value::Null;
    for size in [3, 3, 1] {
        let mut asked = json!({ "query": "boiler", "limit": 3, "levels": ["entry"] });
        if cursor.is_string() {
            asked["cursor"] = cursor;
        }
        let page = search(&rest, asked).await;
        assert_eq!(page["items"].as_array().unwrap().len(), size);
        pages.extend(texts(&page).into_iter().map(str::to_owned));
        cursor = page["next_cursor"].clone();
    }
    assert!(cursor.is_null());
    assert_eq!(pages, texts(&whole), "the pages together are the whole list");
    let skipped = search(&rest, json!({ "query": "boiler", "offset": 5, "levels": ["entry"] })).await;
    assert_eq!(texts(&skipped), texts(&whole)[5..]);
    for (narrowed, said) in [
        (json!({ "cursor": "x" }), "cursor"),
        (json!({ "cursor": "offset-3", "offset": 3 }), "exclude each other"),
        (json!({ "after": "2026-05-01T00:00:00Z", "before": "2026-04-01T00:00:00Z" }), "`after` is not before"),
        (json!({ "filter": { "and": [] } }), "at least one condition"),
        (json!({ "filter": { "rolle": "user" } }), "unknown variant `rolle`"),
    ] {
        let mut asked = json!({ "query": "boiler" });
        asked.as_object_mut().unwrap().extend(narrowed.as_object().unwrap().clone());
        let refused = rest.post("/api/v1/memories/search", asked.clone()).await;
        assert_eq!(refused.status, 400, "{asked}");
        assert!(refused.body.to_string().contains(said), "{asked}: {}", refused.body);
    }
}

#[tokio::test]
async fn a_person_is_found_by_either_name() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    line(&rest, "sister's name", "Maria").await;
    for text in ["Maria moved to Graz in spring.", "My sister plays the viola.", "The tram to the lake is slow."] {
        add(&rest, &memory, json!({ "raw_entry": text })).await;
    }
    for (query, other) in [
        ("Where does my sister live?", "Maria moved to Graz in spring."),
        ("What does Maria play?", "My sister plays the viola."),
    ] {
        let found = search(&rest, json!({ "query": query, "levels": ["entry"], "mode": "lexical" })).await;
        let hit = found["items"].as_array().unwrap().iter().find(|item| item["text"] == other);
        let entity = hit.unwrap_or_else(|| panic!("{query}: {found}"))["score"]["entity"].as_f64().unwrap();
        assert!((entity - 0.05).abs() < 1e-6, "{query}: {entity}");
    }
}
