//! Every limit is enforced, and the error names it.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{ModelServer, Reply};

use crate::{apis::put_together, harness::session_with, program, started};

#[tokio::test]
async fn bodies_and_messages_have_a_size() {
    let program = program().with("DWELL_LIMITS_FRAME_BYTES_MAX", "2000");
    let server = program.start().await;
    let body = json!({ "preferences": { "x": "y".repeat(3_000) } });
    assert_eq!(server.rest().post("/api/v1/sessions", body.clone()).await.code(413), "too_large");
    let mut socket = server.socket().await;
    socket.next().await;
    socket.send_text(&json!({ "type": "session.start", "id": 1, "data": body }).to_string()).await;
    assert_eq!(socket.try_next().await, None, "the connection is closed");
    server.rest().session().await;
}

#[tokio::test]
async fn json_has_a_depth() {
    let (_model, _program, server) = started().await;
    let deep: Value = (0..40).fold(json!(1), |inner, _| json!({ "a": inner }));
    let body = json!({ "preferences": { "x": deep } });
    assert_eq!(server.rest().post("/api/v1/sessions", body.clone()).await.code(400), "too_deep");
    let mut socket = server.socket().await;
    assert_eq!(socket.ask("session.start", body).await.unwrap_err()["code"], "too_deep");
    // Deeply nested brackets cost nothing: they are refused before a value is built from them.
    socket.send_text(&"[".repeat(500_000)).await;
    let answer = socket.until(|message| message["type"] == "error").await.pop().unwrap();
    assert_eq!(answer["data"]["code"], "too_deep");
}

#[tokio::test]
async fn requests_have_a_rate() {
    let program =
        program().with("DWELL_LIMITS_REQUESTS_PER_SECOND_MAX", "1").with("DWELL_LIMITS_REQUESTS_BURST_MAX", "5");
    let server = program.start().await;
    let rest = server.rest();
    let mut refused = None;
    for _ in 0..10 {
        let answer = rest.get("/api/v1/sessions").await;
        if answer.status != 200 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("ten at once are too many");
    assert_eq!(refused.code(429), "rate_limited");
    assert!(refused.body["retry_after_ms"].as_u64().unwrap() > 0);
    rest.get("/healthz").await.ok();
}

#[tokio::test]
async fn streams_have_a_number() {
    let program = program().with("DWELL_LIMITS_STREAMS_MAX", "2");
    let server = program.start().await;
    let session = server.rest().session().await;
    let (first, _second) = (server.socket().await, server.frames(&session, 0).await);
    let refused = server.rest().get(&format!("/events/{session}")).await;
    assert_eq!(refused.code(503), "too_many_connections");
    drop(first);
    // The slot is free once the server has noticed that the first client is gone.
    for _ in 0..200 {
        let again = server.rest().get(&format!("/events/{session}?after=99")).await;
        if again.status == 400 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the slot is not released");
}

#[tokio::test]
async fn a_connection_follows_only_so_many_sessions() {
    let program = program().with("DWELL_LIMITS_FOLLOWS_MAX", "3");
    let server = program.start().await;
    let mut socket = server.socket().await;
    for _ in 0..3 {
        socket.ask("session.start", json!({})).await.unwrap();
    }
    assert_eq!(socket.ask("session.start", json!({})).await.unwrap_err()["code"], "too_many_connections");
}

#[tokio::test]
async fn agents_at_work_have_a_number_and_the_others_wait() {
    let model = ModelServer::start().await;
    let program = program().with_model(&model).with("DWELL_AGENTS_MAX", "2");
    let server = program.start().await;
    let rest = server.rest();
    let mut turns = Vec::new();
    for _ in 0..6 {
        model.push(Reply::text("a b c d").every(Duration::from_millis(20)));
        let session = rest.session().await;
        turns.push(rest.send(&session, "go").await);
    }
    let mut most = 0;
    for turn in &turns {
        most = most.max(model.in_flight());
        assert_eq!(rest.ended(turn).await["status"], "completed");
    }
    assert!((1..=2).contains(&most), "{most} at once");
}

/// A client that does not read is disconnected. It delays no other client and can resume where it
/// was.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_is_cut_off_and_can_resume() {
    let model = ModelServer::start().await;
    let program = program().with_model(&model).with("DWELL_LIMITS_SLOW_READER_MS", "1000");
    let server = program.start().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "budgets": { "max_tokens": 1_000_000_000 } })).await;
    let mut slow = server.socket().await;
    slow.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    let mut quick = server.socket().await;
    quick.ask("session.resume", json!({ "session_id": session })).await.unwrap();

    // Far more than the buffers of the sockets hold.
    let chunk = "0123456789abcdef".repeat(1024);
    let answer = chunk.repeat(300);
    model.push(Reply::text(answer.clone()).chunks(vec![chunk; 300]));
    let turn = rest.send(&session, "a lot, please").await;
    let seen = quick.until_end_of(&json!(turn)).await;
    assert_eq!(put_together(&seen), answer, "the quick one has it all");

    let mut last = 0;
    let mut got = Vec::new();
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    while let Some(message) = slow.try_next().await {
        last = message["seq"].as_u64().unwrap_or(last);
        got.push(message);
    }
    assert!(got.iter().all(|message| message["type"] != "chat.final"), "it was cut off before the end");
    let mut resumed = server.socket().await;
    resumed.ask("session.resume", json!({ "session_id": session, "after": last })).await.unwrap();
    got.extend(resumed.until_end_of(&json!(turn)).await);
    assert_eq!(put_together(&got), answer, "and now it has it all too");
}
