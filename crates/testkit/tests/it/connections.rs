//! Connections: requests in flight, clients that disconnect, and the end of the server.

use std::time::Duration;

use serde_json::Value;
use testkit::{ModelServer, Reply};

use crate::client::{post, read, read_until, streamed, try_post, whole};

#[tokio::test]
async fn a_finished_response_is_neither_in_flight_nor_aborted() {
    let server = ModelServer::start().await;
    for request in [streamed("hi"), whole("hi")] {
        post(&server.base_url(), &request).await.text().await.unwrap();
    }
    server.until(|server| server.in_flight() == 0).await;
    assert_eq!(server.aborted(), 0);
}

#[tokio::test]
async fn a_client_that_leaves_a_stream_is_counted() {
    let server = ModelServer::start().await;
    server.push(Reply::text("a b c").stall_after(1));
    let mut response = post(&server.base_url(), &streamed("hi")).await;
    read_until(&mut response, "\"a \"").await;
    assert_eq!((server.in_flight(), server.aborted()), (1, 0));

    drop(response);
    server.until(|server| server.aborted() == 1).await;
    assert_eq!(server.in_flight(), 0);
}

#[tokio::test]
async fn a_client_that_leaves_between_two_chunks_is_counted() {
    let server = ModelServer::start().await;
    server.push(Reply::text("a b c").every(Duration::from_secs(3600)));
    let mut response = post(&server.base_url(), &streamed("hi")).await;
    read_until(&mut response, "assistant").await;

    drop(response);
    server.until(|server| server.aborted() == 1).await;
    assert_eq!(server.in_flight(), 0);
}

#[tokio::test]
async fn a_client_that_leaves_at_the_end_marker_is_not_counted() {
    let server = ModelServer::start().await;
    let mut response = post(&server.base_url(), &streamed("hi")).await;
    read_until(&mut response, "[DONE]").await;
    drop(response);
    server.until(|server| server.in_flight() == 0).await;
    assert_eq!(server.aborted(), 0);
}

/// Sends a request, drops the client once the request has arrived, and expects the server to
/// notice.
async fn leave_before_the_answer(reply: Reply, request: Value) {
    let server = ModelServer::start().await;
    server.push(reply);
    let url = server.base_url();
    let client = tokio::spawn(async move { try_post(&url, &request).await });
    server.until(|server| server.requests().len() == 1).await;
    assert_eq!((server.in_flight(), server.aborted()), (1, 0));

    client.abort();
    server.until(|server| server.aborted() == 1).await;
    assert_eq!(server.in_flight(), 0);
}

#[tokio::test]
async fn a_client_that_leaves_a_hung_request_is_counted() {
    leave_before_the_answer(Reply::hang(), streamed("hi")).await;
}

#[tokio::test]
async fn a_client_that_leaves_before_the_first_byte_is_counted() {
    let hour = Duration::from_secs(3600);
    leave_before_the_answer(Reply::text("a").after(hour), streamed("hi")).await;
    leave_before_the_answer(Reply::text("a").every(hour), whole("hi")).await;
}

#[tokio::test]
async fn stopping_breaks_streams_and_hung_requests_and_frees_the_port() {
    let server = ModelServer::start().await;
    server.push(Reply::text("a b c").stall_after(1));
    server.push(Reply::hang());
    let (url, address) = (server.base_url(), server.address());
    let stream = post(&url, &streamed("hi")).await;
    let hung = tokio::spawn(async move { try_post(&url, &streamed("hi")).await });
    server.until(|server| server.requests().len() == 2).await;

    server.stop().await;
    let (_, end) = read(stream).await;
    assert!(end.is_err(), "the stream must break");
    assert!(hung.await.unwrap().is_err(), "no response must come");

    let successor = ModelServer::start_on(address).await.expect("a free port");
    assert_eq!(successor.address(), address);
}

#[tokio::test]
async fn dropping_the_server_breaks_streams() {
    let server = ModelServer::start().await;
    server.push(Reply::text("a b c").stall_after(1));
    let stream = post(&server.base_url(), &streamed("hi")).await;
    drop(server);
    let (_, end) = read(stream).await;
    assert!(end.is_err(), "the stream must break");
}
