//! A client of the event stream (SSE).

use std::time::Duration;

use futures::{Stream, StreamExt};
use reqwest::Client;
use serde_json::Value;

/// How long a test waits for a frame.
const PATIENCE: Duration = Duration::from_secs(30);

/// One frame of the stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// `id:`
    pub id: Option<u64>,
    /// `event:`
    pub event: String,
    /// `data:`
    pub data: Value,
}

/// A stream of frames.
pub struct Frames {
    bytes: std::pin::Pin<Box<dyn Stream<Item = reqwest::Result<Vec<u8>>> + Send>>,
    buffer: Vec<u8>,
}

impl Frames {
    pub(crate) async fn open(url: &str, token: &str, path: &str) -> Self {
        let response = Client::new().get(format!("{url}{path}")).bearer_auth(token).send().await;
        let response = response.and_then(reqwest::Response::error_for_status).expect("a stream");
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let bytes = response.bytes_stream().map(|chunk| chunk.map(|chunk| chunk.to_vec()));
        Self { bytes: Box::pin(bytes), buffer: Vec::new() }
    }

    /// The next frame, unless the stream ends.
    pub async fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
                let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
                if let Some(frame) = read(&String::from_utf8(block).expect("text")) {
                    return Some(frame);
                }
                continue;
            }
            match tokio::time::timeout(PATIENCE, self.bytes.next()).await.expect("no frame in time")? {
                Ok(chunk) => self.buffer.extend(chunk),
                Err(_) => return None,
            }
        }
    }

    /// All frames up to and including the first that meets the condition.
    pub async fn until(&mut self, is_last: impl Fn(&Frame) -> bool) -> Vec<Frame> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await.expect("the stream goes on");
            let done = is_last(&frame);
            frames.push(frame);
            if done {
                return frames;
            }
        }
    }
}

/// Parses a frame; none if it is only a keep-alive comment.
fn read(block: &str) -> Option<Frame> {
    let mut frame = Frame { id: None, event: String::new(), data: Value::Null };
    let mut has_data = false;
    for line in block.lines() {
        if let Some(id) = line.strip_prefix("id: ") {
            frame.id = id.parse().ok();
        } else if let Some(event) = line.strip_prefix("event: ") {
            event.clone_into(&mut frame.event);
        } else if let Some(data) = line.strip_prefix("data: ") {
            frame.data = serde_json::from_str(data).expect("a frame holds JSON");
            has_data = true;
        }
    }
    has_data.then_some(frame)
}
