//! The replay cache: an exact repeat of a message in the same situation is answered from the cache,
//! without the model.

use serde_json::{Value, json};
use testkit::{Reply, ToolCall};

use super::{DesktopHarness, acts, app, asked, buttons, markdown};
use crate::harness::steps;

/// The message of most of these tests.
const ASKED: &str = "Show the greeting for visitors.";

/// Lets the main agent show a greeting and answer.
async fn greeted(harness: &DesktopHarness) -> Value {
    let greeting = acts("notify", json!({ "text": "Welcome, all of you." }));
    let turn = harness.doing(ASKED, [greeting, Reply::text("They are greeted.")]).await;
    assert_eq!((&turn["status"], &turn["response"]["model"]), (&json!("completed"), &json!("openai/gpt-4.1-mini")));
    turn
}

/// Sends a message that must be answered from the cache.
async fn by_rote(harness: &DesktopHarness, message: &str) -> Value {
    let before = harness.model.requests().len();
    let turn = harness.say(message).await;
    assert_eq!((&turn["status"], &turn["response"]["model"]), (&json!("completed"), &json!("reload")), "{turn}");
    assert_eq!(harness.model.requests().len(), before, "no model is asked");
    turn
}

/// Sends a message that must be answered by the model.
async fn by_model(harness: &DesktopHarness, message: &str) -> Value {
    let before = harness.model.requests().len();
    let turn = harness.say(message).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    assert!(
        turn["response"]["model"] != "reload" && harness.model.requests().len() > before,
        "a model is asked: {turn}"
    );
    turn
}

/// The toast that announces a replay.
async fn toast(harness: &DesktopHarness) -> Value {
    let desktop = harness.desktop().await;
    let toasts = desktop["toasts"].as_array().unwrap();
    toasts.iter().find(|it| it["button"]["action"] == "didnt_work").cloned().unwrap()
}

#[tokio::test]
async fn an_exact_repeat_is_done_by_rote_and_says_so() {
    let harness = DesktopHarness::start().await;
    let first = greeted(&harness).await;
    let mut socket = harness.socket().await;
    let turn = by_rote(&harness, ASKED).await;
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
    assert_eq!(kinds, ["toast.show", "toast.show"], "the greeting, and the notice of the replay");
    assert_eq!(toast(&harness).await["replay_of"], first["turn_id"]);
    assert!(steps(&turn, "plan").is_empty(), "there was no plan");
}

#[tokio::test]
async fn windows_open_by_rote_once_they_are_closed_again() {
    let harness = DesktopHarness::start().await;
    let message = "Please open the window named a for me.";
    harness.open("a", buttons(&["save"])).await;
    let before = harness.window("a").await;
    harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    let turn = by_rote(&harness, message).await;
    let after = harness.window("a").await;
    for part in ["title", "content", "bounds", "group", "opened_by"] {
        assert_eq!(after[part], before[part]);
    }
    assert_eq!(turn["response"]["message"], "Opened a.");
    by_model(&harness, message).await;
}

#[tokio::test]
async fn pressing_the_same_again_is_done_by_rote_in_its_window() {
    let harness = DesktopHarness::start().await;
    harness.open("a", buttons(&["greet"])).await;
    harness.model.push(acts("notify", json!({ "text": "Welcome, Ada." })));
    harness.model.push(Reply::text("Ada is greeted."));
    let act = |name: &str, id: &str| json!({ "action": "greet", "action_id": id, "form_data": { "name": name } });
    harness.ended(&harness.press("a", act("Ada", "first")).await).await;
    let before = harness.model.requests().len();
    let turn = harness.ended(&harness.press("a", act("Ada", "second")).await).await;
    assert_eq!((&turn["response"]["model"], harness.model.requests().len()), (&json!("reload"), before), "{turn}");
    let turn = harness.ended(&harness.press("a", act("Bob", "third")).await).await;
    assert_ne!(turn["response"]["model"], "reload", "another name is another request: {turn}");
}

