//! The agents of windows: whom they belong to, what they know, and when they go.

use serde_json::{Value, json};
use testkit::Reply;

use super::{Desk, acts, all, asked, buttons, markdown, opens, shows};
use crate::scene::{last, system};

/// How the agents of windows came and went, in order.
async fn standings(desk: &Desk) -> Vec<(String, String)> {
    let log = desk.rest.log(&desk.session).await;
    let changes = log.iter().filter(|it| it["type"] == "window.agent");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    changes.map(|it| (text(&it["data"]["agent_id"]), text(&it["data"]["status"]))).collect()
}

fn words(changes: &[(String, String)]) -> Vec<&str> {
    changes.iter().map(|(_, status)| status.as_str()).collect()
}

#[tokio::test]
async fn windows_that_a_windows_agent_opens_share_it() {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["more"])).await;
    desk.model.push(opens("b", buttons(&["back"])));
    desk.model.push(Reply::text("There is more now."));
    desk.ended(&desk.press("a", json!({ "action": "more" })).await).await;
    let child = desk.window("b").await;
    assert_eq!((&child["group"], &child["opened_by"]), (&json!("a"), &json!("window-a")));

    desk.model.push(Reply::hang());
    let busy = desk.press("b", json!({ "action": "back" })).await;
    assert_eq!(busy["agent_id"], "window-a");
    desk.model.until(|model| model.in_flight() > 0).await;
    let waiting = desk.tell("a", "And now this.").await;
    assert_eq!(waiting["position"], 1, "one agent, one thing at a time");
    let agents = desk.desktop().await["agents"].clone();
    let agent = agents.as_array().unwrap().iter().find(|it| it["agent_id"] == "window-a").unwrap();
    assert_eq!((&agent["windows"], &agent["turn_id"]), (&json!(["a", "b"]), &busy["turn_id"]));
    assert_eq!(agent["queue"], json!([waiting["turn_id"]]));
    desk.interrupt(&json!("window-a")).await;
    desk.ended(&waiting).await;
    let told = last(&desk.model).said();
    assert!(told.iter().any(|it| it.contains("pressed \"more\"")), "it knows what was done in both: {told:?}");
    assert!(told.iter().any(|it| it.contains("pressed \"back\"")), "{told:?}");

    desk.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    assert!(!words(&standings(&desk).await).contains(&"released"), "one window is left");
    let turn = desk.ended(&desk.press("b", json!({ "action": "back" })).await).await;
    assert_eq!(turn["agent_id"], "window-a", "the same agent as before");
    let told = all(&last(&desk.model));
    assert!(
        told.contains("pressed \\\"back\\\"") && !told.contains("pressed \\\"more\\\""),
        "what was said in the closed one is gone: {told}"
    );
    desk.does(json!([{ "type": "window.close", "window_id": "b" }])).await;
    assert_eq!(standings(&desk).await.last().unwrap(), &("window-a".to_owned(), "released".to_owned()));
    let agents = desk.desktop().await["agents"].clone();
    assert_eq!(agents.as_array().unwrap().len(), 1, "{agents}");
}

#[tokio::test]
async fn the_main_agents_windows_have_an_agent_each() {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["save"])).await;
    desk.open("b", buttons(&["save"])).await;
    desk.model.respond_with(|_| Reply::hang());
    let (one, two) =
        (desk.press("a", json!({ "action": "save" })).await, desk.press("b", json!({ "action": "save" })).await);
    desk.model.until(|model| model.in_flight() == 2).await;
    assert_eq!((&one["agent_id"], &two["agent_id"]), (&json!("window-a"), &json!("window-b")));
    assert_eq!((one["position"].is_null(), two["position"].is_null()), (true, true), "neither waits for the other");
}

