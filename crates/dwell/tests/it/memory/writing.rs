//! Written entries are stored once, can be found, are listed page by page without gaps, and belong
//! to their owner only.

use std::{collections::BTreeSet, fs};

use reqwest::Method;
use serde_json::{Value, json};

use super::{NOWHERE, add, exchange, keyed, memory, memory_of, search, settled, texts};
use crate::{program, started};

#[tokio::test]
async fn a_client_that_waits_finds_what_was_just_said() {
    let (_model, program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    for (place, turns) in [("attic", 1), ("cellar", 2), ("garden", 3)] {
        exchange(&rest, &session, &format!("The {place} was painted by Okonkwo.")).await;
        let state = settled(&rest).await;
        assert_eq!((&state["durable"], &state["searchable"]), (&json!(true), &json!(true)));
        let found = search(&rest, json!({ "query": format!("painted {place}"), "levels": ["entry"] })).await;
        let said = format!("The {place} was painted by Okonkwo.");
        assert!(texts(&found).contains(&said.as_str()), "{found}");
        let listed = rest.get("/api/v1/memories?level=entry&limit=100").await.ok();
        assert_eq!(texts(&listed).len(), 2 * turns, "the question and its answer, each once: {listed}");
    }
    server.kill().await;
    let server = program.start().await;
    let rest = server.rest();
    settled(&rest).await;
    let found = search(&rest, json!({ "query": "painted by Okonkwo", "levels": ["entry"] })).await;
    assert_eq!(texts(&found).len(), 6, "what was consistent outlives a power cut: {found}");
}

#[tokio::test]
async fn without_a_usable_model_of_meaning_search_says_so_and_goes_by_words() {
    let broken = tempfile::TempDir::new().unwrap();
    fs::write(broken.path().join("vocab.txt"), "[PAD]\n[UNK]\nboiler\n").unwrap();
    fs::write(broken.path().join("model.safetensors"), [0x40, 0x9c, 0, 0, 0, 0, 0, 0, b'{', b'"', b'e']).unwrap();
    let program = program().with("DWELL_MEMORY_EMBEDDING_DIR", broken.path().to_str().unwrap());
    let server = program.start().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    add(&rest, &memory, json!({ "raw_entry": "The boiler is serviced by Hartmann." })).await;
    let state = settled(&rest).await;
    assert!(state["notices"][0].as_str().unwrap().contains("by words only"), "{state}");

    let found = search(&rest, json!({ "query": "boiler" })).await;
    assert_eq!((texts(&found), &found["mode"]), (vec!["The boiler is serviced by Hartmann."], &json!("lexical")));
    let notice = found["notices"][0].as_str().unwrap();
    assert!(notice.contains("words only") && notice.contains("dwell setup"), "{notice}");
    let refused = rest.post("/api/v1/memories/search", json!({ "query": "boiler", "mode": "semantic" })).await;
    assert_eq!(refused.code(400), "invalid_request");

    let session = rest.session().await;
    let turn = exchange(&rest, &session, "Who services the boiler?").await;
    assert_eq!(turn["status"], "completed", "{turn}");
    let log = rest.log(&session).await;
    let used = &super::events(&log, "memory.used")[0]["data"];
    assert!(used["notices"][0].as_str().unwrap().contains("words only"), "a turn says it too: {used}");
}

#[tokio::test]
async fn fifty_retries_at_once_write_one_entry() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    let entries = format!("{memory}/entries");
    let body = json!({ "raw_entry": "The boiler is serviced by Hartmann." });
    let mut racing = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let (rest, path, body) = (rest.clone(), entries.clone(), body.clone());
        racing.spawn(async move { keyed(&rest, &path, &body, "once").await.ok()["entry_id"].clone() });
    }
    let ids: BTreeSet<String> = racing.join_all().await.iter().map(Value::to_string).collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let stored = rest.get(&entries).await.ok();
    assert_eq!(stored["data"].as_array().unwrap().len(), 1, "{stored}");

    let other = json!({ "raw_entry": "The boiler is serviced by nobody." });
    assert_eq!(keyed(&rest, &entries, &other, "once").await.code(409), "idempotency_conflict");
    let found = search(&rest, json!({ "query": "boiler", "levels": ["entry"] })).await;
    assert_eq!(texts(&found), ["The boiler is serviced by Hartmann."], "what was refused left nothing");
}

