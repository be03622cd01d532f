//! `commands`: the cost of a command to a device, which is carried out without a language model.
//!
//! The default installation with the simulated home and memory, and no language model. All work of
//! the process counts until it is idle again, so that what memory does later is included. An idle
//! server does some work too (timers, the simulated home); its share is measured and shown apart.

use std::{
    fmt,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::BenchScale,
    natural::DwellServer,
    percentile::p50,
    process::ProcessUsage,
    program,
    table::{Table, rounded},
};

/// Turns before the first measured one.
const WARM_UP: usize = 20;
/// Short, so that this work is done before the process counts as idle.
const EXTRACTION_DELAY_MS: u32 = 300;
/// The commands, in this order: none finds its device in the wanted state already.
const COMMANDS: [&str; 6] = [
    "turn on the kitchen lights",
    "set the bedroom lights to 40 percent",
    "close the living room blinds",
    "turn off the kitchen lights",
    "turn off the bedroom lights",
    "open the living room blinds",
];

/// The cost of a command in each situation.
#[derive(Debug, Serialize)]
pub(crate) struct CommandsResult {
    setting: BenchScale,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    with_embedding: bool,
    sessions: usize,
    turns: usize,
    /// Until the turn has ended.
    path_cpu_ms: f64,
    /// Until the process is idle again.
    cpu_ms: f64,
    /// What an idle server uses in a second.
    idle_cpu_ms: f64,
    p50_ms: f64,
}

pub(crate) async fn run(setting: BenchScale, embedding: Option<&Path>) -> Result<CommandsResult> {
    let (turns, sessions) = setting.pick((60, 10), (600, 50));
    let mut rows = Vec::new();
    for folder in [None, embedding].into_iter().take(1 + usize::from(embedding.is_some())) {
        // As in an installation: whether a model has to extract facts is looked at, too.
        let program = program::plain()?.with_memory_model(EXTRACTION_DELAY_MS);
        let server = DwellServer::start(program, folder).await?;
        server.talk(&commands(WARM_UP)).await?;
        let idle_cpu_ms = idle_cpu(&server, setting.pick(Duration::from_secs(2), Duration::from_secs(10))).await?;
        for sessions in [1, sessions] {
            let messages = commands(turns / sessions);
            let times = server.talk_each(&vec![messages.as_slice(); sessions]).await?;
            rows.push(Row {
                with_embedding: folder.is_some(),
                sessions,
                turns: times.totals.len(),
                path_cpu_ms: times.path_cpu_ms,
                cpu_ms: times.cpu_ms,
                idle_cpu_ms,
                p50_ms: p50(&times.totals),
            });
        }
        server.close().await?;
    }
    Ok(CommandsResult { setting, rows })
}

fn commands(count: usize) -> Vec<String> {
    (0..count).map(|number| COMMANDS[number % COMMANDS.len()].to_owned()).collect()
}

/// CPU milliseconds a second of a server that nothing asks.
async fn idle_cpu(server: &DwellServer, time: Duration) -> Result<f64> {
    let (before, begun) = (ProcessUsage::of(server.pid())?, Instant::now());
    tokio::time::sleep(time).await;
    let used = ProcessUsage::of(server.pid())?.cpu - before.cpu;
    Ok(used.as_secs_f64() * 1000.0 / begun.elapsed().as_secs_f64())
}

impl fmt::Display for CommandsResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "A command to a device of the simulated home, without a language model; means per turn.\n")?;
        let heading = ["", "sessions", "turns", "CPU ms in all", "until its end", "idle CPU ms/s", "p50 ms"];
        let mut table = Table::new(heading);
        for row in &self.rows {
            table = table.row([
                if row.with_embedding { "with the embedding model" } else { "lexical only" }.to_owned(),
                row.sessions.to_string(),
                row.turns.to_string(),
                rounded(row.cpu_ms),
                rounded(row.path_cpu_ms),
                rounded(row.idle_cpu_ms),
                rounded(row.p50_ms),
            ]);
        }
        write!(f, "{}", table.to_string().trim_end())?;
        if self.rows.iter().all(|row| !row.with_embedding) {
            write!(f, "\n\nWithout the embedding model: name its folder with `--embedding`.")?;
        }
        Ok(())
    }
}
