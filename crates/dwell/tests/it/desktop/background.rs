//! Monitors that nobody looks at: their agents take turns and do so much a minute, and are free once somebody looks.

use serde_json::{Value, json};
use testkit::{Reply, ToolCall};

use super::{Desk, is_first};

async fn send_on(desk: &Desk, monitor: &str, message: &str) -> Value {
    desk.send(json!({ "message": message, "monitor_id": monitor })).await
}

#[tokio::test]
async fn unseen_monitors_take_turns_while_the_primary_one_is_free() {
    let desk = Desk::start_with(|program| program.with("DWELL_AGENTS_BACKGROUND_MAX", "1")).await;
    desk.model.respond_with(|request| match request.last_user() {
        words if words.contains("hold") => Reply::hang(),
        _ => Reply::text("Yes."),
    });
    let first = send_on(&desk, "work", "Please hold on the first monitor.").await;
    desk.model.until(|model| model.in_flight() == 1).await;
    let second = send_on(&desk, "play", "Say hello on the second monitor.").await;
    for _ in 0..3 {
        assert_eq!(desk.say("Say hello on the primary one.").await["status"], "completed");
    }
    let is_second = |request: &testkit::Request| request.last_user().contains("the second monitor");
    assert!(!desk.model.requests().iter().any(is_second), "it waits for its turn");
    let open = desk.turn(&second).await;
    assert_eq!(open["status"], "running", "it is taken up, and waits for a place: {open}");
    desk.interrupt(&json!("main@work")).await;
    assert_eq!(
        (&desk.ended(&first).await["status"], &desk.ended(&second).await["status"]),
        (&json!("cancelled"), &json!("completed"))
    );
}

#[tokio::test]
async fn looking_at_a_monitor_lets_its_turn_begin() {
    let desk = Desk::start_with(|program| program.with("DWELL_AGENTS_BACKGROUND_MAX", "1")).await;
    desk.model.respond_with(|request| match request.last_user() {
        words if words.contains("hold") => Reply::hang(),
        _ => Reply::text("Yes."),
    });
    let first = send_on(&desk, "work", "Please hold on the first monitor.").await;
    desk.model.until(|model| model.in_flight() == 1).await;
    let second = send_on(&desk, "play", "Say hello on the second monitor.").await;
    let mut tab = desk.server.socket().await;
    tab.ask("session.resume", json!({ "session_id": desk.session, "monitors": ["play"] })).await.unwrap();
    assert_eq!(desk.ended(&second).await["status"], "completed");
    assert_eq!(desk.turn(&first).await["status"], "running");
}

#[tokio::test]
async fn a_third_action_waits_until_somebody_looks() {
    let desk = Desk::start_with(|program| program.with("DWELL_AGENTS_BACKGROUND_ACTIONS_PER_MINUTE", "2")).await;
    desk.model.respond_with(|request| {
        if !is_first(request) {
            return Reply::text("All is said.");
        }
        let calls =
            (1..=3).map(|n| ToolCall::new(format!("c{n}"), "notify", json!({ "text": format!("Number {n}.") })));
        Reply::tool_calls(calls)
    });
    let mut seen = desk.socket().await;
    let turn = send_on(&desk, "work", "Count to three in passing.").await;
    seen.until(|it| {
        it["type"] == "step" && it["data"]["detail"]["call_id"] == "c3" && it["data"]["type"] == "tool_call"
    })
    .await;
    let texts = |desktop: Value| {
        let toasts = desktop["toasts"].as_array().unwrap().clone();
        toasts.iter().map(|it| it["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts(desk.desktop().await), ["Number 1.", "Number 2."]);
    assert_eq!(desk.turn(&turn).await["status"], "running", "a tab that looks at no monitor by name does not count");
    let mut tab = desk.server.socket().await;
    tab.ask("monitor.subscribe", json!({ "session_id": desk.session, "monitor_id": "work" })).await.unwrap();
    assert_eq!(desk.ended(&turn).await["status"], "completed");
    assert_eq!(texts(desk.desktop().await), ["Number 1.", "Number 2.", "Number 3."]);
}
