//! What was asked before, word for word, in the same situation: it is done again, and no model is asked.

use serde_json::{Value, json};
use testkit::{Reply, ToolCall};

use super::{Desk, acts, app, asked, buttons, markdown};
use crate::scene::steps;

/// What is asked for in most of these tests.
const ASKED: &str = "Show the greeting for visitors.";

/// Lets the main agent greet, and answer in words.
async fn greeted(desk: &Desk) -> Value {
    let greeting = acts("notify", json!({ "text": "Welcome, all of you." }));
    let turn = desk.doing(ASKED, [greeting, Reply::text("They are greeted.")]).await;
    assert_eq!((&turn["status"], &turn["response"]["model"]), (&json!("completed"), &json!("openai/gpt-4.1-mini")));
    turn
}

/// Says something that has to be done by rote.
async fn by_rote(desk: &Desk, message: &str) -> Value {
    let before = desk.model.requests().len();
    let turn = desk.say(message).await;
    assert_eq!((&turn["status"], &turn["response"]["model"]), (&json!("completed"), &json!("reload")), "{turn}");
    assert_eq!(desk.model.requests().len(), before, "no model is asked");
    turn
}

/// Says something that a model has to be asked about.
async fn by_model(desk: &Desk, message: &str) -> Value {
    let before = desk.model.requests().len();
    let turn = desk.say(message).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    assert!(turn["response"]["model"] != "reload" && desk.model.requests().len() > before, "a model is asked: {turn}");
    turn
}

/// The toast that tells of a repeat.
async fn toast(desk: &Desk) -> Value {
    let desktop = desk.desktop().await;
    let toasts = desktop["toasts"].as_array().unwrap();
    toasts.iter().find(|it| it["button"]["action"] == "didnt_work").cloned().unwrap()
}

#[tokio::test]
async fn an_exact_repeat_is_done_by_rote_and_says_so() {
    let desk = Desk::start().await;
    let first = greeted(&desk).await;
    let mut socket = desk.socket().await;
    let turn = by_rote(&desk, ASKED).await;
    assert_eq!(
        (&turn["response"]["message"], &turn["text"]),
        (&json!("They are greeted."), &json!("They are greeted."))
    );
    let events = socket.until_end_of(&turn["turn_id"]).await;
    let own = |kind: &str| {
        events.iter().filter(|it| it["turn_id"] == turn["turn_id"] && it["type"] == kind).collect::<Vec<_>>()
    };
    let plan = own("turn.stage").into_iter().find(|it| it["data"]["stage"] == "plan").unwrap();
    assert_eq!(plan["data"]["detail"]["way"], "reload");
    assert_eq!(own("chat.final")[0]["data"]["model"], "reload");
    let done = own("actions");
    assert_eq!((done.len(), &done[0]["data"]["replay_of"]), (1, &first["turn_id"]));
    let kinds: Vec<&Value> = done[0]["data"]["actions"].as_array().unwrap().iter().map(|it| &it["type"]).collect();
    assert_eq!(kinds, ["toast.show", "toast.show"], "the greeting, and the word that it was done by rote");
    assert_eq!(toast(&desk).await["replay_of"], first["turn_id"]);
    assert!(steps(&turn, "plan").is_empty(), "nobody planned anything");
}

#[tokio::test]
async fn windows_open_by_rote_once_they_are_closed_again() {
    let desk = Desk::start().await;
    let message = "Please open the window named a for me.";
    desk.open("a", buttons(&["save"])).await;
    let before = desk.window("a").await;
    desk.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    let turn = by_rote(&desk, message).await;
    let after = desk.window("a").await;
    for part in ["title", "content", "bounds", "group", "opened_by"] {
        assert_eq!(after[part], before[part]);
    }
    assert_eq!(turn["response"]["message"], "Opened a.");
    by_model(&desk, message).await;
}

