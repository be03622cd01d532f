//! The five stages of a turn as clients see them, and what Dwell answers without a model.

use serde_json::{Value, json};
use testkit::{Reply, RestClient, ToolCall};

use crate::{
    harness::{say, session_with, steps, told},
    program, started,
};

/// The data of a session's events of one type, in order.
fn of_type<'a>(log: &'a [Value], kind: &str) -> Vec<&'a Value> {
    log.iter().filter(|event| event["type"] == kind).map(|event| &event["data"]).collect()
}

/// The detail of a stage.
fn stage<'a>(log: &'a [Value], name: &str) -> &'a Value {
    let stages = of_type(log, "turn.stage");
    &stages.iter().find(|data| data["stage"] == name).unwrap()["detail"]
}

/// Asks a question in a new session; returns the turn and the session's log.
async fn asked(rest: &RestClient, message: &str) -> (Value, Vec<Value>) {
    let session = rest.session().await;
    let turn = told(rest, &session, json!({ "message": message })).await;
    (turn, rest.log(&session).await)
}

#[tokio::test]
async fn a_turn_goes_through_five_stages_and_says_what_it_does_in_each() {
    let (_model, _program, server) = started().await;
    let (_, log) = asked(&server.rest(), "Why is the sky blue over Oslo?").await;
    let names: Vec<&Value> = of_type(&log, "turn.stage").iter().map(|data| &data["stage"]).collect();
    assert_eq!(names, ["receive", "understand", "plan", "execute", "complete"]);

    let understood = stage(&log, "understand");
    assert_eq!((&understood["intent"], &understood["by"]), (&json!("question"), &json!("rules")));
    assert!(understood["confidence"].as_f64().unwrap() > 0.5);
    assert!(understood["entities"].is_array());

    let plan = stage(&log, "plan");
    assert_eq!((&plan["way"], &plan["models"]), (&json!("tool_loop"), &json!(["openai/gpt-4.1-mini"])));
    assert!(plan["tools"].as_array().unwrap().contains(&json!("calculator")));

    let order: Vec<&str> = log.iter().skip(1).filter_map(|event| event["type"].as_str()).collect();
    let stages = ["message.accepted", "turn.stage", "turn.stage", "turn.stage", "memory.used", "turn.stage"];
    assert_eq!(order[..6], stages, "the documented order");
    assert_eq!(order[order.len() - 3..], ["turn.stage", "chat.final", "turn.status"]);
}

#[tokio::test]
async fn what_the_model_is_told_is_counted_part_by_part() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "I live in Oslo" })).await;
    told(&rest, &session, json!({ "message": "Which birds live here?" })).await;
    let log = rest.log(&session).await;
    let used = of_type(&log, "memory.used").pop().unwrap();
    let sections = used["sections"].as_array().unwrap();
    let names: Vec<&Value> = sections.iter().map(|section| &section["name"]).collect();
    assert_eq!(names, ["system", "tools", "profile", "recent", "task", "clock"]);
    assert!(sections.iter().all(|section| section["tokens"].as_u64().unwrap() > 0), "{used}");
    assert_eq!(used["items"][0]["level"], "profile");
    assert!(used["items"][0]["text"].as_str().unwrap().contains("Oslo"), "{used}");
    let sum: u64 = sections.iter().map(|section| section["tokens"].as_u64().unwrap()).sum();
    let total = used["tokens"].as_u64().unwrap();
    assert_eq!(total, sum, "the parts add up to the whole");
    assert!(total < used["tokens_max"].as_u64().unwrap());
}

#[tokio::test]
async fn the_answer_carries_intent_confidence_and_suggestions() {
    let (model, _program, server) = started().await;
    let arguments = json!({ "key": "bin", "text": "the bin is emptied on Tuesdays" });
    model.push(Reply::tool_calls([ToolCall::new("c1", "pin", arguments)]));
    let (turn, log) = asked(&server.rest(), "Keep in mind when the bin is emptied: on Tuesdays.").await;
    let answer = of_type(&log, "chat.final").pop().unwrap();
    assert_eq!(answer, &turn["response"], "the event and the turn say the same");
    assert!(answer["intent"].is_string() && answer["confidence"].as_f64().unwrap() >= 0.5, "{answer}");
    assert_eq!(answer["suggestions"], json!(["What did I ask you to remember?"]));
    assert_eq!(of_type(&log, "memory.written")[0]["key"], "bin");
}

#[tokio::test]
async fn sums_and_the_time_are_answered_with_no_model() {
    let program = program();
    let server = program.start().await;
    let rest = server.rest();
    let (turn, log) = asked(&rest, "What is 17% of 240?").await;
    assert!(turn["text"].as_str().unwrap().contains("40.8"), "{}", turn["text"]);
    assert_eq!((&turn["response"]["model"], &turn["response"]["intent"]), (&json!("offline"), &json!("calculation")));
    assert_eq!(stage(&log, "plan")["models"], json!(["offline"]));
    let (turn, _) = asked(&rest, "What time is it in Tokyo?").await;
    assert_eq!(steps(&turn, "tool_call")[0]["arguments"], json!({ "time_zone": "Asia/Tokyo" }));
    let result: Value = serde_json::from_str(steps(&turn, "tool_result")[0]["content"].as_str().unwrap()).unwrap();
    assert!(turn["text"].as_str().unwrap().contains(result["time"].as_str().unwrap()), "{turn}");
}

#[tokio::test]
async fn what_rules_are_certain_of_is_a_reflex() {
    let program = program();
    let server = program.start().await;
    let (turn, log) = asked(&server.rest(), "What is 12 * 12?").await;
    assert!(turn["text"].as_str().unwrap().contains("144"), "{}", turn["text"]);
    assert_eq!(stage(&log, "plan")["way"], "reflex");
}

#[tokio::test]
async fn notes_are_kept_and_found_with_no_model() {
    let program = program();
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    told(&rest, &session, json!({ "message": "Remember that the spare key is under the mat." })).await;
    let turn = told(&rest, &session, json!({ "message": "Where is the spare key?" })).await;
    assert!(turn["text"].as_str().unwrap().contains("under the mat"), "{}", turn["text"]);
}

#[tokio::test]
async fn what_needs_a_model_says_so_plainly() {
    let program = program();
    let server = program.start().await;
    let (turn, _) = asked(&server.rest(), "Write me a poem about rain.").await;
    assert_eq!(turn["status"], "completed");
    let text = turn["text"].as_str().unwrap();
    assert!(text.contains("needs a language model") && text.contains("OPENAI_API_KEY"), "{text}");
}

#[tokio::test]
async fn a_turn_without_tools_goes_straight_to_the_answer() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({})).await;
    let accepted = say(&rest, &session, json!({ "message": "What is 12 * 12?", "allow_tools": false })).await.ok();
    rest.ended(accepted["turn_id"].as_str().unwrap()).await;
    assert_eq!(stage(&rest.log(&session).await, "plan")["way"], "direct");
    assert!(model.requests()[0].tools().is_empty());
}
