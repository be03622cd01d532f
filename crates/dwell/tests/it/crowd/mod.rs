//! Load test: many sessions, each with several lanes of traffic, on one server with a limit on
//! running agents.
//!
//! `DWELL_CROWD_SESSIONS` sets the number of sessions (12 by default) and `DWELL_CROWD_SECONDS` the
//! duration (4 by default). Every message carries a mark of its session, and the model echoes it. A
//! text in the wrong session is therefore found wherever it appears: on the sockets, in the model's
//! prompts and in the journal. The test prints the waiting times. It checks that every client was
//! served and that the server's memory does not grow without bound.

mod client;
mod marks;
mod process;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::future::join_all;
use serde_json::{Value, json};
use testkit::{ModelServer, Program, Reply, RestClient, ToolCall};
use tokio::time::{Instant, sleep, sleep_until};

use self::{
    client::{Client, CrowdTotals},
    marks::sessions_marked,
};
use crate::{kill::setting, program};

/// The default of the setting, written out because other limits depend on it.
const AGENTS_MAX: u64 = 10;
/// The time within which every accepted turn ends after the last message.
const PATIENCE: Duration = Duration::from_secs(120);
/// The factor above which memory growth counts as unbounded.
const GROWTH: u64 = 3;
const GROWTH_KIB: u64 = 64 * 1024;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn soak_of_a_crowd_mixes_nothing_up_and_starves_no_session() {
    let (sessions, seconds) = (setting("DWELL_CROWD_SESSIONS", 12), setting("DWELL_CROWD_SECONDS", 4));
    let model = ModelServer::start().await;
    model.forget_requests();
    let mixed_up = Arc::new(Mutex::new(Vec::new()));
    let told = mixed_up.clone();
    model.respond_with(move |request| {
        let marked = sessions_marked(&request.raw().to_string());
        if marked.len() != 1 {
            told.lock().unwrap().push(marked);
        }
        answer(request)
    });
    let program = program_for(sessions, &model);
    let server = program.start().await;

    let mut crowd = Vec::new();
    for number in 0..sessions {
        crowd.push(Client::new(&server, number).await);
    }
    let begun = Instant::now();
    let until = begun + Duration::from_secs(seconds);
    let clients: Vec<_> = crowd.into_iter().map(|client| tokio::spawn(client.talk(until))).collect();
    let watching = tokio::spawn(watch(server.rest(), until));
    sleep_until(begun + Duration::from_secs(seconds) / 4).await;
    let early_kib = process::resident_kib(server.pid());
    sleep_until(until).await;
    let late_kib = process::resident_kib(server.pid());
    // Every accepted turn ends.
    let ended = tokio::time::timeout(PATIENCE, join_all(clients)).await.unwrap();
    let took = begun.elapsed();
    let watched = watching.await.unwrap();

    let mut all = CrowdTotals::default();
    for tally in ended {
        all.add(tally.unwrap());
    }
    report(&all, &watched, took, (early_kib, late_kib), sessions);
    assert_eq!(*mixed_up.lock().unwrap(), [], "a prompt had marks of other sessions, or none");
    assert_eq!(model.violations(), Vec::<String>::new());
    assert!(all.turns_each.iter().all(|turns| *turns > 0), "a session was never served: {:?}", all.turns_each);
    assert!(watched.running_max <= AGENTS_MAX, "{} agents at once", watched.running_max);
    if let (Some(early), Some(late)) = (early_kib, late_kib) {
        assert!(late <= GROWTH * early + GROWTH_KIB, "resident memory grew from {early} to {late} KiB");
    }
    check_idle(&server.rest(), &all).await;
    for (number, session) in &all.sessions {
        check_log(&server.rest(), *number, session).await;
    }
}

/// Echoes the first line, which has the mark. The lines below it are about other turns. If the
/// message asks for windows, it opens them.
fn answer(request: &testkit::Request) -> Reply {
    let asked = request.last_user();
    let is_fresh = request.messages().last().is_some_and(|message| message["role"] == "user");
    if is_fresh && asked.starts_with(client::OPEN) {
        let open = |window: &&str| {
            let content = json!({ "type": "text", "text": "nothing yet" });
            ToolCall::new(
                *window,
                "window_open",
                json!({ "window_id": window, "title": "A window", "content": content }),
            )
        };
        return Reply::tool_calls(client::WINDOWS.iter().map(open));
    }
    Reply::text(format!("You said: {}", asked.lines().next().unwrap_or_default())).every(Duration::from_millis(2))
}

