//! Memory over the WebSocket.

use serde_json::{Value, json};
use testkit::Socket;

use super::{NOWHERE, entry, memory, texts};
use crate::started;

/// Sends a request; returns the notices that came before the answer, and the answer.
async fn heard(socket: &mut Socket, kind: &str, data: Value) -> (Vec<Value>, Value) {
    socket.send_text(&json!({ "type": kind, "id": "q", "data": data }).to_string()).await;
    let mut messages = socket.until(|message| message["re"] == "q").await;
    let answer = messages.pop().unwrap();
    (messages, answer)
}

#[tokio::test]
async fn what_is_asked_for_comes_as_a_snapshot_and_as_the_answer() {
    let (_model, _program, server) = started().await;
    let memory = memory(&server.rest()).await;
    entry(&server.rest(), &memory, 3, "The boiler is serviced by Hartmann.").await;
    let mut socket = server.socket().await;
    socket.next().await;
    for (kind, data) in [
        ("memory.get", json!({ "levels": ["entry"] })),
        ("memory.get", json!({ "query": "boiler" })),
        ("memory.search", json!({ "query": "boiler", "mode": "lexical" })),
    ] {
        let (before, answer) = heard(&mut socket, kind, data.clone()).await;
        assert_eq!(answer["type"], "ok", "{answer}");
        assert_eq!(before.len(), 1, "{before:?}");
        assert_eq!((&before[0]["type"], &before[0]["data"]), (&json!("memory.snapshot"), &answer["data"]));
        assert_eq!(texts(&answer["data"]), ["The boiler is serviced by Hartmann."]);

        socket.send_text(&json!({ "type": kind, "data": data }).to_string()).await;
        let alone = socket.next().await;
        assert_eq!((&alone["type"], &alone["data"]), (&json!("memory.snapshot"), &answer["data"]), "without an id too");
    }
    let session = server.rest().session().await;
    let (before, _) = heard(&mut socket, "memory.get", json!({ "session_id": session })).await;
    assert_eq!(before[0]["session_id"], json!(session));
}

#[tokio::test]
async fn lines_are_set_corrected_and_forgotten() {
    let (_model, _program, server) = started().await;
    let mut socket = server.socket().await;
    let set = json!({ "key": "diet", "value": "vegetarian", "priority": 70, "idempotency_key": "s1" });
    let line = socket.ask("memory.set", set.clone()).await.unwrap();
    assert_eq!(
        (&line["level"], &line["value"], &line["priority"]),
        (&json!("profile"), &json!("vegetarian"), &json!(70))
    );
    assert_eq!(socket.ask("memory.set", set).await.unwrap(), line, "the same key, the same line");
    let other = json!({ "key": "diet", "value": "vegan", "idempotency_key": "s1" });
    assert_eq!(socket.ask("memory.set", other).await.unwrap_err()["code"], "idempotency_conflict");

    let right = socket.ask("memory.correct", json!({ "id": line["fact_id"], "text": "vegan" })).await.unwrap();
    assert_eq!((&right["key"], &right["value"]), (&json!("diet"), &json!("vegan")));
    let history = socket.ask("memory.get", json!({ "key": "diet" })).await.unwrap();
    assert_eq!(history["items"].as_array().unwrap().len(), 2, "{history}");

    let gone = socket.ask("memory.forget", json!({ "key": "diet" })).await.unwrap();
    assert_eq!(gone["items"].as_array().unwrap().len(), 2);
    assert_eq!(socket.ask("memory.forget", json!({ "key": "diet" })).await.unwrap_err()["code"], "not_found");
}

#[tokio::test]
async fn mistakes_are_answered_by_name() {
    let (_model, _program, server) = started().await;
    let mut socket = server.socket().await;
    for (kind, data, code) in [
        ("memory.search", json!({ "query": "" }), "invalid_request"),
        ("memory.get", json!({ "cursor": "nonsense" }), "invalid_request"),
        ("memory.get", json!({ "session_id": NOWHERE }), "not_found"),
        ("memory.set", json!({ "key": "diet" }), "invalid_request"),
        ("memory.correct", json!({ "id": NOWHERE, "text": "x" }), "not_found"),
        ("memory.forget", json!({}), "invalid_request"),
        ("memory.forget", json!({ "ids": [NOWHERE] }), "not_found"),
        ("memory.import", json!({}), "invalid_request"),
        ("memory.import", json!({ "text": "my diary" }), "invalid_request"),
    ] {
        let problem = socket.ask(kind, data.clone()).await.unwrap_err();
        assert_eq!(problem["code"], code, "{kind} {data}: {problem}");
        assert!(!problem["hint"].as_str().unwrap().is_empty());
    }
}

#[tokio::test]
async fn memory_goes_out_and_comes_in() {
    let (_model, _program, server) = started().await;
    let mut socket = server.socket().await;
    socket.ask("memory.set", json!({ "key": "diet", "value": "vegan" })).await.unwrap();
    let archive = socket.ask("memory.export", json!({})).await.unwrap();
    assert_eq!((&archive["format"], &archive["facts"][0]["value"]), (&json!("dwell.memory"), &json!("vegan")));

    let (_other_model, _other_program, other) = started().await;
    let mut socket = other.socket().await;
    let taken = socket.ask("memory.import", json!({ "archive": archive })).await.unwrap();
    assert_eq!((&taken["facts"], &taken["known"]), (&json!(1), &json!(0)), "{taken}");
    let again = socket.ask("memory.import", json!({ "archive": archive })).await.unwrap();
    assert_eq!((&again["facts"], &again["known"]), (&json!(0), &json!(1)), "{again}");
    let there = socket.ask("memory.get", json!({ "levels": ["profile"] })).await.unwrap();
    assert_eq!(there["items"][0]["value"], "vegan");
}
