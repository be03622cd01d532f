//! `peers`: a turn of Dwell compared with a turn of LangGraph, in alternation in one run.
//!
//! The same messages, one tool call each, durable on both sides. LangGraph runs in a process of its
//! own with its SQLite saver (or PostgreSQL, if a URL is given), with the model as a function and
//! over HTTP. Dwell is the default installation with memory, home and events, and its work counts
//! until it is idle.

use std::{
    fmt,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use testkit::ModelServer;

use crate::{
    acting::answer,
    bare::BareServer,
    cli::BenchScale,
    natural::{DwellServer, message},
    percentile::p50,
    table::{Table, rounded},
};

/// The script that runs LangGraph.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/langgraph_turns.py");
/// Concurrent conversations.
const SESSIONS: usize = 32;
/// Entries in Dwell's memory.
const ENTRIES: usize = 1_000;

/// What to compare with.
#[derive(Debug, Clone)]
pub(crate) struct PeerArgs {
    /// The Python with LangGraph.
    pub(crate) python: PathBuf,
    /// The URL of a PostgreSQL database for its other saver.
    pub(crate) postgres: Option<String>,
    /// The folder of the embedding model.
    pub(crate) embedding: Option<PathBuf>,
}

/// The comparison.
#[derive(Debug, Serialize)]
pub(crate) struct PeerComparison {
    setting: BenchScale,
    rounds: usize,
    turns: usize,
    rows: Vec<Row>,
}

/// The results of one runtime.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    /// The median of the rounds.
    cpu_ms: f64,
    /// The part of it until the turn has ended, if it can be measured.
    path_cpu_ms: Option<f64>,
    p50_ms: f64,
    /// With concurrent conversations.
    turns_per_second: f64,
}

/// A runtime that is measured.
enum AgentRuntime {
    Dwell(Box<DwellServer>),
    Bare(Box<BareServer>),
    LangGraph(LangGraph),
}

pub(crate) async fn run(setting: BenchScale, asked: &PeerArgs) -> Result<PeerComparison> {
    let (rounds, turns) = setting.pick((3, 20), (5, 50));
    let model = ModelServer::start().await;
    model.forget_requests();
    model.respond_with(answer);
    let mut sides = vec![(
        "Dwell, lexical only".to_owned(),
        AgentRuntime::Dwell(Box::new(DwellServer::open(&model, ENTRIES, None).await?)),
    )];
    if let Some(folder) = &asked.embedding {
        let server = DwellServer::open(&model, ENTRIES, Some(folder)).await?;
        sides.push(("Dwell, with the embedding model".to_owned(), AgentRuntime::Dwell(Box::new(server))));
    }
    let bare = BareServer::start(&model.base_url()).await?;
    sides.push(("a bare server: three commits, two calls".to_owned(), AgentRuntime::Bare(Box::new(bare))));
    let savers = [Some(("SQLite", "sqlite")), asked.postgres.as_deref().map(|address| ("PostgreSQL", address))];
    for (name, saver) in savers.into_iter().flatten() {
        let address = model.base_url();
        for (how, address) in [("in-process model", None), ("over HTTP", Some(address.as_str()))] {
            let side = LangGraph::start(&asked.python, saver, address)?;
            sides.push((format!("LangGraph, {name} saver, {how}"), AgentRuntime::LangGraph(side)));
        }
    }
    let mut measured: Vec<Vec<RoundTimes>> = sides.iter().map(|_| Vec::new()).collect();
    // The first round is the warm-up.
    for round in 0..=rounds {
        let messages: Vec<String> = (0..turns).map(|turn| message(round * turns + turn)).collect();
        for ((_, side), rounds) in sides.iter_mut().zip(&mut measured) {
            let taken = side.take(&messages).await?;
            if round > 0 {
                rounds.push(taken);
            }
        }
    }
    let mut rows: Vec<Row> =
        sides.iter().zip(measured).map(|((name, _), rounds)| Row::of(name.clone(), rounds)).collect();
    let each = setting.pick(2, 8);
    for ((_, side), row) in sides.iter_mut().zip(&mut rows) {
        let talk = |number: usize| (0..each).map(|turn| message(number * each + turn)).collect();
        let conversations: Vec<Vec<String>> = (0..SESSIONS).map(talk).collect();
        let took = side.take_at_once(&conversations).await?;
        row.turns_per_second = (SESSIONS * each) as f64 / took.as_secs_f64();
    }
    Ok(PeerComparison { setting, rounds, turns, rows })
}

/// The results of one round.
pub(crate) struct RoundTimes {
    cpu_ms: f64,
    path_cpu_ms: Option<f64>,
    pub(crate) times: Vec<Duration>,
}

