//! The kill loop over schedules, triggers and the outbox, with a clock that steps.
//!
//! `DWELL_SCHEDULE_KILLS` sets the number of kills (50 by default) and `DWELL_SEED` the moments.
//! The server is killed while reminders, messages and calls become due, webhooks arrive and turns
//! end, and its clock is set forwards and backwards meanwhile. Afterwards each of them has begun
//! exactly once, each alert has reached its receiver, and no call was made twice.

use std::{collections::BTreeMap, time::Duration};

use reqwest::Method;
use serde_json::json;
use testkit::{ClockShift, ModelServer, Reply, RestClient, ToolServer, WebhookReceiver};

use super::{
    checks::{PlannedActions, action, check_alerts, check_turns, letters, until_all_ended},
    receiver::config,
    triggers::{HOOKED, TURNED, Triggers},
};
use crate::{
    kill::{SeededRandom, setting},
    program,
};

/// Schedules that are made in each round.
const PER_ROUND: u64 = 3;
/// How far the clock is set forwards or backwards: less than a schedule may be late.
const STEP_MS: i64 = 600_000;

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
    let clock = ClockShift::new(program.folder());
    let program = program
        .with("DWELL_TOOLS_FILE", tools_file.to_str().unwrap())
        .with("DWELL_TOOLS_ACTUATION", "true")
        .with("DWELL_CONFIG", config_file.to_str().unwrap());
    let program = match &clock {
        Some(clock) => clock.give_to(program),
        None => program,
    };
    let mut server = program.start().await;
    let triggers = Triggers::make(&server.rest(), kills).await;
    // By name: what it is.
    let mut made = PlannedActions::new();
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
        if let Some(clock) = &clock {
            clock.set([0, STEP_MS, -STEP_MS, clock.get()][usize::try_from(random.below(4)).unwrap()]);
        }
        let causing =
            tokio::spawn(cause(triggers.clone(), server.url().to_owned(), rest, round, shift(clock.as_ref())));
        tokio::time::sleep(Duration::from_millis(random.below(220))).await;
        server.kill().await;
        let is_told = causing.await.unwrap();
        server = program.start().await;
        if !is_told {
            // A sender without an answer tries again, with the same ids.
            let (url, shift) = (server.url().to_owned(), shift(clock.as_ref()));
            assert!(cause(triggers.clone(), url, server.rest(), round, shift).await, "round {round}");
        }
    }
    if let Some(clock) = &clock {
        // What was planned by a clock that was ahead is due at last.
        clock.set(STEP_MS);
    }
    let rest = server.rest();
    let ended = until_all_ended(&rest, &made).await;
    check_turns(&rest, &ended, &made).await;
    let (sent, calls) = (letters(&tools, &made).len(), made.values().filter(|kind| **kind == "call").count());
    // One is missing only if it is in doubt.
    assert!(sent * 10 >= calls * 8, "hardly any call was made: {sent} of {calls}");
    let caused = triggers.check(&rest, kills).await;
    check_alerts(&receiver, &made, &BTreeMap::from([(HOOKED, caused / 2), (TURNED, caused / 2)])).await;
}

fn shift(clock: Option<&ClockShift>) -> i64 {
    clock.map_or(0, ClockShift::get) / 1_000
}

/// A webhook arrives, and a turn begins. Returns whether both were answered.
async fn cause(triggers: Triggers, url: String, rest: RestClient, round: u64, shift: i64) -> bool {
    let (path, body) = triggers.message(round);
    let (hooked, begun) =
        tokio::join!(triggers.send_hook(&url, round, shift), rest.try_call(Method::POST, &path, Some(body), &[]),);
    hooked.is_some_and(|(status, answer)| status == 202 || panic!("{status}: {answer}"))
        && begun.is_ok_and(|answer| (200..300).contains(&answer.status) || panic!("{}", answer.body))
}
