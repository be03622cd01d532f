//! The same idempotency key gives the same turn: in parallel requests, later, and after a restart.

use std::collections::HashSet;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::RunningServer;

use crate::started;

async fn send(server: &RunningServer, session: &str, message: &str, key: &str) -> testkit::RestResponse {
    let path = format!("/api/v1/sessions/{session}/turns");
    let body = json!({ "message": message });
    server.rest().call(Method::POST, &path, Some(body), &[("idempotency-key", key)]).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_racing_sends_make_one_turn() {
    let (model, program, server) = started().await;
    let session = server.rest().session().await;
    // Both APIs at once: 20 sockets and 20 REST clients, 25 messages each.
    let mut racers = Vec::new();
    for n in 0..40 {
        let (rest, session) = (server.rest(), session.clone());
        let mut socket = server.socket().await;
        racers.push(tokio::spawn(async move {
            let mut turns = Vec::new();
            for _ in 0..25 {
                let body = json!({ "message": "only once", "idempotency_key": "k1" });
                let accepted = if n % 2 == 0 {
                    let mut data = body;
                    data["session_id"] = json!(session);
                    socket.ask("chat.send", data).await.unwrap()
                } else {
                    rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await.ok()
                };
                turns.push((accepted["turn_id"].clone(), accepted["seq"].clone(), accepted["duplicate"].clone()));
            }
            turns
        }));
    }
    let mut turns = HashSet::new();
    let mut first_times = 0;
    for racer in racers {
        for (turn, seq, duplicate) in racer.await.unwrap() {
            turns.insert((turn.to_string(), seq.to_string()));
            first_times += usize::from(duplicate == Value::Bool(false));
        }
    }
    assert_eq!((turns.len(), first_times), (1, 1));
    let view = server.rest().get(&format!("/api/v1/sessions/{session}")).await.ok();
    assert_eq!(view["stats"]["turns"], 1);
    assert_eq!(send(&server, &session, "something else", "k1").await.code(409), "idempotency_conflict");

    server.kill().await;
    let server = program.start().await;
    let again = send(&server, &session, "only once", "k1").await.ok();
    assert!(turns.contains(&(again["turn_id"].to_string(), again["seq"].to_string())), "also after a restart");
    assert_eq!(send(&server, &session, "something else", "k1").await.code(409), "idempotency_conflict");
    assert_ne!(send(&server, &session, "something else", "k2").await.ok()["turn_id"], again["turn_id"]);
    drop(model);
}

#[tokio::test]
async fn starting_again_with_the_same_key_gives_the_same_session() {
    let (_model, program, server) = started().await;
    let start = async |server: &RunningServer, body: Value| server.rest().post("/api/v1/sessions", body).await;
    let first = start(&server, json!({ "key": "kitchen", "model": "small" })).await.ok();
    assert_eq!(start(&server, json!({ "key": "kitchen" })).await.ok()["session_id"], first["session_id"]);
    let clash = start(&server, json!({ "key": "kitchen", "model": "large" })).await;
    assert_eq!(clash.code(409), "name_conflict");
    let header = [("idempotency-key", "kitchen")];
    let by_header = server.rest().call(Method::POST, "/api/v1/sessions", Some(json!({})), &header).await.ok();
    assert_eq!(by_header["session_id"], first["session_id"]);
    server.kill().await;
    let server = program.start().await;
    assert_eq!(start(&server, json!({ "key": "kitchen" })).await.ok()["session_id"], first["session_id"]);
}

#[tokio::test]
async fn a_retry_with_a_key_is_made_once() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = rest.send(&session, "hello").await;
    rest.ended(&turn).await;
    let path = format!("/api/v1/turns/{turn}/retry");
    let retry = || rest.call(Method::POST, &path, None, &[("idempotency-key", "r1")]);
    let (first, second) = (retry().await.ok(), retry().await.ok());
    assert_eq!(first["turn_id"], second["turn_id"]);
    assert_eq!((&first["duplicate"], &second["duplicate"]), (&json!(false), &json!(true)));
    let ended = rest.ended(first["turn_id"].as_str().unwrap()).await;
    assert_eq!((&ended["retry_of"], &ended["text"]), (&json!(turn), &json!("You said: hello")));
}

#[tokio::test]
async fn two_keys_that_contradict_each_other_are_refused() {
    let (_model, _program, server) = started().await;
    let session = server.rest().session().await;
    let path = format!("/api/v1/sessions/{session}/turns");
    let body = json!({ "message": "x", "idempotency_key": "a" });
    let answer = server.rest().call(Method::POST, &path, Some(body), &[("idempotency-key", "b")]).await;
    assert_eq!(answer.code(400), "invalid_request");
}
