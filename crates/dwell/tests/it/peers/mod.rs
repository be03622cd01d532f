//! Peers that keep the server waiting, and owners that take more than their share.

mod half_sent;
mod handshakes;
mod shares;
mod silence;

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use serde_json::Value;
use testkit::Running;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::timeout,
};

/// The token that the test's programs are started with.
const TOKEN: &str = "test-token-0123456789";
/// How long a test waits for something that has to happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// Where the server listens.
fn address(server: &Running) -> SocketAddr {
    server.url().strip_prefix("http://").unwrap().parse().unwrap()
}

/// A connection from the loopback address that ends with this number, which has sent these bytes.
async fn peer(to: SocketAddr, last: u8, bytes: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into()).unwrap();
    let mut stream = timeout(PATIENCE, socket.connect(to)).await.unwrap().unwrap();
    // One that is refused may be closed by now.
    let _ = stream.write_all(bytes.as_bytes()).await;
    stream
}

/// Everything that comes until the other side hangs up.
async fn rest_of(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    // A connection that is reset has ended too.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut all)).await.unwrap();
    String::from_utf8_lossy(&all).into_owned()
}

/// One answer, by its length; the connection stays open.
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

/// A whole request with a token.
fn request(token: &str, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n")
}

/// What the statistics say of connections, once they say this.
async fn counted(server: &Running, is_so: impl Fn(&Value) -> bool) -> Value {
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
