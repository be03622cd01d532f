//! Idle sessions expire as the settings and their own preferences say.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{ModelServer, Program, Reply, RestClient};

use super::{age, exchange, view, with_status};
use crate::{harness::session_with, owners::add, program};

/// A program without memory of sessions, so that only their age matters.
pub(super) fn plain(model: &ModelServer) -> Program {
    program().with_model(model).with("DWELL_MEMORY_FOLLOW_SESSIONS", "false")
}

/// A session with these preferences and one turn.
async fn used(rest: &RestClient, preferences: Value) -> String {
    let session = session_with(rest, json!({ "preferences": preferences })).await;
    exchange(rest, &session, "Tell me of the gate.").await;
    session
}

async fn update(rest: &RestClient, session: &str, change: Value) -> testkit::RestResponse {
    rest.call(Method::PATCH, &format!("/api/v1/sessions/{session}"), Some(change), &[]).await
}

#[tokio::test]
async fn idle_sessions_expire_and_say_how_to_go_on() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let model = ModelServer::start().await;
    let program = plain(&model);
    let server = program.start().await;
    let token = add(&program, "bob").await;
    let (rest, bob) = (server.rest(), server.rest_as(Some(&token)));
    let (idle, bobs) = (used(&rest, json!({})).await, used(&bob, json!({})).await);
    let kept = used(&rest, json!({ "keep": true })).await;
    let patient = used(&rest, json!({ "expires_after_days": 90 })).await;
    let hasty = used(&rest, json!({ "expires_after_days": 2 })).await;
    let over = used(&rest, json!({})).await;
    rest.call(Method::DELETE, &format!("/api/v1/sessions/{over}"), None, &[]).await.ok();
    server.stop().await;
    age(&program, &[&idle, &bobs, &kept, &patient, &over], 40).await;
    age(&program, &[&hasty], 3).await;

    let server = program.start().await;
    used(&server.rest(), json!({})).await;
    server.rest().post("/api/v1/sweep", json!({})).await.ok();
    assert_eq!(with_status(&server.rest(), "expired").await, [hasty.as_str()], "by default nothing expires");
    server.stop().await;

    let program = program.with("DWELL_RETENTION_SESSION_IDLE_DAYS", "30");
    let server = program.start().await;
    let (rest, bob) = (server.rest(), server.rest_as(Some(&token)));
    let young = used(&rest, json!({})).await;
    let before = view(&rest, &patient).await;
    rest.post("/api/v1/sweep", json!({})).await.ok();
    let mut expected = vec![idle.clone(), hasty.clone(), over.clone()];
    expected.sort();
    assert_eq!(with_status(&rest, "expired").await, expected);
    assert_eq!(with_status(&bob, "expired").await, [bobs]);
    for session in [&kept, &patient, &young] {
        assert_eq!(view(&rest, session).await["status"], "active");
    }
    assert_eq!(rest.get("/api/v1/stats").await.ok()["retention"]["expired"], 3, "bob's, and two since the start");

    let log = rest.log(&idle).await;
    let last = log.last().unwrap();
    assert_eq!((&last["type"], &last["data"]["expired"]), (&json!("session.ended"), &json!(true)));
    let stands = view(&rest, &idle).await;
    assert_eq!(stands["ended_at"], last["at"]);
    assert_eq!(stands["updated_at"], log[log.len() - 2]["at"], "expiring is no activity");
    assert!(stands["updated_at"].as_str() < before["created_at"].as_str().max(Some("9")), "{stands}");

    let refused = rest.post(&format!("/api/v1/sessions/{idle}/turns"), json!({ "message": "And now?" })).await;
    assert_eq!(refused.code(409), "session_expired");
    assert!(refused.body["hint"].as_str().unwrap().contains("session.restore"), "{}", refused.body);
    assert_eq!(update(&rest, &idle, json!({ "model": "openai/m2" })).await.code(409), "session_expired");
    assert_eq!(update(&rest, &idle, json!({ "preferences": { "keep": true } })).await.ok()["status"], "expired");

    let restored = rest.post(&format!("/api/v1/sessions/{idle}/restore"), json!({})).await.ok();
    let turn = exchange(&rest, restored["session_id"].as_str().unwrap(), "And now?").await;
    assert_eq!(turn["status"], "completed", "{turn}");
    server.kill().await;
    let server = program.start().await;
    assert_eq!(view(&server.rest(), &idle).await["status"], "expired", "after a restart too");
}