impl AgentRuntime {
    async fn take(&mut self, messages: &[String]) -> Result<RoundTimes> {
        match self {
            Self::Dwell(server) => {
                let taken = server.talk(messages).await?;
                Ok(RoundTimes { cpu_ms: taken.cpu_ms, path_cpu_ms: Some(taken.path_cpu_ms), times: taken.totals })
            }
            Self::Bare(bare) => {
                let (cpu_ms, times) = bare.take(messages).await?;
                Ok(RoundTimes { cpu_ms, path_cpu_ms: None, times })
            }
            Self::LangGraph(peer) => peer.take(messages),
        }
    }

    /// How long these conversations take concurrently.
    async fn take_at_once(&mut self, conversations: &[Vec<String>]) -> Result<Duration> {
        match self {
            Self::Dwell(server) => server.talk_at_once(conversations).await,
            Self::Bare(bare) => bare.take_at_once(conversations).await,
            Self::LangGraph(peer) => peer.take_at_once(conversations),
        }
    }
}

/// LangGraph in a process of its own.
pub(crate) struct LangGraph {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// What it prints after each round.
#[derive(Deserialize)]
struct RoundOutput {
    cpu_ms: f64,
    wall_ms: Vec<f64>,
}

/// What it prints after concurrent conversations.
#[derive(Deserialize)]
struct ConcurrentOutput {
    seconds: f64,
}

impl LangGraph {
    pub(crate) fn start(python: &Path, saver: &str, model: Option<&str>) -> Result<Self> {
        let mut command = Command::new(python);
        command.arg(SCRIPT).args(["--saver", saver]).stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(address) = model {
            command.args(["--model", address]);
        }
        let mut child = command.spawn().with_context(|| format!("failed to start {}", python.display()))?;
        let input = child.stdin.take().context("failed to write to LangGraph")?;
        let output = BufReader::new(child.stdout.take().context("failed to read from LangGraph")?);
        Ok(Self { child, input, output })
    }

    fn ask<T: DeserializeOwned>(&mut self, asked: &Value) -> Result<T> {
        writeln!(self.input, "{asked}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        ensure!(
            !line.is_empty(),
            "LangGraph ended: install langgraph, langgraph-checkpoint-sqlite and langchain-openai"
        );
        serde_json::from_str(&line).context("failed to read what LangGraph printed")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn take_at_once(&mut self, conversations: &[Vec<String>]) -> Result<Duration> {
        let printed: ConcurrentOutput = self.ask(&json!({ "conversations": conversations }))?;
        Ok(Duration::from_secs_f64(printed.seconds))
    }

    pub(crate) fn take(&mut self, messages: &[String]) -> Result<RoundTimes> {
        let printed: RoundOutput = self.ask(&json!({ "messages": messages }))?;
        let times = printed.wall_ms.iter().map(|wall| Duration::from_secs_f64(wall / 1000.0)).collect();
        Ok(RoundTimes { cpu_ms: printed.cpu_ms, path_cpu_ms: None, times })
    }
}

impl Drop for LangGraph {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Row {
    fn of(name: String, rounds: Vec<RoundTimes>) -> Self {
        let median = |mut figures: Vec<f64>| {
            figures.sort_by(f64::total_cmp);
            figures.get(figures.len() / 2).copied().unwrap_or_default()
        };
        let path: Vec<f64> = rounds.iter().filter_map(|round| round.path_cpu_ms).collect();
        let times: Vec<Duration> = rounds.iter().flat_map(|round| round.times.clone()).collect();
        Self {
            name,
            cpu_ms: median(rounds.iter().map(|round| round.cpu_ms).collect()),
            path_cpu_ms: (!path.is_empty()).then(|| median(path)),
            p50_ms: p50(&times),
            turns_per_second: 0.0,
        }
    }
}

impl fmt::Display for PeerComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rounds, turns, rows, .. } = self;
        writeln!(
            f,
            "A turn with one tool call, natural messages; {rounds} rounds of {turns} turns in alternation, medians."
        )?;
        writeln!(f, "Dwell's memory holds {ENTRIES} entries, and its CPU counts until it is idle.\n")?;
        let peer = rows.iter().find(|row| row.name.contains("in-process")).map_or(f64::NAN, |row| row.cpu_ms);
        let heading =
            ["", "CPU ms per turn", "of LangGraph's", "until its end", "of LangGraph's", "p50 ms", "turns/s of 32"];
        let mut table = Table::new(heading);
        for row in rows {
            table = table.row([
                row.name.clone(),
                rounded(row.cpu_ms),
                rounded(row.cpu_ms / peer),
                row.path_cpu_ms.map_or_else(String::new, rounded),
                row.path_cpu_ms.map_or_else(String::new, |path| rounded(path / peer)),
                rounded(row.p50_ms),
                rounded(row.turns_per_second),
            ]);
        }
        write!(f, "{}", table.to_string().trim_end())
    }
}
