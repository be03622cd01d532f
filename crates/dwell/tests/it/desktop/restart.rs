//! A kill in the middle of a turn: the desktop, the open questions and the queued messages are
//! there after the restart, and the turns continue.

use serde_json::{Value, json};
use testkit::{Reply, Request};

use super::{DesktopHarness, acts, app, asked, buttons, is_first, markdown, opens};
use crate::harness::steps;

/// A model that asks the user before it answers.
fn asking(request: &Request) -> Reply {
    if !is_first(request) {
        return Reply::text("Thank you.");
    }
    let field = json!({ "type": "input", "name": "name", "label": "Name" });
    match request.last_user() {
        words if words.contains("colour") => {
            acts("ask_user", json!({ "title": "Which colour?", "choices": ["red", "blue"] }))
        }
        words if words.contains("called") => {
            acts("ask_user", json!({ "title": "What is it called?", "fields": [field], "window_id": "a" }))
        }
        words if words.contains("sum") => acts("calculator", json!({ "expression": "6 * 7" })),
        _ => Reply::text("Yes."),
    }
}

/// The desktop without the number of its newest event, because a restart adds events.
async fn shown(harness: &DesktopHarness) -> Value {
    let mut desktop = harness.desktop().await;
    desktop.as_object_mut().unwrap().remove("as_of");
    desktop
}

/// The user messages in the model's requests that begin like this, in order.
fn said(harness: &DesktopHarness, begins: &str) -> Vec<String> {
    let requests = harness.model.requests();
    requests.iter().map(|it| it.last_user().to_owned()).filter(|it| it.starts_with(begins)).collect()
}

