//! `bare-turns`: the minimal durable turn with one tool call, for `peers`.
//!
//! An axum server in a process of its own. It commits the message, calls the model, commits the
//! tool call and its result, calls the model again, streams the text, and commits the answer. It
//! has no events, no memory, no home and no resume: it is the minimal cost of any server with
//! durable turns.

use std::{
    collections::HashMap,
    net::SocketAddr,
    path::Path,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::State,
    routing::post,
    serve::ListenerExt,
};
use futures::StreamExt;
use rusqlite::Connection;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    sync::mpsc,
};

use crate::process::ProcessUsage;

/// The same system prompt as for LangGraph.
const SYSTEM: &str = "You are a helpful assistant. Answer briefly and in the language of the user. ";
const SYSTEM_TIMES: usize = 13;

/// The server's process, and its address.
pub(crate) struct BareServer {
    child: Child,
    address: SocketAddr,
    client: reqwest::Client,
    sessions: u64,
    _folder: tempfile::TempDir,
}

impl BareServer {
    /// Starts this program again as the server.
    pub(crate) async fn start(model: &str) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["bare-turns", "--model", model, "--data"]).arg(folder.path());
        let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let output = child.stdout.take().context("failed to read from the bare server")?;
        let mut lines = BufReader::new(output).lines();
        let line = lines.next_line().await?.context("the bare server ended")?;
        Ok(Self { child, address: line.parse()?, client: reqwest::Client::new(), sessions: 0, _folder: folder })
    }

    /// Sends all messages in one conversation; returns the mean CPU time of a turn in milliseconds,
    /// and the duration of each turn.
    pub(crate) async fn take(&mut self, messages: &[String]) -> Result<(f64, Vec<Duration>)> {
        let pid = self.child.id().context("the bare server ended")?;
        let before = ProcessUsage::of(pid)?;
        self.sessions += 1;
        let mut times = Vec::new();
        for message in messages {
            let begun = Instant::now();
            self.say(self.sessions, message).await?;
            times.push(begun.elapsed());
        }
        let cpu = ProcessUsage::of(pid)?.cpu - before.cpu;
        Ok((cpu.as_secs_f64() * 1000.0 / messages.len() as f64, times))
    }

    /// The same in several concurrent conversations; returns the total time.
    pub(crate) async fn take_at_once(&mut self, conversations: &[Vec<String>]) -> Result<Duration> {
        let begun = Instant::now();
        let first = self.sessions + 1;
        self.sessions += conversations.len() as u64;
        let this = &*self;
        let talk = |(messages, session): (&Vec<String>, u64)| {
            let messages = messages.clone();
            async move {
                for message in &messages {
                    this.say(session, message).await?;
                }
                anyhow::Ok(())
            }
        };
        futures::future::try_join_all(conversations.iter().zip(first..).map(talk)).await?;
        Ok(begun.elapsed())
    }

    async fn say(&self, session: u64, message: &str) -> Result<()> {
        let asked = json!({ "session": session, "message": message });
        let answer = self.client.post(format!("http://{}/turns", self.address)).json(&asked).send().await?;
        let text = answer.error_for_status()?.text().await?;
        ensure!(text.ends_with("word"), "the bare server answered {text:?}");
        Ok(())
    }
}

/// The state that all turns share.
struct BareServerState {
    model: String,
    client: reqwest::Client,
    database: Mutex<Connection>,
    history: Mutex<HashMap<u64, Vec<Value>>>,
}

#[derive(Deserialize)]
struct TurnBody {
    session: u64,
    message: String,
}

/// Runs the server: prints its address, and serves until it is killed.
pub(crate) async fn serve(model: String, data: &Path) -> Result<()> {
    let database = Connection::open(data.join("bare.db"))?;
    database.pragma_update(None, "journal_mode", "WAL")?;
    database.pragma_update(None, "synchronous", "FULL")?;
    database.execute_batch("CREATE TABLE steps (session INTEGER NOT NULL, body TEXT NOT NULL)")?;
    let state =
        BareServerState { model, client: reqwest::Client::new(), database: database.into(), history: Mutex::default() };
    let app = Router::new().route("/turns", post(turn)).with_state(Arc::new(state));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    #[expect(clippy::print_stdout, reason = "the parent process reads the address from it")]
    {
        println!("{}", listener.local_addr()?);
    }
    // Small writes are sent at once.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    Ok(axum::serve(listener, app).await?)
}

