//! The kill loop over schedules, triggers and the outbox, with a clock that steps.
//!
//! `DWELL_SCHEDULE_KILLS` sets the number of kills (50 by default) and `DWELL_SEED` the moments.
//! The server is killed while reminders, messages and calls become due, webhooks arrive and turns
//! end, and its clock is set forwards and backwards meanwhile. Afterwards each of them has begun
//! exactly once, each alert has reached its receiver, and no call was made twice.

use std::{collections::BTreeMap, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use testkit::{ClockShift, ModelServer, Reply, RestClient, RunningServer, ToolServer, WebhookReceiver};

use super::{
    all,
    hooks::try_send,
    now,
    receiver::{arrived, config},
};
use crate::{
    kill::{SeededRandom, setting},
    program,
};

/// Schedules that are made in each round.
const PER_ROUND: u64 = 3;
/// How far the clock is set forwards or backwards: less than a schedule may be late.
const STEP_MS: i64 = 600_000;
/// The schedules that wait for something, by the text of their reminders.
const HOOKED: &str = "a webhook has arrived";
const TURNED: &str = "a turn has ended elsewhere";

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
        if let Some(clock) = &clock {
            clock.set([0, STEP_MS, -STEP_MS, clock.get()][usize::try_from(random.below(4)).unwrap()]);
        }
        let causing = tokio::spawn(triggers.clone().cause(server.url().to_owned(), rest, round, shift(clock.as_ref())));
        tokio::time::sleep(Duration::from_millis(random.below(220))).await;
        server.kill().await;
        let is_told = causing.await.unwrap();
        server = program.start().await;
        if !is_told {
            // A sender without an answer tries again, with the same ids.
            let again =
                triggers.clone().cause(server.url().to_owned(), server.rest(), round, shift(clock.as_ref())).await;
            assert!(again, "round {round}");
        }
    }
    if let Some(clock) = &clock {
        // What was planned by a clock that was ahead is due at last.
        clock.set(STEP_MS);
    }
    let ended = until_all_ended(&server.rest(), made.len()).await;
    for (name, kind) in &made {
        let schedule = &ended[name];
        assert_eq!((&schedule["runs"], &schedule["missed"]), (&json!(1), &json!(0)), "{kind} {name}: {schedule}");
    }
    check_turns(&server.rest(), &ended, &made).await;
    check_calls(&tools, &made);
    let caused = triggers.check(&server, kills).await;
    check_alerts(&receiver, &made, caused).await;
}

fn shift(clock: Option<&ClockShift>) -> i64 {
    clock.map_or(0, ClockShift::get) / 1_000
}

/// A schedule that waits for webhooks, and one that waits for the turns of another session.
#[derive(Debug, Clone)]
struct Triggers {
    hook: String,
    turned: String,
    path: String,
    secret: String,
    session: String,
}

impl Triggers {
    async fn make(rest: &RestClient, kills: u64) -> Self {
        let session = rest.session().await;
        let make = async |text: &str, trigger: Value| {
            let body = json!({ "when": { "kind": "event", "trigger": trigger }, "name": text,
                               "limits": { "gap_ms": 0, "hourly_max": (kills * 2).clamp(60, 1_000) },
                               "action": { "do": "remind", "text": text }, "conversation_id": text });
            rest.post("/api/v1/schedules", body).await.ok()["schedule_id"].as_str().unwrap().to_owned()
        };
        let hook = make(HOOKED, json!({ "on": "hook" })).await;
        let turned = make(TURNED, json!({ "on": "turn_ended", "session_id": session })).await;
        let view = rest.get(&format!("/api/v1/schedules/{hook}/hook")).await.ok();
        let text = |name: &str| view[name].as_str().unwrap().to_owned();
        Self { hook, turned, path: text("path"), secret: text("secret"), session }
    }

