//! Monitors: each has its own main agent, queue and conversation, and a tab subscribes to the
//! monitors it shows.

use serde_json::{Value, json};
use testkit::{Reply, Socket};

use super::{DesktopHarness, acts, all, asked, markdown, opens};
use crate::harness::{last, steps};

/// Sends a message on a monitor and waits for the end of its turn.
async fn say_on(harness: &DesktopHarness, monitor: &str, message: &str) -> Value {
    harness.told(json!({ "message": message, "monitor_id": monitor })).await
}

async fn open_on(harness: &DesktopHarness, monitor: &str, window: &str) -> Value {
    harness.model.push(opens(window, markdown("Here.")));
    harness.model.push(Reply::text("It is open."));
    say_on(harness, monitor, &format!("Open the window named {window}.")).await
}

async fn subscribe(harness: &DesktopHarness, socket: &mut Socket, monitor: &str) -> Result<Value, Value> {
    socket.ask("monitor.subscribe", json!({ "session_id": harness.session, "monitor_id": monitor })).await
}

fn names(desktop: &Value) -> Vec<&str> {
    desktop["monitors"].as_array().unwrap().iter().map(|it| it["monitor_id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn looking_at_a_monitor_adds_it_and_the_fifth_is_refused_by_name() {
    let harness = DesktopHarness::start().await;
    let mut socket = harness.socket().await;
    for (n, name) in ["work", "play", "rest"].into_iter().enumerate() {
        let desktop = subscribe(&harness, &mut socket, name).await.unwrap();
        assert_eq!(names(&desktop).len(), n + 2);
        assert_eq!(desktop["monitors"][n + 1], json!({ "monitor_id": name, "agent_id": format!("main@{name}") }));
    }
    assert_eq!(names(&subscribe(&harness, &mut socket, "play").await.unwrap()), ["main", "work", "play", "rest"]);
    let refused = subscribe(&harness, &mut socket, "fifth").await.unwrap_err();
    assert_eq!(refused["code"], "queue_full");
    assert!(refused["message"].as_str().unwrap().contains("at most 4 monitors"), "{refused}");
    let path = format!("/api/v1/sessions/{}/turns", harness.session);
    let refused = harness.rest.post(&path, json!({ "message": "Hello there.", "monitor_id": "fifth" })).await;
    assert_eq!(refused.code(429), "queue_full");
    assert_eq!(names(&harness.desktop().await), ["main", "work", "play", "rest"]);
}

#[tokio::test]
async fn a_tab_is_told_of_its_monitors_only_and_numbers_count_all() {
    let harness = DesktopHarness::start().await;
    let mut work = harness.socket().await;
    subscribe(&harness, &mut work, "work").await.unwrap();
    let mut main = harness.server.socket().await;
    let data = json!({ "session_id": harness.session, "monitors": ["main"] });
    main.ask("session.resume", data).await.unwrap();
    let (first, second) = (open_on(&harness, "work", "w").await, open_on(&harness, "main", "m").await);
    let last_one = open_on(&harness, "work", "v").await;
    let seen = work.until_end_of(&last_one["turn_id"]).await;
    assert!(seen.iter().any(|it| it["turn_id"] == first["turn_id"]));
    assert!(!seen.iter().any(|it| it["turn_id"] == second["turn_id"]), "nothing of the other monitor");
    let numbers: Vec<u64> = seen.iter().filter_map(|it| it["seq"].as_u64()).collect();
    let log = harness.rest.log(&harness.session).await;
    let own: Vec<u64> = log.iter().filter(|it| it["agent_id"] != "main").filter_map(|it| it["seq"].as_u64()).collect();
    assert_eq!(numbers, own, "the numbers of the session, with gaps");
    let seen = main.until_end_of(&second["turn_id"]).await;
    assert!(!seen.iter().any(|it| it["agent_id"] == "main@work"), "nothing of the other monitor");
    assert!(
        seen.iter().any(|it| it["data"]["actions"][0]["type"] == "monitor.add"),
        "which ones there are concerns all"
    );

    // A tab that subscribes to a second monitor gets the events of both from then on.
    subscribe(&harness, &mut main, "work").await.unwrap();
    let (third, fourth) = (say_on(&harness, "work", "Say hello.").await, say_on(&harness, "main", "Say hello.").await);
    let seen = main.until_end_of(&fourth["turn_id"]).await;
    assert!(seen.iter().any(|it| it["turn_id"] == third["turn_id"]));
}

#[tokio::test]
async fn every_monitor_has_an_agent_a_line_and_a_conversation_of_its_own() {
    let harness = DesktopHarness::start().await;
    harness.say("The word of the day is tulip.").await;
    let turn = say_on(&harness, "work", "What is the word of the day?").await;
    assert_eq!(turn["agent_id"], "main@work");
    assert!(!all(&last(&harness.model)).contains("tulip"), "text of another monitor is not in the prompt");
    say_on(&harness, "work", "The word of the night is owl.").await;
    harness.say("What was said so far?").await;
    let told = all(&last(&harness.model));
    assert!(told.contains("tulip") && !told.contains("owl"), "{told}");
    say_on(&harness, "work", "What was said so far?").await;
    let told = all(&last(&harness.model));
    assert!(told.contains("owl") && !told.contains("tulip"), "{told}");

    harness.model.push(Reply::hang());
    let busy = harness.send(json!({ "message": "Think for long.", "monitor_id": "work" })).await;
    harness.model.until(|model| model.in_flight() > 0).await;
    let waiting = harness.send(json!({ "message": "And then this.", "monitor_id": "work" })).await;
    assert_eq!((&waiting["position"], &waiting["agent_id"]), (&json!(1), &json!("main@work")));
    assert_eq!(harness.say("And here?").await["status"], "completed", "the other one is free");
    harness.interrupt(&json!("main@work")).await;
    assert_eq!(
        (&harness.ended(&busy).await["status"], &harness.ended(&waiting).await["status"]),
        (&json!("cancelled"), &json!("completed"))
    );
}

#[tokio::test]
async fn the_timeline_of_a_monitor_is_told_there_only() {
    let harness = DesktopHarness::start().await;
    open_on(&harness, "work", "w").await;
    harness.open("m", markdown("Here.")).await;
    harness
        .does(json!([
            { "type": "window.move", "window_id": "w", "x": 1, "y": 2 },
            { "type": "window.move", "window_id": "m", "x": 3, "y": 4 },
        ]))
        .await;
    harness.say("What is new?").await;
    let told = asked(&last(&harness.model));
    assert!(told.contains("move:m to 3,4") && !told.contains("move:w") && !told.contains("- w "), "{told}");
    say_on(&harness, "work", "What is new?").await;
    let told = asked(&last(&harness.model));
    assert!(told.contains("move:w to 1,2") && !told.contains("move:m") && !told.contains("- m "), "{told}");
}

#[tokio::test]
async fn agents_touch_the_windows_of_their_own_monitor_only() {
    let harness = DesktopHarness::start().await;
    harness.open("m", markdown("Here.")).await;
    for (tool, arguments) in [
        ("window_change", json!({ "window_id": "m", "title": "Mine" })),
        ("window_change", json!({ "window_id": "m", "focus": true })),
        ("window_close", json!({ "window_ids": ["m"] })),
    ] {
        harness.model.push(acts(tool, arguments));
        let turn = say_on(&harness, "work", "Change the window named m.").await;
        let result = steps(&turn, "tool_result")[0];
        let told = result["content"].as_str().unwrap();
        assert!(result["status"] == "error" && told.contains("is on monitor `main`"), "{result}");
    }
    harness.model.push(acts("desktop_look", json!({})));
    let turn = say_on(&harness, "work", "Look what is open.").await;
    let seen = steps(&turn, "tool_result")[0]["content"].as_str().unwrap();
    assert!(seen.contains("\"windows\":[]"), "{seen}");
    harness.model.push(opens("m", markdown("There.")));
    let turn = say_on(&harness, "work", "Open a window named m.").await;
    let told = steps(&turn, "tool_result")[0]["content"].as_str().unwrap();
    assert!(told.contains("there is a window `m` already"), "window names are unique in a session: {told}");
    assert_eq!(harness.window("m").await["title"], "The m");
}

#[tokio::test]
async fn removing_a_monitor_ends_what_was_on_it_and_nothing_else() {
    let harness = DesktopHarness::start().await;
    open_on(&harness, "work", "w").await;
    harness.open("m", markdown("Here.")).await;
    harness.ended(&harness.tell("w", "Say hello.").await).await;
    harness.model.respond_with(|request| match request.last_user() {
        words if words.contains("hold") => Reply::hang(),
        _ => Reply::text("Yes."),
    });
    let mut ends = vec![harness.send(json!({ "message": "Please hold.", "monitor_id": "work" })).await];
    ends.push(harness.send(json!({ "message": "And then this.", "monitor_id": "work" })).await);
    ends.push(harness.tell("w", "Please hold.").await);
    let stays = harness.send(json!({ "message": "Please hold." })).await;
    harness.model.until(|model| model.in_flight() == 3).await;
    let mut socket = harness.socket().await;
    let gone = json!({ "session_id": harness.session, "monitor_id": "work" });
    let desktop = socket.ask("monitor.remove", gone.clone()).await.unwrap();
    assert_eq!((names(&desktop), desktop["windows"].as_array().unwrap().len()), (vec!["main"], 1));
    for turn in &ends {
        let turn = harness.turn(turn).await;
        assert_eq!((&turn["status"], &turn["reason"]), (&json!("cancelled"), &json!("the monitor was removed")));
    }
    let events = socket.until(|it| it["type"] == "window.agent" && it["data"]["status"] == "released").await;
    assert!(events.iter().any(|it| it["data"]["actions"][0]["type"] == "monitor.remove"));
    assert_eq!(harness.turn(&stays).await["status"], "running", "the other one goes on");
    harness.cancel(&stays).await;

    assert_eq!(socket.ask("monitor.remove", gone).await.unwrap_err()["code"], "not_found");
    let primary = json!({ "session_id": harness.session, "monitor_id": "main" });
    assert_eq!(socket.ask("monitor.remove", primary).await.unwrap_err()["code"], "policy_denied");
    say_on(&harness, "work", "What was said so far?").await;
    assert_eq!(last(&harness.model).said().len(), 1, "a monitor that is added again begins empty");
}

#[tokio::test]
async fn what_was_said_to_a_window_of_another_monitor_is_known_by_its_key_when_the_window_is_gone() {
    let harness = DesktopHarness::start().await;
    open_on(&harness, "work", "w").await;
    let path = format!("/api/v1/sessions/{}/windows/w/messages", harness.session);
    let said = json!({ "content": "What is in here?", "idempotency_key": "k" });
    let first = harness.rest.post(&path, said.clone()).await.ok();
    harness.ended(&first).await;
    harness.does(json!([{ "type": "window.close", "window_id": "w" }])).await;
    let again = harness.rest.post(&path, said.clone()).await.ok();
    assert_eq!((&again["turn_id"], &again["duplicate"]), (&first["turn_id"], &json!(true)), "{again}");
    open_on(&harness, "main", "w").await;
    assert_eq!(harness.rest.post(&path, said).await.ok()["turn_id"], first["turn_id"], "another of the same name");
    let other = json!({ "content": "What is out there?", "idempotency_key": "k" });
    assert_eq!(harness.rest.post(&path, other).await.code(409), "idempotency_conflict");
}
