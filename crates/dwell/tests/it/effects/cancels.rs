//! A cancel at every step of a turn that calls tools with effects: the conversation can continue
//! afterwards.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{RestClient, RunningServer, Socket};

use super::harness::{CallShape, EffectsHarness, TASK, TOOLS, check_log, script, steps, task};

/// A session with a turn that has started, and a socket that follows it.
async fn begun(server: &RunningServer) -> (String, Socket) {
    let mut socket = server.socket().await;
    let view = socket.ask("session.start", json!({})).await.unwrap();
    let session = view["session_id"].as_str().unwrap().to_owned();
    socket.send_text(&task(&session)).await;
    (session, socket)
}

/// Cancels all open turns of the session over another connection than the one that sent the
/// message.
async fn cancel(rest: &RestClient, session: &str) -> usize {
    let answer = rest.post(&format!("/api/v1/sessions/{session}/cancel"), json!({})).await.ok();
    answer["turn_ids"].as_array().unwrap().len()
}

/// The next turn of the session is answered by a model that checks the order of the conversation.
async fn goes_on(harness: &EffectsHarness, rest: &RestClient, session: &str) -> Vec<Value> {
    let next = rest.send(session, "What comes next in the calendar?").await;
    let next = rest.ended(&next).await;
    assert_eq!(harness.model.violations(), Vec::<String>::new());
    assert_eq!((&next["status"], &next["text"]), (&json!("completed"), &json!("And on we go.")), "{next}");
    let log = rest.log(session).await;
    check_log(&log);
    log
}

fn status(log: &[Value]) -> &Value {
    let first = log.iter().find(|event| event["type"] == "message.accepted").map(|event| &event["turn_id"]).unwrap();
    let mine = log.iter().rfind(|event| event["type"] == "turn.status" && event["turn_id"] == *first);
    &mine.unwrap()["data"]["status"]
}

async fn cancel_at_every_event(shape: CallShape) {
    let harness = EffectsHarness::set(shape).await;
    // Slow enough that cancels arrive in time on a busy machine.
    harness.model.respond_with(move |request| script(shape, request).after(Duration::from_millis(40)));
    let server = harness.program.start().await;
    let rest = server.rest();
    let mut cancelled = 0;
    for number in 2.. {
        let (session, mut socket) = begun(&server).await;
        let seen = socket
            .until(|message| {
                let is_end = message["type"] == "turn.status" && message["data"]["status"] == "completed";
                is_end || message["seq"].as_u64().is_some_and(|seq| seq >= number)
            })
            .await;
        let was_open = cancel(&rest, &session).await;
        let log = goes_on(&harness, &rest, &session).await;
        assert_eq!(status(&log), if was_open == 1 { "cancelled" } else { "completed" });
        assert!(steps(&log, "tool_call").count() <= 4);
        cancelled += was_open;
        if seen.last().unwrap()["type"] == "turn.status" {
            break;
        }
    }
    assert!(cancelled >= 5, "only {cancelled} turns were still open when they were cancelled");
    for tool in TOOLS {
        assert_eq!(harness.entries(tool).iter().filter(|entry| entry.is_repeat).count(), 0, "nothing is tried again");
    }
}

#[tokio::test]
async fn a_cancel_at_any_event_leaves_a_conversation_that_goes_on() {
    cancel_at_every_event(CallShape::OneRound).await;
}

#[tokio::test]
async fn a_cancel_at_any_event_of_four_rounds_leaves_a_conversation_that_goes_on() {
    cancel_at_every_event(CallShape::FourRounds).await;
}

#[tokio::test]
async fn a_cancel_while_a_tool_runs_tells_the_model_what_may_have_happened() {
    let harness = EffectsHarness::set(CallShape::OneRound).await;
    let server = harness.program.start().await;
    let rest = server.rest();
    for (place, tool) in TOOLS.into_iter().enumerate() {
        harness.tool_server.hold(tool);
        let (session, _socket) = begun(&server).await;
        harness.tool_server.until(|tool_server| tool_server.waiting(tool) == 1).await;
        assert_eq!(cancel(&rest, &session).await, 1);
        harness.tool_server.until(|tool_server| tool_server.waiting(tool) == 0).await;
        harness.tool_server.release(tool);
        let log = goes_on(&harness, &rest, &session).await;
        assert_eq!(status(&log), "cancelled");

        let results: Vec<&Value> = steps(&log, "tool_result").collect();
        let told = |result: &Value| result["content"].as_str().unwrap().to_owned();
        assert!(results[..place].iter().all(|result| result["status"] == "ok"));
        assert!(results[place..].iter().all(|result| result["status"] == "cancelled"));
        let may_have = if tool == "look_at_sky" { "The call was stopped:" } else { "it may have taken effect" };
        assert!(told(results[place]).contains(may_have), "{}", results[place]);
        assert!(results[place + 1..].iter().all(|result| told(result).starts_with("The call was not run")));

        let asked = harness.model.requests().pop().unwrap();
        let contents = asked.messages().iter().filter(|message| message["role"] == "tool");
        let contents: Vec<String> = contents.map(|message| message["content"].as_str().unwrap().to_owned()).collect();
        assert_eq!(contents, results.iter().map(|result| told(result)).collect::<Vec<_>>(), "the model is told all");
    }
}

#[tokio::test]
async fn a_turn_that_waits_to_be_told_can_be_cancelled() {
    let harness = EffectsHarness::set_for("send_letter").await;
    harness.tool_server.fail_after("send_letter", 500);
    let server = harness.program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = rest.send(&session, TASK).await;
    assert_eq!(rest.ended(&turn).await["status"], "waiting");

    assert_eq!(cancel(&rest, &session).await, 1);
    let turn = rest.ended(&turn).await;
    assert_eq!((&turn["status"], &turn["question"]), (&json!("cancelled"), &Value::Null));
    let again = rest.post(&format!("/api/v1/turns/{}/resume", turn["turn_id"].as_str().unwrap()), json!({})).await;
    assert_eq!(again.code(409), "already_final");
    let next = rest.send(&session, "What comes next in the calendar?").await;
    assert_eq!(rest.ended(&next).await["status"], "completed");
    assert_eq!(harness.model.violations(), Vec::<String>::new());
    check_log(&rest.log(&session).await);
    assert_eq!(harness.tool_server.effects("send_letter"), 1);
}
