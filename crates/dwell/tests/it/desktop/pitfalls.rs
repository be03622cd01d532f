//! How desktops with many agents fail elsewhere, and what is seen here instead. Locks and what is done by rote have files
//! of their own.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Reply, Request};

use super::{Desk, acts, all, asked, buttons, is_first};

/// A session on the server, and the word that marks everything that is said and shown in it.
struct Side<'a> {
    desk: &'a Desk,
    session: &'a str,
    word: &'static str,
}

impl Side<'_> {
    async fn post(&self, path: &str, body: Value) -> Value {
        self.desk.rest.post(&format!("/api/v1/sessions/{}/{path}", self.session), body).await.ok()
    }

    async fn send(&self, body: Value) -> Value {
        let turn = self.post("turns", body).await;
        self.desk.ended(&turn).await
    }

    /// The same names in every session: a window on the primary monitor, one on another, things pressed and moved.
    async fn work(&self) -> Value {
        let word = self.word;
        self.send(json!({ "message": format!("Open window one for {word}.") })).await;
        self.send(json!({ "message": format!("Open window two for {word}."), "monitor_id": "work" })).await;
        let press = json!({ "action": "save", "form_data": { "who": word } });
        let (pressed, beside) = tokio::join!(
            self.post("windows/one/actions", press.clone()),
            self.post(
                "windows/two/actions",
                json!({ "action": "save", "form_data": { "who": word }, "parallel": true })
            ),
        );
        let moved = json!({ "type": "window.draw", "window_id": "one", "text": format!("a line for {word}") });
        self.post("interactions", json!({ "interactions": [moved] })).await;
        for turn in [&pressed, &beside] {
            assert_eq!(self.desk.ended(turn).await["status"], "completed");
        }
        self.send(json!({ "message": format!("Say what is new for {word}.") })).await
    }
}

/// A model that opens and changes windows, and puts the word that it was asked with into everything.
fn marking(request: &Request) -> Reply {
    let said = request.last_user();
    let word = if said.contains("alpha") { "alpha" } else { "beta" };
    if !is_first(request) {
        return Reply::text(format!("Done for {word}."));
    }
    let content = json!({ "type": "components", "components": [
        { "type": "text", "text": word }, { "type": "button", "label": word, "action": "save" },
    ] });
    if said.contains("Open window") {
        let name = if said.contains("one") { "one" } else { "two" };
        return acts("window_open", json!({ "window_id": name, "title": format!("For {word}"), "content": content }));
    }
    if said.contains("pressed") {
        let name = if said.contains("window one") { "one" } else { "two" };
        return acts("window_change", json!({ "window_id": name, "title": format!("Saved for {word}") }));
    }
    Reply::text(format!("Nothing but {word}."))
}