#[tokio::test]
async fn everything_is_there_again_and_goes_on_where_it_was() {
    let harness = DesktopHarness::start_with(|program| program.with("DWELL_TOOLS_CONFIRM", "calculator")).await;
    harness.open("a", buttons(&["save"])).await;
    harness.open("b", markdown("Beside.")).await;
    harness.doing("Say hello in passing.", [acts("notify", json!({ "text": "Hello." }))]).await;
    harness.doing("Say hello for good.", [acts("notify", json!({ "text": "Hello.", "keep": true }))]).await;
    harness
        .does(json!([{ "type": "window.lock", "window_id": "b" }, { "type": "window.focus", "window_id": "a" }]))
        .await;
    harness.model.respond_with(asking);
    let colour = harness.told(json!({ "message": "Paint the door in some colour." })).await;
    let name = harness.tell("a", "Find out what it is called.").await;
    let sum = harness.told(json!({ "message": "Work out a sum beside that.", "on_busy": "fork" })).await;
    harness.ended(&name).await;
    harness.does(json!([{ "type": "window.move", "window_id": "b", "x": 40, "y": 50 }])).await;
    let mut waiting = Vec::new();
    for n in 1..=2 {
        waiting.push(harness.send(json!({ "message": format!("main number {n}") })).await);
        waiting.push(harness.tell("a", &format!("window number {n}")).await);
    }
    let work = json!({ "message": "Say hello on the other monitor.", "monitor_id": "work" });
    assert_eq!(harness.told(work).await["status"], "completed");

    let (before, requests) = (shown(&harness).await, harness.model.requests().len());
    let count = |part: &str| before[part].as_array().unwrap().len();
    let parts = ["monitors", "windows", "toasts", "notifications", "dialogs", "approvals", "timeline"].map(count);
    assert_eq!(parts, [2, 2, 1, 1, 2, 1, 3], "{before}");
    let harness = harness.restart().await;
    assert_eq!(shown(&harness).await, before);
    for (turn, reason) in [(&colour, "dialog"), (&name, "dialog"), (&sum, "approval")] {
        let turn = harness.turn(turn).await;
        assert_eq!((&turn["status"], &turn["reason"]), (&json!("waiting"), &json!(reason)), "{turn}");
    }
    assert_eq!(harness.model.requests().len(), requests, "no model is asked again");

    let dialog = |title: &str| {
        let dialogs = before["dialogs"].as_array().unwrap();
        let id = dialogs.iter().find(|it| it["title"] == title).unwrap()["dialog_id"].as_str().unwrap().to_owned();
        format!("/api/v1/sessions/{}/dialogs/{id}", harness.session)
    };
    harness.rest.post(&dialog("Which colour?"), json!({ "choice": "blue" })).await.ok();
    harness.rest.post(&dialog("What is it called?"), json!({ "values": { "name": "Ada" } })).await.ok();
    let approval = format!("/api/v1/approvals/{}", before["approvals"][0]["approval_id"].as_str().unwrap());
    harness.rest.post(&approval, json!({ "decision": "once" })).await.ok();
    for (turn, told) in [(&colour, "blue"), (&name, "Ada"), (&sum, "42")] {
        let turn = harness.ended(turn).await;
        assert_eq!(turn["status"], "completed", "{turn}");
        let result = steps(&turn, "tool_result")[0]["content"].as_str().unwrap();
        assert!(result.contains(told), "{result}");
    }
    for turn in &waiting {
        assert_eq!(harness.ended(turn).await["status"], "completed");
    }
    for line in ["main number", "window number"] {
        assert_eq!(said(&harness, line), [format!("{line} 1"), format!("{line} 2")]);
    }
    assert_eq!(harness.model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn turns_of_every_agent_are_taken_up_again_and_the_lines_go_on_in_order() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    harness.model.respond_with(|_| Reply::text("It begins …").stall_after(1));
    let mut running =
        vec![harness.send(json!({ "message": "main number 0" })).await, harness.tell("a", "window number 0").await];
    running.push(harness.press("a", json!({ "action": "save", "parallel": true })).await);
    running.push(harness.send(json!({ "message": "beside number 0", "on_busy": "fork" })).await);
    let mut waiting = Vec::new();
    for n in 1..=3 {
        waiting.push(harness.send(json!({ "message": format!("main number {n}") })).await);
        waiting.push(harness.tell("a", &format!("window number {n}")).await);
    }
    harness.model.until(|model| model.in_flight() == 4).await;
    let ids = |desktop: &Value| {
        let agents = desktop["agents"].as_array().unwrap();
        agents.iter().map(|it| (it["agent_id"].clone(), it["turn_id"].clone())).collect::<Vec<_>>()
    };
    let before = ids(&harness.desktop().await);
    // The model hangs after the restart too, so that all agents can be compared.
    let harness = harness.restart().await;
    harness.model.until(|model| model.requests().len() == 2 + 8).await;
    assert_eq!(ids(&harness.desktop().await), before);
    harness.model.respond_with(|_| Reply::text("Yes."));
    let harness = harness.restart().await;
    for (turn, attempts) in running.iter().map(|it| (it, 3)).chain(waiting.iter().map(|it| (it, 1))) {
        let turn = harness.ended(turn).await;
        assert_eq!((&turn["status"], &turn["attempts"]), (&json!("completed"), &json!(attempts)), "{turn}");
    }
    for line in ["main number", "window number"] {
        let expected: Vec<String> = [0, 0, 0, 1, 2, 3].iter().map(|n| format!("{line} {n}")).collect();
        assert_eq!(said(&harness, line), expected, "in the order they came");
    }
}

#[tokio::test]
async fn what_the_cut_off_turn_was_told_it_is_told_again_and_no_later_turn_is() {
    let harness = DesktopHarness::start().await;
    harness.open("a", markdown("Here.")).await;
    harness.does(json!([{ "type": "window.move", "window_id": "a", "x": 70, "y": 30 }])).await;
    let told =
        |harness: &DesktopHarness| asked(&harness.model.requests().pop().unwrap()).matches("move:a to 70,30").count();
    harness.model.push(Reply::text("It is …").stall_after(1));
    let turn = harness.send(json!({ "message": "What is new?" })).await;
    harness.model.until(|model| model.in_flight() > 0).await;
    assert_eq!(told(&harness), 1);
    let harness = harness.restart().await;
    assert_eq!((&harness.ended(&turn).await["status"], told(&harness)), (&json!("completed"), 1));
    assert_eq!(harness.desktop().await["timeline"], json!([]));
    let harness = harness.restart().await;
    harness.say("And what is new since then?").await;
    assert_eq!(told(&harness), 0);
}

#[tokio::test]
async fn a_window_is_opened_once_wherever_the_kill_falls() {
    let mut harness = DesktopHarness::start().await;
    // The event after which the server is killed.
    for (name, kind, step) in [
        ("planned", "step", "plan"),
        ("begun", "step", "tool_call"),
        ("done", "actions", ""),
        ("told", "step", "tool_result"),
    ] {
        let is_reached = |it: &Value| it["type"] == kind && (kind != "step" || it["data"]["type"] == step);
        harness.model.push(opens(name, markdown("Once.")));
        harness.model.respond_with(|_| Reply::text("It is open."));
        let mut socket = harness.socket().await;
        let turn = harness.send(json!({ "message": format!("Open the window named {name}.") })).await;
        socket.until(|it| it["turn_id"] == turn["turn_id"] && is_reached(it)).await;
        harness = harness.restart().await;
        let turn = harness.ended(&turn).await;
        assert_eq!(turn["status"], "completed", "{name}: {turn}");
        let results: Vec<&Value> = steps(&turn, "tool_result").into_iter().map(|it| &it["status"]).collect();
        assert_eq!(results, ["ok"], "{name}: {turn}");
        let log = harness.rest.log(&harness.session).await;
        let actions =
            log.iter().filter(|it| it["type"] == "actions").flat_map(|it| it["data"]["actions"].as_array().unwrap());
        let opened = actions.filter(|it| it["type"] == "window.create" && it["window_id"] == name);
        assert_eq!((opened.count(), &harness.window(name).await["title"]), (1, &json!(format!("The {name}"))));
    }
    assert_eq!(harness.model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn what_an_app_was_asked_it_is_asked_again_after_the_restart() {
    let mut harness = DesktopHarness::start().await;
    let token = app::open(&harness, "clock", "timer").await;
    // Dwell waits 5 s for an app. On a machine that takes longer to start the program, the test
    // tries again with another turn.
    for _ in 0..5 {
        let mut page = harness.socket().await;
        app::ready(&harness, &mut page, "clock", &token).await.unwrap();
        harness.model.push(acts("app_query", json!({ "window_id": "clock", "key": "remaining" })));
        let turn = harness.send(json!({ "message": "How much time is left?" })).await;
        let is_asked = |it: &Value| it["type"] == "app.request" && it["turn_id"] == turn["turn_id"];
        let asked = page.until(is_asked).await.pop().unwrap();
        harness = harness.restart().await;
        let mut page = harness.socket().await;
        let answer = app::ready(&harness, &mut page, "clock", &token).await.unwrap();
        let Some(request) = answer["requests"].get(0) else {
            harness.ended(&turn).await;
            continue;
        };
        assert_eq!(*request, asked["data"], "the same request, and the token still holds");
        app::respond(&harness, &mut page, "clock", &token, &request["request_id"], json!("four minutes"))
            .await
            .unwrap();
        let turn = harness.ended(&turn).await;
        let result = steps(&turn, "tool_result")[0];
        if result["status"] == "ok" {
            assert!(result["content"].as_str().unwrap().contains("four minutes"), "{result}");
            assert_eq!(turn["status"], "completed", "{turn}");
            return;
        }
    }
    panic!("five restarts took longer than an app is waited for");
}

#[tokio::test]
async fn a_question_whose_time_runs_out_while_the_server_is_down_is_settled_when_it_is_back() {
    let harness = DesktopHarness::start().await;
    let question = json!({ "title": "Which colour?", "choices": ["red", "blue"], "wait_s": 1 });
    let turn = harness.doing("Paint the door in some colour.", [acts("ask_user", question)]).await;
    assert_eq!(turn["reason"], "dialog", "{turn}");
    let DesktopHarness { model, program, server, session, .. } = harness;
    server.kill().await;
    tokio::time::sleep(std::time::Duration::from_millis(1_200)).await;
    let server = program.start().await;
    let rest = server.rest();
    let harness = DesktopHarness { model, program, server, rest, session };
    // The turn continues by itself, but it may still show as waiting for a moment.
    let mut tab = harness.socket().await;
    tab.until_end_of(&turn["turn_id"]).await;
    let turn = harness.turn(&turn).await;
    let result = steps(&turn, "tool_result")[0]["content"].as_str().unwrap();
    assert!(turn["status"] == "completed" && result.contains("the user did not answer in time"), "{turn}");
    assert_eq!(harness.desktop().await["dialogs"], json!([]));
}

#[tokio::test]
async fn a_long_session_is_the_same_after_a_polite_stop_and_after_a_kill() {
    let mut harness = DesktopHarness::start().await;
    let text = "All that stands in here. ".repeat(200);
    for n in 0..12 {
        harness.open(&format!("w{n}"), markdown(&text)).await;
        harness.ended(&harness.tell(&format!("w{n}"), "Say hello here.").await).await;
        let name = format!("w{}", n / 2);
        harness.does(
            json!([{ "type": "window.focus", "window_id": name }, { "type": "window.minimize", "window_id": name }]),
        )
        .await;
    }
    harness.model.push(acts("ask_user", json!({ "title": "Which colour?", "choices": ["red", "blue"] })));
    let turn = harness.say("Paint the door in some colour.").await;
    let before = shown(&harness).await;
    for is_polite in [true, false] {
        let DesktopHarness { model, program, server, session, .. } = harness;
        if is_polite {
            assert!(server.stop().await.success());
        } else {
            server.kill().await;
        }
        let server = program.start().await;
        let rest = server.rest();
        harness = DesktopHarness { model, program, server, rest, session };
        assert_eq!(shown(&harness).await, before);
    }
    assert_eq!(harness.turn(&turn).await["status"], "waiting");
    harness.cancel(&turn).await;
    harness.does(json!([{ "type": "window.close", "window_id": "w3" }])).await;
    let again = harness.say("Please open the window named w3 for me.").await;
    assert_eq!(again["status"], "completed", "{again}");
}