fn program_for(sessions: u64, model: &ModelServer) -> Program {
    program()
        .with_model(model)
        .with("DWELL_LOG_FILTER", "error")
        .with("DWELL_AGENTS_MAX", &AGENTS_MAX.to_string())
        .with("DWELL_LIMITS_STREAMS_MAX", &(sessions + 16).to_string())
        .with("DWELL_LIMITS_OWNER_STREAMS_MAX", &(sessions + 16).to_string())
        // All clients of this test have the same address.
        .with("DWELL_LIMITS_PEER_CONNECTIONS_MAX", "20000")
        .with("DWELL_LIMITS_REQUESTS_PER_SECOND_MAX", "1000000")
        .with("DWELL_LIMITS_REQUESTS_BURST_MAX", "1000000")
        // All sessions of this test belong to one owner, so memory would bring text of one session
        // into another. That is intended, but here it would look like text in the wrong session.
        .with("DWELL_MEMORY_FOLLOW_SESSIONS", "false")
}

/// The maxima of the server's statistics under load.
#[derive(Default)]
struct LoadStats {
    running_max: u64,
    waiting_max: u64,
    longest_wait_ms: f64,
}

async fn watch(rest: RestClient, until: Instant) -> LoadStats {
    let mut watched = LoadStats::default();
    while Instant::now() < until {
        let stats = rest.get("/api/v1/stats").await.ok();
        let number = |name: &str| stats[name].as_u64().unwrap();
        watched.running_max = watched.running_max.max(number("running_turns"));
        watched.waiting_max = watched.waiting_max.max(number("waiting_turns"));
        watched.longest_wait_ms = watched.longest_wait_ms.max(stats["waits"]["max_ms"].as_f64().unwrap());
        sleep(Duration::from_millis(250)).await;
    }
    watched
}

/// Checks that no turn runs or waits and that the server has counted the same turns as the clients.
async fn check_idle(rest: &RestClient, all: &CrowdTotals) {
    let stats = rest.get("/api/v1/stats").await.ok();
    assert_eq!((&stats["running_turns"], &stats["waiting_turns"]), (&Value::from(0), &Value::from(0)), "{stats}");
    let turns = Value::from(all.turns.len());
    assert_eq!((&stats["totals"]["turns"], &stats["totals"]["completed"]), (&turns, &turns), "{stats}");
    for session in all.sessions.values() {
        let view = rest.get(&format!("/api/v1/sessions/{session}")).await.ok();
        assert_eq!(view["open_turns"], Value::Array(vec![]), "{view}");
    }
}

/// Checks that the journal of a session has no mark of another session.
async fn check_log(rest: &RestClient, number: u64, session: &str) {
    for event in rest.log(session).await {
        assert!(sessions_marked(&event.to_string()).iter().all(|marked| *marked == number), "{event}");
    }
}

#[allow(clippy::print_stderr, reason = "this is what the test is run by hand for")]
fn report(all: &CrowdTotals, watched: &LoadStats, took: Duration, kib: (Option<u64>, Option<u64>), sessions: u64) {
    let turns = all.turns.len();
    let mut first_words: Vec<f64> = all.turns.iter().map(|turn| turn.as_secs_f64() * 1000.0).collect();
    first_words.sort_by(f64::total_cmp);
    let at = |share: usize| first_words.get((turns * share / 100).min(turns.saturating_sub(1))).copied().unwrap_or(0.0);
    let mib = |kib: Option<u64>| kib.map_or_else(|| "?".to_owned(), |kib| format!("{:.1}", kib as f64 / 1024.0));
    eprintln!(
        "{sessions} sessions, {turns} turns in {:.1} s: {:.0} turns/s",
        took.as_secs_f64(),
        turns as f64 / took.as_secs_f64()
    );
    let (fewest, most) = (all.turns_each.iter().min(), all.turns_each.iter().max());
    eprintln!("a session had {} to {} turns", fewest.unwrap_or(&0), most.unwrap_or(&0));
    eprintln!("at most {} agents at work and {} waiting", watched.running_max, watched.waiting_max);
    eprintln!("longest wait for an agent's place: {:.0} ms", watched.longest_wait_ms);
    eprintln!("from accepted to the first word: p50 {:.0}, p95 {:.0}, longest {:.0} ms", at(50), at(95), at(100));
    eprintln!("resident memory: {} MiB after a quarter, {} MiB at the end", mib(kib.0), mib(kib.1));
}
