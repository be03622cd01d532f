//! Several tabs, one desktop: each tab sees the same state whenever it joins, and the work
//! continues without any tab.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Reply, Socket};

use super::{DesktopHarness, acts, asked, buttons, markdown, shows};
use crate::harness::{last, system};

/// The events with sequence numbers, without the streamed text between them.
fn numbered(messages: &[Value]) -> Vec<Value> {
    messages.iter().filter(|it| it["seq"].is_u64()).cloned().collect()
}

/// Joins as a new tab; returns its socket and the desktop snapshot it gets.
async fn joined(harness: &DesktopHarness, after: u64) -> (Socket, Value) {
    let mut socket = harness.server.socket().await;
    socket.ask("session.resume", json!({ "session_id": harness.session, "after": after })).await.unwrap();
    let snapshot = socket.until(|it| it["type"] == "desktop.snapshot").await.pop().unwrap();
    (socket, snapshot)
}

#[tokio::test]
async fn all_tabs_see_the_same_numbered_events() {
    let harness = DesktopHarness::start().await;
    let (mut one, mut two) = (harness.socket().await, harness.socket().await);
    harness.open("a", buttons(&["save"])).await;
    let drag = json!({ "type": "window.move", "window_id": "a", "x": 5, "y": 6 });
    one.ask("user.interaction", json!({ "session_id": harness.session, "interactions": [drag] })).await.unwrap();
    harness.model.push(shows("a", "Saved."));
    let press = json!({ "session_id": harness.session, "window_id": "a", "action": "save" });
    let turn = two.ask("window.action", press).await.unwrap();
    let (first, second) = (one.until_end_of(&turn["turn_id"]).await, two.until_end_of(&turn["turn_id"]).await);
    assert_eq!(numbered(&first), numbered(&second));
    let numbers: Vec<u64> = numbered(&first).iter().map(|it| it["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "none is left out");
    let kinds = |kind: &str| numbered(&first).iter().filter(|it| it["type"] == kind).count();
    assert_eq!((kinds("user.interaction"), kinds("window.agent")), (1, 2), "also what another tab has done");
}

#[tokio::test]
async fn a_tab_that_joins_late_is_given_the_desktop_whole_and_then_what_is_new() {
    let harness = DesktopHarness::start().await;
    harness.open("a", markdown("First.")).await;
    harness.does(json!([{ "type": "window.lock", "window_id": "a" }])).await;
    let now = harness.desktop().await;
    let as_of = now["as_of"].as_u64().unwrap();
    let (mut late, snapshot) = joined(&harness, as_of).await;
    assert_eq!((&snapshot["data"], &snapshot["session_id"]), (&now, &json!(harness.session)));
    harness.does(json!([{ "type": "window.unlock", "window_id": "a" }])).await;
    let seen = late.until(|it| it["type"] == "actions").await;
    let numbers: Vec<u64> = numbered(&seen).iter().map(|it| it["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [as_of + 1, as_of + 2], "nothing of before, everything since");
    assert_eq!(seen.last().unwrap()["data"]["actions"], json!([{ "type": "window.unlock", "window_id": "a" }]));
    let got = late.ask("desktop.get", json!({ "session_id": harness.session })).await.unwrap();
    assert_eq!(got, harness.desktop().await);
}

#[tokio::test]
async fn a_tab_that_leaves_loses_nothing_and_stops_nothing() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    let mut tab = harness.socket().await;
    harness.model.push(shows("a", "Saved."));
    let press = json!({ "session_id": harness.session, "window_id": "a", "action": "save" });
    let turn = tab.ask("window.action", press).await.unwrap();
    let seen = tab.until(|it| it["turn_id"] == turn["turn_id"] && it["seq"].is_u64()).await;
    let last = seen.last().unwrap()["seq"].as_u64().unwrap();
    drop(tab);
    assert_eq!(harness.ended(&turn).await["status"], "completed", "the work goes on");
    let (mut again, snapshot) = joined(&harness, last).await;
    assert_eq!(snapshot["data"]["windows"][0]["content"]["text"], "Saved.");
    let rest = numbered(&again.until_end_of(&turn["turn_id"]).await);
    assert_eq!(rest[0]["seq"], last + 1);
    let log = harness.rest.log(&harness.session).await;
    assert_eq!(rest, log[usize::try_from(last).unwrap()..], "exactly what was missed");
}

#[tokio::test]
async fn one_agent_or_all_of_them_are_interrupted_and_the_lines_go_on() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    harness.model.respond_with(|request| match request.last_user() {
        words if words.ends_with("hold.") => Reply::hang(),
        _ => Reply::text("Yes."),
    });
    let main = harness.send(json!({ "message": "Main, please hold." })).await;
    let next = harness.send(json!({ "message": "And then this." })).await;
    let window = harness.tell("a", "Window, please hold.").await;
    let beside = harness.send(json!({ "message": "Whoever is beside, please hold.", "on_busy": "fork" })).await;
    harness.model.until(|model| model.in_flight() == 3).await;
    assert_eq!(harness.interrupt(&json!("window-a")).await["turn_ids"], json!([window["turn_id"]]));
    let turn = harness.turn(&window).await;
    assert_eq!((&turn["status"], &turn["reason"]), (&json!("cancelled"), &json!("interrupted")));
    assert_eq!(harness.interrupt(&json!("window-a")).await, json!({ "status": "not_found", "turn_ids": [] }));
    let mut socket = harness.server.socket().await;
    let all = socket.ask("agent.interrupt", json!({ "session_id": harness.session })).await.unwrap();
    let mut stopped: Vec<&Value> = all["turn_ids"].as_array().unwrap().iter().collect();
    stopped.sort_by_key(|id| id.to_string());
    let mut expected = vec![&main["turn_id"], &beside["turn_id"]];
    expected.sort_by_key(|id| id.to_string());
    assert_eq!(stopped, expected);
    assert_eq!(harness.ended(&next).await["status"], "completed", "what waits is not what was worked on");
}

#[tokio::test]
async fn a_reset_keeps_the_windows_and_forgets_the_rest() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    let greeting = acts("notify", json!({ "text": "Welcome." }));
    harness.doing("Show the greeting for visitors.", [greeting, Reply::text("Greeted.")]).await;
    harness.ended(&harness.tell("a", "Remember the tulips.").await).await;
    harness.does(json!([{ "type": "window.focus", "window_id": "a" }])).await;
    assert_ne!(harness.desktop().await["timeline"], json!([]));
    let mut socket = harness.socket().await;
    harness.model.push(Reply::hang());
    let running = harness.tell("a", "Think about them.").await;
    harness.model.until(|model| model.in_flight() > 0).await;
    socket.ask("session.reset", json!({ "session_id": harness.session })).await.unwrap();
    assert_eq!(harness.ended(&running).await["status"], "cancelled");
    let events = socket.until(|it| it["type"] == "session.reset").await;
    let released = events.iter().rfind(|it| it["type"] == "window.agent").unwrap();
    assert_eq!(released["data"], json!({ "window_id": "a", "agent_id": "window-a", "status": "released" }));

    let desktop = harness.desktop().await;
    assert_eq!((&desktop["timeline"], desktop["windows"].as_array().unwrap().len()), (&json!([]), 1));
    let agents: Vec<&Value> = desktop["agents"].as_array().unwrap().iter().map(|it| &it["agent_id"]).collect();
    assert_eq!(agents, ["main"]);
    let turn = harness.say("Show the greeting for visitors.").await;
    assert_ne!(turn["response"]["model"], "reload", "not from the cache");
    let told = asked(&last(&harness.model));
    assert!(
        told.contains("- a \"The a\"") && !told.contains("<timeline>") && !told.contains("<reload_options>"),
        "{told}"
    );
    assert_eq!(last(&harness.model).said().len(), 1, "the earlier conversation is not in the prompt");
    harness.ended(&harness.tell("a", "What do you remember?").await).await;
    assert!(!super::all(&last(&harness.model)).contains("tulips"), "nor in the window");
}

#[tokio::test]
async fn another_model_takes_over_with_the_windows_open() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    harness.ended(&harness.tell("a", "Remember the tulips.").await).await;
    let before = harness.desktop().await["windows"].clone();
    let path = format!("/api/v1/sessions/{}", harness.session);
    harness.rest.call(Method::PATCH, &path, Some(json!({ "model": "openai/large" })), &[]).await.ok();
    assert_eq!(harness.desktop().await["windows"], before);
    harness.ended(&harness.tell("a", "What do you remember?").await).await;
    let request = last(&harness.model);
    assert_eq!(request.model(), "large");
    assert!(system(&request).contains("take over"), "the first agent is told: {}", system(&request));
    assert!(super::all(&request).contains("tulips"), "the window's agent knows what was said there");
    harness.say("What is open?").await;
    assert!(asked(&last(&harness.model)).contains("- a \"The a\""));
    assert_eq!(last(&harness.model).model(), "large");
    assert_eq!(harness.model.violations(), Vec::<String>::new());
}
