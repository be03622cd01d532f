//! Three nodes and their database under load, with one fault after the other: a node is killed, is
//! suspended past its lease, loses its database or is asked to stop; the database itself is killed.
//!
//! `DWELL_KILLS` sets the number of rounds (30 by default) and `DWELL_SEED` the choices. Every turn
//! calls a tool that may run at most once. In the end no acknowledged message is lost or was taken
//! twice, no journal has a gap, all nodes show the same journals, no call ran twice, every event
//! that a client received is in the journal, and the history of the API is linearizable.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Fault, Reply, Request, Socket, ToolCall, ToolServer};
use tokio::process::Command;

use super::{
    Nodes, TestNode,
    balanced::{BalancedClient, PATIENCE},
    history::{History, OperationKind},
};
use crate::kill::{SeededRandom, setting};

const OWNERS: [&str; 3] = ["ada", "ben", "cleo"];
const LEASE: Duration = Duration::from_secs(1);

/// Sends a signal to a process.
pub(super) async fn signal(pid: u32, name: &str) {
    let sent = Command::new("sh").arg("-c").arg(format!("kill -{name} {pid}")).status().await;
    assert!(sent.unwrap().success());
}

/// What the clients share.
struct Load {
    client: BalancedClient,
    history: History,
    /// Acknowledged messages: their session and their turn.
    acknowledged: Mutex<BTreeMap<String, (String, Value)>>,
    /// Events that were received, by session and number.
    received: Mutex<BTreeMap<(String, u64), Value>>,
    tool_server: Arc<ToolServer>,
    is_over: AtomicBool,
}

/// A client that sends messages and sees their turns through.
async fn send_messages(load: Arc<Load>, token: String, session: String) {
    let path = format!("/api/v1/sessions/{session}/turns");
    for n in 0.. {
        if load.is_over.load(Ordering::SeqCst) {
            return;
        }
        let key = format!("{session} {n}");
        let body = json!({ "message": key, "idempotency_key": key });
        let began = Instant::now();
        let (status, taken) = load.client.ask(&token, Method::POST, &path, Some(body)).await;
        assert_eq!(status, 202, "{taken}");
        load.history.record(&session, OperationKind::Append, began, taken["seq"].as_u64().unwrap());
        let turn = taken["turn_id"].clone();
        load.acknowledged.lock().unwrap().insert(key.clone(), (session.clone(), turn.clone()));
        see_through(&load, &token, turn.as_str().unwrap(), &key).await;
        let began = Instant::now();
        let (_, view) = load.client.ask(&token, Method::GET, &format!("/api/v1/sessions/{session}"), None).await;
        load.history.record(&session, OperationKind::Read, began, view["last_seq"].as_u64().unwrap());
    }
}

/// Waits for the end of a turn, and answers as a person would who knows what has happened.
async fn see_through(load: &Load, token: &str, turn: &str, key: &str) {
    let until = Instant::now() + PATIENCE;
    let resume = format!("/api/v1/turns/{turn}/resume");
    loop {
        let (_, view) = load.client.ask(token, Method::GET, &format!("/api/v1/turns/{turn}?wait_ms=100"), None).await;
        match view["status"].as_str() {
            Some("completed") => return,
            Some("waiting") if view["reason"] == "outcome_unknown" => {
                // A person takes a moment; what was under way arrives meanwhile.
                tokio::time::sleep(LEASE / 2).await;
                let has_happened = load.tool_server.ledger().iter().any(|entry| entry.arguments["note"] == key);
                load.client.answer_truthfully(token, &view, has_happened).await;
            }
            // All attempts were cut off.
            Some("interrupted") => drop(load.client.ask(token, Method::POST, &resume, Some(json!({}))).await),
            Some("pending" | "running" | "streaming" | "waiting") => {}
            _ => panic!("turn {turn} ended wrongly: {view}"),
        }
        assert!(Instant::now() < until, "turn {turn} does not end: {view}");
    }
}

