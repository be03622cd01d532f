//! The model fails, is killed in the middle, has no budget left, or is turned off: the rules keep
//! what they understand, and nothing is lost or doubled.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{ExtractionRequest, ModelServer, Reply, operation, operations};

use super::{DELAY_MS, events, exchange, extractions, facts, read, scripted, stats, with_value};
use crate::program;

/// A statement that the rules do not understand, and its operation.
const STATED: &str = "the ferry berth is number 9 this year, by the crane";

fn berth(_: &ExtractionRequest) -> Vec<Value> {
    vec![operation("add", 1, "ferry", "berth", "9", "the ferry berth is number 9")]
}

#[tokio::test]
async fn a_kill_in_the_middle_neither_loses_nor_doubles_a_fact() {
    let (model, program) = scripted(berth).await;
    model.push(Reply::text("All right."));
    model.push(Reply::hang());
    let server = program.start().await;
    let session = server.rest().session().await;
    exchange(&server.rest(), &session, STATED).await;
    model.until(|model| extractions(model).len() == 1).await;
    server.kill().await;

    // It is asked again after the restart, and killed after the write as well.
    let server = program.start().await;
    read(&server.rest(), 1).await;
    server.kill().await;
    let server = program.start().await;
    let rest = server.rest();
    let told =
        |log: &[Value]| events(log, "memory.written").into_iter().filter(|it| it["data"]["value"] == "9").count();
    let mut log = rest.log(&session).await;
    for _ in 0..100 {
        if told(&log) > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        log = rest.log(&session).await;
    }
    stats(&rest, |stats| stats["waiting"] == 0).await;
    assert_eq!(told(&rest.log(&session).await), 1, "{log:?}");
    let known = facts(&rest).await;
    assert_eq!(with_value(&known, "9").len(), 1, "{known:?}");
    assert_eq!(extractions(&model).len(), 2, "what was read is not read again");
}

#[tokio::test]
async fn beyond_the_budget_messages_wait_and_rules_go_on() {
    let (model, program) = scripted(berth).await;
    let program = program.with("DWELL_MEMORY_MODEL_TOKENS_PER_HOUR", "20");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    exchange(&rest, &session, STATED).await;
    read(&rest, 1).await;
    exchange(&rest, &session, "My name is Ada.").await;
    let counted = stats(&rest, |stats| stats["state"] == "out_of_budget").await;
    assert_eq!((&counted["calls"], &counted["waiting"]), (&json!(1), &json!(1)), "{counted}");
    assert_eq!(extractions(&model).len(), 1);
    let known = facts(&rest).await;
    assert_eq!((with_value(&known, "9").len(), with_value(&known, "Ada").len()), (1, 1), "{known:?}");
    let shown = program.run(&["stats"]).await.stdout;
    assert!(shown.contains("memory      the model of each session: out of budget for this hour"), "{shown}");
    assert!(shown.contains("  1 calls, 0 failed, 1 messages read, 0 left to rules, 1 sessions waiting"), "{shown}");
    assert!(shown.contains("  facts: 1 add; refused: none"), "{shown}");

    // A restart gives no new budget.
    server.kill().await;
    let server = program.start().await;
    let counted = stats(&server.rest(), |stats| stats["state"] == "out_of_budget").await;
    assert_eq!((&counted["calls"], &counted["waiting"]), (&json!(0), &json!(1)), "{counted}");
    assert_eq!(extractions(&model).len(), 1);
}

#[tokio::test]
async fn a_failing_model_is_tried_again_and_then_the_rules_serve() {
    let model = ModelServer::start().await;
    model.respond_with(|request| match ExtractionRequest::of(request) {
        Some(asked) if asked.messages[0].contains("berth") => Reply::text("I would rather not answer in JSON."),
        Some(asked) if asked.messages[0].contains("Ada") => Reply::status(500),
        Some(asked) => operations(asked.messages.iter().map(|_| operation("ignore", 1, "user", "", "", ""))),
        // The answer to a correction is not read as an extraction: its last message is prose.
        None if request.last_user().contains("does not match the JSON Schema") => Reply::text("No."),
        None => Reply::text("All right."),
    });
    let program = program().with_model(&model).with_memory_model(DELAY_MS / 10);
    let server = program.start().await;
    let rest = server.rest();
    for (message, given_up) in [(STATED, 1), ("My name is Ada.", 2)] {
        let session = rest.session().await;
        exchange(&rest, &session, message).await;
        let counted = stats(&rest, |stats| stats["given_up"] == given_up).await;
        assert_eq!(counted["state"], "failing", "{counted}");
        let why = counted["last_error"].as_str().unwrap();
        assert!(why.contains(if given_up == 1 { "does not match the schema" } else { "500" }), "{counted}");
        assert!(!counted.to_string().contains("ferry"), "no words of the user are shown: {counted}");
    }
    assert_eq!(extractions(&model).len(), 10, "five attempts for each");
    assert_eq!(with_value(&facts(&rest).await, "Ada").len(), 1, "the rules have read it");
    exchange(&rest, &rest.session().await, "the shed has a blue door").await;
    assert_eq!(read(&rest, 1).await["state"], "ready", "a success ends the failure");
}

#[tokio::test]
async fn turned_off_it_is_asked_nothing_and_the_offline_model_never_extracts() {
    let (model, program) = scripted(berth).await;
    let server = program.with("DWELL_MEMORY_MODEL", "off").start().await;
    let rest = server.rest();
    exchange(&rest, &rest.session().await, STATED).await;
    tokio::time::sleep(Duration::from_millis(u64::from(DELAY_MS) * 5)).await;
    assert_eq!(stats(&rest, |_| true).await["state"], "off");
    assert!(extractions(&model).is_empty());

    let offline = program_without_model().start().await;
    let rest = offline.rest();
    exchange(&rest, &rest.session().await, "My name is Ada.").await;
    tokio::time::sleep(Duration::from_millis(u64::from(DELAY_MS) * 5)).await;
    let counted = stats(&rest, |stats| stats["waiting"] == 0).await;
    assert_eq!((&counted["state"], &counted["calls"]), (&json!("ready"), &json!(0)), "{counted}");
    assert_eq!(with_value(&facts(&rest).await, "Ada").len(), 1);
}

fn program_without_model() -> testkit::Program {
    program().with_memory_model(DELAY_MS)
}
