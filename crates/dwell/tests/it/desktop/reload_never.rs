//! What is never done by rote: what failed, what harms, what leans on the conversation, what is merely similar.

use serde_json::{Value, json};
use testkit::{Reply, ToolCall};

use super::{Desk, acts, asked, markdown};
use crate::scene::steps;

fn greeting() -> Reply {
    acts("notify", json!({ "text": "Welcome, all of you." }))
}

/// Says something that a model has to be asked about, and gives what the model was told with it.
async fn is_asked(desk: &Desk, message: &str) -> String {
    let before = desk.model.requests().len();
    let turn = desk.say(message).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    assert_ne!(turn["response"]["model"], "reload", "{message}");
    let requests = desk.model.requests();
    assert!(requests.len() > before, "{message}");
    asked(&requests[before])
}

#[tokio::test]
async fn what_failed_ran_out_or_was_stopped_is_not_remembered() {
    let desk = Desk::start().await;
    let failed = desk.doing("Show the greeting that fails.", [greeting(), Reply::status(400)]).await;
    assert_eq!(failed["status"], "failed");

    for round in [greeting(), Reply::hang()] {
        desk.model.push(round);
    }
    let expired = desk.told(json!({ "message": "Show the greeting that is late.", "time_budget_ms": 1_500 })).await;
    assert_eq!(expired["status"], "expired");

    for (message, is_interrupted) in
        [("Show the greeting that is cancelled.", false), ("Show the greeting that is interrupted.", true)]
    {
        let before = desk.model.requests().len();
        for round in [greeting(), Reply::hang()] {
            desk.model.push(round);
        }
        let turn = desk.send(json!({ "message": message })).await;
        desk.model.until(|model| model.requests().len() == before + 2).await;
        if is_interrupted {
            desk.interrupt(&json!("main")).await;
        } else {
            desk.cancel(&turn).await;
        }
        assert_eq!(desk.ended(&turn).await["status"], "cancelled");
    }
    for end in ["fails", "is late", "is cancelled", "is interrupted"] {
        let told = is_asked(&desk, &format!("Show the greeting that {end}.")).await;
        assert!(!told.contains("<reload_options>"), "nor is it offered: {told}");
    }
}

#[tokio::test]
async fn what_could_not_be_shown_is_not_opened_by_rote() {
    let desk = Desk::start().await;
    desk.open("a", markdown("Hidden.")).await;
    let feedback = json!({ "session_id": desk.session, "window_id": "a", "ok": false, "error": "no renderer" });
    desk.server.socket().await.ask("render.feedback", feedback).await.unwrap();
    desk.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    let told = is_asked(&desk, "Please open the window named a for me.").await;
    assert!(told.contains("The window a could not be shown: no renderer"), "{told}");
    assert!(!told.contains("<reload_options>"), "{told}");
}

#[tokio::test]
async fn delete_this_is_not_delete_that() {
    let desk = Desk::start().await;
    let rows = |names: &[&str]| {
        let rows: Vec<Value> = names.iter().map(|name| json!([name])).collect();
        json!({ "type": "table", "columns": ["name"], "rows": rows })
    };
    desk.open("list", rows(&["A", "B", "C"])).await;
    let shows = |names: &[&str]| acts("window_change", json!({ "window_id": "list", "content": rows(names) }));
    let first = desk.doing("Delete A.", [shows(&["B", "C"]), Reply::text("A is gone.")]).await;
    let before = desk.window("list").await;
    let told = is_asked(&desk, "Delete B.").await;
    assert!(told.contains("<reload_options>") && told.contains(first["turn_id"].as_str().unwrap()), "offered: {told}");
    assert_eq!(desk.window("list").await, before, "and nothing was done by itself");
    for words in ["Delete a.", "Delete A", "delete A.", "Delete A, B.", "Do not delete A."] {
        is_asked(&desk, words).await;
        assert_eq!(desk.window("list").await, before, "{words}");
    }
    // The same words once more: the list is another one by now.
    is_asked(&desk, "Delete A.").await;
}

