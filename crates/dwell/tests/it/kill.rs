//! The kill loop: the server is killed at random moments, repeatedly, under traffic.
//!
//! `DWELL_KILLS` sets the number of kills (25 by default) and `DWELL_SEED` the moments. The test
//! shows that no acknowledged message is lost or duplicated, that no sequence number is missing,
//! that every event that a client has received is in the journal, and that every accepted turn ends
//! or waits.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RestClient, RunningServer};

use crate::program;

const SESSIONS: usize = 4;

/// What the clients were told, to be compared with the journal.
#[derive(Default)]
struct ClientRecord {
    /// Acknowledged messages by key: turn and sequence number.
    acknowledged: BTreeMap<String, (Value, Value)>,
    /// Received events by session and sequence number.
    events: BTreeMap<(String, u64), Value>,
}

type Ledger = Arc<Mutex<ClientRecord>>;

/// A small random number generator (xorshift) that gives the same numbers for the same seed.
pub(crate) struct SeededRandom(u64);

impl SeededRandom {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(crate) const fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

#[allow(clippy::disallowed_methods, reason = "a test is set by its environment")]
pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_loop_loses_nothing() {
    let (kills, seed) = (setting("DWELL_KILLS", 25), setting("DWELL_SEED", 20_261_115));
    let mut random = SeededRandom::new(seed);
    let model = ModelServer::start().await;
    model.respond_with(|request| Reply::echo(request).every(Duration::from_millis(3)));
    let program = program().with_model(&model).with("DWELL_LOG_FILTER", "error");
    let ledger = Ledger::default();

    let mut server = program.start().await;
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(server.rest().session().await);
    }
    for round in 0..kills {
        let before = ledger.lock().unwrap().acknowledged.len();
        let clients = traffic(&server, &sessions, &ledger, round);
        // Mostly there is something to lose; now and then the kill comes before the first answer.
        if random.below(4) > 0 {
            while ledger.lock().unwrap().acknowledged.len() == before {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        tokio::time::sleep(Duration::from_millis(1 + random.below(60))).await;
        server.kill().await;
        for client in clients {
            client.await.unwrap();
        }
        server = program.start().await;
    }
    for session in &sessions {
        check(&server.rest(), session, &ledger).await;
    }
    let told = ledger.lock().unwrap();
    assert!(told.acknowledged.len() as u64 >= kills / 2, "hardly any traffic: {}", told.acknowledged.len());
    assert!(told.events.len() as u64 >= kills, "too few events were received: {}", told.events.len());
}

/// Clients that send and follow until the server is killed.
fn traffic(
    server: &RunningServer,
    sessions: &[String],
    ledger: &Ledger,
    round: u64,
) -> Vec<tokio::task::JoinHandle<()>> {
    let mut clients = Vec::new();
    for session in sessions {
        clients.push(tokio::spawn(send_until_killed(server.rest(), session.clone(), ledger.clone(), round)));
        let (url, session, ledger) = (server.url().to_owned(), session.clone(), ledger.clone());
        clients.push(tokio::spawn(async move { follow_until_killed(&url, &session, &ledger).await }));
    }
    clients
}

async fn send_until_killed(rest: RestClient, session: String, ledger: Ledger, round: u64) {
    let path = format!("/api/v1/sessions/{session}/turns");
    for n in 0.. {
        // Every key is sent twice, like a client that retries.
        let key = format!("{round}-{}", n / 2);
        let body = json!({ "message": format!("{session} {key}"), "idempotency_key": key });
        match rest.try_call(Method::POST, &path, Some(body), &[]).await {
            Err(_) => return,
            Ok(answer) if answer.status == 202 => {
                let told = (answer.body["turn_id"].clone(), answer.body["seq"].clone());
                let mut ledger = ledger.lock().unwrap();
                let before = ledger.acknowledged.insert(format!("{session} {key}"), told.clone());
                assert!(before.is_none_or(|before| before == told), "one key, two turns");
            }
            // A full queue loses nothing: the client gets an error.
            Ok(answer) => {
                assert_eq!(answer.body["code"], "queue_full", "{}", answer.body);
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }
    }
}

async fn follow_until_killed(url: &str, session: &str, ledger: &Ledger) {
    let headers = [("authorization", "Bearer test-token-0123456789")];
    let Ok((mut socket, _)) = testkit::Socket::connect_with(url, "", &headers).await else { return };
    let newest = ledger
        .lock()
        .unwrap()
        .events
        .range((session.to_owned(), 0)..=(session.to_owned(), u64::MAX))
        .next_back()
        .map_or(0, |((_, seq), _)| *seq);
    let resume = json!({ "type": "session.resume", "id": 1, "data": { "session_id": session, "after": newest } });
    if !socket.try_send_text(&resume.to_string()).await {
        return;
    }
    let mut expected = newest + 1;
    while let Some(message) = socket.try_next().await {
        assert_ne!(message["type"], "error", "{message}");
        if let Some(seq) = message["seq"].as_u64() {
            assert_eq!(seq, expected, "a number is missing or came twice");
            expected += 1;
            ledger.lock().unwrap().events.insert((session.to_owned(), seq), message);
        }
    }
}

/// Compares what the clients were told with the journal.
async fn check(rest: &RestClient, session: &str, ledger: &Ledger) {
    settle(rest, session).await;
    let log = rest.log(session).await;
    let mut accepted: BTreeMap<String, Vec<(Value, Value)>> = BTreeMap::new();
    let mut status: BTreeMap<String, Value> = BTreeMap::new();
    for (event, seq) in log.iter().zip(1u64..) {
        assert_eq!(event["seq"], seq, "numbers without gaps");
        let turn = event["turn_id"].as_str().unwrap_or_default().to_owned();
        match event["type"].as_str().unwrap() {
            "message.accepted" => {
                let message = event["data"]["message"].as_str().unwrap().to_owned();
                accepted.entry(message).or_default().push((event["turn_id"].clone(), event["seq"].clone()));
                status.insert(turn, json!("open"));
            }
            "turn.status" => drop(status.insert(turn, event["data"]["status"].clone())),
            _ => {}
        }
    }
    let ended = ["completed", "failed", "cancelled", "expired", "interrupted"];
    for (turn, status) in &status {
        assert!(ended.contains(&status.as_str().unwrap()), "turn {turn} neither ended nor waits: {status}");
    }
    let told = ledger.lock().unwrap();
    for (message, turns) in &accepted {
        assert_eq!(turns.len(), 1, "the message {message} was taken twice");
    }
    for (message, turn) in told.acknowledged.iter().filter(|(message, _)| message.starts_with(session)) {
        assert_eq!(accepted.get(message).map(|turns| &turns[0]), Some(turn), "the message {message} was lost");
    }
    for ((_, seq), event) in told.events.range((session.to_owned(), 0)..=(session.to_owned(), u64::MAX)) {
        let index = usize::try_from(seq - 1).unwrap();
        assert_eq!(log.get(index), Some(event), "a client received an event that is not in the journal");
    }
}

/// Waits until no turn of the session is running.
async fn settle(rest: &RestClient, session: &str) {
    loop {
        let view = rest.get(&format!("/api/v1/sessions/{session}")).await.ok();
        let mut moving = false;
        for turn in view["open_turns"].as_array().unwrap() {
            let turn = rest.ended(turn.as_str().unwrap()).await;
            moving |= turn["status"] != "interrupted";
        }
        if !moving {
            return;
        }
    }
}
