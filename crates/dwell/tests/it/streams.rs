//! Sequence numbers without gaps: on every API, from any number on, for any number of followers.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Reply, RunningServer};

use crate::{apis::put_together, started};

/// A session whose turns end in different ways, and its whole log.
async fn lived(server: &RunningServer, model: &testkit::ModelServer) -> (String, Vec<Value>) {
    let rest = server.rest();
    let session = rest.session().await;
    model.push(Reply::text("the answer ".repeat(60)).every(Duration::from_millis(1)));
    let turn = rest.send(&session, "long").await;
    rest.ended(&turn).await;
    model.push(Reply::status(400));
    let turn = rest.send(&session, "bad").await;
    rest.ended(&turn).await;
    model.push(Reply::text("never ends").stall_after(1));
    let turn = rest.send(&session, "stalls").await;
    model.until(|model| model.in_flight() == 1).await;
    rest.post(&format!("/api/v1/turns/{turn}/cancel"), json!({})).await.ok();
    let log = rest.log(&session).await;
    (session, log)
}

#[tokio::test]
async fn after_any_number_comes_exactly_the_rest() {
    let (model, _program, server) = started().await;
    let (session, log) = lived(&server, &model).await;
    assert!(log.len() > 12, "{}", log.len());
    let client = server.rest();
    for after in 0..=log.len() {
        let rest = &log[after..];
        let page = client.get(&format!("/api/v1/sessions/{session}/events?after={after}&limit=1000")).await;
        assert_eq!(page.ok()["data"], json!(rest), "REST after {after}");
        if rest.is_empty() {
            continue;
        }
        let mut frames = server.frames(&session, after as u64).await;
        let last = log.len() as u64;
        let frames = frames.until(|frame| frame.id == Some(last)).await;
        assert_eq!(frames.into_iter().map(|frame| frame.data).collect::<Vec<_>>(), rest, "SSE after {after}");

        let mut socket = server.socket().await;
        socket.ask("session.resume", json!({ "session_id": session, "after": after })).await.unwrap();
        let messages = socket.until(|message| message["seq"] == last).await;
        let events: Vec<Value> = messages.into_iter().filter(|message| message["seq"].is_u64()).collect();
        assert_eq!(events, rest, "WebSocket after {after}");
    }
    let beyond = format!("/events/{session}?after={}", log.len() + 1);
    assert_eq!(client.get(&beyond).await.code(400), "invalid_request");
}

#[tokio::test]
async fn last_event_id_resumes_where_the_browser_was() {
    let (model, _program, server) = started().await;
    let (session, log) = lived(&server, &model).await;
    server.rest().call(Method::DELETE, &format!("/api/v1/sessions/{session}"), None, &[]).await.ok();
    // The stream ends with the session, so the whole answer can be read.
    let path = format!("/events/{session}?after=0");
    let headers = [("last-event-id", "5")];
    let client = reqwest::Client::new().get(format!("{}{path}", server.url()));
    let client = client.bearer_auth("test-token-0123456789").header(headers[0].0, headers[0].1);
    let text = client.send().await.unwrap().text().await.unwrap();
    let ids: Vec<u64> = text.lines().filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).collect();
    assert_eq!(ids, (6..=log.len() as u64 + 1).collect::<Vec<_>>());
}

#[tokio::test]
async fn sixty_four_followers_see_the_same_log() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let mut followers = Vec::new();
    for n in 0..64 {
        let mut socket = server.socket().await;
        socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
        followers.push(tokio::spawn(async move {
            let messages = socket.until(|message| message["type"] == "session.ended").await;
            let events: Vec<Value> = messages.into_iter().filter(|message| message["seq"].is_u64()).collect();
            (n, events)
        }));
    }
    let answer = "so many words ".repeat(200);
    for n in 0..3 {
        model.push(Reply::text(answer.clone()));
        let turn = rest.send(&session, &format!("question {n}")).await;
        rest.ended(&turn).await;
    }
    rest.call(Method::DELETE, &format!("/api/v1/sessions/{session}"), None, &[]).await.ok();
    let mut log = rest.log(&session).await;
    // The summary of the conversation may be written after the session's end.
    log.truncate(log.iter().position(|event| event["type"] == "session.ended").unwrap() + 1);
    for follower in followers {
        let (n, events) = follower.await.unwrap();
        assert_eq!(events, log, "follower {n}");
    }
}

#[tokio::test]
async fn a_client_that_joins_in_the_middle_misses_no_word() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let words: String = (0..300).map(|n| format!("wört{n} ")).collect();
    model.push(Reply::text(words.clone()).every(Duration::from_millis(2)));
    let turn = rest.send(&session, "tell me").await;
    let mut joiners = Vec::new();
    for _ in 0..12 {
        let mut socket = server.socket().await;
        socket.ask("session.resume", json!({ "session_id": session, "after": 0 })).await.unwrap();
        let turn = json!(turn);
        joiners.push(tokio::spawn(async move { socket.until_end_of(&turn).await }));
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
    for joiner in joiners {
        let messages = joiner.await.unwrap();
        assert_eq!(put_together(&messages), words);
    }
}

#[tokio::test]
async fn the_bytes_of_a_stream_grow_with_the_text_and_not_faster() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let mut sizes = Vec::new();
    for words in [500, 2_000] {
        let session = rest.session().await;
        model.push(Reply::text("word ".repeat(words)));
        let turn = rest.send(&session, "go").await;
        rest.ended(&turn).await;
        sizes.push(rest.text(&format!("/api/v1/sessions/{session}/export")).await.len());
    }
    assert!(sizes[1] < 5 * sizes[0], "four times the text, {sizes:?} bytes");
}

#[tokio::test]
async fn a_turn_that_has_ended_is_told_at_once() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = rest.send(&session, "hello").await;
    rest.ended(&turn).await;
    let again = rest.ended(&turn).await;
    assert_eq!(again["status"], "completed");
    rest.call(Method::DELETE, &format!("/api/v1/sessions/{session}"), None, &[]).await.ok();
    let mut frames = server.frames(&session, 0).await;
    frames.until(|frame| frame.event == "session.ended").await;
    assert_eq!(frames.next().await, None, "the stream of an ended session ends");
}
