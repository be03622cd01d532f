//! Vaults, memories, entries and context documents over REST.

use reqwest::Method;
use serde_json::{Value, json};

use super::{NOWHERE, entry, memory, texts};
use crate::started;

#[tokio::test]
async fn a_title_is_given_once() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let cellar = json!({ "title": "cellar", "description": "what is where" });
    let make = async |body: &Value, key: &str| {
        rest.call(Method::POST, "/api/v1/vaults", Some(body.clone()), &[("idempotency-key", key)]).await
    };
    let vault = make(&cellar, "v1").await.ok();
    assert_eq!(make(&cellar, "v1").await.ok(), vault, "the same key, the same vault");
    assert_eq!(make(&json!({ "title": "car" }), "v1").await.code(409), "idempotency_conflict");
    assert_eq!(make(&cellar, "v2").await.code(409), "name_conflict");
    assert_eq!(rest.post("/api/v1/vaults", json!({ "title": "" })).await.code(400), "invalid_request");

    let path = format!("/api/v1/vaults/{}", vault["vault_id"].as_str().unwrap());
    assert_eq!(rest.get(&path).await.ok(), vault);
    let garden = rest.post(&format!("{path}/memories"), json!({ "title": "garden" })).await.ok();
    assert_eq!(rest.post(&format!("{path}/memories"), json!({ "title": "garden" })).await.code(409), "name_conflict");
    assert_eq!(rest.get(&format!("{path}/memories")).await.ok()["data"], json!([garden]));
    let own = format!("{path}/memories/{}", garden["memory_id"].as_str().unwrap());
    assert_eq!(rest.get(&own).await.ok(), garden);
    assert_eq!(rest.get("/api/v1/vaults").await.ok()["data"], json!([vault]));
}

#[tokio::test]
async fn lists_go_on_where_they_stopped() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    for title in ["a", "b", "c"] {
        rest.post("/api/v1/vaults", json!({ "title": title })).await.ok();
    }
    let first = rest.get("/api/v1/vaults?limit=2").await.ok();
    let next = first["next_cursor"].as_str().unwrap();
    let second = rest.get(&format!("/api/v1/vaults?limit=2&cursor={next}")).await.ok();
    let titles = |page: &Value| page["data"].as_array().unwrap().iter().map(|v| v["title"].clone()).collect::<Vec<_>>();
    assert_eq!((titles(&first), titles(&second)), (vec![json!("a"), json!("b")], vec![json!("c")]));

    let memory = memory(&rest).await;
    for day in 1..=3 {
        entry(&rest, &memory, day, &format!("The roses opened on day {day}.")).await;
    }
    let entries = format!("{memory}/entries");
    let days = |page: &Value| {
        let all = page["data"].as_array().unwrap().iter();
        all.map(|entry| entry["conversation_time"].as_str().unwrap()[8..10].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(days(&rest.get(&entries).await.ok()), ["03", "02", "01"]);
    let oldest = rest.get(&format!("{entries}?order=oldest&limit=2")).await.ok();
    assert_eq!(days(&oldest), ["01", "02"]);
    let next = oldest["next_cursor"].as_str().unwrap();
    assert_eq!(days(&rest.get(&format!("{entries}?order=oldest&limit=2&cursor={next}")).await.ok()), ["03"]);
    for wrong in ["order=best", "cursor=nonsense", "colour=red"] {
        assert_eq!(rest.get(&format!("{entries}?{wrong}")).await.code(400), "invalid_request", "{wrong}");
    }
    assert_eq!(rest.get("/api/v1/vaults?cursor=nonsense").await.code(400), "invalid_request");
}

#[tokio::test]
async fn an_entry_is_written_once_under_its_key_and_read_word_for_word() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    let entries = format!("{memory}/entries");
    let body = json!({ "raw_entry": "Grüße vom  Balkon.", "role": "assistant", "tags": { "place": "balcony" } });
    let write =
        async |body: &Value| rest.call(Method::POST, &entries, Some(body.clone()), &[("idempotency-key", "e1")]).await;
    let answer = write(&body).await;
    assert_eq!(answer.status, 201);
    let written = answer.ok();
    assert_eq!(write(&body).await.ok(), written);
    assert_eq!(write(&json!({ "raw_entry": "Something else." })).await.code(409), "idempotency_conflict");
    let own = format!("{entries}/{}", written["entry_id"].as_str().unwrap());
    let read = rest.get(&own).await.ok();
    assert_eq!((&read["raw_entry"], &read["tags"]), (&body["raw_entry"], &body["tags"]));
    assert_eq!(rest.post(&entries, json!({ "raw_entry": "" })).await.code(400), "invalid_request");
    let tagged = json!({ "query": "Balkon", "tags": { "place": "balcony" } });
    let found = rest.post("/api/v1/memories/search", tagged).await.ok();
    assert_eq!(texts(&found), ["Grüße vom  Balkon."]);
}

