//! The agents of windows: which windows share an agent, what each agent knows, and when it is
//! released.

use serde_json::{Value, json};
use testkit::Reply;

use super::{DesktopHarness, acts, all, asked, buttons, markdown, opens, shows};
use crate::harness::{last, system};

/// The status changes of the window agents, in order.
async fn standings(harness: &DesktopHarness) -> Vec<(String, String)> {
    let log = harness.rest.log(&harness.session).await;
    let changes = log.iter().filter(|it| it["type"] == "window.agent");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    changes.map(|it| (text(&it["data"]["agent_id"]), text(&it["data"]["status"]))).collect()
}

fn words(changes: &[(String, String)]) -> Vec<&str> {
    changes.iter().map(|(_, status)| status.as_str()).collect()
}

#[tokio::test]
async fn windows_that_a_windows_agent_opens_share_it() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["more"])).await;
    harness.model.push(opens("b", buttons(&["back"])));
    harness.model.push(Reply::text("There is more now."));
    harness.ended(&harness.press("a", json!({ "action": "more" })).await).await;
    let child = harness.window("b").await;
    assert_eq!((&child["group"], &child["opened_by"]), (&json!("a"), &json!("window-a")));

    harness.model.push(Reply::hang());
    let busy = harness.press("b", json!({ "action": "back" })).await;
    assert_eq!(busy["agent_id"], "window-a");
    harness.model.until(|model| model.in_flight() > 0).await;
    let waiting = harness.tell("a", "And now this.").await;
    assert_eq!(waiting["position"], 1, "one agent, one thing at a time");
    let agents = harness.desktop().await["agents"].clone();
    let agent = agents.as_array().unwrap().iter().find(|it| it["agent_id"] == "window-a").unwrap();
    assert_eq!((&agent["windows"], &agent["turn_id"]), (&json!(["a", "b"]), &busy["turn_id"]));
    assert_eq!(agent["queue"], json!([waiting["turn_id"]]));
    harness.interrupt(&json!("window-a")).await;
    harness.ended(&waiting).await;
    let told = last(&harness.model).said();
    assert!(told.iter().any(|it| it.contains("pressed \"more\"")), "it knows what was done in both: {told:?}");
    assert!(told.iter().any(|it| it.contains("pressed \"back\"")), "{told:?}");

    harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    assert!(!words(&standings(&harness).await).contains(&"released"), "one window is left");
    let turn = harness.ended(&harness.press("b", json!({ "action": "back" })).await).await;
    assert_eq!(turn["agent_id"], "window-a", "the same agent as before");
    let told = all(&last(&harness.model));
    assert!(
        told.contains("pressed \\\"back\\\"") && !told.contains("pressed \\\"more\\\""),
        "what was said in the closed one is gone: {told}"
    );
    harness.does(json!([{ "type": "window.close", "window_id": "b" }])).await;
    assert_eq!(standings(&harness).await.last().unwrap(), &("window-a".to_owned(), "released".to_owned()));
    let agents = harness.desktop().await["agents"].clone();
    assert_eq!(agents.as_array().unwrap().len(), 1, "{agents}");
}

#[tokio::test]
async fn the_main_agents_windows_have_an_agent_each() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    harness.open("b", buttons(&["save"])).await;
    harness.model.respond_with(|_| Reply::hang());
    let (one, two) =
        (harness.press("a", json!({ "action": "save" })).await, harness.press("b", json!({ "action": "save" })).await);
    harness.model.until(|model| model.in_flight() == 2).await;
    assert_eq!((&one["agent_id"], &two["agent_id"]), (&json!("window-a"), &json!("window-b")));
    assert_eq!((one["position"].is_null(), two["position"].is_null()), (true, true), "neither waits for the other");
}

