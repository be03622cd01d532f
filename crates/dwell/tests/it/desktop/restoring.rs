//! An earlier session goes on in a new one: with its windows, or with what they were in words.

use serde_json::{Value, json};
use testkit::Reply;

use super::{Desk, acts, asked, buttons, markdown};
use crate::scene::last;

/// A session with two windows, a conversation in one of them, and something that nobody has been told.
async fn furnished() -> Desk {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["save"])).await;
    desk.open("b", markdown("The word is tulip.")).await;
    desk.ended(&desk.tell("a", "Say hello here.").await).await;
    desk.does(json!([{ "type": "window.lock", "window_id": "b" }])).await;
    desk
}

/// Restores the session by one of the doors; the rest of the test is about the new one.
async fn restore(desk: Desk, mode: &str, over_rest: bool) -> Desk {
    let view = if over_rest {
        let path = format!("/api/v1/sessions/{}/restore", desk.session);
        desk.rest.post(&path, json!({ "windows": mode })).await.ok()
    } else {
        let asked = json!({ "session_id": desk.session, "windows": mode });
        desk.server.socket().await.ask("session.restore", asked).await.unwrap()
    };
    assert_ne!(view["session_id"], desk.session, "it is a new one: {view}");
    assert_eq!((&view["status"], &view["open_turns"]), (&json!("active"), &json!([])));
    let session = view["session_id"].as_str().unwrap().to_owned();
    Desk { session, ..desk }
}

fn windows(desktop: &Value) -> Vec<Value> {
    desktop["windows"].as_array().unwrap().clone()
}

#[tokio::test]
async fn whole_the_windows_are_open_again_and_the_conversation_goes_on() {
    for over_rest in [true, false] {
        let desk = furnished().await;
        let (before, old) = (desk.desktop().await, desk.session.clone());
        let desk = restore(desk, "whole", over_rest).await;
        assert_eq!(windows(&desk.desktop().await), windows(&before));
        desk.say("What did we say?").await;
        let request = last(&desk.model);
        assert!(request.said().iter().any(|it| it == "Please open the window named b for me."), "{request:?}");
        assert!(
            asked(&request).contains("- b \"The b\" (markdown, in front, locked by the user)"),
            "{}",
            asked(&request)
        );
        desk.ended(&desk.tell("a", "What did we say here?").await).await;
        assert!(last(&desk.model).said().iter().any(|it| it == "Say hello here."), "also in the window");

        desk.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
        let path = format!("/api/v1/sessions/{old}/desktop");
        assert_eq!(windows(&desk.rest.get(&path).await.ok()), windows(&before), "the old one is as it was");
        assert_eq!(desk.model.violations(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn summarized_the_first_turn_is_told_of_the_windows_and_no_other() {
    for over_rest in [true, false] {
        let desk = restore(furnished().await, "summarized", over_rest).await;
        assert_eq!(windows(&desk.desktop().await), Vec::<Value>::new());
        desk.model.push(Reply::status(400));
        assert_eq!(desk.say("What was open, first?").await["status"], "failed");
        desk.say("What was open, second?").await;
        let told = asked(&last(&desk.model));
        assert!(told.contains("goes on from an earlier one") && told.contains("- b \"The b\" (markdown)"), "{told}");
        assert!(told.contains("tulip") && told.contains("- a \"The a\" (components)"), "{told}");
        assert_eq!(told.matches("goes on from an earlier one").count(), 1);
        desk.say("What was open, third?").await;
        assert!(!asked(&last(&desk.model)).contains("goes on from an earlier one"));
        let log = desk.rest.log(&desk.session).await;
        let restored: Vec<&Value> = log.iter().filter(|it| it["type"] == "session.restored").collect();
        assert_eq!((restored.len(), &restored[0]["data"]["windows"]), (1, &json!("summarized")));
    }
}

#[tokio::test]
async fn a_session_that_has_ended_is_restored_too_and_survives_a_restart() {
    let desk = furnished().await;
    let before = windows(&desk.desktop().await);
    let mut socket = desk.server.socket().await;
    socket.ask("session.end", json!({ "session_id": desk.session })).await.unwrap();
    let refused =
        socket.ask("window.message", json!({ "session_id": desk.session, "window_id": "a", "content": "Hello?" }));
    assert_eq!(refused.await.unwrap_err()["code"], "session_ended");
    let desk = restore(desk, "whole", false).await;
    let desk = desk.restart().await;
    assert_eq!(windows(&desk.desktop().await), before);
    desk.model.push(acts("window_change", json!({ "window_id": "a", "title": "Still here" })));
    assert_eq!(desk.say("Title the window named a.").await["status"], "completed");
    assert_eq!(desk.window("a").await["title"], "Still here");
}

#[tokio::test]
async fn what_was_open_in_a_turn_does_not_come_along_but_what_it_did_does() {
    let desk = furnished().await;
    desk.model.push(acts("window_change", json!({ "window_id": "a", "title": "In between" })));
    desk.model.push(acts("ask_user", json!({ "title": "Which colour?", "choices": ["red", "blue"] })));
    let waiting = desk.say("Paint the window.").await;
    assert_eq!((&waiting["status"], &waiting["reason"]), (&json!("waiting"), &json!("dialog")));
    let old = desk.session.clone();
    let desk = restore(desk, "whole", true).await;
    let desktop = desk.desktop().await;
    assert_eq!((&desktop["dialogs"], &desktop["windows"][0]["title"]), (&json!([]), &json!("In between")));
    assert_eq!(desk.say("What is open?").await["status"], "completed", "nothing waits here");
    let path = format!("/api/v1/sessions/{old}/desktop");
    assert_eq!(desk.rest.get(&path).await.ok()["dialogs"].as_array().unwrap().len(), 1, "there it still does");
}

#[tokio::test]
async fn a_session_in_which_nothing_happened_is_not_restored() {
    let desk = Desk::start().await;
    let path = format!("/api/v1/sessions/{}/restore", desk.session);
    assert_eq!(desk.rest.post(&path, json!({})).await.code(400), "invalid_request");
    let missing = "/api/v1/sessions/01ARZ3NDEKTSV4RRFFQ69G5FAV/restore";
    assert_eq!(desk.rest.post(missing, json!({})).await.code(404), "not_found");
}
