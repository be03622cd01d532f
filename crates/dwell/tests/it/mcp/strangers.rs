//! Two owners whose requests have the same numbers, at the same time, on both wires: no answer reaches the other.
//!
//! `DWELL_MCP_CALLS` sets how many calls there are (1,000 unless told), `DWELL_SEED` which.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::{Mcp, McpWire, ModelServer, Reply, Running};

use crate::{
    kill::{Moments, setting},
    owners, program,
};

/// Clients that each owner has on each wire.
const CLIENTS: usize = 3;
/// Requests that each client has open at once.
const OPEN: usize = 4;

/// One of the two, and what only they know.
#[derive(Clone)]
struct Owner {
    name: &'static str,
    token: String,
    /// Is in everything that is theirs.
    secret: &'static str,
    /// Added to every sum that they ask for.
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
        let mut owner = Owner { name, token, secret, offset, sessions: Vec::new(), turns: Vec::new() };
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
                    // Both owners' lanes draw the same calls, and their clients count the same ids.
                    let place = (number * CLIENTS + client) * OPEN + lane;
                    let moments = Moments::new(seed.wrapping_mul(place as u64 + 1));
                    let (own, other) = (both[own].clone(), both[other].clone());
                    running.push(tokio::spawn(ask_away(mcp.clone(), own, other, moments, each)));
                }
            }
        }
    }
    let mut told = Told::default();
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
struct Told {
    calls: u64,
    turns: u64,
    foreign: u64,
}

impl Told {
    const fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.turns += other.turns;
        self.foreign += other.foreign;
    }
}

/// Sessions and turns with the owner's secret in them.
async fn furnish(server: &Running, owner: &mut Owner) {
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

fn said(owner: &Owner, mark: &str) -> String {
    format!("Tell me about the {} of {mark}.", owner.secret)
}

/// One lane of one client.
async fn ask_away(mcp: Mcp, own: Owner, other: Owner, mut moments: Moments, calls: u64) -> Told {
    let mut told = Told::default();
    for n in 0..calls {
        let which = usize::try_from(moments.below(4)).unwrap();
        let (session, turn) = (&own.sessions[which], &own.turns[which]);
        let kind = moments.below(100);
        let answer = match kind {
            // A turn costs what a turn costs; the rest is what crosses wires fastest.
            0..2 => {
                told.turns += 1;
                let mark = format!("{n}-{}", moments.below(1_000_000));
                let message = said(&own, &mark);
                let answer = answered(&mcp, "ask", json!({ "message": message })).await;
                assert_eq!(
                    answer["structuredContent"]["response"]["final_message"],
                    json!(format!("You said: {message}"))
                );
                answer
            }
            2..50 => {
                let sum = moments.below(1_000_000);
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
                let (tool, field, id) = match moments.below(2) {
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

/// The answer of a tool, once there is room for it.
async fn answered(mcp: &Mcp, tool: &str, arguments: Value) -> Value {
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