#[tokio::test]
async fn two_sessions_with_the_same_names_never_see_each_other() {
    let desk = Desk::start().await;
    let other = desk.rest.session().await;
    desk.model.respond_with(marking);
    let mut both = desk.server.socket().await;
    for session in [&desk.session, &other] {
        both.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    }
    let alpha = Side { desk: &desk, session: &desk.session, word: "alpha" };
    let beta = Side { desk: &desk, session: &other, word: "beta" };
    let (one, two) = tokio::join!(alpha.work(), beta.work());
    let mut seen = both.until_end_of(&one["turn_id"]).await;
    let has_ended = |it: &Value| it["turn_id"] == two["turn_id"] && it["data"]["status"] == "completed";
    if !seen.iter().any(has_ended) {
        seen.extend(both.until_end_of(&two["turn_id"]).await);
    }
    for (side, foreign) in [(&alpha, "beta"), (&beta, "alpha")] {
        let own: Vec<&Value> = seen.iter().filter(|it| it["session_id"] == side.session).collect();
        assert!(own.iter().any(|it| it["type"] == "actions"), "it has seen what was done");
        let path = format!("/api/v1/sessions/{}/desktop", side.session);
        let desktop = desk.rest.get(&path).await.ok();
        assert_eq!(desktop["windows"].as_array().unwrap().len(), 2);
        let log = desk.rest.log(side.session).await;
        assert!(log.iter().all(|event| event["session_id"] == side.session));
        for told in own.into_iter().chain(&log).chain([&desktop]) {
            assert!(!told.to_string().contains(foreign), "{told}");
        }
    }
    for request in desk.model.requests() {
        let words = all(&request);
        assert!(!(words.contains("alpha") && words.contains("beta")), "{words}");
    }
    assert_eq!(desk.model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_full_line_refuses_by_name_on_every_door_and_loses_nothing() {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["save"])).await;
    desk.model.respond_with(|request| match request.last_user() {
        words if words.starts_with("Hold on") => Reply::text("One moment …").stall_after(1),
        _ => Reply::text("Yes."),
    });
    let main = desk.send(json!({ "message": "Hold on to the main one." })).await;
    let window = desk.tell("a", "Hold on to the window.").await;
    let mut socket = desk.server.socket().await;
    let mut waiting = Vec::new();
    for n in 1..=10 {
        let message = json!({ "session_id": desk.session, "message": format!("main number {n}") });
        let first = socket.ask("chat.send", message).await.unwrap();
        let message = json!({ "session_id": desk.session, "window_id": "a", "content": format!("window number {n}") });
        let second = socket.ask("window.message", message).await.unwrap();
        assert_eq!((&first["position"], &second["position"]), (&json!(n), &json!(n)), "each has a line of its own");
        waiting.extend([first, second]);
    }
    let windows = format!("/api/v1/sessions/{}/windows/a", desk.session);
    let turns = format!("/api/v1/sessions/{}/turns", desk.session);
    for (path, body, excerpt) in [
        (turns, json!({ "message": "one too many" }), "one too many"),
        (format!("{windows}/messages"), json!({ "content": "one too many here" }), "one too many here"),
        (format!("{windows}/actions"), json!({ "action": "save" }), "pressed \"save\""),
    ] {
        let refused = desk.rest.post(&path, body).await;
        assert_eq!(refused.code(429), "queue_full");
        assert!(refused.body["message"].as_str().unwrap().contains(excerpt), "{}", refused.body);
    }
    for (kind, data, excerpt) in [
        ("chat.send", json!({ "message": "one too many" }), "one too many"),
        ("window.message", json!({ "window_id": "a", "content": "too many here" }), "too many here"),
        ("window.action", json!({ "window_id": "a", "action": "save" }), "pressed \"save\""),
    ] {
        let mut data = data;
        data["session_id"] = json!(desk.session);
        let refused = socket.ask(kind, data).await.unwrap_err();
        assert_eq!(refused["code"], "queue_full");
        assert!(refused["message"].as_str().unwrap().contains(excerpt), "{refused}");
        assert!(refused["hint"].as_str().unwrap().contains("Keep the message"), "{refused}");
    }
    for agent in ["main", "window-a"] {
        desk.interrupt(&json!(agent)).await;
    }
    for turn in &waiting {
        assert_eq!(desk.ended(turn).await["status"], "completed");
    }
    assert_eq!(
        (&desk.turn(&main).await["status"], &desk.turn(&window).await["status"]),
        (&json!("cancelled"), &json!("cancelled"))
    );
    let requests = desk.model.requests();
    for line in ["main number", "window number"] {
        let said: Vec<&str> = requests.iter().map(Request::last_user).filter(|it| it.starts_with(line)).collect();
        let expected: Vec<String> = (1..=10).map(|n| format!("{line} {n}")).collect();
        assert_eq!(said, expected, "in order, once each");
    }
}

