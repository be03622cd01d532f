//! The kill loop over memory: the server is killed at random moments while conversations become
//! memories.
//!
//! `DWELL_MEMORY_KILLS` sets the number of kills (8 by default) and `DWELL_SEED` the moments.
//! Clients send each request again under its key until it is acknowledged. The test shows that
//! every message becomes exactly one entry, that there are no other entries, that versions have no
//! gaps, that the last statement of a fact is the current one, and that every change is announced
//! once.

mod check;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{RestClient, RunningServer};

use super::memory;
use crate::{
    kill::{SeededRandom, setting},
    program,
};

/// The messages of an imported conversation.
const CHAT: u64 = 8;

/// What a client sends, each request until it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClientActivity {
    /// Sends messages in a session of its own.
    Talk(usize),
    /// Writes entries to one memory.
    Note,
    /// Imports conversations.
    Ingest,
}

const CLIENTS: &[ClientActivity] =
    &[ClientActivity::Talk(0), ClientActivity::Talk(1), ClientActivity::Note, ClientActivity::Ingest];

/// What the clients know, across all restarts of the server.
#[derive(Default)]
struct ClientRecord {
    /// How many requests of each client were acknowledged; the next request has this number.
    acknowledged: Vec<u64>,
}

#[derive(Clone)]
struct Clients {
    sessions: Vec<String>,
    /// The path of the memory that entries are written to.
    notes: String,
    told: Arc<Mutex<ClientRecord>>,
}

/// The n-th message of a session.
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
        // Some messages have no time.
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

    /// Sends the next request once; returns whether the server still answers.
    async fn send(&self, rest: &RestClient, client: usize) -> bool {
        let n = self.acknowledged(client);
        let key = format!("{client}-{n}");
        let (path, body) = match CLIENTS[client] {
            ClientActivity::Talk(session) => {
                let body = json!({ "message": message(session, n), "idempotency_key": key });
                (format!("/api/v1/sessions/{}/turns", self.sessions[session]), body)
            }
            ClientActivity::Note => (format!("{}/entries", self.notes), json!({ "raw_entry": note(n) })),
            ClientActivity::Ingest => ("/api/v1/memories/ingest".to_owned(), chat(n)),
        };
        let headers = match CLIENTS[client] {
            ClientActivity::Talk(_) => vec![],
            ClientActivity::Note | ClientActivity::Ingest => vec![("idempotency-key", key.as_str())],
        };
        match rest.try_call(Method::POST, &path, Some(body), &headers).await {
            Err(_) => false,
            Ok(answer) if (200..300).contains(&answer.status) => {
                self.told.lock().unwrap().acknowledged[client] += 1;
                true
            }
            // A full queue loses nothing: the client gets an error.
            Ok(answer) => {
                assert_eq!(answer.body["code"], "queue_full", "{}", answer.body);
                tokio::time::sleep(Duration::from_millis(2)).await;
                true
            }
        }
    }

    /// Starts all clients; they run until the server is gone.
    fn work(&self, server: &RunningServer) -> Vec<tokio::task::JoinHandle<()>> {
        let work = (0..CLIENTS.len()).map(|client| {
            let (clients, rest) = (self.clone(), server.rest());
            tokio::spawn(async move {
                while clients.send(&rest, client).await {
                    // A short pause lets the memory agent catch up.
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
    let mut random = SeededRandom::new(seed);
    let program = program().with("DWELL_LOG_FILTER", "error");
    let mut server = program.start().await;
    let rest = server.rest();
    let clients = Clients {
        sessions: vec![rest.session().await, rest.session().await],
        notes: memory(&rest).await,
        told: Arc::new(Mutex::new(ClientRecord { acknowledged: vec![0; CLIENTS.len()] })),
    };
    for _ in 0..kills {
        let before = clients.acknowledged(0) + clients.acknowledged(1);
        let work = clients.work(&server);
        // Mostly there is something to lose; now and then the kill comes before the first answer.
        if random.below(4) > 0 {
            while clients.acknowledged(0) + clients.acknowledged(1) == before {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        tokio::time::sleep(Duration::from_millis(1 + random.below(120))).await;
        server.kill().await;
        for client in work {
            client.await.unwrap();
        }
        server = program.start().await;
        // Sometimes no client sends anything: the server finishes its work or is killed again.
        if random.below(5) == 0 {
            tokio::time::sleep(Duration::from_millis(random.below(60))).await;
            server.kill().await;
            server = program.start().await;
        }
    }
    let rest = server.rest();
    // Requests that were not acknowledged are sent again until they are.
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
    assert!(told.iter().all(|count| *count >= 1), "a client was never acknowledged: {told:?}");
    assert!(told[0] + told[1] >= kills, "hardly any traffic: {told:?}");
}
