//! Monitors: each has a main agent, a line and a conversation of its own, and a tab looks at those it wants.

use serde_json::{Value, json};
use testkit::{Reply, Socket};

use super::{Desk, acts, all, asked, markdown, opens};
use crate::scene::{last, steps};

/// Says something on a monitor and waits for the end.
async fn say_on(desk: &Desk, monitor: &str, message: &str) -> Value {
    desk.told(json!({ "message": message, "monitor_id": monitor })).await
}

async fn open_on(desk: &Desk, monitor: &str, window: &str) -> Value {
    desk.model.push(opens(window, markdown("Here.")));
    desk.model.push(Reply::text("It is open."));
    say_on(desk, monitor, &format!("Open the window named {window}.")).await
}

async fn subscribe(desk: &Desk, socket: &mut Socket, monitor: &str) -> Result<Value, Value> {
    socket.ask("monitor.subscribe", json!({ "session_id": desk.session, "monitor_id": monitor })).await
}

fn names(desktop: &Value) -> Vec<&str> {
    desktop["monitors"].as_array().unwrap().iter().map(|it| it["monitor_id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn looking_at_a_monitor_adds_it_and_the_fifth_is_refused_by_name() {
    let desk = Desk::start().await;
    let mut socket = desk.socket().await;
    for (n, name) in ["work", "play", "rest"].into_iter().enumerate() {
        let desktop = subscribe(&desk, &mut socket, name).await.unwrap();
        assert_eq!(names(&desktop).len(), n + 2);
        assert_eq!(desktop["monitors"][n + 1], json!({ "monitor_id": name, "agent_id": format!("main@{name}") }));
    }
    assert_eq!(names(&subscribe(&desk, &mut socket, "play").await.unwrap()), ["main", "work", "play", "rest"]);
    let refused = subscribe(&desk, &mut socket, "fifth").await.unwrap_err();
    assert_eq!(refused["code"], "queue_full");
    assert!(refused["message"].as_str().unwrap().contains("at most 4 monitors"), "{refused}");
    let path = format!("/api/v1/sessions/{}/turns", desk.session);
    let refused = desk.rest.post(&path, json!({ "message": "Hello there.", "monitor_id": "fifth" })).await;
    assert_eq!(refused.code(429), "queue_full");
    assert_eq!(names(&desk.desktop().await), ["main", "work", "play", "rest"]);
}

#[tokio::test]
async fn a_tab_is_told_of_its_monitors_only_and_numbers_count_all() {
    let desk = Desk::start().await;
    let mut work = desk.socket().await;
    subscribe(&desk, &mut work, "work").await.unwrap();
    let mut main = desk.server.socket().await;
    let data = json!({ "session_id": desk.session, "monitors": ["main"] });
    main.ask("session.resume", data).await.unwrap();
    let (first, second) = (open_on(&desk, "work", "w").await, open_on(&desk, "main", "m").await);
    let last_one = open_on(&desk, "work", "v").await;
    let seen = work.until_end_of(&last_one["turn_id"]).await;
    assert!(seen.iter().any(|it| it["turn_id"] == first["turn_id"]));
    assert!(!seen.iter().any(|it| it["turn_id"] == second["turn_id"]), "nothing of the other monitor");
    let numbers: Vec<u64> = seen.iter().filter_map(|it| it["seq"].as_u64()).collect();
    let log = desk.rest.log(&desk.session).await;
    let own: Vec<u64> = log.iter().filter(|it| it["agent_id"] != "main").filter_map(|it| it["seq"].as_u64()).collect();
    assert_eq!(numbers, own, "the numbers of the session, with gaps");
    let seen = main.until_end_of(&second["turn_id"]).await;
    assert!(!seen.iter().any(|it| it["agent_id"] == "main@work"), "nothing of the other monitor");
    assert!(
        seen.iter().any(|it| it["data"]["actions"][0]["type"] == "monitor.add"),
        "which ones there are concerns all"
    );

    // A tab that looks at one more from here on is told of both.
    subscribe(&desk, &mut main, "work").await.unwrap();
    let (third, fourth) = (say_on(&desk, "work", "Say hello.").await, say_on(&desk, "main", "Say hello.").await);
    let seen = main.until_end_of(&fourth["turn_id"]).await;
    assert!(seen.iter().any(|it| it["turn_id"] == third["turn_id"]));
}

#[tokio::test]
async fn every_monitor_has_an_agent_a_line_and_a_conversation_of_its_own() {
    let desk = Desk::start().await;
    desk.say("The word of the day is tulip.").await;
    let turn = say_on(&desk, "work", "What is the word of the day?").await;
    assert_eq!(turn["agent_id"], "main@work");
    assert!(!all(&last(&desk.model)).contains("tulip"), "what was said elsewhere is not told here");
    say_on(&desk, "work", "The word of the night is owl.").await;
    desk.say("What was said so far?").await;
    let told = all(&last(&desk.model));
    assert!(told.contains("tulip") && !told.contains("owl"), "{told}");
    say_on(&desk, "work", "What was said so far?").await;
    let told = all(&last(&desk.model));
    assert!(told.contains("owl") && !told.contains("tulip"), "{told}");

    desk.model.push(Reply::hang());
    let busy = desk.send(json!({ "message": "Think for long.", "monitor_id": "work" })).await;
    desk.model.until(|model| model.in_flight() > 0).await;
    let waiting = desk.send(json!({ "message": "And then this.", "monitor_id": "work" })).await;
    assert_eq!((&waiting["position"], &waiting["agent_id"]), (&json!(1), &json!("main@work")));
    assert_eq!(desk.say("And here?").await["status"], "completed", "the other one is free");
    desk.interrupt(&json!("main@work")).await;
    assert_eq!(
        (&desk.ended(&busy).await["status"], &desk.ended(&waiting).await["status"]),
        (&json!("cancelled"), &json!("completed"))
    );
}

#[tokio::test]
async fn the_timeline_of_a_monitor_is_told_there_only() {
    let desk = Desk::start().await;
    open_on(&desk, "work", "w").await;
    desk.open("m", markdown("Here.")).await;
    desk.does(json!([
        { "type": "window.move", "window_id": "w", "x": 1, "y": 2 },
        { "type": "window.move", "window_id": "m", "x": 3, "y": 4 },
    ]))
    .await;
    desk.say("What is new?").await;
    let told = asked(&last(&desk.model));
    assert!(told.contains("move:m to 3,4") && !told.contains("move:w") && !told.contains("- w "), "{told}");
    say_on(&desk, "work", "What is new?").await;
    let told = asked(&last(&desk.model));
    assert!(told.contains("move:w to 1,2") && !told.contains("move:m") && !told.contains("- m "), "{told}");
}

#[tokio::test]
async fn agents_touch_the_windows_of_their_own_monitor_only() {
    let desk = Desk::start().await;
    desk.open("m", markdown("Here.")).await;
    for (tool, arguments) in [
        ("window_change", json!({ "window_id": "m", "title": "Mine" })),
        ("window_change", json!({ "window_id": "m", "focus": true })),
        ("window_close", json!({ "window_ids": ["m"] })),
    ] {
        desk.model.push(acts(tool, arguments));
        let turn = say_on(&desk, "work", "Change the window named m.").await;
        let result = steps(&turn, "tool_result")[0];
        let told = result["content"].as_str().unwrap();
        assert!(result["status"] == "error" && told.contains("is on monitor `main`"), "{result}");
    }
    desk.model.push(acts("desktop_look", json!({})));
    let turn = say_on(&desk, "work", "Look what is open.").await;
    let seen = steps(&turn, "tool_result")[0]["content"].as_str().unwrap();
    assert!(seen.contains("\"windows\":[]"), "{seen}");
    desk.model.push(opens("m", markdown("There.")));
    let turn = say_on(&desk, "work", "Open a window named m.").await;
    let told = steps(&turn, "tool_result")[0]["content"].as_str().unwrap();
    assert!(told.contains("there is a window `m` already"), "a name is one window's in all the session: {told}");
    assert_eq!(desk.window("m").await["title"], "The m");
}

#[tokio::test]
async fn removing_a_monitor_ends_what_was_on_it_and_nothing_else() {
    let desk = Desk::start().await;
    open_on(&desk, "work", "w").await;
    desk.open("m", markdown("Here.")).await;
    desk.ended(&desk.tell("w", "Say hello.").await).await;
    desk.model.respond_with(|request| match request.last_user() {
        words if words.contains("hold") => Reply::hang(),
        _ => Reply::text("Yes."),
    });
    let mut ends = vec![desk.send(json!({ "message": "Please hold.", "monitor_id": "work" })).await];
    ends.push(desk.send(json!({ "message": "And then this.", "monitor_id": "work" })).await);
    ends.push(desk.tell("w", "Please hold.").await);
    let stays = desk.send(json!({ "message": "Please hold." })).await;
    desk.model.until(|model| model.in_flight() == 3).await;
    let mut socket = desk.socket().await;
    let gone = json!({ "session_id": desk.session, "monitor_id": "work" });
    let desktop = socket.ask("monitor.remove", gone.clone()).await.unwrap();
    assert_eq!((names(&desktop), desktop["windows"].as_array().unwrap().len()), (vec!["main"], 1));
    for turn in &ends {
        let turn = desk.turn(turn).await;
        assert_eq!((&turn["status"], &turn["reason"]), (&json!("cancelled"), &json!("the monitor was removed")));
    }
    let events = socket.until(|it| it["type"] == "window.agent" && it["data"]["status"] == "released").await;
    assert!(events.iter().any(|it| it["data"]["actions"][0]["type"] == "monitor.remove"));
    assert_eq!(desk.turn(&stays).await["status"], "running", "the other one goes on");
    desk.cancel(&stays).await;

    assert_eq!(socket.ask("monitor.remove", gone).await.unwrap_err()["code"], "not_found");
    let primary = json!({ "session_id": desk.session, "monitor_id": "main" });
    assert_eq!(socket.ask("monitor.remove", primary).await.unwrap_err()["code"], "policy_denied");
    say_on(&desk, "work", "What was said so far?").await;
    assert_eq!(last(&desk.model).said().len(), 1, "one that comes again begins anew");
}

#[tokio::test]
async fn what_was_said_to_a_window_of_another_monitor_is_known_by_its_key_when_the_window_is_gone() {
    let desk = Desk::start().await;
    open_on(&desk, "work", "w").await;
    let path = format!("/api/v1/sessions/{}/windows/w/messages", desk.session);
    let said = json!({ "content": "What is in here?", "idempotency_key": "k" });
    let first = desk.rest.post(&path, said.clone()).await.ok();
    desk.ended(&first).await;
    desk.does(json!([{ "type": "window.close", "window_id": "w" }])).await;
    let again = desk.rest.post(&path, said.clone()).await.ok();
    assert_eq!((&again["turn_id"], &again["duplicate"]), (&first["turn_id"], &json!(true)), "{again}");
    open_on(&desk, "main", "w").await;
    assert_eq!(desk.rest.post(&path, said).await.ok()["turn_id"], first["turn_id"], "another of the same name");
    let other = json!({ "content": "What is out there?", "idempotency_key": "k" });
    assert_eq!(desk.rest.post(&path, other).await.code(409), "idempotency_conflict");
}
