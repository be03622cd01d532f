//! A main turn and a window turn at the same time. The main agent is told about the window turn
//! once.

use std::time::Duration;

use serde_json::json;
use testkit::Reply;

use super::{DesktopHarness, asked, buttons, shows};

#[tokio::test]
async fn main_and_window_work_at_once_and_main_hears_of_it_exactly_once() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    harness.model.respond_with(|request| match asked(request) {
        words if words.contains("pressed \"save\"") && request.messages().last().unwrap()["role"] != "tool" => {
            shows("a", "Saved.").after(Duration::from_millis(100))
        }
        words if words.contains("pressed \"save\"") => Reply::text("It is saved."),
        words if words.starts_with("Hello") => Reply::text("Hi there, and more.").every(Duration::from_millis(200)),
        _ => Reply::text("Yes."),
    });
    let mut socket = harness.socket().await;
    let hello = harness.send(json!({ "message": "Hello, take your time." })).await;
    harness.model.until(|model| model.in_flight() > 0).await;
    let save = harness.press("a", json!({ "action": "save" })).await;
    assert_eq!((&hello["agent_id"], &save["agent_id"]), (&json!("main"), &json!("window-a")));
    let saved = harness.rest.ended(save["turn_id"].as_str().unwrap()).await;
    let still = harness.rest.get(&format!("/api/v1/turns/{}", hello["turn_id"].as_str().unwrap())).await.ok();
    assert_eq!((&saved["status"], still["status"].as_str().unwrap() != "completed"), (&json!("completed"), true));
    assert_eq!(harness.window("a").await["content"]["text"], "Saved.");
    harness.rest.ended(hello["turn_id"].as_str().unwrap()).await;

    let events = socket.until_end_of(&hello["turn_id"]).await;
    let statuses: Vec<_> =
        events.iter().filter(|it| it["type"] == "window.agent").map(|it| &it["data"]["status"]).collect();
    assert_eq!(statuses, [&json!("assigned"), &json!("active")]);

    // The main agent's next turn fails, so the turn after it is told what happened.
    harness.model.push(Reply::status(400));
    let failed = harness.say("What is new?").await;
    assert_eq!(failed["status"], "failed", "{failed}");
    let timeline = |words: &str| words.matches("<interaction:AI agent=\"window-a\">").count();
    let told: Vec<usize> = harness.model.requests().iter().map(|request| timeline(&asked(request))).collect();
    assert_eq!(told.last(), Some(&1), "the turn that failed was told");
    harness.say("What is new, again?").await;
    let told = asked(&harness.model.requests().pop().unwrap());
    assert_eq!(timeline(&told), 1, "{told}");
    assert!(told.contains("pressed") && told.contains("Changed \"a\" (markdown)."), "{told}");
    harness.say("And now?").await;
    let request = harness.model.requests().pop().unwrap();
    let all: String = request.messages().iter().map(|message| message["content"].to_string()).collect();
    assert_eq!(timeline(&asked(&request)) + all.matches("<timeline>").count(), 0, "it is told once: {all}");
}

#[tokio::test]
async fn the_first_turn_of_a_window_is_told_the_last_three_main_turns() {
    let harness = DesktopHarness::start().await;
    for n in 1..=4 {
        harness.say(&format!("Tell me about number {n}, please.")).await;
    }
    harness.open("a", buttons(&["save"])).await;
    let turn = harness.tell("a", "What was that about?").await;
    harness.rest.ended(turn["turn_id"].as_str().unwrap()).await;
    let request = harness.model.requests().pop().unwrap();
    let all: String = request.messages().iter().map(|message| message["content"].to_string()).collect();
    assert!(!all.contains("about number 2") && all.contains("about number 3"), "{all}");
    assert!(all.contains("about number 4") && all.contains("window named a"), "{all}");
    assert!(asked(&request).contains("<open_windows>"), "{}", asked(&request));
}

#[tokio::test]
async fn each_agent_has_a_context_window_of_its_own() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    let window = async |agent: &str| {
        harness.rest.get(&format!("/api/v1/sessions/{}/window?agent_id={agent}", harness.session)).await
    };
    let (main, before) = (window("main").await.ok(), window("window-a").await.ok());
    assert!(main["messages"].as_u64() > before["messages"].as_u64(), "{main} {before}");
    let turn = harness.tell("a", "Hello there.").await;
    harness.rest.ended(turn["turn_id"].as_str().unwrap()).await;
    assert!(window("window-a").await.ok()["messages"].as_u64() > before["messages"].as_u64());
    assert_eq!(window("main").await.ok()["messages"], main["messages"], "what is said in a window is the window's");
    assert_eq!(window("nobody").await.code(400), "invalid_request");
}
