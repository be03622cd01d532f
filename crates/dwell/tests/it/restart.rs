//! Restarts: everything that was accepted is still there, and turns continue.

use serde_json::{Value, json};
use testkit::Reply;

use crate::{apis::put_together, started};

#[tokio::test]
async fn a_turn_cut_by_a_kill_goes_on_by_itself() {
    let (model, program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    model.push(Reply::text("one two three").stall_after(2));
    let turn = rest.send(&session, "count").await;
    let waiting = rest.send(&session, "and then").await;
    let mut socket = server.socket().await;
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    let mut seen = socket.until(|message| message["seq"].is_u64() && message["type"] == "chat.token").await;
    server.kill().await;

    model.push(Reply::text("one two three"));
    let server = program.start().await;
    let last = seen.iter().filter_map(|message| message["seq"].as_u64()).max().unwrap();
    let mut socket = server.socket().await;
    socket.ask("session.resume", json!({ "session_id": session, "after": last })).await.unwrap();
    seen.extend(socket.until_end_of(&json!(turn)).await);
    assert_eq!(put_together(&seen), "one two three", "no word lost, none twice");
    let changes: Vec<&Value> =
        seen.iter().filter(|m| m["type"] == "turn.status").map(|m| &m["data"]["status"]).collect();
    assert_eq!(changes, ["interrupted", "resumed", "completed"]);
    let turn = server.rest().ended(&turn).await;
    assert_eq!((&turn["text"], &turn["attempts"]), (&json!("one two three"), &json!(2)));
    assert_eq!(server.rest().ended(&waiting).await["status"], "completed", "and the queue goes on");
}

#[tokio::test]
async fn after_three_attempts_the_user_has_to_decide() {
    let (model, program, mut server) = started().await;
    let session = server.rest().session().await;
    model.respond_with(|_| Reply::text("never ends").stall_after(1));
    let turn = server.rest().send(&session, "try").await;
    for attempt in 1..=3 {
        model.until(|model| model.requests().len() == attempt).await;
        server.kill().await;
        server = program.start().await;
    }
    let rest = server.rest();
    let given_up = rest.ended(&turn).await;
    assert_eq!((&given_up["status"], &given_up["attempts"]), (&json!("interrupted"), &json!(3)));
    assert_eq!(model.requests().len(), 3);

    model.respond_with(|_| Reply::text("at last"));
    let meanwhile = rest.send(&session, "something else").await;
    assert_eq!(rest.ended(&meanwhile).await["status"], "completed", "it delays no other turn");
    rest.post(&format!("/api/v1/turns/{turn}/resume"), json!({})).await.ok();
    let ended = rest.ended(&turn).await;
    assert_eq!((&ended["status"], &ended["text"]), (&json!("completed"), &json!("at last")));
}

#[tokio::test]
async fn a_session_may_prefer_to_wait() {
    let (model, program, server) = started().await;
    let policy = json!({ "policy": { "on_restart": "wait" } });
    let view = server.rest().post("/api/v1/sessions", policy).await.ok();
    let session = view["session_id"].as_str().unwrap();
    model.push(Reply::hang());
    let turn = server.rest().send(session, "careful").await;
    model.until(|model| model.in_flight() == 1).await;
    server.kill().await;
    let server = program.start().await;
    assert_eq!(server.rest().ended(&turn).await["status"], "interrupted");
    let resumed = server.rest().post(&format!("/api/v1/turns/{turn}/resume"), json!({})).await.ok();
    assert_eq!(resumed["turn_id"], turn);
    assert_eq!(server.rest().ended(&turn).await["status"], "completed");
}

#[tokio::test]
async fn a_polite_stop_keeps_the_words_and_closes_everything() {
    let (model, program, server) = started().await;
    let session = server.rest().session().await;
    model.push(Reply::text("words that are out").stall_after(2));
    let turn = server.rest().send(&session, "go").await;
    let mut socket = server.socket().await;
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    socket.until(|message| message["data"]["delta"].as_str().is_some_and(|text| text.contains("that"))).await;
    let mut frames = server.frames(&session, 0).await;
    let status = server.stop().await;
    assert!(status.success());
    while socket.try_next().await.is_some() {}
    while frames.next().await.is_some() {}
    assert!(!program.folder().join("journal.db-wal").exists(), "the journal is closed");
    assert!(!program.folder().join("address").exists());

    let server = program.start().await;
    let log = server.rest().log(&session).await;
    let before: Vec<Value> = log.into_iter().take_while(|event| event["data"]["status"] != "interrupted").collect();
    assert_eq!(put_together(&before), "words that ");
    assert_eq!(server.rest().ended(&turn).await["text"], "You said: go");
}

#[tokio::test]
async fn an_open_terminal_conversation_survives_a_restart() {
    let (model, program, server) = started().await;
    model.push(Reply::text("one two three four").stall_after(2));
    let asking = program.command(&["ask", "count"]).stdout(std::process::Stdio::piped()).spawn().unwrap();
    model.until(|model| model.in_flight() == 1).await;
    server.kill().await;
    model.push(Reply::text("one two three four"));
    let _server = program.start().await;
    let output = asking.wait_with_output().await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    assert!(text.ends_with("one two three four\n"), "{text}");
}
