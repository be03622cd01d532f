//! Switching the model: the new model gets a summary of the conversation, unless the policy fixes
//! the model.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    harness::{last, session_with, steps, system, told},
    started,
};

#[tokio::test]
async fn the_new_model_is_told_what_was_said_once() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "The cat is called Schrödinger." })).await;
    let mut socket = server.socket().await;
    let set = json!({ "session_id": session, "model": "openai/large" });
    let view = socket.ask("provider.set", set).await.unwrap();
    assert_eq!(view["settings"]["model"], "openai/large");

    let turn = told(&rest, &session, json!({ "message": "And how is it?" })).await;
    assert_eq!((last(&model).model(), &turn["response"]["model"]), ("large", &json!("openai/large")));
    let told_to = system(&last(&model));
    assert!(told_to.contains("You take over this conversation from the model openai/gpt-4.1-mini"), "{told_to}");
    assert!(told_to.contains("Asked: The cat is called Schrödinger."), "{told_to}");
    let summary = steps(&turn, "summary")[0];
    assert_eq!(summary["kind"], "transfer");
    assert!(told_to.contains(summary["text"].as_str().unwrap()), "what it was told is in the journal");

    let turn = told(&rest, &session, json!({ "message": "Thank you, that is all." })).await;
    assert_eq!(last(&model).model(), "large");
    assert!(!system(&last(&model)).contains("take over") && steps(&turn, "summary").is_empty(), "once is enough");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn with_nothing_said_there_is_nothing_to_tell() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let path = format!("/api/v1/sessions/{session}");
    rest.call(Method::PATCH, &path, Some(json!({ "model": "openai/large" })), &[]).await.ok();
    told(&rest, &session, json!({ "message": "Hello there." })).await;
    assert_eq!(last(&model).model(), "large");
    assert!(!system(&last(&model)).contains("take over"));
}

#[tokio::test]
async fn the_tools_results_are_carried_over_too() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let sum = testkit::ToolCall::new("c1", "calculator", json!({ "expression": "6 * 7" }));
    model.push(testkit::Reply::tool_calls([sum]));
    told(&rest, &session, json!({ "message": "How many legs have seven flies?" })).await;
    let set = json!({ "session_id": session, "model": "openai/large" });
    server.socket().await.ask("provider.set", set).await.unwrap();
    let turn = told(&rest, &session, json!({ "message": "And eight of them?" })).await;
    assert_eq!((&turn["status"], crate::harness::results(&last(&model)).len()), (&json!("completed"), 1));
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_fixed_model_stays() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let settings = json!({ "model": "openai/medium", "policy": { "fixed_model": true } });
    let session = session_with(&rest, settings).await;
    let path = format!("/api/v1/sessions/{session}");
    let patch = |body: Value| rest.call(Method::PATCH, &path, Some(body), &[]);
    assert_eq!(patch(json!({ "model": "openai/large" })).await.code(403), "policy_denied");
    let both = json!({ "model": "openai/large", "policy": { "fixed_model": false } });
    assert_eq!(patch(both).await.code(403), "policy_denied", "not in the same request");
    let set = json!({ "session_id": session, "model": "openai/large" });
    let refused = server.socket().await.ask("provider.set", set).await.unwrap_err();
    assert_eq!(refused["code"], "policy_denied");
    assert!(refused["hint"].as_str().unwrap().contains("fixed_model"), "{refused}");
    told(&rest, &session, json!({ "message": "Who are you?" })).await;
    assert_eq!(last(&model).model(), "medium");
}

#[tokio::test]
async fn a_fixed_model_stays_for_single_turns_too() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let settings = json!({ "model": "openai/medium", "policy": { "fixed_model": true } });
    let session = session_with(&rest, settings).await;
    let path = format!("/api/v1/sessions/{session}/turns");
    let refused = rest.post(&path, json!({ "message": "Who are you?", "model": "openai/large" })).await;
    assert_eq!(refused.code(403), "policy_denied");
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn a_model_that_no_provider_has_is_refused_by_name() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let path = format!("/api/v1/sessions/{session}");
    let wanted = json!({ "model": "anthropic/claude" });
    for refused in [
        rest.call(Method::PATCH, &path, Some(wanted.clone()), &[]).await,
        rest.post("/api/v1/sessions", wanted.clone()).await,
        rest.post(&format!("{path}/turns"), json!({ "message": "Hello there.", "model": "anthropic/claude" })).await,
    ] {
        assert_eq!(refused.code(422), "unknown_model");
        assert!(refused.body["message"].as_str().unwrap().contains("ANTHROPIC_API_KEY"), "{}", refused.body);
    }
    let set = json!({ "session_id": session, "model": "anthropic/claude" });
    let refused = server.socket().await.ask("provider.set", set).await.unwrap_err();
    assert_eq!(refused["code"], "unknown_model");
    assert!(!refused["hint"].as_str().unwrap().is_empty());
}