#[tokio::test]
async fn what_did_not_work_is_not_done_by_rote_any_more() {
    let harness = DesktopHarness::start().await;
    let first = greeted(&harness).await;
    by_rote(&harness, ASKED).await;
    let mut socket = harness.socket().await;
    let press =
        json!({ "session_id": harness.session, "toast_id": toast(&harness).await["toast_id"], "action": "didnt_work" });
    socket.ask("toast.action", press.clone()).await.unwrap();
    let told = socket.until(|it| it["type"] == "toast.action").await.pop().unwrap();
    assert_eq!(told["data"]["replay_of"], first["turn_id"]);
    assert_eq!(socket.ask("toast.action", press).await.unwrap_err()["code"], "not_found", "the toast is gone");
    greeted(&harness).await;
    let harness = harness.restart().await;
    greeted(&harness).await;
    by_model(&harness, ASKED).await;
}

#[tokio::test]
async fn a_repeat_of_a_repeat_is_told_wrong_by_the_same_button() {
    let harness = DesktopHarness::start().await;
    let first = greeted(&harness).await;
    by_rote(&harness, ASKED).await;
    by_rote(&harness, ASKED).await;
    let toast = toast(&harness).await;
    assert_eq!(toast["replay_of"], first["turn_id"], "it names the original turn");
    let press = json!({ "session_id": harness.session, "toast_id": toast["toast_id"], "action": "dismiss" });
    harness.server.socket().await.ask("toast.action", press).await.unwrap();
    by_rote(&harness, ASKED).await;
}

#[tokio::test]
async fn what_was_done_is_known_after_a_kill() {
    let harness = DesktopHarness::start().await;
    greeted(&harness).await;
    let harness = harness.restart().await;
    by_rote(&harness, ASKED).await;
    let harness = harness.restart().await;
    by_rote(&harness, ASKED).await;
}

#[tokio::test]
async fn another_situation_or_other_words_are_asked_about() {
    let harness = DesktopHarness::start().await;
    greeted(&harness).await;
    for words in ["Show the greeting for visitors", "show the greeting for visitors.", "Show a greeting for visitors."]
    {
        by_model(&harness, words).await;
    }
    by_rote(&harness, &format!("  {ASKED} ")).await;
    let on_another = harness.told(json!({ "message": ASKED, "monitor_id": "work" })).await;
    assert_ne!(on_another["response"]["model"], "reload", "another monitor is another place");

    harness.open("a", markdown("Something.")).await;
    by_model(&harness, ASKED).await;
    harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    by_rote(&harness, ASKED).await;

    let pin = acts("pin", json!({ "key": "visitors", "text": "None are expected." }));
    harness.doing("Note that no visitors are expected.", [pin, Reply::text("Noted.")]).await;
    by_model(&harness, ASKED).await;
}

#[tokio::test]
async fn a_line_more_in_the_profile_or_another_model_is_another_situation() {
    let harness = DesktopHarness::start().await;
    greeted(&harness).await;
    let mut socket = harness.server.socket().await;
    let set = json!({ "session_id": harness.session, "model": "openai/large" });
    socket.ask("provider.set", set).await.unwrap();
    by_model(&harness, ASKED).await;
    let set = json!({ "session_id": harness.session, "model": "openai/gpt-4.1-mini" });
    socket.ask("provider.set", set).await.unwrap();
    by_rote(&harness, ASKED).await;
    socket.ask("memory.set", json!({ "key": "diet", "value": "vegan" })).await.unwrap();
    by_model(&harness, ASKED).await;
}

