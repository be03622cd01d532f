//! Every budget is reached: the turn ends with the reason and with the partial answer.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, ToolCall};

use crate::{
    harness::{ToolHarness, calls, harness, harness_with, last, results, session_with, steps, system, told},
    started,
};

/// A model that calls the calculator in every round in which tools are offered.
fn never_content(model: &ModelServer) {
    let calls = AtomicU32::new(0);
    model.respond_with(move |request| {
        if request.tools().is_empty() {
            return Reply::text("That is all I found.");
        }
        let n = calls.fetch_add(1, Ordering::Relaxed);
        Reply::tool_calls([ToolCall::new(format!("c{n}"), "calculator", json!({ "expression": format!("{n} + 1") }))])
    });
}

/// Checks that the turn completed with this reason.
#[track_caller]
fn assert_answered(turn: &Value, reason: &str) {
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("completed"), &json!(reason)), "{turn}");
    assert_eq!(steps(turn, "observed_event")[0]["kind"], "budget_spent");
}

#[tokio::test]
async fn steps_run_out_and_the_model_answers_from_what_it_has() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    never_content(&model);
    let session = session_with(&rest, json!({ "budgets": { "max_steps": 3 } })).await;
    let turn = told(&rest, &session, json!({ "message": "Count as far as you can." })).await;
    assert_answered(&turn, "step_budget");
    assert_eq!((&turn["text"], steps(&turn, "plan").len()), (&json!("That is all I found."), 3));
    assert!(last(&model).tools().is_empty(), "it is shown no tools any more");
    assert!(system(&last(&model)).contains("the step budget"), "and told why");

    let shorter = told(&rest, &session, json!({ "message": "And now only once.", "max_steps": 1 })).await;
    assert_answered(&shorter, "step_budget");
    assert_eq!(steps(&shorter, "plan").len(), 1, "a turn may ask for less");
    let more = told(&rest, &session, json!({ "message": "And now a lot more.", "max_steps": 50 })).await;
    assert_eq!(steps(&more, "plan").len(), 3, "but not for more");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn tool_calls_run_out_in_the_middle_of_a_round() {
    let ToolHarness { model, tool_server, server, program: _program } = harness().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "budgets": { "max_tool_calls": 2 } })).await;
    model.push(Reply::tool_calls(["a", "b", "c"].map(|id| crate::harness::call(id, "look_at_sky", id))));
    model.push(Reply::text("Twice will do."));
    let turn = told(&rest, &session, json!({ "message": "Look at the sky three times." })).await;
    assert_answered(&turn, "tool_call_budget");
    assert_eq!((&turn["text"], tool_server.effects("look_at_sky")), (&json!("Twice will do."), 2));
    let refused = steps(&turn, "tool_result").into_iter().find(|result| result["status"] == "denied").unwrap();
    assert_eq!(refused["call_id"], "c");
    assert!(refused["content"].as_str().unwrap().contains("tool call budget"), "{refused}");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn tokens_run_out_and_leave_room_for_an_answer() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let sum = ToolCall::new("c1", "calculator", json!({ "expression": "6 * 7" }));
    model.push(Reply::tool_calls([sum]).usage(96_000, 3_000));
    model.push(Reply::text("It is 42."));
    let turn = told(&rest, &rest.session().await, json!({ "message": "Think about it at length." })).await;
    assert_answered(&turn, "token_budget");
    assert_eq!(turn["text"], "It is 42.");
    let tokens_max = last(&model).raw()["max_completion_tokens"].as_u64().or(last(&model).raw()["max_tokens"].as_u64());
    assert!(
        tokens_max.is_some_and(|tokens_max| tokens_max < 1_000),
        "the answer may not be longer than what is left: {tokens_max:?}"
    );
}

#[tokio::test]
async fn with_no_tokens_left_the_findings_are_the_answer() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let sum = ToolCall::new("c1", "calculator", json!({ "expression": "6 * 7" }));
    model.push(Reply::tool_calls([sum]).usage(100_000, 10));
    let turn = told(&rest, &rest.session().await, json!({ "message": "Think about it at length." })).await;
    assert_answered(&turn, "token_budget");
    let text = turn["text"].as_str().unwrap();
    assert!(text.contains("the token budget ran out") && text.contains("calculator") && text.contains("42"), "{text}");
    assert_eq!((model.requests().len(), &turn["response"]["message"]), (1, &turn["text"]));
}

#[tokio::test]
async fn time_runs_out_and_the_findings_are_the_answer() {
    let ToolHarness { model, server, tool_server: _tool_server, program: _program } = harness().await;
    let rest = server.rest();
    model.push(calls("c1", "look_at_sky", "grey"));
    model.push(Reply::hang());
    let body = json!({ "message": "Watch the sky until it clears.", "time_budget_ms": 700 });
    let turn = told(&rest, &rest.session().await, body).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("expired"), &json!("time_budget")));
    let text = turn["response"]["message"].as_str().unwrap();
    assert!(text.contains("the time ran out") && text.contains("look_at_sky") && text.contains("grey"), "{text}");
    model.until(|model| model.aborted() == 1).await;
}

#[tokio::test]
async fn a_tool_that_hangs_ends_with_the_turns_time() {
    let ToolHarness { model, tool_server, server, program: _program } = harness().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "budgets": { "max_duration_ms": 700 } })).await;
    tool_server.hold("look_at_sky");
    model.push(calls("c1", "look_at_sky", "dark"));
    let turn = told(&rest, &session, json!({ "message": "Look at the sky." })).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("expired"), &json!("time_budget")));
    assert_eq!(steps(&turn, "tool_result")[0]["status"], "cancelled", "the call has a result");
    tool_server.until(|tool_server| tool_server.waiting("look_at_sky") == 0).await;
    let next = told(&rest, &session, json!({ "message": "Never mind then." })).await;
    assert_eq!((&next["status"], results(&last(&model)).len()), (&json!("completed"), 1));
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn the_time_a_person_takes_to_answer_is_not_the_turns() {
    let confirm = |program: testkit::Program| program.with("DWELL_TOOLS_CONFIRM", "book_table");
    let ToolHarness { model, tool_server, server, program: _program } = harness_with(|_| {}, confirm).await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "budgets": { "max_duration_ms": 700 } })).await;
    model.push(calls("c1", "book_table", "for two"));
    let turn = told(&rest, &session, json!({ "message": "Book a table for two." })).await;
    assert_eq!(turn["status"], "waiting");
    // Sleeps longer than the turn may take, because only the clock ends it.
    tokio::time::sleep(Duration::from_millis(1_000)).await;
    let open = rest.get("/api/v1/approvals").await.ok();
    let id = open["data"][0]["approval_id"].as_str().expect("the question is still open");
    rest.post(&format!("/api/v1/approvals/{id}"), json!({ "decision": "once" })).await.ok();
    let turn = rest.ended(turn["turn_id"].as_str().unwrap()).await;
    assert_eq!((&turn["status"], tool_server.effects("book_table")), (&json!("completed"), 1));
}

#[tokio::test]
async fn budgets_that_make_no_sense_are_refused() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    for budgets in [json!({ "max_steps": 0 }), json!({ "max_duration_ms": 0 }), json!({ "max_stepz": 1 })] {
        let refused = rest.post("/api/v1/sessions", json!({ "budgets": budgets })).await;
        assert_eq!(refused.code(400), "invalid_request");
    }
}
