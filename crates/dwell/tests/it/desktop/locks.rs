//! Window locks are enforced on the server, independently of the page: agents are locked out by
//! other agents and by the user, and the user is never locked out.

use serde_json::{Value, json};
use testkit::Reply;

use super::{DesktopHarness, acts, buttons, markdown};
use crate::harness::steps;

/// All changes that an agent can try on a locked window.
fn attempts(window: &str) -> Vec<(&'static str, Value)> {
    let change = |what: Value| {
        let mut arguments = json!({ "window_id": window });
        arguments.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        ("window_change", arguments)
    };
    vec![
        change(json!({ "content": { "type": "markdown", "text": "Mine now." } })),
        change(json!({ "title": "Mine now" })),
        change(json!({ "x": 0, "y": 0 })),
        change(json!({ "width": 900, "height": 900 })),
        change(json!({ "show": "minimized" })),
        change(json!({ "lock": true })),
        change(json!({ "lock": false })),
        ("window_close", json!({ "window_ids": [window] })),
    ]
}

/// The agent of a turn tries one change; returns the result that the model gets.
async fn tries(harness: &DesktopHarness, body: Value, (tool, arguments): (&str, Value)) -> Value {
    harness.model.push(acts(tool, arguments));
    harness.model.push(Reply::text("I tried."));
    let turn = match body["window_id"].as_str() {
        Some(window) => harness.tell(window, "Try to change the window, please.").await,
        None => harness.send(body).await,
    };
    let turn = harness.ended(&turn).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    steps(&turn, "tool_result")[0].clone()
}

#[track_caller]
fn assert_refused(result: &Value, holder: &str) {
    let told = result["content"].as_str().unwrap();
    assert_eq!(result["status"], "error", "{result}");
    assert!(told.contains(&format!("is locked by {holder}")), "{told}");
}

/// A window that the main agent has locked.
async fn locked_by_main(harness: &DesktopHarness) -> Value {
    harness.open("a", buttons(&["save"])).await;
    let lock = ("window_change", json!({ "window_id": "a", "lock": true }));
    let result = tries(harness, json!({ "message": "Keep the window as it is." }), lock).await;
    assert_eq!(result["status"], "ok", "{result}");
    let window = harness.window("a").await;
    assert_eq!(window["locked_by"], json!({ "agent": "main" }));
    window
}

#[tokio::test]
async fn what_one_agent_locks_no_other_agent_changes() {
    let harness = DesktopHarness::start().await;
    let before = locked_by_main(&harness).await;
    for attempt in attempts("a") {
        let result = tries(&harness, json!({ "window_id": "a" }), attempt).await;
        assert_refused(&result, "agent `main`");
    }
    harness.model.push(Reply::hang());
    let busy = harness.send(json!({ "message": "Think about something for long." })).await;
    harness.model.until(|model| model.in_flight() > 0).await;
    let beside = json!({ "message": "Change the window beside that.", "on_busy": "fork" });
    let result = tries(&harness, beside, attempts("a").remove(0)).await;
    assert_refused(&result, "agent `main`");
    harness.cancel(&busy).await;
    assert_eq!(harness.window("a").await, before, "it is as it was");

    let own = ("window_change", json!({ "window_id": "a", "title": "Still mine", "lock": false }));
    let result = tries(&harness, json!({ "message": "Title the window and let go." }), own).await;
    assert_eq!(result["status"], "ok", "the lock's holder may: {result}");
    let result = tries(&harness, json!({ "window_id": "a" }), attempts("a").remove(1)).await;
    assert_eq!((&result["status"], &harness.window("a").await["title"]), (&json!("ok"), &json!("Mine now")));
}