/// A client that follows a session, at another node after each break.
async fn follow(load: Arc<Load>, token: String, session: String) {
    let authorization = format!("Bearer {token}");
    let mut newest = 0;
    while !load.is_over.load(Ordering::SeqCst) {
        let (url, headers) = (load.client.url(), [("authorization", authorization.as_str())]);
        let opened = Socket::connect_with(&url, "", &headers);
        let Ok(Ok((mut socket, _))) = tokio::time::timeout(Duration::from_secs(5), opened).await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let resume = json!({ "type": "session.resume", "id": 1, "data": { "session_id": session, "after": newest } });
        if !socket.try_send_text(&resume.to_string()).await {
            continue;
        }
        while let Ok(Some(message)) = tokio::time::timeout(Duration::from_secs(1), socket.try_next()).await {
            if message["type"] == "error" {
                break;
            }
            if let Some(seq) = message["seq"].as_u64() {
                assert_eq!(seq, newest + 1, "a number is missing or came twice");
                newest = seq;
                load.received.lock().unwrap().insert((session.clone(), seq), message);
            }
        }
    }
}

/// A fault, up to its end; a node that was killed or stopped is left so. Returns how long an owner
/// of that node was without one.
async fn fault(nodes: &mut Nodes, load: &Load, tokens: &[String], random: &mut SeededRandom) -> Option<Duration> {
    let (at, kind) = (usize::try_from(random.below(3)).unwrap(), random.below(6));
    let is_up = |node: &TestNode| node.server.is_some();
    // No node starts without its database, and one of those that are left works.
    if kind == 4 || !is_up(&nodes.nodes[at]) || nodes.nodes.iter().filter(|node| is_up(node)).count() < 2 {
        nodes.up(&load.client).await;
    }
    let other = (1..3).map(|n| (at + n) % 3).find(|other| is_up(&nodes.nodes[*other])).unwrap();
    let orphan = nodes.owner_at(at).and_then(|orphan| OWNERS.iter().position(|owner| *owner == orphan));
    let began = Instant::now();
    let recovered = async || {
        let token = &tokens[orphan?];
        Some(load.client.until_served(token, other, began).await)
    };
    match kind {
        0 | 1 => nodes.nodes[at].server.take().unwrap().kill().await,
        2 => {
            let pid = nodes.server(at).pid();
            signal(pid, "STOP").await;
            let recovered = recovered().await;
            tokio::time::sleep((LEASE * 5 / 4).saturating_sub(began.elapsed())).await;
            signal(pid, "CONT").await;
            return recovered;
        }
        3 => {
            let how = [Fault::Drop, Fault::Stall, Fault::Refuse][usize::try_from(random.below(3)).unwrap()];
            nodes.nodes[at].proxy.set(how).await;
            // Another node has the owners before this one is heard of again.
            tokio::time::sleep(LEASE * 3 / 2).await;
            nodes.nodes[at].proxy.heal().await;
            return None;
        }
        4 => {
            let cluster = nodes.cluster.clone();
            let restart = move || {
                cluster.stop_immediately();
                cluster.start();
            };
            tokio::task::spawn_blocking(restart).await.unwrap();
            return None;
        }
        _ => assert!(nodes.nodes[at].server.take().unwrap().stop().await.success()),
    }
    recovered().await
}

