//! Peers that disappear without closing their connection.

use std::{process::Stdio, time::Duration};

use serde_json::json;
use testkit::{RunningServer, WyomingClient};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    time::timeout,
};

use super::{PATIENCE, address, counted, peer, rest_of};
use crate::program;

#[tokio::test]
async fn a_socket_that_answers_no_ping_gives_its_place_back() {
    let program = program().with("DWELL_LIMITS_STREAMS_MAX", "1").with("DWELL_LIMITS_PING_MS", "100");
    let server = program.start().await;
    // The test does not read, so pings stay unanswered, as if the machine were gone.
    let mut dead = server.socket().await;
    counted(&server, |stats| stats["streams"] == 0).await;
    server.socket().await.ask("session.start", json!({})).await.unwrap();
    while dead.try_next().await.is_some() {}
}

#[tokio::test]
async fn a_socket_that_answers_stays_however_little_it_says() {
    let program = program().with("DWELL_LIMITS_PING_MS", "300");
    let server = program.start().await;
    let mut quiet = server.socket().await;
    quiet.next().await;
    let reading = tokio::spawn(async move {
        // Reading answers the pings; the client sends nothing else.
        let ended = timeout(Duration::from_millis(1_500), quiet.try_next()).await;
        (ended.is_err(), quiet)
    });
    let (is_open, mut quiet) = reading.await.unwrap();
    assert!(is_open, "its pings were answered");
    quiet.ask("session.start", json!({})).await.unwrap();
}

/// A chat in the terminal waits at its prompt most of the time.
#[tokio::test]
async fn a_conversation_in_the_terminal_outlives_a_pause() {
    let program = program().with("DWELL_LIMITS_PING_MS", "300");
    let server = program.start().await;
    let mut chat = program.command(&["chat", "--new"]);
    let mut chat = chat.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    counted(&server, |stats| stats["streams"] == 1).await;
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let stats = server.rest().get("/api/v1/stats").await.ok();
    assert_eq!(stats["connections"]["streams"], 1, "it is still connected");
    let mut lines = BufReader::new(chat.stdout.take().unwrap()).lines();
    chat.stdin.take().unwrap().write_all(b"6 * 7\n").await.unwrap();
    let answered = async { while lines.next_line().await.unwrap().is_some_and(|line| !line.contains("42")) {} };
    timeout(PATIENCE, answered).await.expect("an answer");
    timeout(PATIENCE, chat.wait()).await.expect("it ends with its input").unwrap();
}

#[tokio::test]
async fn a_silent_peer_of_wyoming_gives_way_and_is_let_go() {
    let program = program().with("DWELL_WYOMING_LISTEN", "127.0.0.1:0").with("DWELL_WYOMING_ANNOUNCE", "false");
    let program = program.with("DWELL_WYOMING_CONNECTIONS_MAX", "1").with("DWELL_WYOMING_IDLE_MS", "1500");
    let server = program.start().await;
    let at = server.wyoming().parse().unwrap();
    let mut silent = peer(at, 2, "{\"type\": ").await;
    let mut speaks = WyomingClient::connect(server.wyoming(), "1.5.4").await;
    speaks.send("ping", json!({})).await;
    assert_eq!(speaks.next().await.0, "pong");
    assert_eq!(rest_of(&mut silent).await, "");
    assert_eq!(rest_of(&mut peer(at, 2, "").await).await, "", "one that has spoken does not give way");
    assert_eq!(speaks.try_next().await, None, "until it has been silent for too long");
}

/// The kernel's timer of the server's end of a connection.
#[cfg(target_os = "linux")]
fn timer(server: &RunningServer, connection: &TcpStream) -> Option<String> {
    let ends = (connection.peer_addr().unwrap().port(), connection.local_addr().unwrap().port());
    let table = std::fs::read_to_string(format!("/proc/{}/net/tcp", server.pid())).unwrap();
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let port = |field: usize| u16::from_str_radix(fields.get(field)?.split_once(':')?.1, 16).ok();
        // Matches both ports, because the table also has connections that other tests have just
        // closed.
        ((port(1)?, port(2)?) == ends).then(|| fields[5][..2].to_owned())
    })
}

/// Only keep-alive probes show that a machine is gone, and the server has to enable them.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn every_connection_is_probed_by_the_system() {
    const KEEP_ALIVE: &str = "02";
    let program = program().with("DWELL_WYOMING_LISTEN", "127.0.0.1:0").with("DWELL_WYOMING_ANNOUNCE", "false");
    let server = program.start().await;
    let session = server.rest().session().await;
    let events = super::request(super::TOKEN, &format!("/events/{session}"));
    let upgrade = super::request(super::TOKEN, "/ws").replace(
        "\r\n\r\n",
        "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    let at = server.wyoming().parse().unwrap();
    let connections = [
        ("a half-sent request", peer(address(&server), 2, "GET").await),
        ("an event stream", peer(address(&server), 2, &events).await),
        ("a WebSocket", peer(address(&server), 2, &upgrade).await),
        ("Wyoming", peer(at, 2, "").await),
    ];
    for (what, connection) in &connections {
        let probed = async {
            while timer(&server, connection).as_deref() != Some(KEEP_ALIVE) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        assert!(timeout(PATIENCE, probed).await.is_ok(), "{what}: {:?}", timer(&server, connection));
    }
}
