//! Doing it by rote gets round nobody: neither policy, nor an approval, nor whoever asks once more on purpose.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::Reply;

use super::{Desk, acts};
use crate::scene::steps;

const ASKED: &str = "Show the greeting for visitors.";

fn greeting() -> Reply {
    acts("notify", json!({ "text": "Welcome, all of you." }))
}

async fn greeted(desk: &Desk) -> Value {
    let turn = desk.doing(ASKED, [greeting(), Reply::text("They are greeted.")]).await;
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
    let desk = Desk::start_with(|program| program.with("DWELL_TOOLS_CONFIRM", "notify")).await;
    for _ in 0..2 {
        for round in [greeting(), Reply::text("They are greeted.")] {
            desk.model.push(round);
        }
        let turn = desk.say(ASKED).await;
        assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!("approval")), "{turn}");
        let open = desk.desktop().await["approvals"][0]["approval_id"].as_str().unwrap().to_owned();
        desk.rest.post(&format!("/api/v1/approvals/{open}"), json!({ "decision": "once" })).await.ok();
        assert_asked(&desk.ended(&turn).await);
    }
}

#[tokio::test]
async fn what_policy_forbids_or_wants_confirmed_by_now_is_not_done_by_rote() {
    let desk = Desk::start().await;
    greeted(&desk).await;
    let path = format!("/api/v1/sessions/{}", desk.session);
    for policy in [json!({ "deny": ["notify"] }), json!({ "allow": ["calculator"] }), json!({ "confirm": ["notify"] })]
    {
        desk.rest.call(Method::PATCH, &path, Some(json!({ "policy": policy })), &[]).await.ok();
        assert_asked(&desk.say(ASKED).await);
    }
    let policy = json!({ "policy": { "confirm": ["calculator"] } });
    desk.rest.call(Method::PATCH, &path, Some(policy), &[]).await.ok();
    assert_eq!(desk.say(ASKED).await["response"]["model"], "reload", "what is free again is done again");
}

#[tokio::test]
async fn what_is_asked_without_tools_is_answered_without_them() {
    let desk = Desk::start().await;
    greeted(&desk).await;
    let toasts = desk.desktop().await["toasts"].clone();
    assert_asked(&desk.told(json!({ "message": ASKED, "allow_tools": false })).await);
    let hints = json!({ "avoid_tools": ["notify"] });
    assert_asked(&desk.told(json!({ "message": ASKED, "planner_hints": hints })).await);
    assert_eq!(desk.desktop().await["toasts"], toasts, "nothing was shown");
}

#[tokio::test]
async fn a_model_cannot_replay_what_it_would_have_to_ask_for() {
    let desk = Desk::start().await;
    let first = greeted(&desk).await;
    let path = format!("/api/v1/sessions/{}", desk.session);
    for policy in [json!({ "confirm": ["notify"] }), json!({ "deny": ["notify"] })] {
        desk.rest.call(Method::PATCH, &path, Some(json!({ "policy": policy })), &[]).await.ok();
        let replay = acts("desktop_replay", json!({ "turn_id": first["turn_id"] }));
        let turn = desk.doing("Show the greeting for all visitors.", [replay, Reply::text("No.")]).await;
        let result = steps(&turn, "tool_result")[0];
        assert_eq!(result["status"], "error", "{result}");
        assert!(result["content"].as_str().unwrap().contains("step by step"), "{result}");
    }
}

#[tokio::test]
async fn whoever_tries_again_is_not_answered_the_same_by_rote() {
    let desk = Desk::start().await;
    let first = greeted(&desk).await;
    let path = format!("/api/v1/turns/{}/retry", first["turn_id"].as_str().unwrap());
    let again = desk.rest.post(&path, json!({})).await.ok();
    assert_asked(&desk.ended(&again).await);
}

#[tokio::test]
async fn an_answer_to_a_question_means_what_the_question_meant() {
    let desk = Desk::start().await;
    let answer = "The eggs in the pan.";
    let turn = desk.say("hmm").await;
    assert_eq!(turn["reason"], "clarification_needed", "{turn}");
    let turn = desk.doing(answer, [greeting(), Reply::text("Done.")]).await;
    assert_asked(&turn);
    assert_eq!(steps(&turn, "tool_result").len(), 1);
    assert_asked(&desk.say(answer).await);
}
