//! Turns in the background: beside the conversation, with budgets of their own, listed, paused and
//! resumed, over restarts, and with an alert at their end.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use testkit::{McpWire, Reply, RestClient};

use crate::{
    harness::{ToolHarness, calls, harness, harness_with, last, results, say, session_with, steps, told},
    program, started,
};

/// More than the number of attempts after which a turn that does not get on is given up.
const RESTARTS: usize = 5;

fn id(accepted: &Value) -> &str {
    accepted["turn_id"].as_str().unwrap()
}

async fn begin(rest: &RestClient, session: &str, message: &str) -> String {
    let accepted = say(rest, session, json!({ "message": message, "background": true })).await.ok();
    assert!(accepted["agent_id"].as_str().unwrap().starts_with("background-"), "{accepted}");
    id(&accepted).to_owned()
}

/// The turns in the background, newest first.
async fn listed(rest: &RestClient, query: &str) -> Vec<Value> {
    let page = rest.get(&format!("/api/v1/background{query}")).await.ok();
    page["data"].as_array().unwrap().clone()
}

async fn until_status(rest: &RestClient, turn: &str, status: &str) -> Value {
    until(rest, turn, |view| view["status"] == status).await
}

async fn until(rest: &RestClient, turn: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let mut view = Value::Null;
    for _ in 0..1_000 {
        view = rest.get(&format!("/api/v1/turns/{turn}")).await.ok();
        if is_so(&view) {
            return view;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the turn stays as it is: {view}");
}

async fn alert_of(rest: &RestClient, turn: &str) -> Value {
    for _ in 0..1_000 {
        let page = rest.get("/api/v1/alerts?limit=200").await.ok();
        if let Some(found) = page["data"].as_array().unwrap().iter().find(|alert| alert["turn_id"] == turn) {
            return found.clone();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no alert was raised for {turn}");
}

#[tokio::test]
async fn work_goes_on_beside_the_conversation_and_its_end_raises_an_alert() {
    let ToolHarness { model, tool_server, server, program } = harness().await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "budgets": { "max_steps": 1, "max_tool_calls": 1 } })).await;
    told(&rest, &session, json!({ "message": "My project is called Heron." })).await;
    tool_server.hold("look_at_sky");
    model.respond_with(|request| match (request.last_user().contains("Watch the sky"), results(request).len()) {
        (false, _) => Reply::echo(request),
        (true, 3) => Reply::text("Three looks: all clear."),
        (true, done) => calls(&format!("c{done}"), "look_at_sky", "north"),
    });
    let work = begin(&rest, &session, "Watch the sky for my project.").await;
    tool_server.until(|tools| tools.waiting("look_at_sky") == 1).await;

    let list = listed(&rest, "").await;
    assert_eq!((list.len(), &list[0]["turn_id"], &list[0]["status"]), (1, &json!(work), &json!("running")));
    assert_eq!((&list[0]["tool"], &list[0]["rounds"]), (&json!("look_at_sky"), &json!(1)));
    assert!(list[0]["heartbeat_at"].is_string(), "{list:?}");
    let shown = program.run(&["turns", "background"]).await;
    assert!(shown.stdout.contains(&work) && shown.stdout.contains("Watch the sky"), "{}", shown.stdout);

    // The conversation is not held up, and does not count as its steps.
    let chat = told(&rest, &session, json!({ "message": "Are you there?" })).await;
    assert_eq!((&chat["status"], &chat["agent_id"]), (&json!("completed"), &json!("main")));
    tool_server.release("look_at_sky");
    let ended = rest.ended(&work).await;
    assert_eq!((&ended["status"], &ended["text"]), (&json!("completed"), &json!("Three looks: all clear.")));
    assert_eq!(tool_server.effects("look_at_sky"), 3, "more than a turn of the conversation may do");
    assert!(ended["heartbeat_at"].is_null());

    let alert = alert_of(&rest, &work).await;
    assert_eq!((&alert["kind"], &alert["text"]), (&json!("answer"), &json!("Three looks: all clear.")));
    assert!(listed(&rest, "").await.is_empty());
    let list = listed(&rest, "?ended=true&limit=1").await;
    assert_eq!((&list[0]["status"], &list[0]["text"]), (&json!("completed"), &json!("Three looks: all clear.")));

    // It knew the conversation so far, and is part of the conversation from now on.
    told(&rest, &session, json!({ "message": "And what did you see?" })).await;
    let said = last(&model).said().join("\n");
    assert!(said.contains("Three looks: all clear.") && said.contains("Heron"), "{said}");
    let told_to_work = model.requests().into_iter().find(|request| request.last_user().contains("Watch the sky"));
    assert!(told_to_work.unwrap().said().join("\n").contains("Heron"));
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_turn_is_paused_without_cutting_a_call_off_and_goes_on_where_it_was() {
    let ToolHarness { model, tool_server, server, program } = harness().await;
    let rest = server.rest();
    let session = rest.session().await;
    tool_server.hold("set_label");
    model.push(calls("c1", "set_label", "once"));
    let work = begin(&rest, &session, "Label it, then say so.").await;
    tool_server.until(|tools| tools.waiting("set_label") == 1).await;
    let pausing = rest.post(&format!("/api/v1/turns/{work}/pause"), json!({})).await.ok();
    assert_eq!(pausing, json!({ "turn_id": work, "status": "running" }), "its call runs to its end");
    tool_server.release("set_label");
    until_status(&rest, &work, "paused").await;
    let again = rest.post(&format!("/api/v1/turns/{work}/pause"), json!({})).await.ok();
    assert_eq!(again["status"], "paused");
    assert_eq!(listed(&rest, "").await[0]["status"], "paused");
    let rounds = |turn: &Value| turn["steps"].as_array().unwrap().iter().filter(|step| step["type"] == "plan").count();
    assert_eq!(rounds(&until_status(&rest, &work, "paused").await), 1, "no round after the pause");

    // It stays paused over a restart, however the server ends.
    server.kill().await;
    let server = program.start().await;
    let rest = server.rest();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(rest.get(&format!("/api/v1/turns/{work}")).await.ok()["status"], "paused");
    model.push(Reply::text("Done."));
    rest.post(&format!("/api/v1/turns/{work}/resume"), json!({})).await.ok();
    let ended = rest.ended(&work).await;
    assert_eq!(
        (&ended["status"], &ended["text"], &ended["attempts"]),
        (&json!("completed"), &json!("Done."), &json!(1))
    );
    assert_eq!(tool_server.effects("set_label"), 1);
    let refused = rest.post(&format!("/api/v1/turns/{work}/pause"), json!({})).await;
    assert_eq!(refused.code(409), "already_final");
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_model_call_is_given_up_at_a_pause_and_asked_again() {
    let (model, program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    model.push(Reply::text("thinking …").stall_after(1));
    let work = begin(&rest, &session, "Think for long.").await;
    until_status(&rest, &work, "streaming").await;
    let shown = program.run(&["turns", "pause", &work]).await;
    assert!(shown.stdout.contains("paused"), "{}", shown.stdout);
    model.until(|model| model.aborted() == 1).await;
    model.push(Reply::text("A thought."));
    program.run(&["turns", "resume", &work]).await;
    assert_eq!(rest.ended(&work).await["text"], "A thought.");

    // A queued turn leaves its queue, and joins it again.
    model.push(Reply::text("busy …").stall_after(1));
    let running = rest.send(&session, "First.").await;
    until_status(&rest, &running, "streaming").await;
    let queued = rest.send(&session, "Second.").await;
    rest.post(&format!("/api/v1/turns/{queued}/pause"), json!({})).await.ok();
    rest.post(&format!("/api/v1/turns/{running}/cancel"), json!({})).await.ok();
    rest.ended(&running).await;
    assert_eq!(rest.get(&format!("/api/v1/turns/{queued}")).await.ok()["status"], "paused");
    rest.post(&format!("/api/v1/turns/{queued}/resume"), json!({})).await.ok();
    assert_eq!(rest.ended(&queued).await["text"], "You said: Second.");
}

#[tokio::test]
async fn a_long_turn_outlives_any_number_of_restarts_as_long_as_it_gets_on() {
    let ToolHarness { model, server, program, .. } = harness().await;
    let allowed = Arc::new(AtomicUsize::new(0));
    model.respond_with({
        let allowed = allowed.clone();
        move |request| match results(request).len() {
            RESTARTS => Reply::text("The list is done."),
            done if done > allowed.load(Ordering::SeqCst) => Reply::hang(),
            done => calls(&format!("c{done}"), "look_at_sky", "one more"),
        }
    });
    let session = server.rest().session().await;
    let work = begin(&server.rest(), &session, "Work through the list.").await;
    let mut server = server;
    for round in 0..RESTARTS {
        // What is not written yet when the server is killed is no progress.
        let rest = server.rest();
        until(&rest, &work, |turn| steps(turn, "tool_result").len() > round).await;
        server.kill().await;
        allowed.store(round + 1, Ordering::SeqCst);
        server = program.start().await;
    }
    let ended = server.rest().ended(&work).await;
    assert_eq!((&ended["status"], &ended["text"]), (&json!("completed"), &json!("The list is done.")), "{ended}");
}

#[tokio::test]
async fn an_owner_has_only_so_many_at_work_and_a_session_may_limit_them() {
    let ToolHarness { model, tool_server, server, program: _program } =
        harness_with(|_| {}, |program| program.with("DWELL_BACKGROUND_OWNER_MAX", "1")).await;
    let rest = server.rest();
    let session = session_with(&rest, json!({ "budgets": { "background": { "max_steps": 2 } } })).await;
    tool_server.hold("look_at_sky");
    model.respond_with(|request| {
        if request.tools().is_empty() { Reply::text("That is all.") } else { calls("c", "look_at_sky", "x") }
    });
    let first = begin(&rest, &session, "One.").await;
    tool_server.until(|tools| tools.waiting("look_at_sky") == 1).await;
    let second = begin(&rest, &session, "Two.").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(model.requests().len(), 1, "the second waits for the first");
    tool_server.release("look_at_sky");
    for turn in [&first, &second] {
        let ended = rest.ended(turn).await;
        let rounds = ended["steps"].as_array().unwrap().iter().filter(|step| step["type"] == "plan").count();
        assert!(rounds <= 3 && ended["status"] == "completed", "{ended}");
    }
    let refused = session_refused(&rest, json!({ "budgets": { "background": { "max_duration_ms": 0 } } })).await;
    assert_eq!(refused, "invalid_request");
}

async fn session_refused(rest: &RestClient, settings: Value) -> String {
    let answer = rest.post("/api/v1/sessions", settings).await;
    answer.body["code"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn mcp_and_the_socket_know_turns_in_the_background() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let mcp = server.mcp(McpWire::Session, json!({})).await;
    model.push(Reply::text("thinking …").stall_after(1));
    let sent = json!({ "session_id": "long-work", "message": "Take your time.", "background": true });
    let begun = mcp.data("send_message", sent).await;
    let turn = begun["continuation_id"].as_str().unwrap().to_owned();
    until_status(&rest, &turn, "streaming").await;
    let list = mcp.data("list_background", json!({})).await;
    assert_eq!(list["data"][0]["turn_id"], json!(turn), "{list}");
    let paused = mcp.data("pause", json!({ "continuation_id": turn })).await;
    assert_eq!(paused["status"], "paused", "{paused}");

    let mut socket = server.socket().await;
    let list = socket.ask("background.list", json!({})).await.unwrap();
    assert_eq!(list["data"][0]["status"], "paused");
    model.push(Reply::text("Here it is."));
    socket.ask("turn.resume", json!({ "turn_id": turn })).await.unwrap();
    assert_eq!(rest.ended(&turn).await["text"], "Here it is.");
    let refused = socket.ask("turn.pause", json!({ "turn_id": turn })).await.unwrap_err();
    assert_eq!(refused["code"], "already_final", "{refused}");
}

#[tokio::test]
async fn the_command_line_begins_work_without_waiting_for_it() {
    let program = program();
    let server = program.start().await;
    let begun = program.run(&["ask", "--background", "--json", "What is 12 times 12?"]).await;
    let accepted: Value = serde_json::from_str(&begun.stdout).unwrap();
    let ended = server.rest().ended(id(&accepted)).await;
    assert!(ended["text"].as_str().unwrap().contains("144"), "{ended}");
    let list = program.run(&["turns", "background", "--ended"]).await;
    assert!(list.stdout.contains("completed"), "{}", list.stdout);
}

#[tokio::test]
async fn what_is_not_taken_up_again_by_itself_raises_an_alert() {
    let (model, program, server) = started().await;
    let session = session_with(&server.rest(), json!({ "policy": { "on_restart": "wait" } })).await;
    model.push(Reply::hang());
    let turn = begin(&server.rest(), &session, "Look through the archive.").await;
    model.until(|model| model.in_flight() == 1).await;
    server.kill().await;
    let server = program.start().await;
    let rest = server.rest();
    let alert = alert_of(&rest, &turn).await;
    assert_eq!((&alert["kind"], &alert["title"]), (&json!("turn_waiting"), &json!("Look through the archive.")));
    assert!(alert["text"].as_str().unwrap().contains("policy is to wait"), "{alert}");
    rest.post(&format!("/api/v1/turns/{turn}/resume"), json!({})).await.ok();
    until_status(&rest, &turn, "completed").await;
}
