//! Clients that follow a session are told when it is deleted.

use reqwest::Method;
use serde_json::json;
use testkit::Reply;

use super::delete;
use crate::started;

#[tokio::test]
async fn followers_hear_that_it_is_gone_and_open_turns_are_cancelled() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let elsewhere = rest.session().await;
    let mut follower = server.socket().await;
    for each in [&session, &elsewhere] {
        follower.ask("session.resume", json!({ "session_id": each, "after": 0 })).await.unwrap();
    }
    let mut frames = server.frames(&session, 0).await;
    model.push(Reply::text("one two three").stall_after(1));
    let turn = rest.send(&session, "Count, please.").await;
    model.until(|model| model.requests().len() == 1).await;
    let waiting = tokio::spawn({
        let (rest, turn) = (rest.clone(), turn.clone());
        async move { rest.get(&format!("/api/v1/turns/{turn}?wait_ms=30000")).await }
    });

    delete(&rest, &session, "").await.ok();
    let heard = follower.until(|message| message["type"] == "session.deleted").await;
    assert_eq!(heard.last().unwrap()["session_id"], session.as_str());
    assert!(heard.iter().any(|it| it["turn_id"] == turn.as_str() && it["data"]["status"] == "cancelled"), "{heard:?}");
    let ended = heard.iter().find(|message| message["type"] == "session.ended").unwrap();
    assert_eq!(ended["data"]["reason"], "it is deleted");
    let error = follower.next().await;
    assert_eq!((&error["type"], &error["data"]["code"]), (&json!("error"), &json!("not_found")));
    assert_eq!(error["data"]["message"], "the session was deleted");
    let last = frames.until(|frame| frame.event == "session.ended").await;
    assert_eq!(last.last().unwrap().data["data"]["reason"], "it is deleted");
    assert!(frames.next().await.is_none(), "and the stream ends");
    let waited = waiting.await.unwrap();
    assert!(waited.status == 404 || waited.body["status"] == "cancelled", "{waited:?}");

    let gone = follower.ask("session.resume", json!({ "session_id": session, "after": 0 })).await.unwrap_err();
    assert_eq!(gone["code"], "not_found");
    let turn = rest.send(&elsewhere, "Are you there?").await;
    let heard = follower.until_end_of(&json!(turn)).await;
    assert!(heard.iter().any(|event| event["type"] == "chat.final"), "the other one is still followed: {heard:?}");
}

#[tokio::test]
async fn a_stream_of_a_session_that_had_ended_says_that_it_is_gone() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    rest.call(Method::DELETE, &format!("/api/v1/sessions/{session}"), None, &[]).await.ok();
    let last = rest.get(&format!("/api/v1/sessions/{session}")).await.ok()["last_seq"].as_u64().unwrap();
    let mut frames = server.frames(&session, last).await;
    delete(&rest, &session, "").await.ok();
    let frame = loop {
        let frame = frames.next().await.expect("the stream says so before it ends");
        if frame.id.is_none() {
            break frame;
        }
    };
    assert_eq!((frame.event.as_str(), &frame.data["session_id"]), ("session.deleted", &json!(session)));
    assert!(frames.next().await.is_none());
}
