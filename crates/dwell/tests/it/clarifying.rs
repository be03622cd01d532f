//! A message that nobody could act on is asked back about, once; the next message is the answer.

use serde_json::{Value, json};
use testkit::Reply;

use crate::{
    program,
    scene::{last, told},
    started,
};

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

    let answered = told(&rest, &session, json!({ "message": "it" })).await;
    assert_ne!(answered["reason"], "clarification_needed", "an answer is not asked back about");
    let log = rest.log(&session).await;
    assert_eq!(newest(&log, "message.accepted").unwrap()["data"]["answers"], asked["turn_id"]);
    told(&rest, &session, json!({ "message": "Thank you." })).await;
    let log = rest.log(&session).await;
    assert!(newest(&log, "message.accepted").unwrap()["data"].get("answers").is_none(), "one message answers");
}

#[tokio::test]
async fn the_model_sees_question_and_answer_together() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    model.push(Reply::text(r#"{"confidence": 0.2, "question": "Which lamp?"}"#));
    let asked = told(&rest, &session, json!({ "message": "turn it off" })).await;
    assert_eq!((&asked["text"], &asked["reason"]), (&json!("Which lamp?"), &json!("clarification_needed")));
    told(&rest, &session, json!({ "message": "the red one" })).await;
    assert_eq!(last(&model).said(), ["turn it off", "Which lamp?", "the red one"]);
    assert_eq!(model.requests().len(), 2, "the answer was not judged again");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_model_that_understands_it_goes_on() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.push(Reply::text(r#"Sure: {"confidence": 0.9, "question": ""}"#));
    model.push(Reply::text("Everything is off."));
    let turn = told(&rest, &rest.session().await, json!({ "message": "turn it off" })).await;
    assert_eq!((&turn["text"], &turn["response"]["intent"]), (&json!("Everything is off."), &json!("chat")));
}

#[tokio::test]
async fn a_model_that_cannot_judge_leaves_it_to_the_rules() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for reply in [Reply::text("I would rather not."), Reply::status(400)] {
        model.push(reply);
        let turn = told(&rest, &rest.session().await, json!({ "message": "turn it off" })).await;
        assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("What should I turn off?")));
    }
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
