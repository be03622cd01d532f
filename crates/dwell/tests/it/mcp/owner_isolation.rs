//! Owner isolation: two owners whose requests have the same ids, at the same time, in both protocol
//! versions. No answer reaches the other owner.
//!
//! `DWELL_MCP_CALLS` sets the number of calls (1,000 by default) and `DWELL_SEED` which calls.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::{McpClient, McpWire, ModelServer, Reply, RunningServer};

use crate::{
    kill::{SeededRandom, setting},
    owners, program,
};

/// Clients of each owner for each protocol version.
const CLIENTS: usize = 3;
/// Open requests of each client.
const OPEN: usize = 4;

/// One of the two owners, with values that no other owner has.
#[derive(Clone)]
struct TestOwner {
    name: &'static str,
    token: String,
    /// A word in everything that belongs to this owner.
    secret: &'static str,
    /// A number that is added to every sum this owner asks for.
    offset: u64,
    sessions: Vec<String>,
    turns: Vec<String>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[allow(clippy::print_stdout, reason = "a long run says what it came to")]
async fn soak_of_two_owners_with_equal_ids() {
    let (calls, seed) = (setting("DWELL_MCP_CALLS", 1_000), setting("DWELL_SEED", 20_261_115));
    let model = ModelServer::start().await;
    model.respond_with(Reply::echo);
    model.forget_requests();
    let program = program().with_model(&model).with("DWELL_LOG_FILTER", "error");
    let server = program.start().await;
    let mut both = Vec::new();
    for (name, secret, offset) in [("ada", "heliotrope", 1_000_000), ("bob", "quicksilver", 5_000_000)] {
        let token = owners::add(&program, name).await;
        let mut owner = TestOwner { name, token, secret, offset, sessions: Vec::new(), turns: Vec::new() };
        furnish(&server, &mut owner).await;
        both.push(owner);
    }
    let each = calls / (2 * 2 * (CLIENTS * OPEN) as u64) + 1;
    let begun_at = Instant::now();
    let mut running = Vec::new();
    for (own, other) in [(0, 1), (1, 0)] {
        for (number, wire) in McpWire::BOTH.into_iter().enumerate() {
            for client in 0..CLIENTS {
                let mcp = server.mcp_as(&both[own].token, wire, json!({})).await;
                for lane in 0..OPEN {
                    // The lanes of both owners draw the same calls, and their clients use the same
                    // ids.
                    let place = (number * CLIENTS + client) * OPEN + lane;
                    let random = SeededRandom::new(seed.wrapping_mul(place as u64 + 1));
                    let (own, other) = (both[own].clone(), both[other].clone());
                    running.push(tokio::spawn(ask_away(mcp.clone(), own, other, random, each)));
                }
            }
        }
    }
    let mut told = TrafficCounts::default();
    for asking in running {
        told.add(asking.await.unwrap());
    }
    println!(
        "{} calls of two owners in {:.0?}, seed {seed}: {} turns, {} that asked for what is the other's; no answer reached \
         the other",
        told.calls,
        begun_at.elapsed(),
        told.turns,
        told.foreign
    );
    assert!(told.calls >= calls && told.foreign > 0 && told.turns > 0, "{told:?}");
}

#[derive(Debug, Default)]
struct TrafficCounts {
    calls: u64,
    turns: u64,
    foreign: u64,
}

impl TrafficCounts {
    const fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.turns += other.turns;
        self.foreign += other.foreign;
    }
}

/// Creates sessions and turns that contain the owner's secret.
async fn furnish(server: &RunningServer, owner: &mut TestOwner) {
    let mcp = server.mcp_as(&owner.token, McpWire::Alone, json!({})).await;
    for n in 0..4 {
        let key = format!("{}-{n}", owner.secret);
        let session = mcp.data("start_session", json!({ "key": key })).await["session_id"].clone();
        owner.sessions.push(session.as_str().unwrap().to_owned());
        let message = json!({ "session_id": session, "message": said(owner, "furnish"), "timeout_ms": 30000 });
        let turn = mcp.data("send_message", message).await["continuation_id"].clone();
        owner.turns.push(turn.as_str().unwrap().to_owned());
    }
}