    /// A webhook arrives, and a turn begins. Returns whether both were answered.
    async fn cause(self, url: String, rest: RestClient, round: u64, shift: i64) -> bool {
        let name = format!("w{round}");
        let body = json!({ "message": name, "idempotency_key": name });
        let path = format!("/api/v1/sessions/{}/turns", self.session);
        let url = format!("{url}{}", self.path);
        let (hooked, begun) = tokio::join!(
            try_send(&url, &self.secret, &name, now() + shift, "{}"),
            rest.try_call(Method::POST, &path, Some(body), &[]),
        );
        hooked.is_some_and(|(status, answer)| status == 202 || panic!("{status}: {answer}"))
            && begun.is_ok_and(|answer| (200..300).contains(&answer.status) || panic!("{}", answer.body))
    }

    /// Each webhook and each ended turn has started one run. Returns how many there were.
    async fn check(&self, server: &RunningServer, kills: u64) -> usize {
        let rest = server.rest();
        let turns: Vec<String> = rest
            .log(&self.session)
            .await
            .iter()
            .filter(|event| event["type"] == "message.accepted")
            .map(|event| event["data"]["turn_id"].as_str().unwrap().to_owned())
            .collect();
        for turn in &turns {
            assert_eq!(completed(&rest, turn).await["status"], "completed");
        }
        assert_eq!(turns.len(), usize::try_from(kills).unwrap(), "each message is one turn");
        for (id, text, causes) in [
            (&self.hook, HOOKED, (0..kills).map(|round| format!("hook:w{round}")).collect()),
            (&self.turned, TURNED, turns.clone()),
        ] {
            let mut fired = self.fired(&rest, id).await;
            for _ in 0..1_000 {
                if fired.len() >= causes.len() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
                fired = self.fired(&rest, id).await;
            }
            let (mut fired, mut causes): (Vec<String>, Vec<String>) = (fired, causes);
            fired.sort_unstable();
            causes.sort_unstable();
            assert_eq!(fired, causes, "{text}");
        }
        turns.len() + usize::try_from(kills).unwrap()
    }

    /// The causes of all runs of a schedule.
    async fn fired(&self, rest: &RestClient, id: &str) -> Vec<String> {
        let schedule = rest.get(&format!("/api/v1/schedules/{id}")).await.ok();
        let log = rest.log(schedule["session_id"].as_str().unwrap()).await;
        let cause = |event: &Value| event["data"]["cause"]["id"].as_str().map(str::to_owned);
        log.iter().filter(|event| event["data"]["event"] == "fired").filter_map(cause).collect()
    }
}

/// What was raised has arrived; a receiver knows repetitions by their id.
async fn check_alerts(receiver: &WebhookReceiver, made: &BTreeMap<String, &str>, caused: usize) {
    let planned = made.values().filter(|kind| **kind != "call").count();
    for _ in 0..3_000 {
        if told(receiver).len() >= planned + caused {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (of_triggers, mut of_times): (Vec<String>, Vec<String>) =
        told(receiver).into_iter().partition(|title| [HOOKED, TURNED].contains(&title.as_str()));
    assert_eq!(of_triggers.len(), caused, "each cause is one alert");
    let count = of_times.len();
    of_times.sort_unstable();
    of_times.dedup();
    assert_eq!((of_times.len(), count), (planned, planned), "each is one alert");
}

/// The titles of what was told; a turn that waits for a person says so besides.
fn told(receiver: &WebhookReceiver) -> Vec<String> {
    let arrived = arrived(receiver);
    let told = arrived.values().filter(|alert| alert["kind"] != "turn_waiting");
    told.map(|alert| alert["title"].as_str().unwrap().to_owned()).collect()
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
        let mut found = all(rest).await;
        found.retain(|it| it["when"]["kind"] != "event");
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
            let turn = completed(rest, turn).await;
            // A letter that was being sent when the server was killed is in doubt: a person
            // decides.
            assert!(["completed", "waiting"].contains(&turn["status"].as_str().unwrap()), "{turn}");
        }
    }
}

/// The turn at its end. Whose attempts were all cut off waits for a person, who resumes it.
async fn completed(rest: &RestClient, turn: &str) -> Value {
    let ended = rest.ended(turn).await;
    if ended["status"] != "interrupted" {
        return ended;
    }
    rest.post(&format!("/api/v1/turns/{turn}/resume"), json!({})).await.ok();
    rest.ended(turn).await
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
