//! Monitors without viewers: their agents share a limit and a rate of actions per minute, until a
//! tab subscribes to the monitor.

use serde_json::{Value, json};
use testkit::{Reply, ToolCall};

use super::{DesktopHarness, is_first};

async fn send_on(harness: &DesktopHarness, monitor: &str, message: &str) -> Value {
    harness.send(json!({ "message": message, "monitor_id": monitor })).await
}

#[tokio::test]
async fn unseen_monitors_take_turns_while_the_primary_one_is_free() {
    let harness = DesktopHarness::start_with(|program| program.with("DWELL_AGENTS_BACKGROUND_MAX", "1")).await;
    harness.model.respond_with(|request| match request.last_user() {
        words if words.contains("hold") => Reply::hang(),
        _ => Reply::text("Yes."),
    });
    let first = send_on(&harness, "work", "Please hold on the first monitor.").await;
    harness.model.until(|model| model.in_flight() == 1).await;
    let second = send_on(&harness, "play", "Say hello on the second monitor.").await;
    for _ in 0..3 {
        assert_eq!(harness.say("Say hello on the primary one.").await["status"], "completed");
    }
    let is_second = |request: &testkit::Request| request.last_user().contains("the second monitor");
    assert!(!harness.model.requests().iter().any(is_second), "it waits for its turn");
    let open = harness.turn(&second).await;
    assert_eq!(open["status"], "running", "it has started and waits for a slot: {open}");
    harness.interrupt(&json!("main@work")).await;
    assert_eq!(
        (&harness.ended(&first).await["status"], &harness.ended(&second).await["status"]),
        (&json!("cancelled"), &json!("completed"))
    );
}

#[tokio::test]
async fn looking_at_a_monitor_lets_its_turn_begin() {
    let harness = DesktopHarness::start_with(|program| program.with("DWELL_AGENTS_BACKGROUND_MAX", "1")).await;
    harness.model.respond_with(|request| match request.last_user() {
        words if words.contains("hold") => Reply::hang(),
        _ => Reply::text("Yes."),
    });
    let first = send_on(&harness, "work", "Please hold on the first monitor.").await;
    harness.model.until(|model| model.in_flight() == 1).await;
    let second = send_on(&harness, "play", "Say hello on the second monitor.").await;
    let mut tab = harness.server.socket().await;
    tab.ask("session.resume", json!({ "session_id": harness.session, "monitors": ["play"] })).await.unwrap();
    assert_eq!(harness.ended(&second).await["status"], "completed");
    assert_eq!(harness.turn(&first).await["status"], "running");
}

#[tokio::test]
async fn a_third_action_waits_until_a_tab_subscribes() {
    let harness =
        DesktopHarness::start_with(|program| program.with("DWELL_AGENTS_BACKGROUND_ACTIONS_PER_MINUTE", "2")).await;
    harness.model.respond_with(|request| {
        if !is_first(request) {
            return Reply::text("All is said.");
        }
        let calls =
            (1..=3).map(|n| ToolCall::new(format!("c{n}"), "notify", json!({ "text": format!("Number {n}.") })));
        Reply::tool_calls(calls)
    });
    let mut seen = harness.socket().await;
    let turn = send_on(&harness, "work", "Count to three in passing.").await;
    seen.until(|it| {
        it["type"] == "step" && it["data"]["detail"]["call_id"] == "c3" && it["data"]["type"] == "tool_call"
    })
    .await;
    let texts = |desktop: Value| {
        let toasts = desktop["toasts"].as_array().unwrap().clone();
        toasts.iter().map(|it| it["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts(harness.desktop().await), ["Number 1.", "Number 2."]);
    assert_eq!(harness.turn(&turn).await["status"], "running", "a tab without a subscription does not count");
    let mut tab = harness.server.socket().await;
    tab.ask("monitor.subscribe", json!({ "session_id": harness.session, "monitor_id": "work" })).await.unwrap();
    assert_eq!(harness.ended(&turn).await["status"], "completed");
    assert_eq!(texts(harness.desktop().await), ["Number 1.", "Number 2.", "Number 3."]);
}
