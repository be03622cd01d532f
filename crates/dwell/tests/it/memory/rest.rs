//! Memory over REST: the profile, lists, search, correcting, forgetting and waiting.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::RestClient;

use super::{NOWHERE, entry, memory, texts};
use crate::started;

async fn put(rest: &RestClient, key: &str, body: Value) -> testkit::RestResponse {
    rest.call(Method::PUT, &format!("/api/v1/profile/{key}"), Some(body), &[]).await
}

async fn delete(rest: &RestClient, path: &str) -> testkit::RestResponse {
    rest.call(Method::DELETE, path, None, &[]).await
}

#[tokio::test]
async fn a_line_of_the_profile_keeps_its_history_until_it_is_forgotten() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let first = put(&rest, "diet", json!({ "value": "vegetarian", "priority": 80 })).await.ok();
    let second = put(&rest, "diet", json!({ "value": "vegan" })).await.ok();
    put(&rest, "5k%20time%2Fpark", json!({ "value": "27:12", "priority": 10, "ttl_s": 3600 })).await.ok();

    let profile = rest.get("/api/v1/profile").await.ok();
    let lines: Vec<_> = profile["data"].as_array().unwrap().iter().map(|fact| (&fact["key"], &fact["value"])).collect();
    assert_eq!(lines, [(&json!("diet"), &json!("vegan")), (&json!("5k time/park"), &json!("27:12"))]);
    assert_eq!(profile["data"][0]["priority"], 80, "a line that is replaced hands its importance on");
    assert!(profile["data"][1]["expires_at"].is_string());

    let history = rest.get("/api/v1/profile/diet").await.ok();
    let values: Vec<_> = history["data"].as_array().unwrap().iter().map(|fact| &fact["value"]).collect();
    assert_eq!(values, ["vegan", "vegetarian"]);
    let old = &history["data"][1];
    assert_eq!((&old["fact_id"], &old["superseded_by"]), (&first["fact_id"], &second["fact_id"]));
    assert!(old["valid_until"].is_string() && history["data"][0].get("valid_until").is_none());

    let gone = delete(&rest, "/api/v1/profile/diet").await.ok();
    assert_eq!(gone["items"].as_array().unwrap().len(), 2, "with its history");
    assert_eq!(rest.get("/api/v1/profile/diet").await.code(404), "not_found");
    assert_eq!(delete(&rest, "/api/v1/profile/diet").await.code(404), "not_found");
}

#[tokio::test]
async fn a_line_that_is_none_is_refused() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    for body in [json!({}), json!({ "value": " " }), json!({ "value": "x", "priority": 101 }), json!({ "valeu": "x" })]
    {
        assert_eq!(put(&rest, "diet", body).await.code(400), "invalid_request");
    }
}

#[tokio::test]
async fn what_memory_holds_is_listed_page_by_page() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    for day in 1..=5 {
        entry(&rest, &memory, day, &format!("The roses opened on day {day}.")).await;
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = rest.get(&format!("/api/v1/memories?level=entry&limit=2{cursor}")).await.ok();
        seen.extend(texts(&page).into_iter().map(str::to_owned));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    let expected: Vec<_> = (1..=5).rev().map(|day| format!("The roses opened on day {day}.")).collect();
    assert_eq!(seen, expected, "newest first, each once");
    assert_eq!(texts(&rest.get("/api/v1/memories?level=profile,fact").await.ok()), [""; 0]);
    for wrong in ["level=nonsense", "cursor=nonsense", "limit=many", "colour=red", "scope=here"] {
        assert_eq!(rest.get(&format!("/api/v1/memories?{wrong}")).await.code(400), "invalid_request", "{wrong}");
    }
    let unknown = rest.get(&format!("/api/v1/memories?session_id={NOWHERE}")).await;
    assert_eq!(unknown.code(404), "not_found");
}

#[tokio::test]
async fn what_is_found_says_why() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    let wanted = entry(&rest, &memory, 3, "The boiler is serviced by Hartmann every October.").await;
    entry(&rest, &memory, 4, "The roses opened early this year.").await;
    let by_body = rest
        .post("/api/v1/memories/search", json!({ "query": "who services the boiler?", "levels": ["entry"] }))
        .await
        .ok();
    let by_query = rest.get("/api/v1/memories?level=entry&query=who%20services%20the%20boiler%3F").await.ok();
    for found in [by_body, by_query] {
        let best = &found["items"][0];
        assert_eq!(best["id"], wanted["entry_id"], "{found}");
        let part = |name: &str| best["score"][name].as_f64().unwrap();
        let sum: f64 = ["relevance", "recency", "pinned", "conversation", "entity", "time"].map(part).iter().sum();
        assert!((part("total") - sum).abs() < 1e-4, "{}", best["score"]);
        assert!(part("lexical") > 0.0);
        assert_eq!(found["mode"], "lexical", "there is no model of meaning here");
        assert!(found["notices"][0].as_str().unwrap().contains("dwell setup"), "{found}");
    }
    let item = rest.get(&format!("/api/v1/memories/{}", wanted["entry_id"].as_str().unwrap())).await.ok();
    assert_eq!((&item["level"], &item["text"]), (&json!("entry"), &wanted["raw_entry"]));

    let search = async |body: Value| rest.post("/api/v1/memories/search", body).await;
    assert_eq!(search(json!({ "query": " " })).await.code(400), "invalid_request");
    assert_eq!(search(json!({ "query": "x", "scope": "conversation" })).await.code(400), "invalid_request");
    assert_eq!(search(json!({ "query": "x", "mode": "semantic" })).await.code(400), "invalid_request");
    assert_eq!(search(json!({ "query": "x", "colour": "red" })).await.code(400), "invalid_request");
    assert_eq!(rest.get(&format!("/api/v1/memories/{NOWHERE}")).await.code(404), "not_found");
    assert_eq!(rest.get("/api/v1/memories/nonsense").await.code(400), "invalid_request");
}

