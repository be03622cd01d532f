//! Hints for the planner: what to focus on, which tools to prefer or avoid, and how deep to search.

use serde_json::{Value, json};
use testkit::{Reply, ToolCall};

use crate::{
    harness::{ToolHarness, calls, harness, last, say, shown, steps, told},
    started,
};

fn hinted(hints: &Value) -> Value {
    json!({ "message": "Have a look at the sky.", "planner_hints": hints })
}

#[tokio::test]
async fn focus_areas_are_told_to_the_model() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    told(&rest, &session, hinted(&json!({ "focus_areas": ["the clouds", "the moon"] }))).await;
    let message = last(&model).messages().last().unwrap()["content"].to_string();
    assert!(message.contains("Look at this first: the clouds, the moon."), "{message}");
    let log = rest.log(&session).await;
    let used = log.iter().find(|event| event["type"] == "memory.used").unwrap();
    assert!(used["data"]["sections"].as_array().unwrap().iter().any(|section| section["name"] == "hints"));
}

#[tokio::test]
async fn tools_to_avoid_are_not_there_and_preferred_ones_come_first() {
    let ToolHarness { model, tool_server, server, program: _program } = harness().await;
    let rest = server.rest();
    let session = rest.session().await;
    model.push(calls("c1", "look_at_sky", "anyway"));
    let hints = json!({ "avoid_tools": ["look_at_sky"], "prefer_tools": ["set_label", "pin"] });
    let turn = told(&rest, &session, hinted(&hints)).await;
    let tools = shown(&last(&model));
    assert!(!tools.contains(&"look_at_sky".to_owned()), "{tools:?}");
    assert_eq!(tools[..2], ["pin", "set_label"]);
    assert_eq!((&steps(&turn, "tool_result")[0]["status"], tool_server.ledger().len()), (&json!("denied"), 0));

    model.push(calls("c2", "look_at_sky", "now"));
    told(&rest, &session, json!({ "message": "Now look at it." })).await;
    assert_eq!(tool_server.effects("look_at_sky"), 1, "hints are for one turn");
}

#[tokio::test]
async fn hints_cannot_bring_back_what_policy_took_away() {
    let ToolHarness { model, server, tool_server: _tool_server, program: _program } = harness().await;
    let rest = server.rest();
    let session = crate::harness::session_with(&rest, json!({ "policy": { "deny": ["look_at_sky"] } })).await;
    told(&rest, &session, hinted(&json!({ "prefer_tools": ["look_at_sky"] }))).await;
    assert!(!shown(&last(&model)).contains(&"look_at_sky".to_owned()));
}

#[tokio::test]
async fn the_depth_is_a_budget_of_steps() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.push(Reply::tool_calls([ToolCall::new("c1", "calculator", json!({ "expression": "6 * 7" }))]));
    model.push(Reply::text("As far as I got: 42."));
    let turn = told(&rest, &rest.session().await, hinted(&json!({ "max_depth": 1 }))).await;
    assert_eq!((&turn["reason"], &turn["text"]), (&json!("step_budget"), &json!("As far as I got: 42.")));
}

#[tokio::test]
async fn a_hint_that_is_none_is_refused() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    assert_eq!(say(&rest, &session, hinted(&json!({ "avoid": ["x"] }))).await.code(400), "invalid_request");
}