#[tokio::test]
async fn closing_by_the_user_cancels_what_runs_and_waits_there() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    harness.model.push(Reply::hang());
    let running = harness.press("a", json!({ "action": "save" })).await;
    harness.model.until(|model| model.in_flight() > 0).await;
    let waiting = harness.tell("a", "And now this.").await;
    harness.model.push(Reply::hang());
    let beside = harness.press("a", json!({ "action": "save", "parallel": true })).await;
    harness.model.until(|model| model.in_flight() == 2).await;
    harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    for turn in [&running, &waiting, &beside] {
        let turn = harness.turn(turn).await;
        assert_eq!(
            (&turn["status"], &turn["reason"]),
            (&json!("cancelled"), &json!("its window was closed")),
            "{turn}"
        );
    }
    let changes = standings(&harness).await;
    assert_eq!(changes.last().unwrap(), &("window-a".to_owned(), "released".to_owned()));
    let mut socket = harness.server.socket().await;
    let data = json!({ "session_id": harness.session, "window_id": "a", "content": "Anybody there?" });
    assert_eq!(socket.ask("window.message", data).await.unwrap_err()["code"], "not_found");
    harness.say("What is new?").await;
    let told = asked(&last(&harness.model));
    assert!(told.contains("close:a") && told.contains("(cancelled)"), "the main agent is told: {told}");
}

#[tokio::test]
async fn an_agent_may_close_its_own_window_and_finish_what_it_says() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["done"])).await;
    harness.model.push(acts("window_close", json!({ "window_ids": ["a"] })));
    harness.model.push(Reply::text("That was all."));
    let turn = harness.ended(&harness.press("a", json!({ "action": "done" })).await).await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("That was all.")));
    assert!(harness.window("a").await.is_null());
    assert_eq!(words(&standings(&harness).await), ["assigned", "active", "released"]);
}

#[tokio::test]
async fn the_first_turn_of_a_window_knows_the_conversation_and_later_ones_their_own() {
    let harness = DesktopHarness::start().await;
    harness.say("The word of the day is tulip.").await;
    harness.open("a", markdown("The list.")).await;
    harness.ended(&harness.tell("a", "What is the word of the day?").await).await;
    let first = last(&harness.model);
    assert!(all(&first).contains("tulip") && system(&first).contains("agent of the window a"), "{}", system(&first));
    assert!(asked(&first).contains("<window id=\"a\">\nThe list.\n</window>"), "{}", asked(&first));
    harness.say("The word of the night is owl.").await;
    harness.ended(&harness.tell("a", "And of the night?").await).await;
    let later = all(&last(&harness.model));
    assert!(later.contains("What is the word of the day?") && !later.contains("owl"), "its own conversation: {later}");
    harness.say("What was said here?").await;
    let main = last(&harness.model);
    let said = main.said();
    assert!(said.iter().any(|it| it.contains("owl")), "{said:?}");
    assert!(!said.iter().any(|it| it == "And of the night?"), "what was said in the window is not main's: {said:?}");
}

#[tokio::test]
async fn a_window_of_the_same_name_begins_anew() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    harness.ended(&harness.tell("a", "Remember the tulips here.").await).await;
    harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    harness.say("Say something in between.").await;
    harness.say("And something more.").await;
    harness.say("And that is all.").await;
    harness.doing("Open the one named a anew.", [opens("a", buttons(&["save"])), Reply::text("Open.")]).await;
    harness.ended(&harness.tell("a", "What do you remember?").await).await;
    assert!(!all(&last(&harness.model)).contains("tulips"), "{}", all(&last(&harness.model)));
    assert_eq!(words(&standings(&harness).await), ["assigned", "active", "released", "assigned", "active"]);
}

#[tokio::test]
async fn only_what_a_window_shows_can_be_pressed_there() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    let path = format!("/api/v1/sessions/{}/windows", harness.session);
    let pressed = harness.rest.post(&format!("{path}/a/actions"), json!({ "action": "explode" })).await;
    assert_eq!(pressed.code(400), "invalid_request");
    assert!(pressed.body["message"].as_str().unwrap().contains("`explode`"), "{}", pressed.body);
    assert_eq!(
        harness.rest.post(&format!("{path}/b/actions"), json!({ "action": "save" })).await.code(404),
        "not_found"
    );
    assert_eq!(
        harness.rest.post(&format!("{path}/a/messages"), json!({ "content": " " })).await.code(400),
        "invalid_request"
    );
    harness.model.push(shows("a", "Saved."));
    let send = |key: &str| json!({ "session_id": harness.session, "window_id": "a", "action": "save", "idempotency_key": key });
    let mut socket = harness.server.socket().await;
    let first = socket.ask("window.action", send("k1")).await.unwrap();
    let again = socket.ask("window.action", send("k1")).await.unwrap();
    assert_eq!((&again["turn_id"], &again["duplicate"]), (&first["turn_id"], &json!(true)), "pressed once");
    harness.ended(&first).await;
}
