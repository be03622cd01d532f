//! Known failures of desktops with several agents, and what Dwell does instead. Locks and the
//! replay cache have files of their own.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Reply, Request};

use super::{DesktopHarness, acts, all, asked, buttons, is_first};

/// A session, and the word that marks everything in it.
struct MarkedSession<'a> {
    harness: &'a DesktopHarness,
    session: &'a str,
    word: &'static str,
}

impl MarkedSession<'_> {
    async fn post(&self, path: &str, body: Value) -> Value {
        self.harness.rest.post(&format!("/api/v1/sessions/{}/{path}", self.session), body).await.ok()
    }

    async fn send(&self, body: Value) -> Value {
        let turn = self.post("turns", body).await;
        self.harness.ended(&turn).await
    }

    /// Uses the same window names in every session: a window on the primary monitor, one on another
    /// monitor, button presses and a drawing.
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
            assert_eq!(self.harness.ended(turn).await["status"], "completed");
        }
        self.send(json!({ "message": format!("Say what is new for {word}.") })).await
    }
}

/// A model that opens and changes windows and puts the session's word into everything.
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
    let harness = DesktopHarness::start().await;
    let other = harness.rest.session().await;
    harness.model.respond_with(marking);
    let mut both = harness.server.socket().await;
    for session in [&harness.session, &other] {
        both.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    }
    let alpha = MarkedSession { harness: &harness, session: &harness.session, word: "alpha" };
    let beta = MarkedSession { harness: &harness, session: &other, word: "beta" };
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
        let desktop = harness.rest.get(&path).await.ok();
        assert_eq!(desktop["windows"].as_array().unwrap().len(), 2);
        let log = harness.rest.log(side.session).await;
        assert!(log.iter().all(|event| event["session_id"] == side.session));
        for told in own.into_iter().chain(&log).chain([&desktop]) {
            assert!(!told.to_string().contains(foreign), "{told}");
        }
    }
    for request in harness.model.requests() {
        let words = all(&request);
        assert!(!(words.contains("alpha") && words.contains("beta")), "{words}");
    }
    assert_eq!(harness.model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_full_line_refuses_by_name_on_every_door_and_loses_nothing() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    harness.model.respond_with(|request| match request.last_user() {
        words if words.starts_with("Hold on") => Reply::text("One moment …").stall_after(1),
        _ => Reply::text("Yes."),
    });
    let main = harness.send(json!({ "message": "Hold on to the main one." })).await;
    let window = harness.tell("a", "Hold on to the window.").await;
    let mut socket = harness.server.socket().await;
    let mut waiting = Vec::new();
    for n in 1..=10 {
        let message = json!({ "session_id": harness.session, "message": format!("main number {n}") });
        let first = socket.ask("chat.send", message).await.unwrap();
        let message =
            json!({ "session_id": harness.session, "window_id": "a", "content": format!("window number {n}") });
        let second = socket.ask("window.message", message).await.unwrap();
        assert_eq!((&first["position"], &second["position"]), (&json!(n), &json!(n)), "each has a line of its own");
        waiting.extend([first, second]);
    }
    let windows = format!("/api/v1/sessions/{}/windows/a", harness.session);
    let turns = format!("/api/v1/sessions/{}/turns", harness.session);
    for (path, body, excerpt) in [
        (turns, json!({ "message": "one too many" }), "one too many"),
        (format!("{windows}/messages"), json!({ "content": "one too many here" }), "one too many here"),
        (format!("{windows}/actions"), json!({ "action": "save" }), "pressed \"save\""),
    ] {
        let refused = harness.rest.post(&path, body).await;
        assert_eq!(refused.code(429), "queue_full");
        assert!(refused.body["message"].as_str().unwrap().contains(excerpt), "{}", refused.body);
    }
    for (kind, data, excerpt) in [
        ("chat.send", json!({ "message": "one too many" }), "one too many"),
        ("window.message", json!({ "window_id": "a", "content": "too many here" }), "too many here"),
        ("window.action", json!({ "window_id": "a", "action": "save" }), "pressed \"save\""),
    ] {
        let mut data = data;
        data["session_id"] = json!(harness.session);
        let refused = socket.ask(kind, data).await.unwrap_err();
        assert_eq!(refused["code"], "queue_full");
        assert!(refused["message"].as_str().unwrap().contains(excerpt), "{refused}");
        assert!(refused["hint"].as_str().unwrap().contains("Keep the message"), "{refused}");
    }
    for agent in ["main", "window-a"] {
        harness.interrupt(&json!(agent)).await;
    }
    for turn in &waiting {
        assert_eq!(harness.ended(turn).await["status"], "completed");
    }
    assert_eq!(
        (&harness.turn(&main).await["status"], &harness.turn(&window).await["status"]),
        (&json!("cancelled"), &json!("cancelled"))
    );
    let requests = harness.model.requests();
    for line in ["main number", "window number"] {
        let said: Vec<&str> = requests.iter().map(Request::last_user).filter(|it| it.starts_with(line)).collect();
        let expected: Vec<String> = (1..=10).map(|n| format!("{line} {n}")).collect();
        assert_eq!(said, expected, "in order, once each");
    }
}