#[tokio::test]
async fn pressing_the_same_again_is_done_by_rote_in_its_window() {
    let desk = Desk::start().await;
    desk.open("a", buttons(&["greet"])).await;
    desk.model.push(acts("notify", json!({ "text": "Welcome, Ada." })));
    desk.model.push(Reply::text("Ada is greeted."));
    let act = |name: &str, id: &str| json!({ "action": "greet", "action_id": id, "form_data": { "name": name } });
    desk.ended(&desk.press("a", act("Ada", "first")).await).await;
    let before = desk.model.requests().len();
    let turn = desk.ended(&desk.press("a", act("Ada", "second")).await).await;
    assert_eq!((&turn["response"]["model"], desk.model.requests().len()), (&json!("reload"), before), "{turn}");
    let turn = desk.ended(&desk.press("a", act("Bob", "third")).await).await;
    assert_ne!(turn["response"]["model"], "reload", "another name is another wish: {turn}");
}

#[tokio::test]
async fn what_did_not_work_is_not_done_by_rote_any_more() {
    let desk = Desk::start().await;
    let first = greeted(&desk).await;
    by_rote(&desk, ASKED).await;
    let mut socket = desk.socket().await;
    let press =
        json!({ "session_id": desk.session, "toast_id": toast(&desk).await["toast_id"], "action": "didnt_work" });
    socket.ask("toast.action", press.clone()).await.unwrap();
    let told = socket.until(|it| it["type"] == "toast.action").await.pop().unwrap();
    assert_eq!(told["data"]["replay_of"], first["turn_id"]);
    assert_eq!(socket.ask("toast.action", press).await.unwrap_err()["code"], "not_found", "the toast is gone");
    greeted(&desk).await;
    let desk = desk.restart().await;
    greeted(&desk).await;
    by_model(&desk, ASKED).await;
}

#[tokio::test]
async fn a_repeat_of_a_repeat_is_told_wrong_by_the_same_button() {
    let desk = Desk::start().await;
    let first = greeted(&desk).await;
    by_rote(&desk, ASKED).await;
    by_rote(&desk, ASKED).await;
    let toast = toast(&desk).await;
    assert_eq!(toast["replay_of"], first["turn_id"], "there is one who knew how");
    let press = json!({ "session_id": desk.session, "toast_id": toast["toast_id"], "action": "dismiss" });
    desk.server.socket().await.ask("toast.action", press).await.unwrap();
    by_rote(&desk, ASKED).await;
}

#[tokio::test]
async fn what_was_done_is_known_after_a_kill() {
    let desk = Desk::start().await;
    greeted(&desk).await;
    let desk = desk.restart().await;
    by_rote(&desk, ASKED).await;
    let desk = desk.restart().await;
    by_rote(&desk, ASKED).await;
}

#[tokio::test]
async fn another_situation_or_other_words_are_asked_about() {
    let desk = Desk::start().await;
    greeted(&desk).await;
    for words in ["Show the greeting for visitors", "show the greeting for visitors.", "Show a greeting for visitors."]
    {
        by_model(&desk, words).await;
    }
    by_rote(&desk, &format!("  {ASKED} ")).await;
    let on_another = desk.told(json!({ "message": ASKED, "monitor_id": "work" })).await;
    assert_ne!(on_another["response"]["model"], "reload", "another monitor is another place");

    desk.open("a", markdown("Something.")).await;
    by_model(&desk, ASKED).await;
    desk.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    by_rote(&desk, ASKED).await;

    let pin = acts("pin", json!({ "key": "visitors", "text": "None are expected." }));
    desk.doing("Note that no visitors are expected.", [pin, Reply::text("Noted.")]).await;
    by_model(&desk, ASKED).await;
}

#[tokio::test]
async fn a_line_more_in_the_profile_or_another_model_is_another_situation() {
    let desk = Desk::start().await;
    greeted(&desk).await;
    let mut socket = desk.server.socket().await;
    let set = json!({ "session_id": desk.session, "model": "openai/large" });
    socket.ask("provider.set", set).await.unwrap();
    by_model(&desk, ASKED).await;
    let set = json!({ "session_id": desk.session, "model": "openai/gpt-4.1-mini" });
    socket.ask("provider.set", set).await.unwrap();
    by_rote(&desk, ASKED).await;
    socket.ask("memory.set", json!({ "key": "diet", "value": "vegan" })).await.unwrap();
    by_model(&desk, ASKED).await;
}

