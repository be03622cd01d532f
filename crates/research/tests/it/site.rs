//! A local web server with scripted responses that records its requests.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use research::{
    read::pdf::InProcessPdfReader,
    web::{Web, WebOptions},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tools::net::Fetcher;

/// A site, which is closed at the end of the test.
pub struct Site {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    answers: Mutex<HashMap<String, Vec<u8>>>,
    requests: Mutex<Vec<String>>,
}

impl Site {
    /// A site without pages.
    pub async fn open() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&serving)));
            }
        });
        Self { port, shared }
    }

    /// Adds a page of that type.
    pub fn page(&self, path: &str, kind: &str, body: impl AsRef<[u8]>) -> &Self {
        self.answer(path, "200 OK", &format!("content-type: {kind}\r\n"), body)
    }

    /// Adds any response; `head` is lines that end in `\r\n`.
    pub fn answer(&self, path: &str, status: &str, head: &str, body: impl AsRef<[u8]>) -> &Self {
        let body = body.as_ref();
        let head = format!("HTTP/1.1 {status}\r\n{head}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
        self.raw(path, [head.as_bytes(), body].concat())
    }

    /// Adds raw bytes as a response.
    pub fn raw(&self, path: &str, bytes: Vec<u8>) -> &Self {
        self.shared.answers.lock().unwrap().insert(path.to_owned(), bytes);
        self
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The requested paths, in order.
    pub fn visits(&self) -> Vec<String> {
        self.requests().iter().filter_map(|request| Some(request.split(' ').nth(1)?.to_owned())).collect()
    }

    /// All requests with their headers, in lowercase letters.
    pub fn requests(&self) -> Vec<String> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Web access with this site allowed.
    pub fn web(&self, options: WebOptions) -> Arc<Web> {
        web(&[self], options)
    }
}

/// Web access with these sites allowed.
pub fn web(sites: &[&Site], options: WebOptions) -> Arc<Web> {
    let allow = sites.iter().map(|site| format!("127.0.0.1:{}", site.port).parse().unwrap()).collect();
    Arc::new(Web::new(Fetcher::new(allow), Arc::new(InProcessPdfReader), options))
}

async fn serve(mut stream: TcpStream, shared: Arc<Shared>) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read_exact(&mut byte).await.is_err() {
            return;
        }
        request.push(byte[0]);
    }
    let request = String::from_utf8_lossy(&request).to_ascii_lowercase();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    shared.requests.lock().unwrap().push(request);
    let answer = shared.answers.lock().unwrap().get(path.split('?').next().unwrap_or_default()).cloned();
    let nothing = || b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec();
    let _ = stream.write_all(&answer.unwrap_or_else(nothing)).await;
    let _ = stream.shutdown().await;
}