#[tokio::test]
async fn a_retry_after_a_restart_writes_nothing_new() {
    let (_model, program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    let entries = format!("{memory}/entries");
    let body = json!({ "raw_entry": "The boiler is serviced by Hartmann." });
    let first = keyed(&rest, &entries, &body, "once").await.ok();
    server.kill().await;
    let server = program.start().await;
    let rest = server.rest();
    assert_eq!(keyed(&rest, &entries, &body, "once").await.ok(), first);
    assert_eq!(rest.get(&entries).await.ok()["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn pages_lose_and_repeat_nothing_that_happened_at_the_same_moment() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    let mut all = BTreeSet::new();
    for number in 0..25 {
        let words = format!("The roses of bed {number} opened.");
        let at = "2026-05-03T10:00:00Z";
        let stored = add(&rest, &memory, json!({ "raw_entry": words, "conversation_time": at })).await;
        all.insert(stored["entry_id"].as_str().unwrap().to_owned());
    }
    for (path, list, id) in [
        (format!("{memory}/entries?limit=4"), "data", "entry_id"),
        (format!("{memory}/entries?order=oldest&limit=4"), "data", "entry_id"),
        ("/api/v1/memories?level=entry&limit=4".to_owned(), "items", "id"),
    ] {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = rest.get(&format!("{path}{cursor}")).await.ok();
            let rows = page[list].as_array().unwrap();
            assert!(rows.len() <= 4, "{page}");
            seen.extend(rows.iter().map(|row| row[id].as_str().unwrap().to_owned()));
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(seen.len(), 25, "{path}: each once");
        assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), all, "{path}: all of them");
    }
}

#[tokio::test]
async fn an_id_that_is_not_ones_own_opens_nothing() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let own = memory(&rest).await;
    let item = format!("/api/v1/memories/{NOWHERE}");
    for (method, path, body) in [
        (Method::GET, item.clone(), None),
        (Method::DELETE, item.clone(), None),
        (Method::POST, format!("{item}/correct"), Some(json!({ "text": "x" }))),
        (Method::POST, "/api/v1/memories/forget".to_owned(), Some(json!({ "ids": [NOWHERE] }))),
        (Method::POST, "/api/v1/memories/forget".to_owned(), Some(json!({ "memory_id": NOWHERE }))),
        (Method::POST, "/api/v1/memories/await_consistency".to_owned(), Some(json!({ "memory_id": NOWHERE }))),
        (Method::GET, format!("/api/v1/memories?session_id={NOWHERE}"), None),
        (Method::POST, "/api/v1/memories/search".to_owned(), Some(json!({ "query": "x", "session_id": NOWHERE }))),
        (Method::GET, format!("/api/v1/vaults/{NOWHERE}"), None),
        (Method::GET, format!("/api/v1/vaults/{NOWHERE}/memories"), None),
        (Method::POST, format!("/api/v1/vaults/{NOWHERE}/memories"), Some(json!({ "title": "x" }))),
        (
            Method::POST,
            format!("/api/v1/vaults/{NOWHERE}/memories/{NOWHERE}/entries"),
            Some(json!({ "raw_entry": "x" })),
        ),
        (Method::GET, format!("{own}/entries/{NOWHERE}"), None),
        (Method::GET, format!("/api/v1/profile/{NOWHERE}"), None),
        (Method::DELETE, format!("/api/v1/profile/{NOWHERE}"), None),
    ] {
        let answer = rest.call(method.clone(), &path, body, &[]).await;
        assert_eq!(answer.code(404), "not_found", "{method} {path}");
    }
    for (name, id) in [("memory_id", NOWHERE), ("vault_id", NOWHERE)] {
        add(&rest, &own, json!({ "raw_entry": "The boiler is serviced by Hartmann." })).await;
        let found = rest.post("/api/v1/memories/search", json!({ "query": "boiler", name: id })).await;
        let is_nothing = found.status == 404 || found.body["items"] == json!([]);
        assert!(is_nothing, "{name}: {}", found.body);
    }
}

#[tokio::test]
async fn a_conversation_gives_only_its_own() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let (one, two) = (rest.session().await, rest.session().await);
    exchange(&rest, &one, "The blue flowerpot hides the key.").await;
    exchange(&rest, &two, "The red flowerpot is broken.").await;
    let ours = memory_of(&rest, &one).await;
    let scoped = json!({ "query": "flowerpot", "scope": "conversation", "session_id": one });
    let found = search(&rest, scoped).await;
    assert!(!texts(&found).is_empty());
    for item in found["items"].as_array().unwrap() {
        assert_eq!(item["source"]["session_id"], json!(one), "{item}");
    }
    assert!(texts(&found).iter().all(|text| !text.contains("red")), "{found}");
    let listed = rest.get(&format!("/api/v1/memories?scope=conversation&session_id={one}&limit=100")).await.ok();
    assert!(texts(&listed).iter().all(|text| !text.contains("red")), "{listed}");

    let id = ours.rsplit('/').next().unwrap();
    let found = search(&rest, json!({ "query": "flowerpot", "memory_id": id })).await;
    assert!(!texts(&found).is_empty() && texts(&found).iter().all(|text| !text.contains("red")), "{found}");

    let both = search(&rest, json!({ "query": "flowerpot", "session_id": two, "levels": ["entry"] })).await;
    assert!(texts(&both)[0].contains("red"), "both, and this one first: {both}");
    assert!(texts(&both).iter().any(|text| text.contains("blue")), "{both}");
}