#[tokio::test]
async fn what_a_turn_was_told_is_given_back_however_it_ends_but_well() {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["save"])).await;
    desk.does(json!([{ "type": "window.move", "window_id": "a", "x": 700, "y": 300 }])).await;
    let told = |desk: &Desk| asked(&desk.model.requests().pop().unwrap()).matches("move:a to 700,300").count();

    desk.model.push(Reply::status(400));
    assert_eq!((&desk.say("What is new, first?").await["status"], told(&desk)), (&json!("failed"), 1));

    desk.model.push(Reply::text("Well …").stall_after(1));
    let turn = desk.send(json!({ "message": "What is new, second?" })).await;
    desk.model.until(|model| model.in_flight() > 0).await;
    desk.cancel(&turn).await;
    assert_eq!((&desk.ended(&turn).await["status"], told(&desk)), (&json!("cancelled"), 1));

    desk.model.push(Reply::hang());
    let turn = desk.told(json!({ "message": "What is new, third?", "time_budget_ms": 500 })).await;
    assert_eq!((&turn["status"], told(&desk)), (&json!("expired"), 1));

    desk.model.push(Reply::hang());
    let turn = desk.send(json!({ "message": "What is new, fourth?" })).await;
    desk.model.until(|model| model.in_flight() > 0).await;
    assert_eq!(desk.interrupt(&json!("main")).await["turn_ids"], json!([turn["turn_id"]]));
    assert_eq!((&desk.ended(&turn).await["status"], told(&desk)), (&json!("cancelled"), 1));
    assert_eq!(desk.desktop().await["timeline"], json!(["move:a to 700,300"]), "nobody knows it yet");

    assert_eq!((&desk.say("What is new, fifth?").await["status"], told(&desk)), (&json!("completed"), 1));
    assert_eq!(desk.desktop().await["timeline"], json!([]));
    assert_eq!((&desk.say("What is new, sixth?").await["status"], told(&desk)), (&json!("completed"), 0));
}

#[tokio::test]
async fn parallel_actions_are_turns_and_agents_of_their_own() {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["count"])).await;
    desk.model.respond_with(|request| match request.last_user() {
        words if words.contains("- n: 1") => Reply::text("One …").stall_after(1),
        words if words.contains("pressed") => Reply::text("That is counted now.").every(Duration::from_millis(100)),
        _ => Reply::text("Yes."),
    });
    let mut turns = Vec::new();
    for n in 1..=3 {
        let act = json!({ "action": "count", "parallel": true, "form_data": { "n": n.to_string() } });
        let turn = desk.press("a", act).await;
        assert_eq!(turn["agent_id"], format!("window-a/{}", turn["turn_id"].as_str().unwrap()));
        turns.push(turn);
    }
    desk.model.until(|model| model.requests().iter().filter(|it| it.last_user().contains("- n:")).count() == 3).await;
    assert_eq!(desk.interrupt(&turns[0]["agent_id"]).await["turn_ids"], json!([turns[0]["turn_id"]]));
    let mut ends = Vec::new();
    for turn in &turns {
        ends.push(desk.ended(turn).await["status"].clone());
    }
    assert_eq!(ends, ["cancelled", "completed", "completed"], "only the one that was meant");
    for request in desk.model.requests().iter().filter(|it| it.last_user().contains("- n:")) {
        assert_eq!(all(request).matches("- n:").count(), 1, "each knows of its own action only");
    }
    desk.say("What was counted?").await;
    let told = asked(&desk.model.requests().pop().unwrap());
    for (turn, end) in turns.iter().zip(["(cancelled)", "That is counted now.", "That is counted now."]) {
        let line = format!("<interaction:AI agent=\"{}\">", turn["agent_id"].as_str().unwrap());
        let line = told.lines().find(|it| it.contains(&line)).unwrap();
        assert!(line.contains(end), "{line}");
    }
}

#[tokio::test]
async fn a_fifth_parallel_action_is_refused_by_name() {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["count"])).await;
    desk.model.respond_with(|_| Reply::hang());
    let act = json!({ "action": "count", "parallel": true });
    for _ in 0..4 {
        desk.press("a", act.clone()).await;
    }
    let path = format!("/api/v1/sessions/{}/windows/a/actions", desk.session);
    assert_eq!(desk.rest.post(&path, act).await.code(429), "queue_full");
    let mut socket = desk.server.socket().await;
    let stopped = socket.ask("agent.interrupt", json!({ "session_id": desk.session })).await.unwrap();
    assert_eq!(stopped["turn_ids"].as_array().unwrap().len(), 4);
}
