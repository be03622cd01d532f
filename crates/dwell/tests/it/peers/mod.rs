//! Peers that keep the server waiting, and owners that use more than their share.

mod half_sent;
mod handshakes;
mod shares;
mod silence;

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use serde_json::Value;
use testkit::RunningServer;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

/// The token of every program that the tests start.
const TOKEN: &str = "test-token-0123456789";
/// How long a test waits for a change.
const PATIENCE: Duration = Duration::from_secs(20);

/// The address that the server listens on.
fn address(server: &RunningServer) -> SocketAddr {
    server.url().strip_prefix("http://").unwrap().parse().unwrap()
}

/// A connection from the loopback address that ends with this number, on which these bytes were
/// sent.
async fn peer(to: SocketAddr, last: u8, bytes: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into()).unwrap();
    let mut stream = timeout(PATIENCE, socket.connect(to)).await.unwrap().unwrap();
    // A refused connection may be closed already.
    let _ = stream.write_all(bytes.as_bytes()).await;
    stream
}

/// Everything that is received until the server closes the connection.
async fn rest_of(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    // A reset also ends the connection.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut all)).await.unwrap();
    String::from_utf8_lossy(&all).into_owned()
}

/// Reads one response by its length; the connection stays open.
async fn answer(stream: &mut TcpStream) -> (u16, Value) {
    let mut all = Vec::new();
    let read = async {
        loop {
            let text = String::from_utf8_lossy(&all).into_owned();
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let length =
                    head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
                if length.is_some_and(|length: usize| body.len() >= length) {
                    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
                    return (status, serde_json::from_str(body).unwrap_or_default());
                }
            }
            let mut more = [0; 4096];
            let count = stream.read(&mut more).await.unwrap();
            assert!(count > 0, "it ended after {text:?}");
            all.extend(&more[..count]);
        }
    };
    timeout(PATIENCE, read).await.unwrap()
}

/// A complete request with a token.
fn request(token: &str, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n")
}

/// The connection statistics, once they meet a condition.
async fn counted(server: &RunningServer, is_so: impl Fn(&Value) -> bool) -> Value {
    let rest = server.rest();
    let mut last = Value::Null;
    let looking = async {
        loop {
            last = rest.get("/api/v1/stats").await.ok()["connections"].clone();
            if is_so(&last) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(timeout(PATIENCE, looking).await.is_ok(), "{last}");
    last
}
