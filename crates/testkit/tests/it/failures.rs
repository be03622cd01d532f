//! Replies that fail on purpose.

use serde_json::{Value, json};
use testkit::{ModelServer, Reply};

use crate::client::{ROLE, content, delta, finish, post, read, streamed, whole};

async fn response_to(reply: Reply, request: &Value) -> (ModelServer, reqwest::Response) {
    let server = ModelServer::start().await;
    server.push(reply);
    let response = post(&server.base_url(), request).await;
    (server, response)
}

#[tokio::test]
async fn a_rate_limit_says_when_to_come_back() {
    let reply = Reply::status(429).retry_after_s(2);
    let (_server, response) = response_to(reply, &streamed("hi")).await;
    assert_eq!(response.status(), 429);
    assert_eq!(response.headers()["retry-after"], "2");
    assert_eq!(response.headers()["content-type"], "application/json");
    let expected = json!({ "error": {
        "message": "Rate limit reached for requests.",
        "type": "requests",
        "param": null,
        "code": "rate_limit_exceeded",
    } });
    assert_eq!(response.json::<Value>().await.unwrap(), expected);
}

#[tokio::test]
async fn a_server_error_carries_the_scripted_message() {
    let reply = Reply::status(500).error_message("the model is on fire");
    let (_server, response) = response_to(reply, &whole("hi")).await;
    assert_eq!(response.status(), 500);
    assert!(!response.headers().contains_key("retry-after"));
    let expected = json!({ "error": {
        "message": "the model is on fire",
        "type": "server_error",
        "param": null,
        "code": null,
    } });
    assert_eq!(response.json::<Value>().await.unwrap(), expected);
}

#[tokio::test]
async fn a_cut_stream_fails_after_its_chunks() {
    let reply = Reply::text("a b c").cut_after(2);
    let (server, response) = response_to(reply, &streamed("hi")).await;
    let (body, end) = read(response).await;
    let expected = [delta(ROLE), content("a "), content("b ")];
    assert_eq!(body, expected.concat());
    assert!(end.is_err(), "the body must not end cleanly");

    server.until(|server| server.in_flight() == 0).await;
    assert_eq!(server.aborted(), 0, "the server hung up, not the client");
}

#[tokio::test]
async fn a_stream_can_be_cut_before_its_first_chunk() {
    let reply = Reply::text("a").cut_after(0);
    let (_server, response) = response_to(reply, &streamed("hi")).await;
    let (body, end) = read(response).await;
    assert_eq!(body, delta(ROLE));
    assert!(end.is_err(), "the body must not end cleanly");
}

#[tokio::test]
async fn a_cut_document_fails_halfway() {
    let reply = Reply::text("a b c").cut_after(2);
    let (_server, response) = response_to(reply, &whole("hi")).await;
    let (body, end) = read(response).await;
    assert!(body.starts_with('{') && serde_json::from_str::<Value>(&body).is_err());
    assert!(end.is_err(), "the body must not end cleanly");
}

#[tokio::test]
async fn a_stream_that_ends_early_ends_cleanly_and_unfinished() {
    let reply = Reply::text("a b c").end_early(1);
    let (server, response) = response_to(reply, &streamed("hi")).await;
    let (body, end) = read(response).await;
    assert_eq!(body, [delta(ROLE), content("a ")].concat());
    end.expect("a clean end of the body");

    server.until(|server| server.in_flight() == 0).await;
    assert_eq!(server.aborted(), 0);
}

#[tokio::test]
async fn a_malformed_stream_has_one_bad_line() {
    let (_server, response) = response_to(Reply::malformed(), &streamed("hi")).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let (body, end) = read(response).await;
    let bad = "data: {not json\n\n".to_owned();
    assert_eq!(body, [delta(ROLE), bad, finish("stop")].concat());
    end.expect("a clean end of the body");
}

#[tokio::test]
async fn a_malformed_document_is_not_json() {
    let (_server, response) = response_to(Reply::malformed(), &whole("hi")).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.text().await.unwrap(), "{not json");
}

#[tokio::test]
async fn a_request_no_provider_takes_is_refused() {
    let server = ModelServer::start().await;
    for request in [json!({ "messages": [] }), json!({ "model": "m" }), json!(1)] {
        let response = post(&server.base_url(), &request).await;
        assert_eq!(response.status(), 400);
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["error"]["type"], "invalid_request_error");
    }
    assert!(server.requests().is_empty());
}
