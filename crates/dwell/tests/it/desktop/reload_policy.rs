//! The replay cache bypasses neither policy nor approvals, and a retried turn is not answered from
//! the cache.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::Reply;

use super::{DesktopHarness, acts};
use crate::harness::steps;

const ASKED: &str = "Show the greeting for visitors.";

fn greeting() -> Reply {
    acts("notify", json!({ "text": "Welcome, all of you." }))
}

async fn greeted(harness: &DesktopHarness) -> Value {
    let turn = harness.doing(ASKED, [greeting(), Reply::text("They are greeted.")]).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    turn
}

#[track_caller]
fn assert_asked(turn: &Value) {
    assert_eq!(turn["status"], "completed", "{turn}");
    assert_ne!(turn["response"]["model"], "reload", "a model has to be asked: {turn}");
}

#[tokio::test]
async fn what_had_to_be_allowed_is_asked_about_each_time() {
    let harness = DesktopHarness::start_with(|program| program.with("DWELL_TOOLS_CONFIRM", "notify")).await;
    for _ in 0..2 {
        for round in [greeting(), Reply::text("They are greeted.")] {
            harness.model.push(round);
        }
        let turn = harness.say(ASKED).await;
        assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("approval")), "{turn}");
        let open = harness.desktop().await["approvals"][0]["approval_id"].as_str().unwrap().to_owned();
        harness.rest.post(&format!("/api/v1/approvals/{open}"), json!({ "decision": "once" })).await.ok();
        assert_asked(&harness.ended(&turn).await);
    }
}

#[tokio::test]
async fn what_policy_forbids_or_wants_confirmed_by_now_is_not_done_by_rote() {
    let harness = DesktopHarness::start().await;
    greeted(&harness).await;
    let path = format!("/api/v1/sessions/{}", harness.session);
    for policy in [json!({ "deny": ["notify"] }), json!({ "allow": ["calculator"] }), json!({ "confirm": ["notify"] })]
    {
        harness.rest.call(Method::PATCH, &path, Some(json!({ "policy": policy })), &[]).await.ok();
        assert_asked(&harness.say(ASKED).await);
    }
    let policy = json!({ "policy": { "confirm": ["calculator"] } });
    harness.rest.call(Method::PATCH, &path, Some(policy), &[]).await.ok();
    assert_eq!(harness.say(ASKED).await["response"]["model"], "reload", "what is free again is done again");
}

#[tokio::test]
async fn what_is_asked_without_tools_is_answered_without_them() {
    let harness = DesktopHarness::start().await;
    greeted(&harness).await;
    let toasts = harness.desktop().await["toasts"].clone();
    assert_asked(&harness.told(json!({ "message": ASKED, "allow_tools": false })).await);
    let hints = json!({ "avoid_tools": ["notify"] });
    assert_asked(&harness.told(json!({ "message": ASKED, "planner_hints": hints })).await);
    assert_eq!(harness.desktop().await["toasts"], toasts, "nothing was shown");
}

#[tokio::test]
async fn a_model_cannot_replay_what_it_would_have_to_ask_for() {
    let harness = DesktopHarness::start().await;
    let first = greeted(&harness).await;
    let path = format!("/api/v1/sessions/{}", harness.session);
    for policy in [json!({ "confirm": ["notify"] }), json!({ "deny": ["notify"] })] {
        harness.rest.call(Method::PATCH, &path, Some(json!({ "policy": policy })), &[]).await.ok();
        let replay = acts("desktop_replay", json!({ "turn_id": first["turn_id"] }));
        let turn = harness.doing("Show the greeting for all visitors.", [replay, Reply::text("No.")]).await;
        let result = steps(&turn, "tool_result")[0];
        assert_eq!(result["status"], "error", "{result}");
        assert!(result["content"].as_str().unwrap().contains("step by step"), "{result}");
    }
}

#[tokio::test]
async fn a_retried_turn_is_not_answered_from_the_cache() {
    let harness = DesktopHarness::start().await;
    let first = greeted(&harness).await;
    let path = format!("/api/v1/turns/{}/retry", first["turn_id"].as_str().unwrap());
    let again = harness.rest.post(&path, json!({})).await.ok();
    assert_asked(&harness.ended(&again).await);
}

#[tokio::test]
async fn an_answer_to_a_question_means_what_the_question_meant() {
    let harness = DesktopHarness::start().await;
    let answer = "The eggs in the pan.";
    let turn = harness.say("hmm").await;
    assert_eq!(turn["reason"], "clarification_needed", "{turn}");
    let turn = harness.doing(answer, [greeting(), Reply::text("Done.")]).await;
    assert_asked(&turn);
    assert_eq!(steps(&turn, "tool_result").len(), 1);
    assert_asked(&harness.say(answer).await);
}
