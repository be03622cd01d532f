//! Cancelling a turn: over every API, immediately, and only once.

use serde_json::json;
use testkit::Reply;

use crate::started;

#[tokio::test]
async fn a_second_connection_cancels_in_the_middle_of_the_stream() {
    let (model, _program, server) = started().await;
    model.push(Reply::text("one two three").stall_after(2));
    let mut talker = server.socket().await;
    let accepted = talker.ask("chat.send", json!({ "conversation_id": "c", "message": "count" })).await.unwrap();
    talker.until(|message| message["data"]["delta"].as_str().is_some_and(|text| text.ends_with("two "))).await;

    let mut other = server.socket().await;
    let cancel = json!({ "conversation_id": "c", "turn_id": accepted["turn_id"], "reason": "enough" });
    let answer = other.ask("agent.cancel", cancel.clone()).await.unwrap();
    assert_eq!(answer, json!({ "status": "cancelled", "turn_ids": [accepted["turn_id"]] }));
    let messages = talker.until_end_of(&accepted["turn_id"]).await;
    let end = messages.last().unwrap();
    assert_eq!((&end["data"]["status"], &end["data"]["reason"]), (&json!("cancelled"), &json!("enough")));
    assert!(end["data"]["usage"]["input_tokens"].as_u64().unwrap() > 0, "its usage is reported: {end}");
    model.until(|model| model.aborted() == 1).await;

    let again = other.ask("agent.cancel", cancel).await.unwrap();
    assert_eq!(again["status"], "already_final");
    let turn = other.ask("turn.get", json!({ "turn_id": accepted["turn_id"] })).await.unwrap();
    assert_eq!((&turn["status"], &turn["text"]), (&json!("cancelled"), &json!("one two ")), "the words so far stay");

    let next = talker.ask("chat.send", json!({ "conversation_id": "c", "message": "next" })).await.unwrap();
    let messages = talker.until_end_of(&next["turn_id"]).await;
    assert_eq!(messages.last().unwrap()["data"]["status"], "completed", "the next turn runs");
}

#[tokio::test]
async fn cancelling_a_session_cancels_all_that_is_open() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    model.push(Reply::hang());
    let mut turns = Vec::new();
    for n in 0..3 {
        turns.push(rest.send(&session, &format!("m{n}")).await);
    }
    let answer = rest.post(&format!("/api/v1/sessions/{session}/cancel"), json!({})).await.ok();
    assert_eq!(answer["turn_ids"], json!(turns));
    for turn in &turns {
        assert_eq!(rest.ended(turn).await["status"], "cancelled");
    }
    let nothing = rest.post(&format!("/api/v1/sessions/{session}/cancel"), json!({})).await.ok();
    assert_eq!(nothing, json!({ "status": "cancelled", "turn_ids": [] }));
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let unknown = rest.post("/api/v1/turns/01ARZ3NDEKTSV4RRFFQ69G5FAV/cancel", json!({})).await.ok();
    assert_eq!(unknown["status"], "not_found");
    let (mine, other) = (rest.session().await, rest.session().await);
    let turn = rest.send(&mine, "hello").await;
    rest.ended(&turn).await;
    let mut socket = server.socket().await;
    let elsewhere = socket.ask("agent.cancel", json!({ "session_id": other, "turn_id": turn })).await.unwrap();
    assert_eq!(elsewhere["status"], "not_found", "a turn of another session is none of this one");
    let finished = rest.post(&format!("/api/v1/turns/{turn}/cancel"), json!({})).await.ok();
    assert_eq!(finished["status"], "already_final");
}

#[tokio::test]
async fn leaving_does_not_cancel() {
    let (model, _program, server) = started().await;
    model.push(Reply::text("a b c d e f g h").every(std::time::Duration::from_millis(10)));
    let mut socket = server.socket().await;
    let accepted = socket.ask("chat.send", json!({ "conversation_id": "c", "message": "go" })).await.unwrap();
    drop(socket);
    let ended = server.rest().ended(accepted["turn_id"].as_str().unwrap()).await;
    assert_eq!((&ended["status"], &ended["text"]), (&json!("completed"), &json!("a b c d e f g h")));
}
