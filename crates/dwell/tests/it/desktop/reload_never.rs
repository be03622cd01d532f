//! What is never answered from the cache: failed turns, destructive actions, messages that refer to
//! the conversation, and messages that are only similar.

use serde_json::{Value, json};
use testkit::{Reply, ToolCall};

use super::{DesktopHarness, acts, asked, markdown};
use crate::harness::steps;

fn greeting() -> Reply {
    acts("notify", json!({ "text": "Welcome, all of you." }))
}

/// Sends a message that must be answered by the model; returns the model's prompt for it.
async fn is_asked(harness: &DesktopHarness, message: &str) -> String {
    let before = harness.model.requests().len();
    let turn = harness.say(message).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    assert_ne!(turn["response"]["model"], "reload", "{message}");
    let requests = harness.model.requests();
    assert!(requests.len() > before, "{message}");
    asked(&requests[before])
}

#[tokio::test]
async fn what_failed_ran_out_or_was_stopped_is_not_remembered() {
    let harness = DesktopHarness::start().await;
    let failed = harness.doing("Show the greeting that fails.", [greeting(), Reply::status(400)]).await;
    assert_eq!(failed["status"], "failed");

    for round in [greeting(), Reply::hang()] {
        harness.model.push(round);
    }
    let expired = harness.told(json!({ "message": "Show the greeting that is late.", "time_budget_ms": 1_500 })).await;
    assert_eq!(expired["status"], "expired");

    for (message, is_interrupted) in
        [("Show the greeting that is cancelled.", false), ("Show the greeting that is interrupted.", true)]
    {
        let before = harness.model.requests().len();
        for round in [greeting(), Reply::hang()] {
            harness.model.push(round);
        }
        let turn = harness.send(json!({ "message": message })).await;
        harness.model.until(|model| model.requests().len() == before + 2).await;
        if is_interrupted {
            harness.interrupt(&json!("main")).await;
        } else {
            harness.cancel(&turn).await;
        }
        assert_eq!(harness.ended(&turn).await["status"], "cancelled");
    }
    for end in ["fails", "is late", "is cancelled", "is interrupted"] {
        let told = is_asked(&harness, &format!("Show the greeting that {end}.")).await;
        assert!(!told.contains("<reload_options>"), "nor is it offered: {told}");
    }
}

#[tokio::test]
async fn what_could_not_be_shown_is_not_opened_by_rote() {
    let harness = DesktopHarness::start().await;
    harness.open("a", markdown("Hidden.")).await;
    let feedback = json!({ "session_id": harness.session, "window_id": "a", "ok": false, "error": "no renderer" });
    harness.server.socket().await.ask("render.feedback", feedback).await.unwrap();
    harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    let told = is_asked(&harness, "Please open the window named a for me.").await;
    assert!(told.contains("The window a could not be shown: no renderer"), "{told}");
    assert!(!told.contains("<reload_options>"), "{told}");
}

#[tokio::test]
async fn delete_this_is_not_delete_that() {
    let harness = DesktopHarness::start().await;
    let rows = |names: &[&str]| {
        let rows: Vec<Value> = names.iter().map(|name| json!([name])).collect();
        json!({ "type": "table", "columns": ["name"], "rows": rows })
    };
    harness.open("list", rows(&["A", "B", "C"])).await;
    let shows = |names: &[&str]| acts("window_change", json!({ "window_id": "list", "content": rows(names) }));
    let first = harness.doing("Delete A.", [shows(&["B", "C"]), Reply::text("A is gone.")]).await;
    let before = harness.window("list").await;
    let told = is_asked(&harness, "Delete B.").await;
    assert!(told.contains("<reload_options>") && told.contains(first["turn_id"].as_str().unwrap()), "offered: {told}");
    assert_eq!(harness.window("list").await, before, "and nothing was done by itself");
    for words in ["Delete a.", "Delete A", "delete A.", "Delete A, B.", "Do not delete A."] {
        is_asked(&harness, words).await;
        assert_eq!(harness.window("list").await, before, "{words}");
    }
    // The same message again: the list has changed since then.
    is_asked(&harness, "Delete A.").await;
}