#[tokio::test]
async fn similar_requests_are_offered_what_was_done_and_may_do_it() {
    let desk = Desk::start().await;
    let first = greeted(&desk).await;
    let id = first["turn_id"].as_str().unwrap();
    desk.model.push(acts("desktop_replay", json!({ "turn_id": id })));
    desk.model.push(Reply::text("Greeted as before."));
    let turn = by_model(&desk, "Show the greeting for all visitors.").await;
    let told = asked(&desk.model.requests()[2]);
    let offer = told.lines().find(|line| line.starts_with(&format!("- {id}"))).unwrap();
    assert!(told.contains("<reload_options>") && offer.contains(ASKED) && offer.contains("Said \"Welcome"), "{told}");
    let result = steps(&turn, "tool_result")[0];
    assert_eq!((&result["status"], &turn["text"]), (&json!("ok"), &json!("Greeted as before.")), "{result}");
    let log = desk.rest.log(&desk.session).await;
    let done = log.iter().find(|it| it["type"] == "actions" && it["turn_id"] == turn["turn_id"]).unwrap();
    assert_eq!(
        (&done["data"]["replay_of"], &done["data"]["actions"][0]["text"]),
        (&first["turn_id"], &json!("Welcome, all of you."))
    );

    let unknown = acts("desktop_replay", json!({ "turn_id": turn["turn_id"] }));
    let turn = desk.doing("Show the greetings for all visitors.", [unknown, Reply::text("No.")]).await;
    let result = steps(&turn, "tool_result")[0];
    assert!(result["content"].as_str().unwrap().contains("is not remembered"), "a repeat is nobody's model: {result}");
}

#[tokio::test]
async fn two_calls_are_repeated_in_their_order() {
    let desk = Desk::start().await;
    let calls = [
        ToolCall::new("c1", "window_open", json!({ "window_id": "a", "title": "First", "content": markdown("One.") })),
        ToolCall::new("c2", "window_change", json!({ "window_id": "a", "content": markdown("Two.") })),
    ];
    let message = "Show the count up to two.";
    desk.doing(message, [Reply::tool_calls(calls), Reply::text("Two.")]).await;
    desk.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    by_rote(&desk, message).await;
    assert_eq!(desk.window("a").await["content"]["text"], "Two.");
}

#[tokio::test]
async fn an_app_that_opens_by_rote_has_a_token_of_its_own() {
    let desk = Desk::start().await;
    let first = app::open(&desk, "clock", "timer").await;
    desk.does(json!([{ "type": "window.close", "window_id": "clock" }])).await;
    by_rote(&desk, "Please open the window named clock for me.").await;
    let second = desk.window("clock").await["app"]["token"].as_str().unwrap().to_owned();
    assert_ne!(first, second);
    let mut page = desk.socket().await;
    assert_eq!(app::ready(&desk, &mut page, "clock", &first).await.unwrap_err()["code"], "forbidden");
    app::ready(&desk, &mut page, "clock", &second).await.unwrap();
}

#[tokio::test]
async fn what_was_done_is_known_in_the_session_that_goes_on_from_it() {
    let desk = Desk::start().await;
    greeted(&desk).await;
    let path = format!("/api/v1/sessions/{}/restore", desk.session);
    let restored = desk.rest.post(&path, json!({})).await.ok();
    let elsewhere = desk.rest.session().await;
    let desk = Desk { session: restored["session_id"].as_str().unwrap().to_owned(), ..desk };
    by_rote(&desk, ASKED).await;
    let desk = Desk { session: elsewhere, ..desk };
    by_model(&desk, ASKED).await;
}

#[tokio::test]
async fn a_repeat_that_is_cut_off_is_done_once() {
    let desk = Desk::start().await;
    desk.open("a", markdown("Here.")).await;
    desk.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    let (requests, mut tab) = (desk.model.requests().len(), desk.socket().await);
    let turn = desk.send(json!({ "message": "Please open the window named a for me." })).await;
    tab.until(|it| it["type"] == "actions" && it["turn_id"] == turn["turn_id"]).await;
    let desk = desk.restart().await;
    let turn = desk.ended(&turn).await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("Opened a.")), "{turn}");
    let log = desk.rest.log(&desk.session).await;
    let done = log.iter().filter(|it| it["type"] == "actions" && it["turn_id"] == turn["turn_id"]);
    assert_eq!((done.count(), desk.model.requests().len()), (1, requests));
}
