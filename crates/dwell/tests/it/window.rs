//! The context window in the running server: tags, filters, limits and reports.

use serde_json::json;

use crate::{
    harness::{last, told},
    started,
};

#[tokio::test]
async fn tags_pick_what_is_told_and_the_instructions_stay() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "painted the fence", "tags": ["context:fence"] })).await;
    told(&rest, &session, json!({ "message": "is it sunny?", "tags": ["context:weather"] })).await;
    told(&rest, &session, json!({ "message": "and now?", "context_tags": ["context:fence"] })).await;
    let request = last(&model);
    assert_eq!(request.said(), ["painted the fence", "You said: painted the fence", "and now?"]);
    assert_eq!(request.messages()[0]["role"], "system");
    let message = request.messages().last().unwrap()["content"].as_str().unwrap().to_owned();
    assert_eq!(message.matches("and now?").count(), 1, "the message is told once: {message}");
    assert!(message.ends_with("(UTC).\n</notes>"), "the clock comes last: {message}");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn bad_tags_and_limits_are_refused_with_what_is_wrong() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let path = format!("/api/v1/sessions/{session}/turns");
    let bad = rest.post(&path, json!({ "message": "go", "tags": ["two words"] })).await;
    assert_eq!(bad.code(400), "invalid_request");
    assert!(bad.body["message"].as_str().unwrap().contains("`two words` is not a valid tag"), "{}", bad.body);
    let many: Vec<String> = (0..9).map(|number| format!("t{number}")).collect();
    let bad = rest.post(&path, json!({ "message": "go", "context_tags": many })).await;
    assert_eq!(bad.code(400), "invalid_request");
    let small = rest.post("/api/v1/sessions", json!({ "budgets": { "context_tokens": 10 } })).await;
    assert_eq!(small.code(400), "invalid_request");
    assert_eq!(rest.log(&session).await.len(), 1, "what is refused leaves no trace");
}

#[tokio::test]
async fn the_window_is_told_on_both_doors_alike() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.post("/api/v1/sessions", json!({ "budgets": { "context_tokens": 8_000 } })).await.ok();
    let session = session["session_id"].as_str().unwrap().to_owned();
    told(&rest, &session, json!({ "message": "painted the fence", "tags": ["context:fence", "important"] })).await;
    let window = rest.get(&format!("/api/v1/sessions/{session}/window")).await.ok();
    assert_eq!((&window["messages"], &window["tokens_max"], &window["evicted"]), (&json!(3), &json!(8_000), &json!(0)));
    let tags = json!({ "context:fence": 2, "important": 2, "input": 1, "output": 1 });
    assert_eq!((&window["tags"], &window["health"]), (&tags, &json!([])));
    let mut socket = server.socket().await;
    assert_eq!(socket.ask("session.window", json!({ "session_id": session })).await.unwrap(), window);
}