/// The model: it has the message sent as a letter, and then says that it was.
fn reply(request: &Request) -> Reply {
    let is_sent = request.messages().last().is_some_and(|message| message["role"] == "tool");
    if is_sent {
        return Reply::text("It is sent.").every(Duration::from_millis(5));
    }
    let note = request.last_user();
    Reply::tool_calls([ToolCall::new(format!("call {note}"), "send_letter", json!({ "note": note }))])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_rounds_of_nodes_lose_nothing() {
    let (rounds, seed) = (setting("DWELL_KILLS", 30), setting("DWELL_SEED", 20_261_118));
    let mut random = SeededRandom::new(seed);
    let mut nodes = Nodes::prepare(LEASE).await;
    nodes.model.respond_with(reply);
    let mut tokens = Vec::new();
    for owner in OWNERS {
        tokens.push(nodes.add_owner(owner).await);
    }
    for node in &mut nodes.nodes {
        node.up().await;
    }
    let load = Arc::new(Load {
        client: BalancedClient::new(&nodes),
        history: History::new(),
        acknowledged: Mutex::default(),
        received: Mutex::default(),
        tool_server: nodes.tool_server.clone(),
        is_over: AtomicBool::new(false),
    });
    let (mut sessions, mut clients) = (Vec::new(), Vec::new());
    for token in tokens.iter().cycle().take(2 * OWNERS.len()) {
        let (_, view) = load.client.ask(token, Method::POST, "/api/v1/sessions", Some(json!({}))).await;
        let session = view["session_id"].as_str().unwrap().to_owned();
        clients.push(tokio::spawn(send_messages(load.clone(), token.clone(), session.clone())));
        clients.push(tokio::spawn(follow(load.clone(), token.clone(), session.clone())));
        sessions.push((token.clone(), session));
    }
    let mut times = Vec::new();
    for _ in 0..rounds {
        times.extend(fault(&mut nodes, &load, &tokens, &mut random).await);
        // A node that is down may still be starting when the next fault comes.
        nodes.nodes.iter_mut().for_each(TestNode::begin_start);
        tokio::time::sleep(Duration::from_millis(100 + random.below(300))).await;
        nodes.note_started(&load.client).await;
    }
    nodes.up(&load.client).await;
    load.is_over.store(true, Ordering::SeqCst);
    for client in clients {
        client.await.unwrap();
    }
    times.sort();
    say_times(rounds, &load, &times);
    check(&nodes, &load, &sessions).await;
}

#[allow(clippy::print_stdout, reason = "these figures are the result of a long run by hand")]
fn say_times(rounds: u64, load: &Load, times: &[Duration]) {
    println!(
        "{rounds} rounds, {} messages, {} operations; owners served again after {:?} (median of {}), {:?} (worst)",
        load.acknowledged.lock().unwrap().len(),
        load.history.len(),
        times.get(times.len() / 2),
        times.len(),
        times.last(),
    );
}

/// Compares what the clients were told with the journals, as every node shows them.
async fn check(nodes: &Nodes, load: &Load, sessions: &[(String, String)]) {
    load.history.check();
    let acknowledged = load.acknowledged.lock().unwrap().clone();
    assert!(acknowledged.len() >= sessions.len(), "hardly any traffic: {}", acknowledged.len());
    for (token, session) in sessions {
        let log = nodes.server(0).rest_as(Some(token)).log(session).await;
        for at in [1, 2] {
            assert_eq!(nodes.server(at).rest_as(Some(token)).log(session).await, log, "all nodes show the same");
        }
        let mut accepted = BTreeMap::new();
        for (event, seq) in log.iter().zip(1u64..) {
            assert_eq!(event["seq"], seq, "numbers without gaps");
            if event["type"] == "message.accepted" {
                let message = event["data"]["message"].as_str().unwrap().to_owned();
                let before = accepted.insert(message, event["turn_id"].clone());
                assert_eq!(before, None, "a message was taken twice");
            }
        }
        for (key, (_, turn)) in acknowledged.iter().filter(|(_, (of, _))| of == session) {
            assert_eq!(accepted.get(key), Some(turn), "the message {key} was lost");
        }
        let received = load.received.lock().unwrap();
        for ((_, seq), event) in received.range((session.clone(), 0)..=(session.clone(), u64::MAX)) {
            let index = usize::try_from(seq - 1).unwrap();
            assert_eq!(log.get(index), Some(event), "a client received an event that is not in the journal");
        }
    }
    let mut letters = BTreeSet::new();
    for entry in nodes.tool_server.ledger() {
        assert!(!entry.is_repeat, "a call ran twice: {entry:?}");
        assert!(letters.insert(entry.arguments["note"].to_string()), "a letter was sent twice: {entry:?}");
    }
    assert_eq!(letters.len(), acknowledged.len(), "every message was sent as a letter");
}
