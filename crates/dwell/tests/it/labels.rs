//! Session names and idempotency keys are stored unredacted, so names and keys that contain a
//! secret are refused.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Reply, RestResponse};

use crate::started;

const SECRETS: [&str; 3] = ["sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12", "my password is hunter2", "test-token-0123456789"];

/// Checks that the error says what is wrong and does not repeat the secret.
#[track_caller]
fn refused(what: &str, secret: &str, answer: &RestResponse) {
    assert_eq!(answer.code(400), "invalid_request", "{what}");
    let text = answer.body.to_string();
    assert!(text.contains("looks like a secret") && text.contains("[redacted"), "{what}: {text}");
    let hidden = secret.rsplit(' ').next().unwrap();
    assert!(!text.contains(hidden), "{what}: {text}");
}

#[tokio::test]
async fn with_a_secret_in_it_none_is_taken() {
    let (model, program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    model.push(Reply::text("Yes."));
    let turn = rest.send(&session, "Is anybody there?").await;
    rest.ended(&turn).await;
    let messages = json!([{ "role": "user", "content": "Hello." }, { "role": "assistant", "content": "Hello!" }]);
    for secret in SECRETS {
        let keyed = [("idempotency-key", secret)];
        let body = |field: &str| json!({ field: secret });
        refused("start", secret, &rest.post("/api/v1/sessions", body("key")).await);
        refused("start", secret, &rest.call(Method::POST, "/api/v1/sessions", Some(json!({})), &keyed).await);
        let fork = json!({ "turn_id": turn, "key": secret });
        refused("fork", secret, &rest.post(&format!("/api/v1/sessions/{session}/fork"), fork).await);
        let path = format!("/api/v1/sessions/import?format=openai&conversation_id={}", secret.replace(' ', "%20"));
        refused("import", secret, &rest.post(&path, messages.clone()).await);
        let path = "/api/v1/sessions/import?format=openai";
        refused("import", secret, &rest.call(Method::POST, path, Some(messages.clone()), &keyed).await);
        let path = format!("/api/v1/sessions/{session}/turns");
        let said = json!({ "message": "Hello.", "idempotency_key": secret });
        refused("send", secret, &rest.post(&path, said).await);
        let path = format!("/api/v1/turns/{turn}/retry");
        refused("retry", secret, &rest.call(Method::POST, &path, Some(json!({})), &keyed).await);
        let vault = json!({ "title": "letters" });
        refused("vault", secret, &rest.call(Method::POST, "/api/v1/vaults", Some(vault), &keyed).await);
        let line = json!({ "value": "vegetarian" });
        refused("profile", secret, &rest.call(Method::PUT, "/api/v1/profile/diet", Some(line), &keyed).await);
        let mut socket = server.socket().await;
        let error = socket.ask("session.start", body("key")).await.unwrap_err();
        assert_eq!(error["code"], "invalid_request", "{error}");
        let data = json!({ "conversation_id": secret, "message": "Hello." });
        let error: Value = socket.ask("chat.send", data).await.unwrap_err();
        assert!(error["message"].as_str().unwrap().contains("looks like a secret"), "{error}");
    }
    let sessions = rest.get("/api/v1/sessions").await.ok();
    assert_eq!(sessions["data"].as_array().unwrap().len(), 1, "{sessions}");
    server.stop().await;
    let files =
        ["journal.db", "journal.db-wal"].map(|name| std::fs::read(program.folder().join(name)).unwrap_or_default());
    let kept = String::from_utf8_lossy(&files.concat()).into_owned();
    for secret in ["sk-proj-Ab12", "hunter2", "test-token-0123456789"] {
        assert!(!kept.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn ordinary_ones_are() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    for key in [
        "holiday plans",
        "my password is too long",
        "0c8f0a3e-7b52-4d0e-9d58-6c1f5d1e2a3b",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "user:42/thread:7",
    ] {
        let started = rest.post("/api/v1/sessions", json!({ "key": key })).await.ok();
        assert_eq!(started["key"], key);
    }
}
