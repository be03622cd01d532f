//! Dwell asks one question back when a message cannot be acted on. The next message is the answer.

use serde_json::{Value, json};

use crate::{harness::told, program, started};

/// The newest event of a type.
fn newest<'a>(log: &'a [Value], kind: &str) -> Option<&'a Value> {
    log.iter().rev().find(|event| event["type"] == kind)
}

#[tokio::test]
async fn the_turn_ends_with_a_question_that_the_next_message_answers() {
    let program = program();
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let asked = told(&rest, &session, json!({ "message": "turn it off" })).await;
    assert_eq!((&asked["status"], &asked["reason"]), (&json!("completed"), &json!("clarification_needed")));
    assert_eq!((&asked["text"], &asked["response"]["message"]), (&json!("What should I turn off?"), &asked["text"]));
    let log = rest.log(&session).await;
    let question = &newest(&log, "clarification_needed").unwrap()["data"];
    assert_eq!((&question["question"], &question["intent"]), (&json!("What should I turn off?"), &json!("unclear")));
    assert!(question["confidence"].as_f64().unwrap() < 0.5);
    assert_eq!(asked["response"]["model"], "rules", "no model has written it");

    let answered = told(&rest, &session, json!({ "message": "it" })).await;
    assert_ne!(answered["reason"], "clarification_needed", "an answer is not asked back about");
    let log = rest.log(&session).await;
    assert_eq!(newest(&log, "message.accepted").unwrap()["data"]["answers"], asked["turn_id"]);
    told(&rest, &session, json!({ "message": "Thank you." })).await;
    let log = rest.log(&session).await;
    assert!(newest(&log, "message.accepted").unwrap()["data"].get("answers").is_none(), "one message answers");
}

/// The rules do not answer in place of a language model: the model asks back by itself.
#[tokio::test]
async fn with_a_model_the_model_is_asked() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for message in ["Hello again", "Fix it", "Make it shorter", "turn it off", "asdfgh"] {
        let turn = told(&rest, &rest.session().await, json!({ "message": message })).await;
        let answered = (&turn["text"], &turn["reason"], &turn["response"]["model"]);
        let expected = json!(format!("You said: {message}"));
        assert_eq!(answered, (&expected, &Value::Null, &json!("openai/gpt-4.1-mini")), "{message}");
    }
    assert_eq!(model.requests().len(), 5, "and asked once");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn words_that_say_nothing_are_asked_back_about_without_a_model() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for message in ["?", "...", "hmm", "the"] {
        let turn = told(&rest, &rest.session().await, json!({ "message": message })).await;
        assert_eq!((&turn["reason"], &turn["response"]["model"]), (&json!("clarification_needed"), &json!("rules")));
    }
    assert_eq!(model.requests().len(), 0);
}

#[tokio::test]
async fn with_something_said_before_a_pronoun_is_clear() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "The kitchen light is on." })).await;
    let turn = told(&rest, &session, json!({ "message": "turn it off" })).await;
    assert_eq!((&turn["text"], model.requests().len()), (&json!("You said: turn it off"), 2));
}

#[tokio::test]
async fn a_question_outlives_a_restart() {
    let program = program();
    let server = program.start().await;
    let session = server.rest().session().await;
    let asked = told(&server.rest(), &session, json!({ "message": "turn it off" })).await;
    server.kill().await;
    let server = program.start().await;
    told(&server.rest(), &session, json!({ "message": "that one" })).await;
    let log = server.rest().log(&session).await;
    assert_eq!(newest(&log, "message.accepted").unwrap()["data"]["answers"], asked["turn_id"]);
}