fn said(owner: &TestOwner, mark: &str) -> String {
    format!("Tell me about the {} of {mark}.", owner.secret)
}

/// One lane of one client.
async fn ask_away(
    mcp: McpClient,
    own: TestOwner,
    other: TestOwner,
    mut random: SeededRandom,
    calls: u64,
) -> TrafficCounts {
    let mut told = TrafficCounts::default();
    for n in 0..calls {
        let which = usize::try_from(random.below(4)).unwrap();
        let (session, turn) = (&own.sessions[which], &own.turns[which]);
        let kind = random.below(100);
        let answer = match kind {
            // Turns are slow, so they are rare. The other calls are the fastest ones, which are the
            // most likely to cross.
            0..2 => {
                told.turns += 1;
                let mark = format!("{n}-{}", random.below(1_000_000));
                let message = said(&own, &mark);
                let answer = answered(&mcp, "ask", json!({ "message": message })).await;
                assert_eq!(
                    answer["structuredContent"]["response"]["final_message"],
                    json!(format!("You said: {message}"))
                );
                answer
            }
            2..50 => {
                let sum = random.below(1_000_000);
                let answer =
                    answered(&mcp, "calculator", json!({ "expression": format!("{} + {sum}", own.offset) })).await;
                let words = answer["content"][0]["text"].as_str().unwrap();
                assert!(words.contains(&(own.offset + sum).to_string()), "{}: {words}", own.name);
                answer
            }
            50..70 => {
                let answer = answered(&mcp, "get_session", json!({ "session_id": session })).await;
                assert_eq!(answer["structuredContent"]["session"]["owner"], own.name);
                assert_eq!(answer["structuredContent"]["session"]["session_id"], session.as_str());
                answer
            }
            70..80 => {
                let answer = answered(&mcp, "await_continuation", json!({ "continuation_id": turn })).await;
                assert_eq!(answer["structuredContent"]["continuation_id"], turn.as_str());
                assert!(answer.to_string().contains(own.secret));
                answer
            }
            80..85 => {
                let answer = answered(&mcp, "list_sessions", json!({ "limit": 10 })).await;
                for view in answer["structuredContent"]["sessions"].as_array().unwrap() {
                    assert_eq!(view["owner"], own.name, "{view}");
                }
                answer
            }
            85..90 => {
                let read =
                    mcp.ask("resources/read", json!({ "uri": format!("session://{session}/events") })).await.unwrap();
                assert!(read.to_string().contains(own.secret));
                read
            }
            _ => {
                told.foreign += 1;
                let (tool, field, id) = match random.below(2) {
                    0 => ("get_session", "session_id", &other.sessions[which]),
                    _ => ("await_continuation", "continuation_id", &other.turns[which]),
                };
                let answer = mcp.call(tool, json!({ field: id })).await.unwrap();
                assert_eq!(answer["isError"], true, "{}: {answer}", own.name);
                answer
            }
        };
        told.calls += 1;
        let written = answer.to_string();
        assert!(!written.contains(other.secret), "{} was told what is {}'s: {written}", own.name, other.name);
    }
    told
}

/// The answer of a tool, repeated while a limit refuses the call.
async fn answered(mcp: &McpClient, tool: &str, arguments: Value) -> Value {
    loop {
        let answer = mcp.call(tool, arguments.clone()).await.unwrap_or_else(|error| panic!("{tool}: {error}"));
        let code = &answer["_meta"]["dwell/problem"]["code"];
        if ["queue_full", "too_many_agents", "rate_limited"].iter().any(|full| code == full) {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        }
        assert_ne!(answer["isError"], true, "{tool}: {answer}");
        return answer;
    }
}