#[tokio::test]
async fn a_turn_that_has_waited_all_the_time_is_ended_first() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let model = ModelServer::start().await;
    let program = plain(&model).with("DWELL_RETENTION_SESSION_IDLE_DAYS", "30");
    let server = program.start().await;
    let session = session_with(&server.rest(), json!({ "policy": { "on_restart": "wait" } })).await;
    model.push(Reply::hang());
    let turn = server.rest().send(&session, "Tell me of the gate.").await;
    model.until(|model| model.requests().len() == 1).await;
    server.kill().await;
    let server = program.start().await;
    assert_eq!(server.rest().ended(&turn).await["status"], "interrupted");
    server.stop().await;
    age(&program, &[&session], 40).await;

    let server = program.start().await;
    let rest = server.rest();
    used(&rest, json!({})).await;
    rest.post("/api/v1/sweep", json!({})).await.ok();
    let stands = view(&rest, &session).await;
    assert_eq!((&stands["status"], &stands["open_turns"]), (&json!("expired"), &json!([])));
    let ended = rest.ended(&turn).await;
    assert_eq!((&ended["status"], &ended["reason"]), (&json!("expired"), &json!("the session has expired")));
}

#[tokio::test]
async fn expired_sessions_are_deleted_unless_they_are_kept() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let model = ModelServer::start().await;
    let program = plain(&model).with_log().with("DWELL_RETENTION_SESSION_IDLE_DAYS", "30");
    let program = program.with("DWELL_RETENTION_AFTER_EXPIRY", "delete").with("DWELL_RETENTION_EXPIRED_DAYS", "7");
    let server = program.start().await;
    let rest = server.rest();
    let mut sessions = Vec::new();
    for words in ["the azurequux pot", "the ochrequux pot", "the umberquux pot"] {
        let session = rest.session().await;
        exchange(&rest, &session, words).await;
        sessions.push(session);
    }
    let [gone, kept, fresh] = &sessions[..] else { unreachable!() };
    server.stop().await;
    age(&program, &[gone, kept, fresh], 40).await;
    let server = program.start().await;
    exchange(&server.rest(), &server.rest().session().await, "Hello.").await;
    server.rest().post("/api/v1/sweep", json!({})).await.ok();
    assert_eq!(with_status(&server.rest(), "expired").await.len(), 3, "for a week they stay readable");
    update(&server.rest(), kept, json!({ "preferences": { "keep": true } })).await.ok();
    update(&server.rest(), gone, json!({ "preferences": { "keep": true } })).await.ok();
    server.stop().await;
    age(&program, &[gone, kept], 8).await;

    let server = program.start().await;
    let rest = server.rest();
    exchange(&rest, &rest.session().await, "Hello.").await;
    // From here on the session may be deleted.
    update(&rest, gone, json!({ "preferences": { "keep": null } })).await.ok();
    let swept = program.run(&["sweep"]).await;
    let words = "sessions: 0 expired, 0 archived, 1 deleted";
    assert!(swept.stdout.contains(words), "{} {}", swept.stdout, swept.stderr);
    assert_eq!(rest.get(&format!("/api/v1/sessions/{gone}")).await.code(404), "not_found");
    assert!(super::files_with(&program, "azurequux").is_empty(), "{:?}", super::files_with(&program, "azurequux"));
    let mut left = vec![kept.clone(), fresh.clone()];
    left.sort();
    assert_eq!(with_status(&rest, "expired").await, left, "one is kept, and one expired recently");
    let stats = rest.get("/api/v1/stats").await.ok()["retention"].clone();
    assert_eq!((&stats["deleted"], &stats["archived"]), (&json!(1), &json!(0)));
    assert!(stats["events"].as_u64().unwrap() > 3 && stats["last_at"].is_string(), "{stats}");
    let log = std::fs::read_to_string(program.folder().join("log")).unwrap();
    assert!(log.contains("deleted a session") && log.contains(gone.as_str()), "{log}");
}
