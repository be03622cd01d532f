//! Locks hold on the server, whatever a page shows: agents against agents, the user against agents, and nobody against
//! the user.

use serde_json::{Value, json};
use testkit::Reply;

use super::{Desk, acts, buttons, markdown};
use crate::scene::steps;

/// All that can be tried on a window that is locked.
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

/// Whoever this turn belongs to tries one thing; gives what the model is told.
async fn tries(desk: &Desk, body: Value, (tool, arguments): (&str, Value)) -> Value {
    desk.model.push(acts(tool, arguments));
    desk.model.push(Reply::text("I tried."));
    let turn = match body["window_id"].as_str() {
        Some(window) => desk.tell(window, "Try to change the window, please.").await,
        None => desk.send(body).await,
    };
    let turn = desk.ended(&turn).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    steps(&turn, "tool_result")[0].clone()
}

#[track_caller]
fn assert_refused(result: &Value, holder: &str) {
    let told = result["content"].as_str().unwrap();
    assert_eq!(result["status"], "error", "{result}");
    assert!(told.contains(&format!("is locked by {holder}")), "{told}");
}

/// A window that is locked by its tool before it is looked at.
async fn locked_by_main(desk: &Desk) -> Value {
    desk.open("a", buttons(&["save"])).await;
    let lock = ("window_change", json!({ "window_id": "a", "lock": true }));
    let result = tries(desk, json!({ "message": "Keep the window as it is." }), lock).await;
    assert_eq!(result["status"], "ok", "{result}");
    let window = desk.window("a").await;
    assert_eq!(window["locked_by"], json!({ "agent": "main" }));
    window
}

#[tokio::test]
async fn what_one_agent_locks_no_other_agent_changes() {
    let desk = Desk::start().await;
    let before = locked_by_main(&desk).await;
    for attempt in attempts("a") {
        let result = tries(&desk, json!({ "window_id": "a" }), attempt).await;
        assert_refused(&result, "agent `main`");
    }
    desk.model.push(Reply::hang());
    let busy = desk.send(json!({ "message": "Think about something for long." })).await;
    desk.model.until(|model| model.in_flight() > 0).await;
    let beside = json!({ "message": "Change the window beside that.", "on_busy": "fork" });
    let result = tries(&desk, beside, attempts("a").remove(0)).await;
    assert_refused(&result, "agent `main`");
    desk.cancel(&busy).await;
    assert_eq!(desk.window("a").await, before, "it is as it was");

    let own = ("window_change", json!({ "window_id": "a", "title": "Still mine", "lock": false }));
    let result = tries(&desk, json!({ "message": "Title the window and let go." }), own).await;
    assert_eq!(result["status"], "ok", "whoever holds the lock may: {result}");
    let result = tries(&desk, json!({ "window_id": "a" }), attempts("a").remove(1)).await;
    assert_eq!((&result["status"], &desk.window("a").await["title"]), (&json!("ok"), &json!("Mine now")));
}

#[tokio::test]
async fn what_the_user_locks_no_agent_changes() {
    let desk = Desk::start().await;
    desk.open("a", markdown("As it was.")).await;
    desk.does(json!([{ "type": "window.lock", "window_id": "a" }])).await;
    let before = desk.window("a").await;
    assert_eq!(before["locked_by"], "user");
    for attempt in attempts("a") {
        let result = tries(&desk, json!({ "message": "Change the window named a." }), attempt.clone()).await;
        assert_refused(&result, "the user");
        let result = tries(&desk, json!({ "window_id": "a" }), attempt).await;
        assert_refused(&result, "the user");
    }
    assert_eq!(desk.window("a").await, before);
    desk.does(json!([{ "type": "window.unlock", "window_id": "a" }])).await;
    let result = tries(&desk, json!({ "message": "Change it now that you may." }), attempts("a").remove(0)).await;
    assert_eq!((&result["status"], &desk.window("a").await["content"]["text"]), (&json!("ok"), &json!("Mine now.")));
}

#[tokio::test]
async fn no_lock_holds_against_the_user() {
    let desk = Desk::start().await;
    locked_by_main(&desk).await;
    desk.does(json!([
        { "type": "window.move", "window_id": "a", "x": 10, "y": 20 },
        { "type": "window.resize", "window_id": "a", "width": 800, "height": 600 },
        { "type": "window.minimize", "window_id": "a" },
        { "type": "window.restore", "window_id": "a" },
        { "type": "window.unlock", "window_id": "a" },
    ]))
    .await;
    let window = desk.window("a").await;
    assert_eq!(window["bounds"], json!({ "x": 10, "y": 20, "width": 800, "height": 600 }));
    assert!(window["locked_by"].is_null(), "{window}");
    let lock = ("window_change", json!({ "window_id": "a", "lock": true }));
    tries(&desk, json!({ "message": "Keep the window for yourself." }), lock).await;
    desk.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    assert!(desk.window("a").await.is_null(), "it is closed");
}

#[tokio::test]
async fn the_lock_of_an_agent_that_came_for_one_turn_goes_with_it() {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["save"])).await;
    let lock = acts("window_change", json!({ "window_id": "a", "lock": true }));
    desk.model.push(lock.clone());
    desk.model.push(Reply::text("Locked."));
    let turn = desk.press("a", json!({ "action": "save", "parallel": true })).await;
    assert_eq!(desk.ended(&turn).await["status"], "completed");
    assert!(desk.window("a").await["locked_by"].is_null(), "nobody is left who could release it");

    // Also if it does not end well.
    desk.model.push(lock);
    desk.model.push(Reply::hang());
    let before = desk.model.requests().len();
    let turn = desk.press("a", json!({ "action": "save", "parallel": true })).await;
    desk.model.until(|model| model.requests().len() == before + 2).await;
    assert_eq!(desk.window("a").await["locked_by"], json!({ "agent": turn["agent_id"] }));
    let mut tab = desk.socket().await;
    desk.cancel(&turn).await;
    let events = tab.until_end_of(&turn["turn_id"]).await;
    let unlocks = |it: &&Value| it["data"]["actions"][0]["type"] == "window.unlock";
    assert_eq!(events.iter().filter(unlocks).count(), 2, "every tab hears of it");
    assert!(desk.window("a").await["locked_by"].is_null());
}

#[tokio::test]
async fn a_lock_goes_with_its_window_and_nothing_is_done_to_a_window_that_is_gone() {
    let desk = Desk::start().await;
    desk.open("a", markdown("Here.")).await;
    desk.model.push(acts("window_change", json!({ "window_id": "a", "lock": true })));
    let turn = desk.tell("a", "Keep others away from here.").await;
    desk.ended(&turn).await;
    assert_eq!(desk.window("a").await["locked_by"], json!({ "agent": "window-a" }));
    desk.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    let log = desk.rest.log(&desk.session).await;
    let actions = log.iter().filter(|event| event["type"] == "actions").flat_map(|event| {
        event["data"]["actions"].as_array().unwrap().iter().map(|action| action["type"].as_str().unwrap())
    });
    assert_eq!(actions.last(), Some("window.close"));
}