#[tokio::test]
async fn a_correction_happens_once_and_leaves_the_old_words_readable() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    let wrong = entry(&rest, &memory, 3, "The boiler is serviced in October.").await;
    let id = wrong["entry_id"].as_str().unwrap();
    let path = format!("/api/v1/memories/{id}/correct");
    let correct = async |text: &str, key: &str| {
        rest.call(Method::POST, &path, Some(json!({ "text": text })), &[("idempotency-key", key)]).await
    };
    let right = correct("The boiler is serviced in November.", "k1").await.ok();
    assert_eq!(correct("The boiler is serviced in November.", "k1").await.ok(), right, "the same key, the same answer");
    assert_eq!(correct("The boiler is serviced in May.", "k1").await.code(409), "idempotency_conflict");
    assert_eq!(correct("The boiler is serviced in May.", "k2").await.code(409), "version_conflict");

    let old = rest.get(&format!("/api/v1/memories/{id}")).await.ok();
    assert_eq!((&old["text"], &old["superseded_by"]), (&wrong["raw_entry"], &right["id"]));
    let listed = rest.get("/api/v1/memories?level=entry").await.ok();
    assert_eq!(texts(&listed), ["The boiler is serviced in November."]);
    let listed = rest.get("/api/v1/memories?level=entry&history=true").await.ok();
    assert_eq!(texts(&listed).len(), 2);
    let nothing = rest.post(&format!("/api/v1/memories/{NOWHERE}/correct"), json!({ "text": "x" })).await;
    assert_eq!(nothing.code(404), "not_found");
    assert_eq!(rest.post(&path, json!({ "text": " " })).await.code(400), "invalid_request");
}

#[tokio::test]
async fn what_is_forgotten_is_gone_and_asking_again_says_the_same() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    let first = entry(&rest, &memory, 3, "The spare key lies under the blue flowerpot.").await;
    let second = entry(&rest, &memory, 4, "The alarm is set at eleven every night.").await;
    let forget = async |body: Value| {
        rest.call(Method::POST, "/api/v1/memories/forget", Some(body), &[("idempotency-key", "f1")]).await
    };
    let gone = forget(json!({ "ids": [first["entry_id"]] })).await.ok();
    assert_eq!(gone["items"], json!([first["entry_id"]]));
    assert_eq!(forget(json!({ "ids": [first["entry_id"]] })).await.ok(), gone);
    assert_eq!(forget(json!({ "ids": [second["entry_id"]] })).await.code(409), "idempotency_conflict");
    let path = format!("/api/v1/memories/{}", second["entry_id"].as_str().unwrap());
    delete(&rest, &path).await.ok();
    assert_eq!(delete(&rest, &path).await.code(404), "not_found");
    assert_eq!(texts(&rest.get("/api/v1/memories").await.ok()), [""; 0]);

    let forget = async |body: Value| rest.post("/api/v1/memories/forget", body).await;
    assert_eq!(forget(json!({})).await.code(400), "invalid_request");
    assert_eq!(forget(json!({ "text": "x" })).await.code(400), "invalid_request");
    assert_eq!(forget(json!({ "key": "nothing here" })).await.code(404), "not_found");
    assert_eq!(forget(json!({ "ids": [NOWHERE] })).await.code(404), "not_found");
    assert_eq!(forget(json!({ "memory_id": NOWHERE })).await.code(404), "not_found");
}

#[tokio::test]
async fn a_client_that_waits_is_told_that_all_can_be_found() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = rest.send(&session, "The boiler is serviced by Hartmann.").await;
    rest.ended(&turn).await;
    let state = rest.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 30_000 })).await.ok();
    assert_eq!((&state["consistent"], &state["durable"]), (&json!(true), &json!(true)), "{state}");
    let said = rest.get("/api/v1/memories?query=boiler&level=entry").await.ok();
    assert!(texts(&said).contains(&"The boiler is serviced by Hartmann."), "{said}");
    let unknown = rest.post("/api/v1/memories/await_consistency", json!({ "memory_id": NOWHERE })).await;
    assert_eq!(unknown.code(404), "not_found");
}