#[tokio::test]
async fn what_the_user_locks_no_agent_changes() {
    let harness = DesktopHarness::start().await;
    harness.open("a", markdown("As it was.")).await;
    harness.does(json!([{ "type": "window.lock", "window_id": "a" }])).await;
    let before = harness.window("a").await;
    assert_eq!(before["locked_by"], "user");
    for attempt in attempts("a") {
        let result = tries(&harness, json!({ "message": "Change the window named a." }), attempt.clone()).await;
        assert_refused(&result, "the user");
        let result = tries(&harness, json!({ "window_id": "a" }), attempt).await;
        assert_refused(&result, "the user");
    }
    assert_eq!(harness.window("a").await, before);
    harness.does(json!([{ "type": "window.unlock", "window_id": "a" }])).await;
    let result = tries(&harness, json!({ "message": "Change it now that you may." }), attempts("a").remove(0)).await;
    assert_eq!((&result["status"], &harness.window("a").await["content"]["text"]), (&json!("ok"), &json!("Mine now.")));
}

#[tokio::test]
async fn no_lock_holds_against_the_user() {
    let harness = DesktopHarness::start().await;
    locked_by_main(&harness).await;
    harness
        .does(json!([
            { "type": "window.move", "window_id": "a", "x": 10, "y": 20 },
            { "type": "window.resize", "window_id": "a", "width": 800, "height": 600 },
            { "type": "window.minimize", "window_id": "a" },
            { "type": "window.restore", "window_id": "a" },
            { "type": "window.unlock", "window_id": "a" },
        ]))
        .await;
    let window = harness.window("a").await;
    assert_eq!(window["bounds"], json!({ "x": 10, "y": 20, "width": 800, "height": 600 }));
    assert!(window["locked_by"].is_null(), "{window}");
    let lock = ("window_change", json!({ "window_id": "a", "lock": true }));
    tries(&harness, json!({ "message": "Keep the window for yourself." }), lock).await;
    harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    assert!(harness.window("a").await.is_null(), "it is closed");
}

#[tokio::test]
async fn the_lock_of_an_agent_that_came_for_one_turn_goes_with_it() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    let lock = acts("window_change", json!({ "window_id": "a", "lock": true }));
    harness.model.push(lock.clone());
    harness.model.push(Reply::text("Locked."));
    let turn = harness.press("a", json!({ "action": "save", "parallel": true })).await;
    assert_eq!(harness.ended(&turn).await["status"], "completed");
    assert!(harness.window("a").await["locked_by"].is_null(), "the agent that could release it is gone");

    // The lock is also released when the turn does not complete.
    harness.model.push(lock);
    harness.model.push(Reply::hang());
    let before = harness.model.requests().len();
    let turn = harness.press("a", json!({ "action": "save", "parallel": true })).await;
    harness.model.until(|model| model.requests().len() == before + 2).await;
    assert_eq!(harness.window("a").await["locked_by"], json!({ "agent": turn["agent_id"] }));
    let mut tab = harness.socket().await;
    harness.cancel(&turn).await;
    let events = tab.until_end_of(&turn["turn_id"]).await;
    let unlocks = |it: &&Value| it["data"]["actions"][0]["type"] == "window.unlock";
    assert_eq!(events.iter().filter(unlocks).count(), 2, "every tab gets the event");
    assert!(harness.window("a").await["locked_by"].is_null());
}

#[tokio::test]
async fn a_lock_goes_with_its_window_and_nothing_is_done_to_a_window_that_is_gone() {
    let harness = DesktopHarness::start().await;
    harness.open("a", markdown("Here.")).await;
    harness.model.push(acts("window_change", json!({ "window_id": "a", "lock": true })));
    let turn = harness.tell("a", "Keep others away from here.").await;
    harness.ended(&turn).await;
    assert_eq!(harness.window("a").await["locked_by"], json!({ "agent": "window-a" }));
    harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    let log = harness.rest.log(&harness.session).await;
    let actions = log.iter().filter(|event| event["type"] == "actions").flat_map(|event| {
        event["data"]["actions"].as_array().unwrap().iter().map(|action| action["type"].as_str().unwrap())
    });
    assert_eq!(actions.last(), Some("window.close"));
}
