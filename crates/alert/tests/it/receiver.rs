//! A small HTTP server that records requests and answers as a test tells it.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// A request that was received.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) line: String,
    /// By their names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// How a request is answered.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// With a status, further header lines and a body.
    Status(u16, &'static str, String),
    /// Never; the connection stays open.
    Silence,
    /// Not at all: the connection is closed after the request was read.
    Close,
    /// With half of a status line, after which no more is sent.
    Half,
}

pub(crate) fn status(code: u16) -> Reply {
    Reply::Status(code, "", String::new())
}

/// The server. Requests without a reply of their own are answered 204.
#[derive(Clone)]
pub(crate) struct Receiver {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Request>>>,
    replies: Arc<Mutex<VecDeque<Reply>>>,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let receiver = Self { url, requests: Arc::default(), replies: Arc::default() };
        let server = receiver.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(server.clone().serve(stream));
            }
        });
        receiver
    }

    pub(crate) fn reply(&self, reply: Reply) {
        self.replies.lock().unwrap().push_back(reply);
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The last request.
    pub(crate) fn last(&self) -> Request {
        self.requests().pop().unwrap()
    }

    async fn serve(self, mut stream: TcpStream) {
        let Some(request) = read(&mut stream).await else { return };
        self.requests.lock().unwrap().push(request);
        let reply = self.replies.lock().unwrap().pop_front().unwrap_or_else(|| status(204));
        match reply {
            Reply::Status(code, headers, body) => {
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {code} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            }
            // Until the client gives up.
            Reply::Silence => drop(stream.read(&mut [0]).await),
            Reply::Close => {}
            Reply::Half => {
                let _ = stream.write_all(b"HTTP/1.1 2").await;
                let _ = stream.shutdown().await;
                let _ = stream.read(&mut [0]).await;
            }
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let line = lines.next()?.to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = bytes[end + 4..].to_vec();
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Request { line, headers, body })
}
