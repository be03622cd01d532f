//! Imports are checked against the same limits as new data, before anything is written.

use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::Method;
use serde_json::{Value, json};
use testkit::RestClient;

use super::{TwoOwners, assert_refused, own};

/// A session's journal with an artifact of that many bytes and a date in 2099.
async fn with_artifact(rest: &RestClient, bytes: usize) -> Vec<Value> {
    let session = rest.session().await;
    let turn = rest.send(&session, "How is the weather in Linz?").await;
    rest.ended(&turn).await;
    let mut lines = rest.log(&session).await;
    let view = json!({
        "artifact_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "session_id": session,
        "name": "film.bin",
        "media_type": "application/octet-stream",
        "bytes": bytes,
        "origin": "trusted",
        "created_at": "2099-01-01T00:00:00Z",
    });
    lines.push(json!({ "type": "artifact", "artifact": view, "data": STANDARD.encode(vec![7; bytes]) }));
    lines
}

#[tokio::test]
async fn an_import_with_more_artifacts_than_there_is_room_for_is_refused_whole() {
    let two = TwoOwners::with(&[("ARTIFACTS_OWNER_BYTES_MAX", "5000")]).await;
    let url = format!("{}/api/v1/sessions/import?format=ndjson", two.server.url());
    let import = async |rest: &RestClient, lines: &[Value]| {
        let body: Vec<String> = lines.iter().map(Value::to_string).collect();
        rest.send_raw(Method::POST, &url, body.join("\n")).await
    };
    let lines = with_artifact(&two.ada, 3_000).await;
    import(&two.ada, &lines).await.ok();
    assert_eq!(own(&two.ada).await["artifact_bytes"], json!({ "used": 3_000, "max": 5_000 }));
    // Memory still reads the session, which counts too.
    two.ada.post("/api/v1/memories/await_consistency", json!({ "timeout_ms": 20_000 })).await.ok();
    let before = own(&two.ada).await;

    let refused = import(&two.ada, &lines).await;
    assert_refused(&refused, "artifacts.owner_bytes_max");
    let message = refused.body["message"].as_str().unwrap();
    assert!(message.contains("3000") && message.contains("5000"), "{message}");
    assert_eq!(own(&two.ada).await, before, "nothing of it is there");

    import(&two.bob, &lines).await.ok();
    let kept = two.ada.get("/api/v1/artifacts").await.ok();
    let artifact = kept["data"][0]["artifact_id"].as_str().unwrap();
    two.ada.call(Method::DELETE, &format!("/api/v1/artifacts/{artifact}"), None, &[]).await.ok();
    import(&two.ada, &lines).await.ok();
}
