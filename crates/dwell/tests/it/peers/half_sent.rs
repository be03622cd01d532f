//! Requests that are never completed.

use std::time::Duration;

use serde_json::json;
use tokio::{io::AsyncWriteExt, time::timeout};

use super::{PATIENCE, TOKEN, address, answer, counted, peer, request, rest_of};
use crate::{owners::add, program};

const HALF: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";

/// Far more connections without a token than the limit allows, from many addresses, each with half
/// of a request.
#[tokio::test]
async fn half_sent_requests_keep_no_other_client_out() {
    let program = program().with("DWELL_LIMITS_CONNECTIONS_MAX", "64");
    let server = program.start().await;
    let ada = add(&program, "ada").await;
    let mut open = server.socket().await;
    let mut strangers = Vec::new();
    for number in 0..200_u8 {
        strangers.push(peer(address(&server), 2 + number % 20, HALF).await);
    }
    let served = timeout(PATIENCE, async {
        assert_eq!(server.rest_as(None).get("/healthz").await.ok()["status"], "ok");
        for token in [TOKEN, &ada] {
            server.rest_as(Some(token)).session().await;
            server.socket_as(token).await.ask("session.start", json!({})).await.unwrap();
        }
        open.ask("session.start", json!({})).await.unwrap();
    });
    served.await.expect("half-sent requests do not block the server");
    let stats = server.rest().get("/api/v1/stats").await.ok()["connections"].clone();
    let [anonymous, limit, displaced, timed_out] =
        [&stats["anonymous"], &stats["limits"]["anonymous_connections"], &stats["displaced"], &stats["timed_out"]]
            .map(|number| number.as_u64().unwrap());
    assert!(anonymous <= limit && limit == 32, "{stats}");
    assert!(displaced > 0 && displaced + timed_out >= 200 - limit, "{stats}");
}

#[tokio::test]
async fn an_address_has_a_number_of_connections_unless_it_is_a_proxys() {
    let program = program().with("DWELL_LIMITS_PEER_CONNECTIONS_MAX", "4");
    let server = program.start().await;
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(peer(address(&server), 9, HALF).await);
    }
    let refused = rest_of(&mut peer(address(&server), 9, HALF).await).await;
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("application/problem+json"), "{refused}");
    assert!(refused.contains("too_many_connections") && refused.contains("limits.peer_connections_max"), "{refused}");
    let mut other = peer(address(&server), 10, &request(TOKEN, "/api/v1/sessions")).await;
    assert_eq!(answer(&mut other).await.0, 200);
    drop(held);
    counted(&server, |stats| stats["anonymous"] == 0).await;
    server.stop().await;

    let program = program.with("DWELL_SERVER_PROXIES", "127.0.0.9");
    let server = program.start().await;
    let mut held = Vec::new();
    for _ in 0..8 {
        let mut proxy = peer(address(&server), 9, &request(TOKEN, "/api/v1/sessions")).await;
        assert_eq!(answer(&mut proxy).await.0, 200);
        held.push(proxy);
    }
}

#[tokio::test]
async fn what_is_no_proxy_is_named() {
    let wrong = program().with("DWELL_SERVER_PROXIES", "nginx").run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert!(wrong.stderr.contains("server.proxies") && wrong.stderr.contains("`nginx`"), "{}", wrong.stderr);
}

#[tokio::test]
async fn a_head_that_does_not_come_ends_the_connection() {
    let program = program().with("DWELL_LIMITS_HEADER_MS", "200");
    let server = program.start().await;
    for half in ["", "G", HALF] {
        assert_eq!(rest_of(&mut peer(address(&server), 2, half).await).await, "");
    }
    // Single bytes do not extend the time.
    let mut trickle = peer(address(&server), 2, HALF).await;
    let sent = async {
        while trickle.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, sent).await.expect("it is cut off");
    let stats = counted(&server, |stats| stats["timed_out"] == 4).await;
    assert_eq!(stats["anonymous"], 0, "{stats}");
}

#[tokio::test]
async fn between_two_requests_a_connection_is_kept_for_a_while() {
    let program = program().with("DWELL_LIMITS_IDLE_MS", "1000").with("DWELL_LIMITS_HEADER_MS", "60000");
    let server = program.start().await;
    let mut known = peer(address(&server), 2, &request(TOKEN, "/api/v1/sessions")).await;
    assert_eq!(answer(&mut known).await.0, 200);
    known.write_all(request(TOKEN, "/api/v1/sessions").as_bytes()).await.unwrap();
    assert_eq!(answer(&mut known).await.0, 200, "it is there for another request");
    assert_eq!(rest_of(&mut known).await, "");
}

#[tokio::test]
async fn without_a_token_a_connection_is_not_kept_for_as_long() {
    let program = program().with("DWELL_LIMITS_HEADER_MS", "200");
    let server = program.start().await;
    let mut stranger = peer(address(&server), 2, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(answer(&mut stranger).await.0, 200);
    assert_eq!(rest_of(&mut stranger).await, "");
}

fn upload(length: usize) -> String {
    format!(
        "POST /api/v1/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
}

#[tokio::test]
async fn a_body_that_stands_still_is_answered_with_a_problem() {
    let program = program().with("DWELL_LIMITS_BODY_MS", "200");
    let server = program.start().await;
    for (path, expected) in [
        ("/api/v1/sessions", "request_timeout"),
        ("/v1/chat/completions", "limits.body_ms"),
        ("/mcp", "request_timeout"),
    ] {
        let head = upload(1_000).replace("/api/v1/sessions", path);
        let head = head.replace("\r\n\r\n", "\r\nAccept: application/json, text/event-stream\r\n\r\n{\"preferences\":");
        let told = rest_of(&mut peer(address(&server), 2, &head).await).await;
        assert!(told.starts_with("HTTP/1.1 408 ") && told.contains(expected), "{path}: {told}");
        assert!(told.contains("limits.body_ms") && told.to_lowercase().contains("connection: close"), "{path}: {told}");
    }
}

#[tokio::test]
async fn a_body_that_trickles_is_given_up() {
    let program =
        program().with("DWELL_LIMITS_BODY_MS", "300").with("DWELL_LIMITS_BODY_BYTES_PER_SECOND_MIN", "1000000");
    let server = program.start().await;
    let mut trickle = peer(address(&server), 2, &upload(1_000_000)).await;
    let sent = async {
        while trickle.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, sent).await.expect("it is given up");
}

/// The whole body takes longer than the time it may pause.
#[tokio::test]
async fn a_body_that_comes_slowly_but_steadily_is_waited_for() {
    let program = program().with("DWELL_LIMITS_BODY_MS", "1500");
    let server = program.start().await;
    let body = json!({ "preferences": { "title": "slow" } }).to_string();
    let mut steady = peer(address(&server), 2, &upload(body.len())).await;
    for byte in body.as_bytes().chunks(body.len() / 8) {
        tokio::time::sleep(Duration::from_millis(220)).await;
        steady.write_all(byte).await.unwrap();
    }
    assert_eq!(answer(&mut steady).await.0, 201);
}