#[tokio::test]
async fn closing_by_the_user_cancels_what_runs_and_waits_there() {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["save"])).await;
    desk.model.push(Reply::hang());
    let running = desk.press("a", json!({ "action": "save" })).await;
    desk.model.until(|model| model.in_flight() > 0).await;
    let waiting = desk.tell("a", "And now this.").await;
    desk.model.push(Reply::hang());
    let beside = desk.press("a", json!({ "action": "save", "parallel": true })).await;
    desk.model.until(|model| model.in_flight() == 2).await;
    desk.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    for turn in [&running, &waiting, &beside] {
        let turn = desk.turn(turn).await;
        assert_eq!(
            (&turn["status"], &turn["reason"]),
            (&json!("cancelled"), &json!("its window was closed")),
            "{turn}"
        );
    }
    let changes = standings(&desk).await;
    assert_eq!(changes.last().unwrap(), &("window-a".to_owned(), "released".to_owned()));
    let mut socket = desk.server.socket().await;
    let data = json!({ "session_id": desk.session, "window_id": "a", "content": "Anybody there?" });
    assert_eq!(socket.ask("window.message", data).await.unwrap_err()["code"], "not_found");
    desk.say("What is new?").await;
    let told = asked(&last(&desk.model));
    assert!(told.contains("close:a") && told.contains("(cancelled)"), "main hears of it: {told}");
}

#[tokio::test]
async fn an_agent_may_close_its_own_window_and_finish_what_it_says() {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["done"])).await;
    desk.model.push(acts("window_close", json!({ "window_ids": ["a"] })));
    desk.model.push(Reply::text("That was all."));
    let turn = desk.ended(&desk.press("a", json!({ "action": "done" })).await).await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("That was all.")));
    assert!(desk.window("a").await.is_null());
    assert_eq!(words(&standings(&desk).await), ["assigned", "active", "released"]);
}

#[tokio::test]
async fn the_first_turn_of_a_window_knows_the_conversation_and_later_ones_their_own() {
    let desk = Desk::start().await;
    desk.say("The word of the day is tulip.").await;
    desk.open("a", markdown("The list.")).await;
    desk.ended(&desk.tell("a", "What is the word of the day?").await).await;
    let first = last(&desk.model);
    assert!(all(&first).contains("tulip") && system(&first).contains("agent of the window a"), "{}", system(&first));
    assert!(asked(&first).contains("<window id=\"a\">\nThe list.\n</window>"), "{}", asked(&first));
    desk.say("The word of the night is owl.").await;
    desk.ended(&desk.tell("a", "And of the night?").await).await;
    let later = all(&last(&desk.model));
    assert!(later.contains("What is the word of the day?") && !later.contains("owl"), "its own conversation: {later}");
    desk.say("What was said here?").await;
    let main = last(&desk.model);
    let said = main.said();
    assert!(said.iter().any(|it| it.contains("owl")), "{said:?}");
    assert!(!said.iter().any(|it| it == "And of the night?"), "what was said in the window is not main's: {said:?}");
}

#[tokio::test]
async fn a_window_of_the_same_name_begins_anew() {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["save"])).await;
    desk.ended(&desk.tell("a", "Remember the tulips here.").await).await;
    desk.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    desk.say("Say something in between.").await;
    desk.say("And something more.").await;
    desk.say("And that is all.").await;
    desk.doing("Open the one named a anew.", [opens("a", buttons(&["save"])), Reply::text("Open.")]).await;
    desk.ended(&desk.tell("a", "What do you remember?").await).await;
    assert!(!all(&last(&desk.model)).contains("tulips"), "{}", all(&last(&desk.model)));
    assert_eq!(words(&standings(&desk).await), ["assigned", "active", "released", "assigned", "active"]);
}

#[tokio::test]
async fn only_what_a_window_shows_can_be_pressed_there() {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["save"])).await;
    let path = format!("/api/v1/sessions/{}/windows", desk.session);
    let pressed = desk.rest.post(&format!("{path}/a/actions"), json!({ "action": "explode" })).await;
    assert_eq!(pressed.code(400), "invalid_request");
    assert!(pressed.body["message"].as_str().unwrap().contains("`explode`"), "{}", pressed.body);
    assert_eq!(desk.rest.post(&format!("{path}/b/actions"), json!({ "action": "save" })).await.code(404), "not_found");
    assert_eq!(
        desk.rest.post(&format!("{path}/a/messages"), json!({ "content": " " })).await.code(400),
        "invalid_request"
    );
    desk.model.push(shows("a", "Saved."));
    let send =
        |key: &str| json!({ "session_id": desk.session, "window_id": "a", "action": "save", "idempotency_key": key });
    let mut socket = desk.server.socket().await;
    let first = socket.ask("window.action", send("k1")).await.unwrap();
    let again = socket.ask("window.action", send("k1")).await.unwrap();
    assert_eq!((&again["turn_id"], &again["duplicate"]), (&first["turn_id"], &json!(true)), "pressed once");
    desk.ended(&first).await;
}
