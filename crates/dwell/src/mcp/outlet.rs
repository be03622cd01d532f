//! Standard output: whole lines, one after the other, whoever writes.

use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, sync::mpsc, task::JoinHandle};

/// Lines that wait to be written.
const LINES_MAX: usize = 256;

/// Where messages to the client go.
#[derive(Clone)]
pub(super) struct Outlet(mpsc::Sender<String>);

impl Outlet {
    /// Writes to standard output until every clone is gone.
    pub(super) fn open() -> (Self, JoinHandle<()>) {
        let (lines, mut waiting) = mpsc::channel::<String>(LINES_MAX);
        let writing = tokio::spawn(async move {
            let mut out = tokio::io::stdout();
            while let Some(mut line) = waiting.recv().await {
                line.push('\n');
                // A client that has gone away reads nothing; its end of input ends us.
                if out.write_all(line.as_bytes()).await.is_err() || out.flush().await.is_err() {
                    return;
                }
            }
        });
        (Self(lines), writing)
    }

    /// Tells the client.
    pub(super) async fn tell(&self, message: &Value) {
        // Written by us, a value has no line breaks in it.
        let _ = self.0.send(message.to_string()).await;
    }

    /// Answers a request with an error.
    pub(super) async fn refuse(&self, id: Option<&Value>, code: i32, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.tell(&json!({ "jsonrpc": "2.0", "id": id.unwrap_or(&Value::Null), "error": error })).await;
    }
}
