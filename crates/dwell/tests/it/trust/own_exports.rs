//! A file that this server exported for this owner keeps its trust when it is imported unchanged;
//! no other file does.

use reqwest::Method;
use serde_json::{Value, json};

use super::{import, obedient};
use crate::{harness::told, owners::add};

#[tokio::test]
async fn a_session_keeps_its_origins_at_home_alone() {
    let (harness, elsewhere) = (obedient().await, obedient().await);
    let rest = harness.server.rest();
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "Hello there." })).await;
    let text = rest.text(&format!("/api/v1/sessions/{session}/export")).await;
    let ada = add(&harness.program, "ada").await;
    let (hers, theirs) = (harness.server.rest_as(Some(&ada)), elsewhere.server.rest());
    let forged = {
        let mut manifest: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        manifest["signature"] = json!("00".repeat(32));
        std::iter::once(manifest.to_string())
            .chain(text.lines().skip(1).map(str::to_owned))
            .collect::<Vec<_>>()
            .join("\n")
    };
    for (rest, text, keeps, whose) in [
        (&rest, &text, true, "the owner's own"),
        (&hers, &text, false, "another owner's"),
        (&theirs, &text, false, "another server's"),
        (&rest, &forged, false, "with another signature"),
    ] {
        let taken = import(rest, "format=ndjson", text.clone()).await.ok();
        assert_eq!(taken["origins_kept"], keeps, "{whose}: {taken}");
        assert_eq!(taken["tainted"] == true, !keeps, "{whose}: {taken}");
    }
}

#[tokio::test]
async fn so_does_an_archive_of_memories() {
    let harness = obedient().await;
    let rest = harness.server.rest();
    rest.call(Method::PUT, "/api/v1/profile/diet", Some(json!({ "value": "vegan" })), &[]).await.ok();
    let archive = rest.get("/api/v1/memories/export").await.ok();
    let ada = add(&harness.program, "ada").await;
    let hers = harness.server.rest_as(Some(&ada));
    let taken = hers.post("/api/v1/memories/import", json!({ "archive": archive })).await.ok();
    assert_eq!(taken["origins_kept"], false, "{taken}");
    assert_eq!(hers.get("/api/v1/profile").await.ok()["data"], json!([]), "it says nothing about her");
    let lines = hers.get("/api/v1/memories?level=profile").await.ok();
    assert_eq!((&lines["items"][0]["value"], &lines["items"][0]["origin"]), (&json!("vegan"), &json!("untrusted")));
    let fact = archive["facts"][0]["fact_id"].clone();
    rest.post("/api/v1/memories/forget", json!({ "ids": [fact] })).await.ok();
    let pretty = serde_json::to_string_pretty(&archive).unwrap();
    let taken = rest.post("/api/v1/memories/import", json!({ "text": pretty })).await.ok();
    assert_eq!(taken["origins_kept"], true, "{taken}");
    assert_eq!(rest.get("/api/v1/profile").await.ok()["data"][0]["origin"], "trusted");
}