#[tokio::test]
async fn what_a_turn_was_told_is_given_back_however_it_ends_but_well() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["save"])).await;
    harness.does(json!([{ "type": "window.move", "window_id": "a", "x": 700, "y": 300 }])).await;
    let told =
        |harness: &DesktopHarness| asked(&harness.model.requests().pop().unwrap()).matches("move:a to 700,300").count();

    harness.model.push(Reply::status(400));
    assert_eq!((&harness.say("What is new, first?").await["status"], told(&harness)), (&json!("failed"), 1));

    harness.model.push(Reply::text("Well …").stall_after(1));
    let turn = harness.send(json!({ "message": "What is new, second?" })).await;
    harness.model.until(|model| model.in_flight() > 0).await;
    harness.cancel(&turn).await;
    assert_eq!((&harness.ended(&turn).await["status"], told(&harness)), (&json!("cancelled"), 1));

    harness.model.push(Reply::hang());
    let turn = harness.told(json!({ "message": "What is new, third?", "time_budget_ms": 500 })).await;
    assert_eq!((&turn["status"], told(&harness)), (&json!("expired"), 1));

    harness.model.push(Reply::hang());
    let turn = harness.send(json!({ "message": "What is new, fourth?" })).await;
    harness.model.until(|model| model.in_flight() > 0).await;
    assert_eq!(harness.interrupt(&json!("main")).await["turn_ids"], json!([turn["turn_id"]]));
    assert_eq!((&harness.ended(&turn).await["status"], told(&harness)), (&json!("cancelled"), 1));
    assert_eq!(harness.desktop().await["timeline"], json!(["move:a to 700,300"]), "no agent was told yet");

    assert_eq!((&harness.say("What is new, fifth?").await["status"], told(&harness)), (&json!("completed"), 1));
    assert_eq!(harness.desktop().await["timeline"], json!([]));
    assert_eq!((&harness.say("What is new, sixth?").await["status"], told(&harness)), (&json!("completed"), 0));
}

#[tokio::test]
async fn parallel_actions_are_turns_and_agents_of_their_own() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["count"])).await;
    harness.model.respond_with(|request| match request.last_user() {
        words if words.contains("- n: 1") => Reply::text("One …").stall_after(1),
        words if words.contains("pressed") => Reply::text("That is counted now.").every(Duration::from_millis(100)),
        _ => Reply::text("Yes."),
    });
    let mut turns = Vec::new();
    for n in 1..=3 {
        let act = json!({ "action": "count", "parallel": true, "form_data": { "n": n.to_string() } });
        let turn = harness.press("a", act).await;
        assert_eq!(turn["agent_id"], format!("window-a/{}", turn["turn_id"].as_str().unwrap()));
        turns.push(turn);
    }
    harness
        .model
        .until(|model| model.requests().iter().filter(|it| it.last_user().contains("- n:")).count() == 3)
        .await;
    assert_eq!(harness.interrupt(&turns[0]["agent_id"]).await["turn_ids"], json!([turns[0]["turn_id"]]));
    let mut ends = Vec::new();
    for turn in &turns {
        ends.push(harness.ended(turn).await["status"].clone());
    }
    assert_eq!(ends, ["cancelled", "completed", "completed"], "only the one that was meant");
    for request in harness.model.requests().iter().filter(|it| it.last_user().contains("- n:")) {
        assert_eq!(all(request).matches("- n:").count(), 1, "each knows of its own action only");
    }
    harness.say("What was counted?").await;
    let told = asked(&harness.model.requests().pop().unwrap());
    for (turn, end) in turns.iter().zip(["(cancelled)", "That is counted now.", "That is counted now."]) {
        let line = format!("<interaction:AI agent=\"{}\">", turn["agent_id"].as_str().unwrap());
        let line = told.lines().find(|it| it.contains(&line)).unwrap();
        assert!(line.contains(end), "{line}");
    }
}

#[tokio::test]
async fn a_fifth_parallel_action_is_refused_by_name() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["count"])).await;
    harness.model.respond_with(|_| Reply::hang());
    let act = json!({ "action": "count", "parallel": true });
    for _ in 0..4 {
        harness.press("a", act.clone()).await;
    }
    let path = format!("/api/v1/sessions/{}/windows/a/actions", harness.session);
    assert_eq!(harness.rest.post(&path, act).await.code(429), "queue_full");
    let mut socket = harness.server.socket().await;
    let stopped = socket.ask("agent.interrupt", json!({ "session_id": harness.session })).await.unwrap();
    assert_eq!(stopped["turn_ids"].as_array().unwrap().len(), 4);
}
