//! Invalid requests: the answer says what is wrong and how to fix it. Nothing is lost and nothing
//! panics.

use reqwest::Method;
use serde_json::json;

use crate::started;

#[tokio::test]
async fn on_the_websocket() {
    let (_model, _program, server) = started().await;
    let mut socket = server.socket().await;
    socket.next().await;
    let cases = [
        ("not json", None, "invalid_request", "not an envelope"),
        ("[]", None, "invalid_request", "not an envelope"),
        (r#"{"id": 1}"#, Some(1), "invalid_request", "missing field `type`"),
        (r#"{"type": "chat.sned", "id": 2}"#, Some(2), "invalid_request", "unknown variant `chat.sned`"),
        (r#"{"type": "chat.send", "id": 3, "data": {"conversation_id": "c"}}"#, Some(3), "invalid_request", "empty"),
        (r#"{"type": "chat.send", "id": 4, "data": {"message": "x"}}"#, Some(4), "invalid_request", "give either"),
        (
            r#"{"type": "chat.send", "id": 5, "data": {"conversation_id": "c", "message": "x", "colour": 1}}"#,
            Some(5),
            "invalid_request",
            "unknown field `colour`",
        ),
        (
            r#"{"type": "chat.send", "id": 6, "data": {"conversation_id": "c", "message": "  "}}"#,
            Some(6),
            "invalid_request",
            "empty",
        ),
        (r#"{"type": "session.get", "id": 7, "data": {"session_id": "x"}}"#, Some(7), "invalid_request", "JSON"),
        (
            r#"{"type": "session.get", "id": 8, "data": {"session_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}}"#,
            Some(8),
            "not_found",
            "no such session",
        ),
        (
            r#"{"type": "turn.get", "id": 9, "data": {"turn_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}}"#,
            Some(9),
            "not_found",
            "no such turn",
        ),
        (r#"{"type": "ping", "id": 10, "data": {"x": 1}}"#, Some(10), "invalid_request", "unknown field"),
    ];
    for (text, id, code, part) in cases {
        socket.send_text(text).await;
        let answer = socket.until(|message| message["type"] == "error").await.pop().unwrap();
        assert_eq!(answer.get("re").and_then(serde_json::Value::as_i64), id, "{text}: {answer}");
        assert_eq!(answer["data"]["code"], code, "{text}: {answer}");
        assert!(answer["data"]["message"].as_str().unwrap().contains(part), "{text}: {answer}");
        assert!(!answer["data"]["hint"].as_str().unwrap().is_empty());
    }
    socket.send_text(r#"{"type": "ping"}"#).await;
    assert_eq!(socket.next().await["type"], "pong", "the connection is still good");
    assert_eq!(socket.ask("ping", json!({})).await, Ok(json!({})));
}

#[tokio::test]
async fn on_rest() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turns = format!("/api/v1/sessions/{session}/turns");
    let cases = [
        (Method::POST, turns.as_str(), json!({}), 400, "the message is empty"),
        (Method::POST, &turns, json!({ "message": "" }), 400, "empty"),
        (Method::POST, &turns, json!([null, null]), 400, "an object is expected"),
        (Method::POST, "/api/v1/sessions", json!([null, null]), 400, "an object is expected"),
        (Method::POST, "/api/v1/sessions", json!({ "budgets": [1, 2] }), 400, "an object with named fields"),
        (Method::POST, &turns, json!({ "message": "x", "on_busy": "shout" }), 400, "unknown variant `shout`"),
        (Method::POST, &turns, json!({ "message": "x", "time_budget_ms": 0 }), 400, "between 1 and"),
        (Method::POST, &turns, json!({ "message": "x".repeat(300_000) }), 413, "at most 262144"),
        (Method::POST, "/api/v1/sessions", json!({ "budgets": { "max_stepz": 1 } }), 400, "unknown field `max_stepz`"),
        (Method::GET, "/api/v1/sessions/nonsense", json!({}), 400, "`nonsense` is not a ULID"),
        (Method::GET, "/api/v1/sessions/01ARZ3NDEKTSV4RRFFQ69G5FAV", json!({}), 404, "no such session"),
        (Method::GET, "/api/v1/turns/01ARZ3NDEKTSV4RRFFQ69G5FAV", json!({}), 404, "no such turn"),
        (Method::GET, "/api/v1/turns/01ARZ3NDEKTSV4RRFFQ69G5FAV?wait_ms=soon", json!({}), 400, "wait_ms"),
        (Method::GET, "/api/v1/nowhere", json!({}), 404, "no such path"),
        (Method::PUT, "/api/v1/sessions", json!({}), 405, "does not support this method"),
        (Method::POST, "/api/v1/turns/01ARZ3NDEKTSV4RRFFQ69G5FAV/resume", json!({}), 404, "no such turn"),
    ];
    for (method, path, body, status, part) in cases {
        let answer = rest.call(method.clone(), path, Some(body), &[]).await;
        answer.code(status);
        assert!(answer.body["message"].as_str().unwrap().contains(part), "{method} {path}: {}", answer.body);
    }
    assert_eq!(rest.log(&session).await.len(), 1, "nothing of it was taken");
}

#[tokio::test]
async fn what_cannot_be_resumed_or_retried_says_why() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let done = rest.send(&session, "hello").await;
    rest.ended(&done).await;
    let resumed = rest.post(&format!("/api/v1/turns/{done}/resume"), json!({})).await;
    assert_eq!(resumed.code(409), "already_final");
    model.push(testkit::Reply::hang());
    let open = rest.send(&session, "open").await;
    assert_eq!(rest.post(&format!("/api/v1/turns/{open}/resume"), json!({})).await.code(409), "not_resumable");
    assert_eq!(rest.post(&format!("/api/v1/turns/{open}/retry"), json!({})).await.code(409), "turn_open");
}