#[tokio::test]
async fn context_documents_have_versions_without_gaps() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    let contexts = format!("{memory}/contexts");
    assert_eq!(rest.get(&format!("{contexts}/latest")).await.code(404), "not_found");
    let write = async |text: &str, key: &str| {
        rest.call(Method::POST, &contexts, Some(json!({ "content": text })), &[("idempotency-key", key)]).await
    };
    let first = write("The garden has roses.", "c1").await.ok();
    assert_eq!(write("The garden has roses.", "c1").await.ok(), first);
    let second = write("The garden has roses and tulips.", "c2").await.ok();
    assert_eq!((&first["version"], &second["version"]), (&json!(1), &json!(2)));
    assert_eq!(second["written_by"], "client");
    assert_eq!(rest.get(&contexts).await.ok()["data"], json!([first, second]));
    assert_eq!(rest.get(&format!("{contexts}/latest")).await.ok(), second);
    assert_eq!(rest.get(&format!("{contexts}/1")).await.ok(), first);
    assert_eq!(rest.get(&format!("{contexts}/3")).await.code(404), "not_found");
    assert_eq!(rest.get(&format!("{contexts}/newest")).await.code(400), "invalid_request");
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let own = memory(&rest).await;
    let other = rest.post("/api/v1/vaults", json!({ "title": "other" })).await.ok();
    let memory_id = own.rsplit('/').next().unwrap();
    let elsewhere = format!("/api/v1/vaults/{}/memories/{memory_id}", other["vault_id"].as_str().unwrap());
    for path in [
        format!("/api/v1/vaults/{NOWHERE}"),
        format!("/api/v1/vaults/{NOWHERE}/memories/{NOWHERE}"),
        format!("{own}/entries/{NOWHERE}"),
        elsewhere.clone(),
        format!("{elsewhere}/entries"),
        format!("{elsewhere}/contexts"),
    ] {
        assert_eq!(rest.get(&path).await.code(404), "not_found", "{path}");
    }
    for path in ["/api/v1/vaults/nonsense", "/api/v1/vaults/nonsense/memories/x", &format!("{own}/entries/x")] {
        assert_eq!(rest.get(path).await.code(400), "invalid_request", "{path}");
    }
    let foreign = rest.call(Method::DELETE, &elsewhere, None, &[]).await;
    assert_eq!(foreign.code(404), "not_found", "a memory is deleted only through its own vault");
}

#[tokio::test]
async fn a_memory_goes_with_all_that_is_in_it() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let memory = memory(&rest).await;
    let one = entry(&rest, &memory, 1, "The spare key lies under the blue flowerpot.").await;
    let gone = rest.call(Method::DELETE, &memory, None, &[]).await.ok();
    assert!(gone["items"].as_array().unwrap().contains(&one["entry_id"]), "{gone}");
    assert_eq!(rest.get(&memory).await.code(404), "not_found");
    assert_eq!(texts(&rest.get("/api/v1/memories?query=flowerpot").await.ok()), [""; 0]);
}
