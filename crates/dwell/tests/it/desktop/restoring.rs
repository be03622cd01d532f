//! Restoring an earlier session in a new one: with its windows, or with a summary of them.

use serde_json::{Value, json};
use testkit::Reply;

use super::{DesktopHarness, acts, asked, buttons, markdown};
use crate::harness::last;

/// A session with two windows, a conversation in one of them, and an interaction that no agent has
/// been told about.
async fn furnished() -> DesktopHarness {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    harness.open("b", markdown("The word is tulip.")).await;
    harness.ended(&harness.tell("a", "Say hello here.").await).await;
    harness.does(json!([{ "type": "window.lock", "window_id": "b" }])).await;
    harness
}

/// Restores the session over one of the APIs; the returned harness uses the new session.
async fn restore(harness: DesktopHarness, mode: &str, over_rest: bool) -> DesktopHarness {
    let view = if over_rest {
        let path = format!("/api/v1/sessions/{}/restore", harness.session);
        harness.rest.post(&path, json!({ "windows": mode })).await.ok()
    } else {
        let asked = json!({ "session_id": harness.session, "windows": mode });
        harness.server.socket().await.ask("session.restore", asked).await.unwrap()
    };
    assert_ne!(view["session_id"], harness.session, "it is a new one: {view}");
    assert_eq!((&view["status"], &view["open_turns"]), (&json!("active"), &json!([])));
    let session = view["session_id"].as_str().unwrap().to_owned();
    DesktopHarness { session, ..harness }
}

fn windows(desktop: &Value) -> Vec<Value> {
    desktop["windows"].as_array().unwrap().clone()
}

#[tokio::test]
async fn whole_the_windows_are_open_again_and_the_conversation_goes_on() {
    for over_rest in [true, false] {
        let harness = furnished().await;
        let (before, old) = (harness.desktop().await, harness.session.clone());
        let harness = restore(harness, "whole", over_rest).await;
        assert_eq!(windows(&harness.desktop().await), windows(&before));
        harness.say("What did we say?").await;
        let request = last(&harness.model);
        assert!(request.said().iter().any(|it| it == "Please open the window named b for me."), "{request:?}");
        assert!(
            asked(&request).contains("- b \"The b\" (markdown, in front, locked by the user)"),
            "{}",
            asked(&request)
        );
        harness.ended(&harness.tell("a", "What did we say here?").await).await;
        assert!(last(&harness.model).said().iter().any(|it| it == "Say hello here."), "also in the window");

        harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
        let path = format!("/api/v1/sessions/{old}/desktop");
        assert_eq!(windows(&harness.rest.get(&path).await.ok()), windows(&before), "the old one is as it was");
        assert_eq!(harness.model.violations(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn summarized_the_first_turn_is_told_of_the_windows_and_no_other() {
    for over_rest in [true, false] {
        let harness = restore(furnished().await, "summarized", over_rest).await;
        assert_eq!(windows(&harness.desktop().await), Vec::<Value>::new());
        harness.model.push(Reply::status(400));
        assert_eq!(harness.say("What was open, first?").await["status"], "failed");
        harness.say("What was open, second?").await;
        let told = asked(&last(&harness.model));
        assert!(told.contains("continues an earlier one") && told.contains("- b \"The b\" (markdown)"), "{told}");
        assert!(told.contains("tulip") && told.contains("- a \"The a\" (components)"), "{told}");
        assert_eq!(told.matches("continues an earlier one").count(), 1);
        harness.say("What was open, third?").await;
        assert!(!asked(&last(&harness.model)).contains("continues an earlier one"));
        let log = harness.rest.log(&harness.session).await;
        let restored: Vec<&Value> = log.iter().filter(|it| it["type"] == "session.restored").collect();
        assert_eq!((restored.len(), &restored[0]["data"]["windows"]), (1, &json!("summarized")));
    }
}

#[tokio::test]
async fn a_session_that_has_ended_is_restored_too_and_survives_a_restart() {
    let harness = furnished().await;
    let before = windows(&harness.desktop().await);
    let mut socket = harness.server.socket().await;
    socket.ask("session.end", json!({ "session_id": harness.session })).await.unwrap();
    let refused =
        socket.ask("window.message", json!({ "session_id": harness.session, "window_id": "a", "content": "Hello?" }));
    assert_eq!(refused.await.unwrap_err()["code"], "session_ended");
    let harness = restore(harness, "whole", false).await;
    let harness = harness.restart().await;
    assert_eq!(windows(&harness.desktop().await), before);
    harness.model.push(acts("window_change", json!({ "window_id": "a", "title": "Still here" })));
    assert_eq!(harness.say("Title the window named a.").await["status"], "completed");
    assert_eq!(harness.window("a").await["title"], "Still here");
}

#[tokio::test]
async fn what_was_open_in_a_turn_does_not_come_along_but_what_it_did_does() {
    let harness = furnished().await;
    harness.model.push(acts("window_change", json!({ "window_id": "a", "title": "In between" })));
    harness.model.push(acts("ask_user", json!({ "title": "Which colour?", "choices": ["red", "blue"] })));
    let waiting = harness.say("Paint the window.").await;
    assert_eq!((&waiting["status"], &waiting["reason"]), (&json!("waiting"), &json!("dialog")));
    let old = harness.session.clone();
    let harness = restore(harness, "whole", true).await;
    let desktop = harness.desktop().await;
    assert_eq!((&desktop["dialogs"], &desktop["windows"][0]["title"]), (&json!([]), &json!("In between")));
    assert_eq!(harness.say("What is open?").await["status"], "completed", "nothing waits here");
    let path = format!("/api/v1/sessions/{old}/desktop");
    assert_eq!(harness.rest.get(&path).await.ok()["dialogs"].as_array().unwrap().len(), 1, "there it still does");
}

#[tokio::test]
async fn a_session_in_which_nothing_happened_is_not_restored() {
    let harness = DesktopHarness::start().await;
    let path = format!("/api/v1/sessions/{}/restore", harness.session);
    assert_eq!(harness.rest.post(&path, json!({})).await.code(400), "invalid_request");
    let missing = "/api/v1/sessions/01ARZ3NDEKTSV4RRFFQ69G5FAV/restore";
    assert_eq!(harness.rest.post(missing, json!({})).await.code(404), "not_found");
}
