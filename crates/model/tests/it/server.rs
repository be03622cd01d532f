//! A server with scripted responses, byte for byte, that records requests.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

/// How a response ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseEnding {
    /// As HTTP requires.
    Clean,
    /// The connection breaks.
    Broken,
    /// Nothing more comes, and the connection stays open.
    Silent,
}

/// A response.
#[derive(Debug, Clone)]
pub struct ScriptedResponse {
    /// As in `HTTP/1.1 200 OK`.
    pub status: String,
    /// Lines of `name: value`.
    pub headers: Vec<String>,
    /// The body, which is sent in small pieces.
    pub body: String,
    /// How it ends.
    pub ending: ResponseEnding,
}

/// A request.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    /// As in `POST /v1/messages`.
    pub line: String,
    /// By name, in lower case.
    pub headers: HashMap<String, String>,
    /// The body, null where there was none.
    pub body: Value,
}

/// The server; it lives as long as the test's runtime.
pub struct Server {
    address: std::net::SocketAddr,
    heard: Arc<Mutex<Vec<RecordedRequest>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    /// Answers every POST alike, and anything else with 404.
    pub async fn start(response: ScriptedResponse) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (heard, connections) = (Arc::<Mutex<Vec<RecordedRequest>>>::default(), Arc::<AtomicUsize>::default());
        let (hears, connects) = (heard.clone(), connections.clone());
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                connects.fetch_add(1, Ordering::SeqCst);
                socket.set_nodelay(true).unwrap();
                tokio::spawn(serve(socket, response.clone(), hears.clone()));
            }
        });
        Self { address, heard, connections }
    }

    /// The address with a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// All requests.
    pub fn heard(&self) -> Vec<RecordedRequest> {
        self.heard.lock().unwrap().clone()
    }

    /// How many connections were opened.
    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn serve(socket: TcpStream, response: ScriptedResponse, heard: Arc<Mutex<Vec<RecordedRequest>>>) {
    let mut socket = BufReader::new(socket);
    while let Some(request) = hear(&mut socket).await {
        let is_post = request.line.starts_with("POST ");
        heard.lock().unwrap().push(request);
        if !is_post {
            socket.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
            continue;
        }
        if say(&mut socket, &response).await.is_err() {
            return;
        }
        match response.ending {
            ResponseEnding::Clean => {}
            ResponseEnding::Broken => return,
            ResponseEnding::Silent => std::future::pending().await,
        }
    }
}

async fn hear(socket: &mut BufReader<TcpStream>) -> Option<RecordedRequest> {
    let mut line = String::new();
    socket.read_line(&mut line).await.ok().filter(|bytes| *bytes > 0)?;
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    let mut headers = HashMap::new();
    loop {
        let mut header = String::new();
        socket.read_line(&mut header).await.ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length: usize = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    socket.read_exact(&mut body).await.ok()?;
    Some(RecordedRequest { line, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

async fn say(socket: &mut BufReader<TcpStream>, response: &ScriptedResponse) -> std::io::Result<()> {
    let mut head = response.status.clone();
    for header in &response.headers {
        head.push_str("\r\n");
        head.push_str(header);
    }
    head.push_str("\r\ntransfer-encoding: chunked\r\n\r\n");
    socket.write_all(head.as_bytes()).await?;
    // Chunks that end within lines and characters: no reader may rely on them.
    for piece in response.body.as_bytes().chunks(37) {
        socket.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await?;
        socket.write_all(piece).await?;
        socket.write_all(b"\r\n").await?;
        socket.flush().await?;
    }
    if response.ending == ResponseEnding::Clean {
        // Real providers also end the body a little after its last data.
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        socket.write_all(b"0\r\n\r\n").await?;
    }
    socket.flush().await
}
