//! Expired sessions that are archived as files.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};
use testkit::{ModelServer, Program, Reply, RestClient, ToolCall};

use super::{age, exchange, expiry::plain, view};
use crate::harness::session_with;

fn archiving(model: &ModelServer) -> Program {
    plain(model)
        .with("DWELL_RETENTION_SESSION_IDLE_DAYS", "30")
        .with("DWELL_RETENTION_AFTER_EXPIRY", "archive")
        .with("DWELL_RETENTION_EXPIRED_DAYS", "0")
}

/// A named session with two turns and an artifact.
async fn used(model: &ModelServer, rest: &RestClient, name: &str) -> String {
    let session = session_with(rest, json!({ "key": name, "preferences": { "title": "The boiler" } })).await;
    let content = "Checked the boiler in May.\n".repeat(40);
    model.push(Reply::tool_calls([ToolCall::new(
        "c1",
        "artifact_save",
        json!({ "name": "boiler.txt", "content": content }),
    )]));
    model.push(Reply::text("Saved."));
    let turn = exchange(rest, &session, "Save what you know of the boiler.").await;
    assert_eq!(turn["response"]["artifacts"].as_array().unwrap().len(), 1, "{turn}");
    exchange(rest, &session, "When was it checked?").await;
    session
}

/// A session as its user sees it: messages, answers and artifacts.
async fn seen(rest: &RestClient, session: &str) -> Value {
    let turns = rest.get(&format!("/api/v1/sessions/{session}/turns")).await.ok();
    let said = turns["data"].as_array().unwrap().iter();
    let said: Vec<Value> =
        said.map(|turn| json!([turn["turn_id"], turn["request"]["message"], turn["text"], turn["status"]])).collect();
    let mut files = Vec::new();
    let artifacts = rest.get(&format!("/api/v1/sessions/{session}/artifacts")).await.ok();
    for artifact in artifacts["data"].as_array().unwrap() {
        let id = artifact["artifact_id"].as_str().unwrap();
        files.push(json!([id, artifact["name"], rest.text(&format!("/api/v1/artifacts/{id}")).await]));
    }
    json!({ "said": said, "files": files, "title": view(rest, session).await["title"] })
}

#[tokio::test]
async fn an_archived_session_is_a_file_that_can_be_taken_in_again() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let model = ModelServer::start().await;
    let program = archiving(&model);
    let server = program.start().await;
    let session = used(&model, &server.rest(), "boiler").await;
    let before = seen(&server.rest(), &session).await;
    let owner = view(&server.rest(), &session).await["owner"].as_str().unwrap().to_owned();
    server.stop().await;
    age(&program, &[&session], 40).await;

    let server = program.start().await;
    let rest = server.rest();
    exchange(&rest, &rest.session().await, "Hello.").await;
    rest.post("/api/v1/sweep", json!({})).await.ok();
    assert_eq!(rest.get(&format!("/api/v1/sessions/{session}")).await.code(404), "not_found");
    let stats = rest.get("/api/v1/stats").await.ok()["retention"].clone();
    assert_eq!((&stats["expired"], &stats["archived"], &stats["artifacts"]), (&json!(1), &json!(1), &json!(1)));

    let folder = program.folder().join("archive").join(&owner);
    let file = folder.join(format!("{session}.ndjson"));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "and nothing half-written beside it");
    let taken = program.run(&["import", file.to_str().unwrap(), "--name", "boiler", "--json"]).await;
    assert_eq!(taken.code(), 0, "{}", taken.stderr);
    let taken: Value = serde_json::from_str(&taken.stdout).unwrap();
    assert_eq!((&taken["session_id"], &taken["key"]), (&json!(session), &json!("boiler")), "id and name were free");
    assert_eq!(taken["status"], "active");
    assert_eq!(seen(&rest, &session).await, before);
    let turn = exchange(&rest, &session, "Go on, please.").await;
    assert_eq!(turn["status"], "completed", "{turn}");
}

#[tokio::test]
async fn what_cannot_be_archived_stays() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let model = ModelServer::start().await;
    let program = archiving(&model);
    let blocked = program.folder().join("blocked");
    fs::write(&blocked, "no folder").unwrap();
    let program = program.with("DWELL_RETENTION_ARCHIVE_DIR", blocked.to_str().unwrap());
    let server = program.start().await;
    let session = used(&model, &server.rest(), "boiler").await;
    let before = seen(&server.rest(), &session).await;
    server.stop().await;
    age(&program, &[&session], 40).await;
    let server = program.start().await;
    let rest = server.rest();
    exchange(&rest, &rest.session().await, "Hello.").await;
    let swept = rest.post("/api/v1/sweep", json!({})).await.ok();
    assert_eq!((&swept["archived"], &swept["deleted"]), (&json!(0), &json!(0)), "{swept}");
    assert_eq!(view(&rest, &session).await["status"], "expired");
    assert_eq!(seen(&rest, &session).await, before, "nothing of it is lost");

    fs::remove_file(&blocked).unwrap();
    let swept = rest.post("/api/v1/sweep", json!({})).await.ok();
    assert_eq!(swept["archived"], 1, "once there is room for it, it goes");
}
