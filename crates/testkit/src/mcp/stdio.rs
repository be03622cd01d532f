//! The client's side of a program that speaks on its standard input and output: one message on a line.

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

use super::{Gone, McpAnswer, http::read, inbox::Inbox};

/// How long the program gets to end.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Stdio {
    child: AsyncMutex<Child>,
    input: AsyncMutex<Option<ChildStdin>>,
    heard: Arc<Mutex<Heard>>,
    _reading: AbortOnDropHandle<()>,
}

#[derive(Default)]
struct Heard {
    waiting: HashMap<u64, oneshot::Sender<Value>>,
    garbage: Vec<String>,
    is_over: bool,
}

impl Stdio {
    pub(super) fn start(mut command: Command, inbox: Arc<Inbox>) -> Self {
        command.stdin(Pipe::piped()).stdout(Pipe::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("the program starts");
        let input = child.stdin.take();
        let output = child.stdout.take().expect("its output");
        let heard = Arc::<Mutex<Heard>>::default();
        let reading = tokio::spawn(listen(output, heard.clone(), inbox));
        Self {
            child: AsyncMutex::new(child),
            input: AsyncMutex::new(input),
            heard,
            _reading: AbortOnDropHandle::new(reading),
        }
    }

    pub(super) async fn ask(&self, id: u64, message: &Value) -> Result<McpAnswer, Gone> {
        let (told, answer) = oneshot::channel();
        {
            let mut heard = lock(&self.heard);
            if heard.is_over {
                return Err(Gone("the program has ended".to_owned()));
            }
            heard.waiting.insert(id, told);
        }
        self.write(&message.to_string()).await;
        answer.await.map(read).map_err(|_| Gone("the program ended before the answer".to_owned()))
    }

    pub(super) async fn write(&self, line: &str) {
        let mut input = self.input.lock().await;
        let input = input.as_mut().expect("its input is open");
        // A program that is gone is noticed by its answers.
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
        lock(&self.heard).garbage.clone()
    }
}

async fn listen(output: ChildStdout, heard: Arc<Mutex<Heard>>, inbox: Arc<Inbox>) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message = serde_json::from_str::<Value>(&line).ok().filter(|message| message["jsonrpc"] == "2.0");
        let Some(message) = message else {
            lock(&heard).garbage.push(line);
            continue;
        };
        let id = message["id"].as_u64().filter(|_| message.get("method").is_none());
        let waiting = id.and_then(|id| lock(&heard).waiting.remove(&id));
        match waiting {
            // Whoever asked may have gone since.
            Some(waiting) => drop(waiting.send(message)),
            None => inbox.put(message),
        }
    }
    let mut heard = lock(&heard);
    heard.is_over = true;
    heard.waiting.clear();
}

fn lock(heard: &Mutex<Heard>) -> std::sync::MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}
