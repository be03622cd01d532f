//! A client sets how long it waits for the first words. After that it gets a handle, and the late
//! answer becomes the answer of the turn.

use std::time::Duration;

use serde_json::json;
use testkit::{ModelServer, Reply};

use crate::{
    harness::{last, say},
    program, started,
};

#[tokio::test]
async fn late_words_leave_a_handle_and_become_the_answer() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    model.push(Reply::text("Here I am.").after(Duration::from_millis(600)));
    let accepted = say(&rest, &session, json!({ "message": "Are you awake?", "early_wait_ms": 100 })).await.ok();
    assert_eq!(accepted["early"], json!({ "late": true, "status": "running", "text": "" }), "no placeholder");
    let turn = rest.ended(accepted["turn_id"].as_str().unwrap()).await;
    assert_eq!((&turn["status"], &turn["text"]), (&json!("completed"), &json!("Here I am.")));
    assert_eq!(turn["response"]["late"], true);

    let next = say(&rest, &session, json!({ "message": "Good, then tell me more." })).await.ok();
    let next = rest.ended(next["turn_id"].as_str().unwrap()).await;
    assert_eq!(next["text"], "You said: Good, then tell me more.", "the next question is a question");
    let expected = ["Are you awake?", "Here I am.", "Good, then tell me more."];
    assert_eq!(last(&model).said(), expected, "the late answer was kept as such");
}

#[tokio::test]
async fn words_in_time_come_with_the_acceptance() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.push(Reply::text("one two three").stall_after(1));
    let session = rest.session().await;
    let accepted = say(&rest, &session, json!({ "message": "Count for me.", "early_wait_ms": 20_000 })).await.ok();
    assert_eq!((&accepted["early"]["late"], &accepted["early"]["text"]), (&json!(false), &json!("one ")));
    rest.post(&format!("/api/v1/sessions/{session}/cancel"), json!({})).await.ok();

    let other = rest.session().await;
    let accepted = say(&rest, &other, json!({ "message": "Hello there.", "early_wait_ms": 20_000 })).await.ok();
    let turn = rest.ended(accepted["turn_id"].as_str().unwrap()).await;
    assert!(turn["response"].get("late").is_none(), "it was not late: {turn}");
}

#[tokio::test]
async fn a_socket_that_waits_goes_on_reading() {
    let (model, _program, server) = started().await;
    model.push(Reply::text("Here I am.").after(Duration::from_millis(1_500)));
    let mut socket = server.socket().await;
    let send = json!({ "conversation_id": "c", "message": "Are you awake?", "early_wait_ms": 800 });
    socket.send_text(&json!({ "type": "chat.send", "id": "early", "data": send }).to_string()).await;
    socket.send_text(&json!({ "type": "ping", "id": "now" }).to_string()).await;
    let before = socket.until(|message| message["re"] == "now").await;
    assert!(before.iter().any(|message| message["type"] == "pong"));
    assert!(!before.iter().any(|message| message["re"] == "early"), "the ping did not wait for the words");

    let accepted = socket.until(|message| message["re"] == "early").await.pop().unwrap();
    assert_eq!((&accepted["type"], &accepted["data"]["early"]["late"]), (&json!("ok"), &json!(true)), "{accepted}");
    let messages = socket.until_end_of(&accepted["data"]["turn_id"]).await;
    let answer = messages.iter().find(|message| message["type"] == "chat.final").unwrap();
    assert_eq!((&answer["data"]["message"], &answer["data"]["late"]), (&json!("Here I am."), &json!(true)));

    let next = socket.ask("chat.send", json!({ "conversation_id": "c", "message": "Tell me more." })).await.unwrap();
    assert_ne!(next["turn_id"], accepted["data"]["turn_id"]);
    let messages = socket.until_end_of(&next["turn_id"]).await;
    let answer = messages.iter().find(|message| message["type"] == "chat.final").unwrap();
    assert_eq!(answer["data"]["message"], "You said: Tell me more.");
}

#[tokio::test]
async fn awaiting_gives_the_state_so_far() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    model.push(Reply::hang());
    let turn = rest.send(&rest.session().await, "Are you awake?").await;
    model.until(|model| model.in_flight() == 1).await;
    let so_far = rest.get(&format!("/api/v1/turns/{turn}?wait_ms=50")).await.ok();
    assert_eq!((&so_far["status"], &so_far["text"]), (&json!("running"), &json!("")));
    assert!(so_far.get("response").is_none());
}

#[tokio::test]
async fn the_answer_is_written_once_however_many_wait_for_it() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for waiting in [0, 8] {
        let session = rest.session().await;
        model.push(Reply::text("Only once.").after(Duration::from_millis(100)));
        let mut frames = server.frames(&session, 0).await;
        let turn = rest.send(&session, "Say it once.").await;
        let waiters: Vec<_> = (0..waiting).map(|_| (rest.clone(), turn.clone())).collect();
        let waiters = waiters.into_iter().map(|(rest, turn)| tokio::spawn(async move { rest.ended(&turn).await }));
        for waiter in waiters.collect::<Vec<_>>() {
            assert_eq!(waiter.await.unwrap()["text"], "Only once.");
        }
        frames.until(|frame| frame.event == "turn.status").await;
        let log = rest.log(&session).await;
        assert_eq!(log.iter().filter(|event| event["type"] == "chat.final").count(), 1, "{waiting} waited");
        assert_eq!(rest.get(&format!("/api/v1/sessions/{session}")).await.ok()["stats"]["completed"], 1);
    }
}

#[tokio::test]
async fn a_wait_that_makes_no_sense_is_refused() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    for wait in [0, 60_001] {
        let refused = say(&rest, &session, json!({ "message": "Hello there.", "early_wait_ms": wait })).await;
        assert_eq!(refused.code(400), "invalid_request");
    }
}

#[tokio::test]
async fn words_that_are_there_already_are_not_waited_for() {
    let model = ModelServer::start().await;
    // None of these turns ends by itself, so each of them occupies an agent.
    let program = program().with_model(&model).with("DWELL_AGENTS_MAX", "16");
    let server = program.start().await;
    let rest = server.rest();
    model.respond_with(|_| Reply::text("one two three").stall_after(1));
    for _ in 0..12 {
        let session = rest.session().await;
        // Whether the words or the wait comes first depends on timing. If a request waited for its
        // whole limit, the test would time out.
        let accepted = say(&rest, &session, json!({ "message": "Count for me.", "early_wait_ms": 60_000 })).await.ok();
        assert_eq!((&accepted["early"]["late"], &accepted["early"]["text"]), (&json!(false), &json!("one ")));
    }
}
