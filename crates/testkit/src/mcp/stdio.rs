//! The stdio transport of the client: a program that reads and writes one message a line.

use std::{
    collections::HashMap,
    process::{ExitStatus, Stdio as Pipe},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::{Mutex as AsyncMutex, oneshot},
};
use tokio_util::task::AbortOnDropHandle;

use super::{ConnectionClosed, McpAnswer, http::read, inbox::Inbox};

/// How long the program may take to end.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct StdioTransport {
    child: AsyncMutex<Child>,
    input: AsyncMutex<Option<ChildStdin>>,
    state: Arc<Mutex<StdioState>>,
    _reading: AbortOnDropHandle<()>,
}

#[derive(Default)]
struct StdioState {
    waiting: HashMap<u64, oneshot::Sender<Value>>,
    garbage: Vec<String>,
    is_over: bool,
}

impl StdioTransport {
    pub(super) fn start(mut command: Command, inbox: Arc<Inbox>) -> Self {
        command.stdin(Pipe::piped()).stdout(Pipe::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("the program starts");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("its output");
        let state = Arc::<Mutex<StdioState>>::default();
        let reading = tokio::spawn(listen(output, state.clone(), inbox));
        Self {
            child: AsyncMutex::new(child),
            input: AsyncMutex::new(input),
            state,
            _reading: AbortOnDropHandle::new(reading),
        }
    }

    pub(super) async fn ask(&self, id: u64, message: &Value) -> Result<McpAnswer, ConnectionClosed> {
        let (told, answer) = oneshot::channel();
        {
            let mut state = lock(&self.state);
            if state.is_over {
                return Err(ConnectionClosed("the program has ended".to_owned()));
            }
            state.waiting.insert(id, told);
        }
        self.write(&message.to_string()).await;
        answer.await.map(read).map_err(|_| ConnectionClosed("the program ended before the answer".to_owned()))
    }

    pub(super) async fn write(&self, line: &str) {
        let mut input = self.input.lock().await;
        let input = input.as_mut().expect("its input is open");
        // If the program is gone, the missing answer shows it.
        let _ = input.write_all(format!("{line}\n").as_bytes()).await;
        let _ = input.flush().await;
    }

    pub(super) async fn close(&self) -> ExitStatus {
        drop(self.input.lock().await.take());
        let mut child = self.child.lock().await;
        tokio::time::timeout(PATIENCE, child.wait()).await.expect("it is slow to end").expect("it ends")
    }

    pub(super) async fn kill(&self) {
        self.child.lock().await.kill().await.expect("it can be killed");
    }

    pub(super) fn garbage(&self) -> Vec<String> {
        lock(&self.state).garbage.clone()
    }
}

async fn listen(output: ChildStdout, state: Arc<Mutex<StdioState>>, inbox: Arc<Inbox>) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message = serde_json::from_str::<Value>(&line).ok().filter(|message| message["jsonrpc"] == "2.0");
        let Some(message) = message else {
            lock(&state).garbage.push(line);
            continue;
        };
        let id = message["id"].as_u64().filter(|_| message.get("method").is_none());
        let waiting = id.and_then(|id| lock(&state).waiting.remove(&id));
        match waiting {
            // The request may have been dropped since.
            Some(waiting) => drop(waiting.send(message)),
            None => inbox.put(message),
        }
    }
    let mut state = lock(&state);
    state.is_over = true;
    state.waiting.clear();
}

fn lock(state: &Mutex<StdioState>) -> std::sync::MutexGuard<'_, StdioState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
