//! A single question in a temporary session, which is removed afterwards.

use std::{process::Stdio, time::Duration};

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RestClient};

use crate::{program, started};

/// The owner's sessions.
async fn sessions(rest: &RestClient) -> Vec<Value> {
    rest.get("/api/v1/sessions").await.ok()["data"].as_array().unwrap().clone()
}

/// Waits until no session is left.
async fn all_gone(rest: &RestClient) {
    for _ in 0..200 {
        if sessions(rest).await.is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("a session stays: {:?}", sessions(rest).await);
}

#[tokio::test]
async fn the_answer_comes_back_and_the_session_is_gone() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let turn = rest.post("/api/v1/ask", json!({ "message": "Why is the sky blue?" })).await.ok();
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("You said: Why is the sky blue?")));
    all_gone(&rest).await;
    for path in ["sessions", "turns"] {
        let id = turn[if path == "turns" { "turn_id" } else { "session_id" }].as_str().unwrap();
        assert_eq!(rest.get(&format!("/api/v1/{path}/{id}")).await.code(404), "not_found");
    }
}

#[tokio::test]
async fn what_fails_is_gone_too() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.push(Reply::status(400));
    let turn = rest.post("/api/v1/ask", json!({ "message": "Why is the sky blue?" })).await.ok();
    assert_eq!(turn["status"], "failed");
    let refused = rest.post("/api/v1/ask", json!({ "message": " " })).await;
    assert_eq!(refused.code(400), "invalid_request");
    all_gone(&rest).await;
}

#[tokio::test]
async fn the_command_leaves_nothing_behind() {
    let (model, program, server) = started().await;
    let asked = program.run(&["ask", "Why is the sky blue?"]).await;
    assert_eq!((asked.code(), asked.stdout.as_str()), (0, "You said: Why is the sky blue?\n"), "{}", asked.stderr);
    all_gone(&server.rest()).await;
    model.push(Reply::status(400));
    assert_eq!(program.run(&["ask", "Why is the sky blue?"]).await.code(), 1);
    all_gone(&server.rest()).await;
    program.run(&["ask", "--session", "kept", "And this one stays?"]).await;
    assert_eq!(sessions(&server.rest()).await.len(), 1, "a named one stays");
}

#[tokio::test]
async fn a_client_that_cannot_wait_gets_the_turn_as_it_is() {
    let model = ModelServer::start().await;
    let program = program().with_model(&model).with("DWELL_SESSION_IDLE_UNLOAD_MS", "100");
    let server = program.start().await;
    let rest = server.rest();
    model.push(Reply::text("At last.").after(Duration::from_millis(500)));
    let turn = rest.post("/api/v1/ask?wait_ms=50", json!({ "message": "Why is the sky blue?" })).await.ok();
    assert_eq!((&turn["status"], &turn["text"]), (&json!("running"), &json!("")));
    let ended = rest.ended(turn["turn_id"].as_str().unwrap()).await;
    assert_eq!(ended["text"], "At last.", "it goes on, and can be read");
    all_gone(&rest).await;
}

#[tokio::test]
async fn a_kill_in_between_leaves_nothing_behind_either() {
    let model = ModelServer::start().await;
    let program = program().with_model(&model).with("DWELL_SESSION_IDLE_UNLOAD_MS", "100");
    let server = program.start().await;
    let rest = server.rest();
    model.push(Reply::hang());
    let asking = tokio::spawn(async move {
        let body = Some(json!({ "message": "Why is the sky blue?" }));
        rest.try_call(reqwest::Method::POST, "/api/v1/ask", body, &[]).await
    });
    model.until(|model| model.in_flight() == 1).await;
    server.kill().await;
    assert!(asking.await.unwrap().is_err(), "the client is told that the server is gone");

    let server = program.start().await;
    assert_eq!(sessions(&server.rest()).await.len(), 1, "it is still there, to be finished");
    model.until(|model| model.requests().len() == 2).await;
    all_gone(&server.rest()).await;
}

#[tokio::test]
async fn a_kill_under_the_command_leaves_nothing_behind_either() {
    let (model, program, server) = started().await;
    model.push(Reply::hang());
    let mut asking = program.command(&["ask", "Why is the sky blue?"]);
    let asking = asking.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    model.until(|model| model.in_flight() == 1).await;
    server.kill().await;
    let server = program.start().await;
    let output = asking.wait_with_output().await.unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "You said: Why is the sky blue?\n");
    all_gone(&server.rest()).await;
}
