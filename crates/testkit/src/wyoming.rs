//! A client of the Wyoming protocol that can send any event.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

/// How long a test waits for an event.
const PATIENCE: Duration = Duration::from_secs(30);

/// A connection to a Wyoming server.
pub struct WyomingClient {
    stream: BufReader<TcpStream>,
    version: String,
    payload: Vec<u8>,
}

impl WyomingClient {
    /// Connects as a peer whose library has this version.
    pub async fn connect(address: &str, version: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server accepts connections");
        Self::on(stream, version)
    }

    /// The same on a connection that is open already.
    pub(crate) fn on(stream: TcpStream, version: &str) -> Self {
        Self { stream: BufReader::new(stream), version: version.to_owned(), payload: Vec::new() }
    }

    /// Sends bytes as they are.
    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        // A server that refuses the connection may have closed it already.
        let _ = self.stream.write_all(bytes).await;
    }

    /// Sends an event in the form that the protocol's own library uses: its data follows the header
    /// line.
    pub async fn send(&mut self, kind: &str, data: Value) {
        let data = data.to_string();
        let line = json!({ "type": kind, "version": self.version, "data_length": data.len() });
        self.send_bytes(format!("{line}\n{data}").as_bytes()).await;
    }

    /// Sends an event with a payload.
    pub async fn send_payload(&mut self, kind: &str, data: Value, payload: &[u8]) {
        let data = data.to_string();
        let (data_length, payload_length) = (data.len(), payload.len());
        let line = json!({
            "type": kind, "version": self.version, "data_length": data_length, "payload_length": payload_length,
        });
        self.send_bytes(format!("{line}\n{data}").as_bytes()).await;
        self.send_bytes(payload).await;
    }

    /// The payload of the latest event.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// The next event as its type and data, unless the connection ends.
    pub async fn try_next(&mut self) -> Option<(String, Value)> {
        tokio::time::timeout(PATIENCE, self.read()).await.expect("no event in time")
    }

    /// The next event as its type and data.
    pub async fn next(&mut self) -> (String, Value) {
        self.try_next().await.expect("the connection is open")
    }

    async fn read(&mut self) -> Option<(String, Value)> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return None;
        }
        let line: Value = serde_json::from_str(&line).expect("a line of JSON");
        let length = line["data_length"].as_u64().unwrap_or(0);
        let mut data = vec![0; usize::try_from(length).expect("a length")];
        self.stream.read_exact(&mut data).await.expect("the data");
        let length = line["payload_length"].as_u64().unwrap_or(0);
        self.payload = vec![0; usize::try_from(length).expect("a length")];
        self.stream.read_exact(&mut self.payload).await.expect("the payload");
        let data = if data.is_empty() { json!({}) } else { serde_json::from_slice(&data).expect("data is JSON") };
        Some((line["type"].as_str().expect("a type").to_owned(), data))
    }

    /// Sends a sentence; returns the type and the text of the answer.
    pub async fn say(&mut self, text: &str, context: Value) -> (String, String) {
        self.send("transcript", json!({ "text": text, "context": context })).await;
        loop {
            let (kind, data) = self.next().await;
            if kind == "handled" || kind == "not-handled" {
                return (kind, data["text"].as_str().expect("a text").to_owned());
            }
        }
    }
}
