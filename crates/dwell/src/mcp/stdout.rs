//! Standard output, written as whole lines by one task.

use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, sync::mpsc, task::JoinHandle};

/// Most lines that wait to be written.
const LINES_MAX: usize = 256;

/// The queue of messages to the client.
#[derive(Clone)]
pub(super) struct StdoutWriter(mpsc::Sender<String>);

impl StdoutWriter {
    /// Writes to standard output until every clone is dropped.
    pub(super) fn open() -> (Self, JoinHandle<()>) {
        let (lines, mut waiting) = mpsc::channel::<String>(LINES_MAX);
        let writing = tokio::spawn(async move {
            let mut out = tokio::io::stdout();
            while let Some(mut line) = waiting.recv().await {
                line.push('\n');
                // The client has closed its end; the end of our input stops the process.
                if out.write_all(line.as_bytes()).await.is_err() || out.flush().await.is_err() {
                    return;
                }
            }
        });
        (Self(lines), writing)
    }

    /// Sends a message to the client.
    pub(super) async fn tell(&self, message: &Value) {
        // Compact JSON contains no line breaks.
        let _ = self.0.send(message.to_string()).await;
    }

    /// Answers a request with an error.
    pub(super) async fn refuse(&self, id: Option<&Value>, code: i32, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.tell(&json!({ "jsonrpc": "2.0", "id": id.unwrap_or(&Value::Null), "error": error })).await;
    }
}
