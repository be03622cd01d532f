//! The kill loop over schedules on two nodes, with a clock that goes on by a minute in each round.
//!
//! `DWELL_NODE_SCHEDULE_KILLS` sets the number of rounds (6 by default) and `DWELL_SEED` the
//! choices. In each round reminders, messages and calls become due, two schedules recur, one
//! webhook arrives at both nodes and a turn ends that is waited for; meanwhile the node that serves
//! the owner is killed, or the other one, or both, one of them is suspended past its lease, or the
//! database is killed. In the end each due run has begun exactly once, by the journal and by what
//! the tool and the receiver of alerts have seen, and none is missing.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{ClockShift, RestClient, TOKEN, WebhookReceiver};

use super::{Nodes, balanced::BalancedClient, faults::signal};
use crate::{
    kill::{SeededRandom, setting},
    schedules::{
        checks::{PlannedActions, action, check_alerts, check_turns, completed, letters, until_all_ended},
        now,
        receiver::config,
        triggers::{HOOKED, TURNED, Triggers},
    },
};

const OWNER: &str = "owner";
const LEASE: Duration = Duration::from_secs(1);
/// Schedules that run once and are made in each round.
const PER_ROUND: u64 = 3;
/// What recurs: by a cron expression and by a recurrence rule, each once a minute.
const MINUTE_MS: i64 = 60_000;
const REMINDED: &str = "a minute has passed";
const SENT: &str = "each minute";
/// How long a sender of webhooks waits for an answer: a node that is suspended gives none.
const HOOK_MAX: Duration = Duration::from_secs(10);

/// What happens to the nodes.
#[derive(Debug, Clone, Copy)]
enum NodeFault {
    KillServing,
    KillOther,
    KillBoth,
    SuspendServing,
    SuspendOther,
    StopDatabase,
}