#[tokio::test]
async fn similar_requests_are_offered_what_was_done_and_may_do_it() {
    let harness = DesktopHarness::start().await;
    let first = greeted(&harness).await;
    let id = first["turn_id"].as_str().unwrap();
    harness.model.push(acts("desktop_replay", json!({ "turn_id": id })));
    harness.model.push(Reply::text("Greeted as before."));
    let turn = by_model(&harness, "Show the greeting for all visitors.").await;
    let told = asked(&harness.model.requests()[2]);
    let offer = told.lines().find(|line| line.starts_with(&format!("- {id}"))).unwrap();
    assert!(told.contains("<reload_options>") && offer.contains(ASKED) && offer.contains("Said \"Welcome"), "{told}");
    let result = steps(&turn, "tool_result")[0];
    assert_eq!((&result["status"], &turn["text"]), (&json!("ok"), &json!("Greeted as before.")), "{result}");
    let log = harness.rest.log(&harness.session).await;
    let done = log.iter().find(|it| it["type"] == "actions" && it["turn_id"] == turn["turn_id"]).unwrap();
    assert_eq!(
        (&done["data"]["replay_of"], &done["data"]["actions"][0]["text"]),
        (&first["turn_id"], &json!("Welcome, all of you."))
    );

    let unknown = acts("desktop_replay", json!({ "turn_id": turn["turn_id"] }));
    let turn = harness.doing("Show the greetings for all visitors.", [unknown, Reply::text("No.")]).await;
    let result = steps(&turn, "tool_result")[0];
    assert!(
        result["content"].as_str().unwrap().contains("are not remembered"),
        "a replay is not stored again: {result}"
    );
}

#[tokio::test]
async fn two_calls_are_repeated_in_their_order() {
    let harness = DesktopHarness::start().await;
    let calls = [
        ToolCall::new("c1", "window_open", json!({ "window_id": "a", "title": "First", "content": markdown("One.") })),
        ToolCall::new("c2", "window_change", json!({ "window_id": "a", "content": markdown("Two.") })),
    ];
    let message = "Show the count up to two.";
    harness.doing(message, [Reply::tool_calls(calls), Reply::text("Two.")]).await;
    harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    by_rote(&harness, message).await;
    assert_eq!(harness.window("a").await["content"]["text"], "Two.");
}

#[tokio::test]
async fn an_app_that_opens_by_rote_has_a_token_of_its_own() {
    let harness = DesktopHarness::start().await;
    let first = app::open(&harness, "clock", "timer").await;
    harness.does(json!([{ "type": "window.close", "window_id": "clock" }])).await;
    by_rote(&harness, "Please open the window named clock for me.").await;
    let second = harness.window("clock").await["app"]["token"].as_str().unwrap().to_owned();
    assert_ne!(first, second);
    let mut page = harness.socket().await;
    assert_eq!(app::ready(&harness, &mut page, "clock", &first).await.unwrap_err()["code"], "forbidden");
    app::ready(&harness, &mut page, "clock", &second).await.unwrap();
}

#[tokio::test]
async fn what_was_done_is_known_in_the_session_that_goes_on_from_it() {
    let harness = DesktopHarness::start().await;
    greeted(&harness).await;
    let path = format!("/api/v1/sessions/{}/restore", harness.session);
    let restored = harness.rest.post(&path, json!({})).await.ok();
    let elsewhere = harness.rest.session().await;
    let harness = DesktopHarness { session: restored["session_id"].as_str().unwrap().to_owned(), ..harness };
    by_rote(&harness, ASKED).await;
    let harness = DesktopHarness { session: elsewhere, ..harness };
    by_model(&harness, ASKED).await;
}

#[tokio::test]
async fn a_repeat_that_is_cut_off_is_done_once() {
    let harness = DesktopHarness::start().await;
    harness.open("a", markdown("Here.")).await;
    harness.does(json!([{ "type": "window.close", "window_id": "a" }])).await;
    let (requests, mut tab) = (harness.model.requests().len(), harness.socket().await);
    let turn = harness.send(json!({ "message": "Please open the window named a for me." })).await;
    tab.until(|it| it["type"] == "actions" && it["turn_id"] == turn["turn_id"]).await;
    let harness = harness.restart().await;
    let turn = harness.ended(&turn).await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("Opened a.")), "{turn}");
    let log = harness.rest.log(&harness.session).await;
    let done = log.iter().filter(|it| it["type"] == "actions" && it["turn_id"] == turn["turn_id"]);
    assert_eq!((done.count(), harness.model.requests().len()), (1, requests));
}
