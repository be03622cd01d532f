//! `schedules`: what plans cost while nothing is due, and how soon they are woken.
//!
//! Many schedules lie far in the future, in many sessions. After a restart the server is idle, once
//! without any of them and once with all. Then some that are due soon are made, and the time
//! between the planned moment and the alert that a connected client gets is measured. Client and
//! server read the same clock.

use std::{
    collections::HashMap,
    fmt,
    time::{Duration, Instant, SystemTime},
};

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use protocol::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use testkit::{Program, RunningServer, Socket};

use crate::{
    cli::BenchScale,
    percentile::LatencySummary,
    process::ProcessUsage,
    program,
    table::{Table, rounded},
};

/// Schedules of one session.
const PER_SESSION: usize = 100;
/// Connections that make schedules.
const CONNECTIONS: usize = 16;
/// How long the server is given to come to rest after its start.
const REST: Duration = Duration::from_secs(5);

/// What plans cost.
#[derive(Debug, Serialize)]
pub(crate) struct SchedulesResult {
    setting: BenchScale,
    schedules: usize,
    sessions: usize,
    made_per_second: f64,
    start_ms: [f64; 2],
    idle_cpu_ms: [f64; 2],
    due: usize,
    late: LatencySummary,
}

pub(crate) async fn run(setting: BenchScale) -> Result<SchedulesResult> {
    let (schedules, due) = setting.pick((1_000, 20), (100_000, 500));
    let idle = setting.pick(Duration::from_secs(2), Duration::from_secs(30));
    let program = program::plain()?.with("DWELL_HOME_ENABLED", "false");
    // One owner makes them all as quickly as it can.
    let program = program.with("DWELL_LIMITS_REQUESTS_PER_SECOND_MAX", "1000000");
    let program = program.with("DWELL_LIMITS_REQUESTS_BURST_MAX", "1000000");
    let (server, empty_start) = started(&program).await;
    let empty_idle = idle_cpu(&server, idle).await?;
    let begun = Instant::now();
    let sessions = schedules / PER_SESSION;
    try_join_all((0..CONNECTIONS).map(|number| plan(&server, number, sessions))).await?;
    let made_per_second = schedules as f64 / begun.elapsed().as_secs_f64();
    server.stop().await;

    let (server, full_start) = started(&program).await;
    let full_idle = idle_cpu(&server, idle).await?;
    let late = wake(&server, due, sessions).await?;
    server.stop().await;
    Ok(SchedulesResult {
        setting,
        schedules,
        sessions,
        made_per_second,
        start_ms: [empty_start, full_start],
        idle_cpu_ms: [empty_idle, full_idle],
        due,
        late: LatencySummary::of(&late),
    })
}

/// The server after its start, and how many milliseconds that took.
async fn started(program: &Program) -> (RunningServer, f64) {
    let begun = Instant::now();
    let server = program.start().await;
    let took = begun.elapsed().as_secs_f64() * 1000.0;
    tokio::time::sleep(REST).await;
    (server, took)
}

/// Makes the schedules of every sixteenth session, each due in a year or later.
async fn plan(server: &RunningServer, number: usize, sessions: usize) -> Result<()> {
    let mut socket = server.socket().await;
    for session in (number..sessions).step_by(CONNECTIONS) {
        for place in 0..PER_SESSION {
            let days = 365 + (session + place) % 300;
            let when = json!({ "kind": "after", "after_ms": days * 24 * 3_600 * 1_000 });
            create(&mut socket, session, when, &format!("reminder {place}")).await?;
        }
    }
    Ok(())
}

async fn create(socket: &mut Socket, session: usize, when: Value, text: &str) -> Result<()> {
    let asked = json!({ "conversation_id": format!("planned-{session}"), "when": when,
                        "action": { "do": "remind", "text": text } });
    let made = socket.ask("schedule.create", asked).await;
    ensure!(made.is_ok(), "a schedule was refused: {made:?}");
    Ok(())
}

/// Makes schedules that are due soon, each in a session of its own as far as there are enough, and
/// returns how long after its time each was told.
async fn wake(server: &RunningServer, due: usize, sessions: usize) -> Result<Vec<Duration>> {
    let (mut maker, mut follower) = (server.socket().await, server.socket().await);
    let followed = follower.ask("alert.follow", json!({})).await;
    ensure!(followed.is_ok(), "alerts cannot be followed: {followed:?}");
    let first = now_ms()? + 10_000.0;
    let mut planned = HashMap::new();
    for number in 0..due {
        #[allow(clippy::cast_possible_truncation, reason = "milliseconds of this century")]
        let at = (first + 37.0 * number as f64) as i64;
        let text = format!("due {number}");
        let when = json!({ "kind": "at", "at": Timestamp::from_millis(at) });
        create(&mut maker, number * sessions / due, when, &text).await?;
        planned.insert(text, at as f64);
    }
    ensure!(now_ms()? < first, "making the schedules took too long for this machine");
    let mut late = Vec::new();
    while late.len() < due {
        let message = follower.next().await;
        let title = message["data"]["title"].as_str().unwrap_or_default();
        if let Some(at) = planned.remove(title) {
            late.push(Duration::from_secs_f64((now_ms()? - at).max(0.0) / 1000.0));
        }
    }
    Ok(late)
}

/// CPU milliseconds a second of a server that nothing asks.
async fn idle_cpu(server: &RunningServer, time: Duration) -> Result<f64> {
    let (before, begun) = (ProcessUsage::of(server.pid())?, Instant::now());
    tokio::time::sleep(time).await;
    let used = ProcessUsage::of(server.pid())?.cpu - before.cpu;
    Ok(used.as_secs_f64() * 1000.0 / begun.elapsed().as_secs_f64())
}

fn now_ms() -> Result<f64> {
    #[allow(clippy::disallowed_methods, reason = "the measured server goes by the same clock")]
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).context("the clock is before 1970")?;
    Ok(since.as_secs_f64() * 1000.0)
}

impl fmt::Display for SchedulesResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schedules, sessions, due, .. } = self;
        writeln!(f, "{schedules} schedules in {sessions} sessions, {due} of them due.\n")?;
        let mut table = Table::new(["", "without schedules", "with them"]);
        let pair = |values: [f64; 2]| values.map(rounded);
        for (name, [without, with]) in [("start, ms", pair(self.start_ms)), ("idle CPU ms/s", pair(self.idle_cpu_ms))] {
            table = table.row([name.to_owned(), without, with]);
        }
        writeln!(f, "{}", table.to_string().trim_end())?;
        writeln!(f, "\nmade per second: {}", rounded(self.made_per_second))?;
        let [p50, p99, max] = [self.late.p50, self.late.p99, self.late.max].map(rounded);
        write!(f, "told after their time, ms: p50 {p50}, p99 {p99}, longest {max}")
    }
}