#[tokio::test]
async fn toasts_of_similar_requests_are_not_mixed_up() {
    let harness = DesktopHarness::start().await;
    for name in ["A", "B"] {
        let toast = acts("notify", json!({ "text": format!("{name} is deleted.") }));
        harness.doing(&format!("Delete {name}."), [toast, Reply::text(format!("Deleted {name}."))]).await;
    }
    for name in ["B", "A", "B"] {
        let turn = harness.say(&format!("Delete {name}.")).await;
        assert_eq!((&turn["response"]["model"], &turn["text"]), (&json!("reload"), &json!(format!("Deleted {name}."))));
        let desktop = harness.desktop().await;
        let told: Vec<&Value> = desktop["toasts"].as_array().unwrap().iter().map(|toast| &toast["text"]).collect();
        assert_eq!(told[told.len() - 2], &json!(format!("{name} is deleted.")), "its own, and nothing else");
    }
    is_asked(&harness, "Delete C.").await;
}

#[tokio::test]
async fn words_that_lean_on_the_conversation_are_asked_about_each_time() {
    let harness = DesktopHarness::start().await;
    harness.doing("Show the greeting for visitors.", [greeting(), Reply::text("Done.")]).await;
    for words in ["Do it again.", "Show that one more time.", "Zeig das nochmal.", "Show the newest greeting."] {
        harness.doing(words, [greeting(), Reply::text("Done.")]).await;
        is_asked(&harness, words).await;
    }
}

#[tokio::test]
async fn turns_that_called_other_tools_are_neither_repeated_nor_offered() {
    let harness = DesktopHarness::start().await;
    let calls = [
        ToolCall::new("c1", "calculator", json!({ "expression": "6 * 7" })),
        ToolCall::new("c2", "notify", json!({ "text": "It is 42." })),
    ];
    let message = "Show what six times seven makes.";
    let first = harness.doing(message, [Reply::tool_calls(calls), Reply::text("42.")]).await;
    assert_eq!(steps(&first, "tool_result").len(), 2);
    assert!(!is_asked(&harness, message).await.contains("<reload_options>"));
    let replay = acts("desktop_replay", json!({ "turn_id": first["turn_id"] }));
    let turn = harness.doing("Show what seven times six makes.", [replay, Reply::text("No.")]).await;
    let result = steps(&turn, "tool_result")[0];
    assert_eq!(result["status"], "error", "{result}");
    assert!(result["content"].as_str().unwrap().contains("cannot be replayed"), "{result}");
}

#[tokio::test]
async fn what_closes_or_locks_is_not_done_by_rote() {
    let harness = DesktopHarness::start().await;
    harness.open("a", markdown("Here.")).await;
    let (message, close) = ("Close the window named a for me.", acts("window_close", json!({ "window_ids": ["a"] })));
    harness.doing(message, [close, Reply::text("Done.")]).await;
    harness.say("Please open the window named a for me.").await;
    let before = harness.window("a").await;
    assert_eq!(before["title"], "The a", "it was opened from the cache");
    is_asked(&harness, message).await;
    assert_eq!(harness.window("a").await, before);

    let lock = acts("window_change", json!({ "window_id": "a", "lock": true }));
    let message = "Lock the window named a for me.";
    harness.doing(message, [lock, Reply::text("Done.")]).await;
    harness.does(json!([{ "type": "window.unlock", "window_id": "a" }])).await;
    is_asked(&harness, message).await;
    assert_eq!(harness.window("a").await["locked_by"], Value::Null);
}

#[tokio::test]
async fn a_turn_in_which_the_user_was_asked_is_not_repeated() {
    let harness = DesktopHarness::start().await;
    let message = "Show the greeting in some colour.";
    let question = acts("ask_user", json!({ "title": "Which colour?", "choices": ["red", "blue"] }));
    for round in [question, greeting(), Reply::text("Done.")] {
        harness.model.push(round);
    }
    let turn = harness.say(message).await;
    let dialog = harness.desktop().await["dialogs"][0]["dialog_id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/sessions/{}/dialogs/{dialog}", harness.session);
    harness.rest.post(&path, json!({ "choice": "red" })).await.ok();
    assert_eq!(harness.ended(&turn).await["status"], "completed");
    is_asked(&harness, message).await;
}
