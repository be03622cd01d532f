//! A wrong clock deletes nothing. The tests do not change the machine's clock. They write a data
//! folder with old times, which looks to the server as if its clock had jumped ahead.

use std::path::Path;

use engine::{SystemWorld, World};
use journal::{Artifact, Artifacts, Journal, SessionSummary, sqlite::Sqlite};
use protocol::{
    ArtifactId, ArtifactView, Body, Event, Origin, OwnerId, SessionId, SessionStarted, SessionStatus, SessionView,
    Settings, Stats, Timestamp,
};
use serde_json::{Value, json};
use testkit::{Program, RunningServer};

use crate::{harness::told, program};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn days_ago(days: i64) -> Timestamp {
    Timestamp::from_millis(SystemWorld::default().now().as_millis() - days * DAY_MS)
}

/// Writes a session of the first owner with one artifact, both that many days old.
async fn plant(folder: &Path, days: i64) {
    let (session_id, owner, at) = (SessionId::from_bytes([1; 16]), "owner".parse::<OwnerId>().unwrap(), days_ago(days));
    let store = Sqlite::open(folder).unwrap();
    let started = SessionStarted {
        owner: owner.clone(),
        key: None,
        settings: Settings::default(),
        forked_from: None,
        imported: None,
        temporary: false,
    };
    let first = Event { seq: 1, session_id, turn_id: None, agent_id: None, at, body: Body::SessionStarted(started) };
    let view = SessionView {
        session_id,
        owner: owner.clone(),
        key: None,
        status: SessionStatus::Active,
        version: 1,
        last_seq: 1,
        created_at: at,
        updated_at: at,
        ended_at: None,
        settings: Settings::default(),
        stats: Stats::default(),
        open_turns: Vec::new(),
        title: None,
        forked_from: None,
        imported: None,
        origin: Origin::Trusted,
        tainted: false,
        read_by: std::collections::BTreeMap::new(),
    };
    store.create(vec![first], SessionSummary::new(view, false)).await.unwrap();
    let view = ArtifactView {
        artifact_id: ArtifactId::from_bytes([2; 16]),
        session_id,
        turn_id: None,
        name: "old.txt".to_owned(),
        media_type: "text/plain".to_owned(),
        bytes: 3,
        origin: Origin::Trusted,
        created_at: at,
    };
    store.put(Artifact { view, owner, bytes: b"old".to_vec() }).await.unwrap();
}

async fn artifacts(server: &RunningServer) -> usize {
    server.rest().get("/api/v1/artifacts").await.ok()["data"].as_array().unwrap().len()
}

async fn sweep(program: &Program, arguments: &[&str]) -> String {
    let swept = program.run(&[&["sweep"], arguments].concat()).await;
    assert_eq!(swept.code(), 0, "{}", swept.stderr);
    swept.stdout
}

#[tokio::test]
async fn a_start_100_days_ahead_deletes_nothing_and_says_so() {
    let program = program().with_log();
    plant(program.folder(), 100).await;
    let server = program.start().await;
    let said = sweep(&program, &[]).await;
    assert!(said.starts_with("nothing was deleted: the clock says"), "{said}");
    assert!(said.contains("100 days ahead") && said.contains("--trust-clock"), "{said}");
    let swept: Value = serde_json::from_str(&sweep(&program, &["--json"]).await).unwrap();
    assert_eq!((&swept["artifacts"], swept["clock"]["settles_in_s"].is_u64()), (&json!(0), true), "{swept}");
    assert_eq!(artifacts(&server).await, 1);
    let stats = server.rest().get("/api/v1/stats").await.ok();
    assert!(stats["clock"]["reason"].as_str().unwrap().contains("nothing is deleted"), "{stats}");
    assert!(program.run(&["stats"]).await.stdout.contains("clock       the clock says"));
    let log = std::fs::read_to_string(program.folder().join("log")).unwrap();
    assert!(log.contains("nothing is deleted by age for now"), "{log}");

    // The operator confirms that the clock is right: the server was off for that long.
    assert_eq!(sweep(&program, &["--trust-clock"]).await.trim(), "removed 1 artifact (3 bytes) and 0 memories");
    assert_eq!(artifacts(&server).await, 0);
    assert_eq!(server.rest().get("/api/v1/stats").await.ok()["clock"], Value::Null);
    server.stop().await;
    let _server = program.start().await;
    assert!(sweep(&program, &[]).await.starts_with("removed 0 artifacts"), "it stays believed");
}

#[tokio::test]
async fn what_is_written_meanwhile_does_not_vouch_for_the_clock() {
    let program = program();
    plant(program.folder(), 100).await;
    let server = program.start().await;
    let session = server.rest().session().await;
    told(&server.rest(), &session, json!({ "message": "What is 2 + 2?" })).await;
    server.kill().await;
    let server = program.start().await;
    assert!(sweep(&program, &[]).await.starts_with("nothing was deleted"), "the newest event is of the same clock");
    assert_eq!(artifacts(&server).await, 1);
}

#[tokio::test]
async fn a_pause_of_two_days_is_no_jump() {
    let program = program().with("DWELL_ARTIFACTS_DAYS", "1");
    plant(program.folder(), 2).await;
    let server = program.start().await;
    // The background sweep may have run first.
    assert!(sweep(&program, &[]).await.starts_with("removed"));
    assert_eq!(artifacts(&server).await, 0);
}

#[tokio::test]
async fn another_owner_cannot_say_that_the_clock_is_right() {
    let program = program();
    plant(program.folder(), 100).await;
    let server = program.start().await;
    let bob = server.rest_as(Some(&crate::owners::add(&program, "bob").await));
    assert_eq!(bob.post("/api/v1/sweep?trust_clock=true", json!({})).await.code(403), "forbidden");
    let wrong = server.rest().post("/api/v1/sweep?trust_clock=perhaps", json!({})).await;
    assert_eq!(wrong.code(400), "invalid_request");
    assert_eq!(artifacts(&server).await, 1);
}

#[tokio::test]
async fn times_in_a_journal_do_not_go_back_with_the_clock() {
    let program = program();
    // A session from a clock that was ten days ahead and is right again.
    plant(program.folder(), -10).await;
    let server = program.start().await;
    let (rest, session) = (server.rest(), SessionId::from_bytes([1; 16]).to_string());
    assert_eq!(told(&rest, &session, json!({ "message": "What is 2 + 2?" })).await["status"], "completed");
    server.kill().await;
    let server = program.start().await;
    let rest = server.rest();
    let turn = told(&rest, &session, json!({ "message": "What is 3 + 3?" })).await;
    let asked = json!({ "turn_id": turn["turn_id"] });
    let fork = rest.post(&format!("/api/v1/sessions/{session}/fork"), asked).await.ok();
    // A fork begins when it is made. The events that it shares keep their times.
    for (id, skipped) in [(session.as_str(), 0), (fork["session_id"].as_str().unwrap(), 1)] {
        let events = rest.log(id).await.into_iter().filter(|line| line["seq"].is_u64()).skip(skipped);
        let times: Vec<String> = events.map(|event| event["at"].as_str().unwrap().to_owned()).collect();
        assert!(times.len() > 10 && times.is_sorted(), "{times:?}");
    }
}
