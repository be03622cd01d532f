//! The kill loop over memory: the server is killed at random moments while conversations become memories.
//!
//! `DWELL_MEMORY_KILLS` sets how often (8 unless told), `DWELL_SEED` which moments. Clients send each thing again under
//! its key until it is acknowledged. It shows that every message is an entry once, that nothing is one that nobody said,
//! that versions have no gaps, that of what changed the last holds, and that everything is announced once.

mod check;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Rest, Running};

use super::memory;
use crate::{
    kill::{Moments, setting},
    program,
};

/// Messages of a conversation that is taken in.
const CHAT: u64 = 8;

/// Something that a client does until it is acknowledged, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// Says something in a session of its own.
    Talk(usize),
    /// Writes entries to one memory.
    Note,
    /// Takes in conversations.
    Ingest,
}

const CLIENTS: &[Doing] = &[Doing::Talk(0), Doing::Talk(1), Doing::Note, Doing::Ingest];

/// What the clients know, across all lives of the server.
#[derive(Default)]
struct Told {
    /// How often each of them was acknowledged; the next thing has this number.
    acknowledged: Vec<u64>,
}

#[derive(Clone)]
struct Clients {
    sessions: Vec<String>,
    /// The path of the memory that entries are written to.
    notes: String,
    told: Arc<Mutex<Told>>,
}

/// What is said in a session as the n-th.
fn message(session: usize, n: u64) -> String {
    match (session, n % 3) {
        (0, 0) => format!("My favourite number is {n}."),
        (1, 0) => format!("My locker code is {n}."),
        _ => format!("This is message {n} of session {session}."),
    }
}

fn note(n: u64) -> String {
    format!("This is note {n}.")
}

fn chat(n: u64) -> Value {
    let messages = (0..CHAT).map(|place| {
        let role = if place % 2 == 0 { "user" } else { "assistant" };
        // Some have no time of their own.
        let at = (place % 3 != 2).then(|| format!("2026-05-03T10:{place:02}:00Z"));
        let mut said = json!({ "role": role, "content": format!("This is line {place} of chat {n}.") });
        if let Some(at) = at {
            said["at"] = json!(at);
        }
        said
    });
    json!({ "title": format!("chat {n}"), "messages": messages.collect::<Vec<_>>() })
}

impl Clients {
    fn acknowledged(&self, client: usize) -> u64 {
        self.told.lock().unwrap().acknowledged[client]
    }

    /// Sends the next thing once; whether the server is still there.
    async fn send(&self, rest: &Rest, client: usize) -> bool {
        let n = self.acknowledged(client);
        let key = format!("{client}-{n}");
        let (path, body) = match CLIENTS[client] {
            Doing::Talk(session) => {
                let body = json!({ "message": message(session, n), "idempotency_key": key });
                (format!("/api/v1/sessions/{}/turns", self.sessions[session]), body)
            }
            Doing::Note => (format!("{}/entries", self.notes), json!({ "raw_entry": note(n) })),
            Doing::Ingest => ("/api/v1/memories/ingest".to_owned(), chat(n)),
        };
        let headers = match CLIENTS[client] {
            Doing::Talk(_) => vec![],
            Doing::Note | Doing::Ingest => vec![("idempotency-key", key.as_str())],
        };
        match rest.try_call(Method::POST, &path, Some(body), &headers).await {
            Err(_) => false,
            Ok(answer) if (200..300).contains(&answer.status) => {
                self.told.lock().unwrap().acknowledged[client] += 1;
                true
            }
            // A full queue is no loss: it says so.
            Ok(answer) => {
                assert_eq!(answer.body["code"], "queue_full", "{}", answer.body);
                tokio::time::sleep(Duration::from_millis(2)).await;
                true
            }
        }
    }

    /// All clients at once, until the server is gone.
    fn work(&self, server: &Running) -> Vec<tokio::task::JoinHandle<()>> {
        let work = (0..CLIENTS.len()).map(|client| {
            let (clients, rest) = (self.clone(), server.rest());
            tokio::spawn(async move {
                while clients.send(&rest, client).await {
                    // Who waits now and then lets the follower get to the end of what there is.
                    tokio::time::sleep(Duration::from_millis(3)).await;
                }
            })
        });
        work.collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_memory_loses_and_doubles_nothing() {
    let (kills, seed) = (setting("DWELL_MEMORY_KILLS", 8), setting("DWELL_SEED", 20_261_115));
    let mut moments = Moments::new(seed);
    let program = program().with("DWELL_LOG_FILTER", "error");
    let mut server = program.start().await;
    let rest = server.rest();
    let clients = Clients {
        sessions: vec![rest.session().await, rest.session().await],
        notes: memory(&rest).await,
        told: Arc::new(Mutex::new(Told { acknowledged: vec![0; CLIENTS.len()] })),
    };
    for _ in 0..kills {
        let work = clients.work(&server);
        tokio::time::sleep(Duration::from_millis(1 + moments.below(120))).await;
        server.kill().await;
        for client in work {
            client.await.unwrap();
        }
        server = program.start().await;
        // Sometimes nobody says anything, and what was left is done in peace, or is cut off again.
        if moments.below(5) == 0 {
            tokio::time::sleep(Duration::from_millis(moments.below(60))).await;
            server.kill().await;
            server = program.start().await;
        }
    }
    let rest = server.rest();
    // What was under way is sent again, until it is acknowledged.
    for client in 0..CLIENTS.len() {
        let before = clients.acknowledged(client);
        while clients.acknowledged(client) == before {
            assert!(clients.send(&rest, client).await);
        }
    }
    check::all(&rest, &clients).await;
    let told: Vec<u64> = (0..CLIENTS.len()).map(|client| clients.acknowledged(client)).collect();
    #[allow(clippy::print_stderr, reason = "a long proof says what it did")]
    {
        eprintln!("kill_memory: {kills} kills, seed {seed}; messages, messages, notes, chats acknowledged: {told:?}");
    }
    assert!(told.iter().all(|count| *count >= 1), "somebody was never heard: {told:?}");
    assert!(told[0] + told[1] >= kills, "hardly any traffic: {told:?}");
}