#[tokio::test]
async fn toasts_of_similar_requests_are_not_mixed_up() {
    let desk = Desk::start().await;
    for name in ["A", "B"] {
        let toast = acts("notify", json!({ "text": format!("{name} is deleted.") }));
        desk.doing(&format!("Delete {name}."), [toast, Reply::text(format!("Deleted {name}."))]).await;
    }
    for name in ["B", "A", "B"] {
        let turn = desk.say(&format!("Delete {name}.")).await;
        assert_eq!((&turn["response"]["model"], &turn["text"]), (&json!("reload"), &json!(format!("Deleted {name}."))));
        let desktop = desk.desktop().await;
        let told: Vec<&Value> = desktop["toasts"].as_array().unwrap().iter().map(|toast| &toast["text"]).collect();
        assert_eq!(told[told.len() - 2], &json!(format!("{name} is deleted.")), "its own, and nothing else");
    }
    is_asked(&desk, "Delete C.").await;
}

#[tokio::test]
async fn words_that_lean_on_the_conversation_are_asked_about_each_time() {
    let desk = Desk::start().await;
    desk.doing("Show the greeting for visitors.", [greeting(), Reply::text("Done.")]).await;
    for words in ["Do it again.", "Show that one more time.", "Zeig das nochmal.", "Show the newest greeting."] {
        desk.doing(words, [greeting(), Reply::text("Done.")]).await;
        is_asked(&desk, words).await;
    }
}

#[tokio::test]
async fn turns_that_called_other_tools_are_neither_repeated_nor_offered() {
    let desk = Desk::start().await;
    let calls = [
        ToolCall::new("c1", "calculator", json!({ "expression": "6 * 7" })),
        ToolCall::new("c2", "notify", json!({ "text": "It is 42." })),
    ];
    let message = "Show what six times seven makes.";
    let first = desk.doing(message, [Reply::tool_calls(calls), Reply::text("42.")]).await;
    assert_eq!(steps(&first, "tool_result").len(), 2);
    assert!(!is_asked(&desk, message).await.contains("<reload_options>"));
    let replay = acts("desktop_replay", json!({ "turn_id": first["turn_id"] }));
    let turn = desk.doing("Show what seven times six makes.", [replay, Reply::text("No.")]).await;
    let result = steps(&turn, "tool_result")[0];
    assert_eq!(result["status"], "error", "{result}");
    assert!(result["content"].as_str().unwrap().contains("cannot simply be done again"), "{result}");
}

#[tokio::test]
async fn what_closes_or_locks_is_not_done_by_rote() {
    let desk = Desk::start().await;
    desk.open("a", markdown("Here.")).await;
    let (message, close) = ("Close the window named a for me.", acts("window_close", json!({ "window_ids": ["a"] })));
    desk.doing(message, [close, Reply::text("Done.")]).await;
    desk.say("Please open the window named a for me.").await;
    let before = desk.window("a").await;
    assert_eq!(before["title"], "The a", "it was opened by rote");
    is_asked(&desk, message).await;
    assert_eq!(desk.window("a").await, before);

    let lock = acts("window_change", json!({ "window_id": "a", "lock": true }));
    let message = "Lock the window named a for me.";
    desk.doing(message, [lock, Reply::text("Done.")]).await;
    desk.does(json!([{ "type": "window.unlock", "window_id": "a" }])).await;
    is_asked(&desk, message).await;
    assert_eq!(desk.window("a").await["locked_by"], Value::Null);
}

#[tokio::test]
async fn a_turn_in_which_the_user_was_asked_is_not_repeated() {
    let desk = Desk::start().await;
    let message = "Show the greeting in some colour.";
    let question = acts("ask_user", json!({ "title": "Which colour?", "choices": ["red", "blue"] }));
    for round in [question, greeting(), Reply::text("Done.")] {
        desk.model.push(round);
    }
    let turn = desk.say(message).await;
    let dialog = desk.desktop().await["dialogs"][0]["dialog_id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/sessions/{}/dialogs/{dialog}", desk.session);
    desk.rest.post(&path, json!({ "choice": "red" })).await.ok();
    assert_eq!(desk.ended(&turn).await["status"], "completed");
    is_asked(&desk, message).await;
}