const FAULTS: [NodeFault; 6] = [
    NodeFault::KillServing,
    NodeFault::KillOther,
    NodeFault::KillBoth,
    NodeFault::SuspendServing,
    NodeFault::SuspendOther,
    NodeFault::StopDatabase,
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_loop_over_schedules_on_two_nodes_begins_each_run_once() {
    let (rounds, seed) = (setting("DWELL_NODE_SCHEDULE_KILLS", 6), setting("DWELL_SEED", 20_261_119));
    let mut random = SeededRandom::new(seed);
    let (receiver, shared) = (WebhookReceiver::start().await, tempfile::tempdir().unwrap());
    let clock = ClockShift::new(shared.path());
    let file = shared.path().join("dwell.toml");
    std::fs::write(&file, config(receiver.url())).unwrap();
    let mut nodes = Nodes::prepare_with(2, LEASE, |program| {
        let program = program.with("DWELL_CONFIG", file.to_str().unwrap());
        match &clock {
            Some(clock) => clock.give_to(program),
            None => program,
        }
    })
    .await;
    for node in &mut nodes.nodes {
        node.up().await;
    }
    let client = Arc::new(BalancedClient::new(&nodes));
    let triggers = Triggers::make(&nodes.server(0).rest(), rounds).await;
    let recurring = RecurringSchedules::make(&nodes.server(1).rest()).await;
    let (mut made, mut faults) = (PlannedActions::new(), Vec::new());
    for round in 0..rounds {
        let shift_ms = clock.as_ref().map_or(0, |_| MINUTE_MS * (i64::try_from(round).unwrap() + 1));
        if let Some(clock) = &clock {
            clock.set(shift_ms);
        }
        plan(&client, round, &mut random, &mut made).await;
        let causing = tokio::spawn(cause(client.clone(), triggers.clone(), round, shift_ms / 1_000));
        tokio::time::sleep(Duration::from_millis(random.below(300))).await;
        // Each fault comes before any comes again.
        if faults.is_empty() {
            faults.extend(FAULTS);
        }
        let next = faults.swap_remove(usize::try_from(random.below(faults.len() as u64)).unwrap());
        begun(round, next);
        break_and_mend(&mut nodes, &client, next, &mut random).await;
        causing.await.unwrap();
    }
    for at in [0, 1] {
        client.until_served(TOKEN, at, Instant::now()).await;
    }
    let rest = nodes.server(0).rest();
    let ended = until_all_ended(&rest, &made).await;
    let recurred = recurring.until_caught_up(&rest, clock.as_ref().map_or(0, ClockShift::get)).await;
    let waiting = check_turns(&rest, &ended, &made).await;
    see_through(&nodes, &client, &waiting, &made).await;
    check_begun_once(&nodes, &ended).await;
    recurring.check_calls(&nodes, &rest, recurred).await;
    let caused = triggers.check(&rest, rounds).await / 2;
    let repeated = BTreeMap::from([(HOOKED, caused), (TURNED, caused), (REMINDED, recurred.reminders)]);
    check_alerts(&receiver, &made, &repeated).await;
    say(rounds, &made, &waiting, recurred);
}

/// Says which fault comes, to explain a run that has failed.
#[allow(clippy::print_stdout, reason = "the output of a test that has passed is not shown")]
fn begun(round: u64, fault: NodeFault) {
    println!("round {round}: {fault:?}");
}

#[allow(clippy::print_stdout, reason = "these figures are the result of a long run by hand")]
fn say(rounds: u64, made: &PlannedActions, waiting: &BTreeMap<String, Value>, recurred: RecurredRuns) {
    println!(
        "{rounds} rounds, {} schedules that run once, of which {} calls were in doubt; {} and {} recurring runs; \
         {rounds} webhooks, each at both nodes; {rounds} turns waited for",
        made.len(),
        waiting.len(),
        recurred.reminders,
        recurred.calls,
    );
}

/// Makes the schedules of a round that run once.
async fn plan(client: &BalancedClient, round: u64, random: &mut SeededRandom, made: &mut PlannedActions) {
    for n in 0..PER_ROUND {
        let name = format!("r{round}n{n}");
        let (kind, action) = action(random.below(3), &name);
        let when = json!({ "kind": "after", "after_ms": 1 + random.below(400) });
        // A session remembers only so many that have ended.
        let body = json!({ "name": name, "idempotency_key": name, "when": when, "action": action,
                           "conversation_id": format!("s{}n{n}", round / 40) });
        let (status, answer) = client.ask(TOKEN, Method::POST, "/api/v1/schedules", Some(body)).await;
        assert!((200..300).contains(&status), "{answer}");
        made.insert(name, kind);
    }
}

/// One webhook arrives at both nodes, and a turn begins in the session that is waited for.
async fn cause(client: Arc<BalancedClient>, triggers: Triggers, round: u64, shift: i64) {
    let (path, body) = triggers.message(round);
    let (first, second, (status, answer)) = tokio::join!(
        deliver(&client, &triggers, 0, round, shift),
        deliver(&client, &triggers, 1, round, shift),
        client.ask(TOKEN, Method::POST, &path, Some(body)),
    );
    assert!(!(first && second), "round {round}: one webhook has started two runs");
    assert!((200..300).contains(&status), "{answer}");
}

/// A sender delivers a webhook to a node until it is taken. Returns whether it has started a run.
async fn deliver(client: &BalancedClient, triggers: &Triggers, at: usize, round: u64, shift: i64) -> bool {
    let until = Instant::now() + super::balanced::PATIENCE;
    loop {
        let url = client.url_of(at);
        let failed = match tokio::time::timeout(HOOK_MAX, triggers.send_hook(&url, round, shift)).await {
            Ok(Some((202, answer))) => return answer["started"].as_bool().unwrap(),
            Ok(Some((status, answer))) => {
                assert!(status >= 500, "{status}: {answer}");
                answer.to_string()
            }
            Ok(None) => "the node does not answer".to_owned(),
            Err(_) => "the node takes too long to answer".to_owned(),
        };
        assert!(Instant::now() < until, "the webhook of round {round} is not taken by node {at}: {failed}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A fault, from its beginning to its end.
async fn break_and_mend(nodes: &mut Nodes, client: &BalancedClient, fault: NodeFault, random: &mut SeededRandom) {
    let serving = nodes.serving(OWNER).unwrap_or(0);
    let (other, began) = (1 - serving, Instant::now());
    match fault {
        NodeFault::KillServing => {
            nodes.nodes[serving].server.take().unwrap().kill().await;
            // Half of the time the other node takes the owner over.
            if random.below(2) == 0 {
                client.until_served(TOKEN, other, began).await;
            }
        }
        NodeFault::KillOther => nodes.nodes[other].server.take().unwrap().kill().await,
        NodeFault::KillBoth => {
            for node in &mut nodes.nodes {
                node.server.take().unwrap().kill().await;
            }
        }
        NodeFault::SuspendServing => {
            let pid = nodes.server(serving).pid();
            signal(pid, "STOP").await;
            client.until_served(TOKEN, other, began).await;
            // What is due is done by the other node before this one goes on with what it knew.
            tokio::time::sleep(Duration::from_millis(random.below(500))).await;
            signal(pid, "CONT").await;
        }
        NodeFault::SuspendOther => {
            let pid = nodes.server(other).pid();
            signal(pid, "STOP").await;
            tokio::time::sleep(LEASE + Duration::from_millis(random.below(300))).await;
            signal(pid, "CONT").await;
        }
        NodeFault::StopDatabase => {
            let cluster = nodes.cluster.clone();
            let restart = move || {
                cluster.stop_immediately();
                cluster.start();
            };
            tokio::task::spawn_blocking(restart).await.unwrap();
        }
    }
    nodes.up(client).await;
}

/// Answers what is asked about letters that are in doubt. Then each letter was sent exactly once.
async fn see_through(nodes: &Nodes, client: &BalancedClient, waiting: &BTreeMap<String, Value>, made: &PlannedActions) {
    let rest = nodes.server(1).rest();
    for (name, turn) in waiting {
        assert_eq!(turn["reason"], "outcome_unknown", "{name}: {turn}");
        let has_happened = letters(&nodes.tool_server, made).contains_key(name);
        client.answer_truthfully(TOKEN, turn, has_happened).await;
        let ended = rest.ended(turn["turn_id"].as_str().unwrap()).await;
        assert_eq!(ended["status"], "completed", "{name}: {ended}");
    }
    let sent: BTreeSet<String> = letters(&nodes.tool_server, made).into_keys().collect();
    let calls: BTreeSet<String> =
        made.iter().filter(|(_, kind)| **kind == "call").map(|(name, _)| name.clone()).collect();
    assert_eq!(sent, calls, "each letter was sent");
}

/// By the journals, which both nodes show alike, each schedule that runs once has begun once.
async fn check_begun_once(nodes: &Nodes, ended: &BTreeMap<String, Value>) {
    let sessions: BTreeSet<&str> = ended.values().map(|schedule| schedule["session_id"].as_str().unwrap()).collect();
    let mut begun: BTreeMap<String, usize> = BTreeMap::new();
    for session in sessions {
        let log = nodes.server(0).rest().log(session).await;
        assert_eq!(nodes.server(1).rest().log(session).await, log, "both nodes show the same");
        assert!(log.iter().zip(1u64..).all(|(event, seq)| event["seq"] == seq), "numbers without gaps");
        for event in log.iter().filter(|event| event["data"]["event"] == "fired") {
            *begun.entry(event["data"]["key"]["schedule_id"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    for (name, schedule) in ended {
        assert_eq!(begun.get(schedule["schedule_id"].as_str().unwrap()), Some(&1), "{name}: {schedule}");
    }
}

/// How often what recurs has run.
#[derive(Debug, Clone, Copy)]
struct RecurredRuns {
    reminders: usize,
    calls: usize,
}

/// Two schedules that run once a minute, each in a session of its own.
struct RecurringSchedules {
    reminders: Value,
    calls: Value,
}

impl RecurringSchedules {
    async fn make(rest: &RestClient) -> Self {
        let make = async |when: Value, name: &str, action: Value| {
            let body = json!({ "when": when, "name": name, "action": action, "conversation_id": name,
                               "catch_up": { "policy": "run_late", "window_ms": 24 * 60 * MINUTE_MS } });
            rest.post("/api/v1/schedules", body).await.ok()
        };
        let cron = json!({ "kind": "cron", "expression": "* * * * *" });
        let rule = json!({ "kind": "rrule", "rule": "FREQ=MINUTELY", "start": "2026-01-01T00:00:30" });
        let letter = json!({ "do": "call", "tool": "send_letter", "arguments": { "note": SENT } });
        Self {
            reminders: make(cron, REMINDED, json!({ "do": "remind", "text": REMINDED })).await,
            calls: make(rule, SENT, letter).await,
        }
    }

    /// Waits until nothing is due any more, and checks that each minute was one run.
    async fn until_caught_up(&self, rest: &RestClient, shift_ms: i64) -> RecurredRuns {
        let now = now() * 1_000 + shift_ms;
        RecurredRuns {
            reminders: runs_until(rest, &self.reminders, now).await,
            calls: runs_until(rest, &self.calls, now).await,
        }
    }

    /// Each run of the calls is one turn, and no turn has sent two letters.
    async fn check_calls(&self, nodes: &Nodes, rest: &RestClient, recurred: RecurredRuns) {
        let log = rest.log(self.calls["session_id"].as_str().unwrap()).await;
        let accepted = log.iter().filter(|event| event["type"] == "message.accepted");
        let turns: Vec<&str> = accepted.map(|event| event["data"]["turn_id"].as_str().unwrap()).collect();
        assert_eq!(turns.len(), recurred.calls, "one turn for each run");
        let mut in_doubt = 0;
        for turn in turns {
            let turn = completed(rest, turn).await;
            in_doubt += usize::from(turn["status"] == "waiting" && turn["reason"] == "outcome_unknown");
            assert!(["completed", "waiting"].contains(&turn["status"].as_str().unwrap()), "{turn}");
        }
        let ledger = nodes.tool_server.ledger();
        let sent: Vec<_> = ledger.iter().filter(|entry| entry.arguments["note"] == SENT).collect();
        assert!(sent.iter().all(|entry| !entry.is_repeat), "a call was made twice: {sent:?}");
        let (sent, runs) = (sent.len(), recurred.calls);
        assert!(sent <= runs && sent + in_doubt >= runs, "{sent} letters of {runs} runs, {in_doubt} in doubt");
    }
}

/// Waits until a schedule that recurs has no run that is due, pauses it, since time goes on, and
/// checks that each of its minutes was one. Returns how many there were.
async fn runs_until(rest: &RestClient, made: &Value, now: i64) -> usize {
    let path = format!("/api/v1/schedules/{}", made["schedule_id"].as_str().unwrap());
    let mut view = rest.get(&path).await.ok();
    for _ in 0..1_000 {
        if millis(&view["next_at"]) > now && view["last_run"]["outcome"]["status"].is_string() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        view = rest.get(&path).await.ok();
    }
    assert!(millis(&view["next_at"]) > now, "runs that are due have not begun: {view}");
    assert_eq!(view["missed"], 0, "{view}");
    rest.post(&format!("{path}/do"), json!({ "do": "pause" })).await.ok();
    let log = rest.log(view["session_id"].as_str().unwrap()).await;
    let fired = log.iter().filter(|event| event["data"]["event"] == "fired");
    let fired: Vec<i64> = fired.map(|event| millis(&event["data"]["key"]["planned_at"])).collect();
    let minutes = (0..).map(|minute| millis(&made["next_at"]) + minute * MINUTE_MS);
    let due: Vec<i64> = minutes.take(fired.len()).collect();
    assert_eq!(fired, due, "each minute is one run: {view}");
    assert!(due.last().is_some_and(|last| last + MINUTE_MS >= millis(&view["next_at"])), "up to now: {view}");
    fired.len()
}

/// The milliseconds since 1970 of a time.
fn millis(time: &Value) -> i64 {
    serde_json::from_value::<protocol::Timestamp>(time.clone()).unwrap().as_millis()
}
