//! The kill loop over schedules, triggers and the outbox.
//!
//! `DWELL_SCHEDULE_KILLS` sets the number of kills (50 by default) and `DWELL_SEED` the moments.
//! The server is killed while reminders, messages and calls become due. Afterwards each of them has
//! begun exactly once, each alert has reached its receiver, and no call was made twice.

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RestClient, ToolServer, WebhookReceiver};

use super::{
    all,
    receiver::{arrived, config},
};
use crate::{
    kill::{SeededRandom, setting},
    program,
};

/// Schedules that are made in each round.
const PER_ROUND: u64 = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_loop_over_schedules_begins_each_run_once() {
    let (kills, seed) = (setting("DWELL_SCHEDULE_KILLS", 50), setting("DWELL_SEED", 20_261_118));
    let mut random = SeededRandom::new(seed);
    let (model, tools) = (ModelServer::start().await, ToolServer::start().await);
    model.respond_with(Reply::echo);
    let receiver = WebhookReceiver::start().await;
    let program = program().with_model(&model).with("DWELL_LOG_FILTER", "error");
    let (tools_file, config_file) = (program.folder().join("tools.toml"), program.folder().join("dwell.toml"));
    std::fs::write(&tools_file, tools.tools_toml()).unwrap();
    std::fs::write(&config_file, config(receiver.url())).unwrap();
    let program = program
        .with("DWELL_TOOLS_FILE", tools_file.to_str().unwrap())
        .with("DWELL_TOOLS_ACTUATION", "true")
        .with("DWELL_CONFIG", config_file.to_str().unwrap());
    let mut server = program.start().await;
    // By name: what it is.
    let mut made: BTreeMap<String, &'static str> = BTreeMap::new();
    for round in 0..kills {
        let rest = server.rest();
        for n in 0..PER_ROUND {
            let name = format!("r{round}n{n}");
            let (kind, action) = action(random.below(3), &name);
            let when = json!({ "kind": "after", "after_ms": 1 + random.below(150) });
            let body = json!({ "name": name, "idempotency_key": name, "when": when, "action": action,
                               "conversation_id": format!("s{}n{n}", round / 40) });
            rest.post("/api/v1/schedules", body).await.ok();
            made.insert(name, kind);
        }
        tokio::time::sleep(Duration::from_millis(random.below(220))).await;
        server.kill().await;
        server = program.start().await;
    }
    let rest = server.rest();
    let ended = until_all_ended(&rest, made.len()).await;
    for (name, kind) in &made {
        let schedule = &ended[name];
        assert_eq!((&schedule["runs"], &schedule["missed"]), (&json!(1), &json!(0)), "{kind} {name}: {schedule}");
    }
    check_turns(&rest, &ended, &made).await;
    check_calls(&tools, &made);
    // What was raised has arrived; a receiver knows repetitions by their id.
    let raised = made.values().filter(|kind| **kind != "call").count();
    receiver.until(raised).await;
    let mut titles: Vec<String> =
        arrived(&receiver).values().map(|alert| alert["title"].as_str().unwrap().to_owned()).collect();
    titles.sort_unstable();
    titles.dedup();
    assert_eq!(titles.len(), arrived(&receiver).len(), "each is one alert");
}

fn action(kind: u64, name: &str) -> (&'static str, Value) {
    match kind {
        0 => ("remind", json!({ "do": "remind", "text": name })),
        1 => ("turn", json!({ "do": "turn", "message": name })),
        _ => ("call", json!({ "do": "call", "tool": "send_letter", "arguments": { "note": name } })),
    }
}

async fn until_all_ended(rest: &RestClient, count: usize) -> BTreeMap<String, Value> {
    for _ in 0..3_000 {
        // Each session remembers its latest only; what is older was checked by its turns and calls.
        let found = all(rest).await;
        let is_over = |it: &Value| it["status"] == "ended" && it["last_run"]["outcome"]["status"].is_string();
        if found.iter().all(is_over) {
            let by_name = |it: Value| (it["name"].as_str().unwrap().to_owned(), it);
            let by_name: BTreeMap<String, Value> = found.into_iter().map(by_name).collect();
            assert_eq!(by_name.len(), count, "none was lost");
            return by_name;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("not all schedules have run: {:?}", all(rest).await);
}

/// Each message has begun one turn, and each turn of a schedule is its own.
async fn check_turns(rest: &RestClient, ended: &BTreeMap<String, Value>, made: &BTreeMap<String, &str>) {
    let mut turns: BTreeMap<String, usize> = BTreeMap::new();
    let sessions: std::collections::BTreeSet<&str> =
        ended.values().map(|schedule| schedule["session_id"].as_str().unwrap()).collect();
    for session in sessions {
        for event in rest.log(session).await {
            if event["type"] == "message.accepted" {
                let schedule = event["data"]["via"]["schedule"].as_str().unwrap().to_owned();
                *turns.entry(schedule).or_default() += 1;
            }
        }
    }
    let begun = made.values().filter(|kind| **kind != "remind").count();
    assert_eq!((turns.len(), turns.values().sum::<usize>()), (begun, begun), "one turn for each run");
    for schedule in ended.values() {
        if let Some(turn) = schedule["last_run"]["outcome"]["turn_id"].as_str() {
            let turn = rest.ended(turn).await;
            // A letter that was being sent when the server was killed is in doubt: a person
            // decides.
            assert!(["completed", "waiting"].contains(&turn["status"].as_str().unwrap()), "{turn}");
        }
    }
}

/// No letter was sent twice; one is missing only if it is in doubt.
fn check_calls(tools: &ToolServer, made: &BTreeMap<String, &str>) {
    let mut sent: BTreeMap<String, usize> = BTreeMap::new();
    for entry in tools.ledger() {
        *sent.entry(entry.arguments["note"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    let calls = made.values().filter(|kind| **kind == "call").count();
    assert!(sent.values().all(|times| *times == 1) && sent.len() <= calls, "{sent:?}");
    assert!(sent.len() * 10 >= calls * 8, "hardly any call was made: {} of {calls}", sent.len());
}