async fn turn(State(state): State<Arc<BareServerState>>, Json(turn): Json<TurnBody>) -> Body {
    let (words, heard) = mpsc::channel::<Result<Bytes>>(64);
    tokio::spawn(async move {
        if let Err(error) = state.take(turn, &words).await {
            // The client may be gone.
            let _ = words.send(Err(error)).await;
        }
    });
    Body::from_stream(futures::stream::unfold(heard, |mut heard| async { heard.recv().await.map(|it| (it, heard)) }))
}

impl BareServerState {
    async fn take(&self, turn: TurnBody, words: &mpsc::Sender<Result<Bytes>>) -> Result<()> {
        let TurnBody { session, message } = turn;
        let mut messages = lock(&self.history).get(&session).cloned().unwrap_or_default();
        messages.push(json!({ "role": "user", "content": message }));
        self.commit(session, &messages[messages.len() - 1..])?;
        let (_, call) = self.ask(&messages, None).await?;
        let call = call.context("the model asked for no tool")?;
        let calls = json!([{ "id": "call_1", "type": "function", "function": call }]);
        messages.push(json!({ "role": "assistant", "content": "", "tool_calls": calls }));
        messages.push(json!({ "role": "tool", "tool_call_id": "call_1", "content": "391" }));
        self.commit(session, &messages[messages.len() - 2..])?;
        let (text, _) = self.ask(&messages, Some(words)).await?;
        messages.push(json!({ "role": "assistant", "content": text }));
        self.commit(session, &messages[messages.len() - 1..])?;
        lock(&self.history).insert(session, messages);
        Ok(())
    }

    fn commit(&self, session: u64, steps: &[Value]) -> Result<()> {
        let mut database = lock(&self.database);
        let transaction = database.transaction()?;
        for step in steps {
            let session = i64::try_from(session)?;
            transaction
                .prepare_cached("INSERT INTO steps VALUES (?1, ?2)")?
                .execute(rusqlite::params![session, step.to_string()])?;
        }
        Ok(transaction.commit()?)
    }

    /// Calls the model and streams its text. Returns the text, and the tool call if there is one.
    async fn ask(
        &self,
        messages: &[Value],
        words: Option<&mpsc::Sender<Result<Bytes>>>,
    ) -> Result<(String, Option<Value>)> {
        let mut told = vec![json!({ "role": "system", "content": SYSTEM.repeat(SYSTEM_TIMES) })];
        told.extend_from_slice(messages);
        let calculator = json!({ "type": "function", "function": { "name": "calculator",
            "description": "Works out an expression.",
            "parameters": { "type": "object", "properties": { "expression": { "type": "string" } } } } });
        let body = json!({ "model": "test", "stream": true, "messages": told, "tools": [calculator] });
        let url = format!("{}/chat/completions", self.model);
        let answer = self.client.post(url).bearer_auth("sk-test").json(&body).send().await?.error_for_status()?;
        let (mut stream, mut rest, mut text, mut call) = (answer.bytes_stream(), Vec::new(), String::new(), None);
        while let Some(bytes) = stream.next().await {
            rest.extend_from_slice(&bytes?);
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = rest.drain(..=end).collect();
                let Some(data) = line.strip_prefix(b"data: ").filter(|data| !data.starts_with(b"[DONE]")) else {
                    continue;
                };
                let chunk: Value = serde_json::from_slice(data)?;
                let delta = &chunk["choices"][0]["delta"];
                if let Some(piece) = delta["content"].as_str() {
                    text.push_str(piece);
                    if let Some(words) = words {
                        words.send(Ok(Bytes::copy_from_slice(piece.as_bytes()))).await?;
                    }
                }
                if let Some(function) = delta["tool_calls"][0]["function"].as_object() {
                    call.get_or_insert_with(|| Value::Object(function.clone()));
                }
            }
        }
        Ok((text, call))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
