//! `nodes`: turns on PostgreSQL with one, two and three nodes, compared with the embedded store and
//! with LangGraph on the same PostgreSQL.
//!
//! The same messages, one tool call each. All nodes run on this machine, beside their database,
//! with flushes to the disk. There are several owners, whose conversations reach the nodes in turn,
//! as through a proxy that knows nothing of owners: a node passes on what another one serves. CPU
//! counts for all nodes until they are idle, and apart from it that of the database.

use std::{
    collections::BTreeMap,
    fmt,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use serde::Serialize;
use testkit::{DiskFlushes, ModelServer, PostgresCluster, Program, RunningServer};

use crate::{
    acting::answer,
    cli::BenchScale,
    conversation::BenchConversation,
    natural::{idle, message},
    peers::LangGraph,
    percentile::p50,
    process::ProcessUsage,
    program,
    table::{Table, rounded},
};

/// Concurrent conversations, and the owners whose they are.
const SESSIONS: usize = 32;
const OWNERS: usize = 8;
/// A server that runs looks for new owners in the database once a second.
const NEW_OWNERS: Duration = Duration::from_secs(2);

/// The cost of a turn in each setting.
#[derive(Debug, Serialize)]
pub(crate) struct NodesComparison {
    setting: BenchScale,
    turns: usize,
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    p50_ms: f64,
    /// Of the nodes, with concurrent conversations.
    cpu_ms: f64,
    /// Of the database.
    database_cpu_ms: Option<f64>,
    /// With concurrent conversations.
    turns_per_second: f64,
}

pub(crate) async fn run(setting: BenchScale, python: Option<&Path>) -> Result<NodesComparison> {
    let (turns, each) = setting.pick((10, 2), (100, 16));
    let model = ModelServer::start().await;
    model.forget_requests();
    model.respond_with(answer);
    let mut rows = vec![measure(&model, None, 1, turns, each).await?];
    let start = || PostgresCluster::start_new(DiskFlushes::On);
    let database = Arc::new(tokio::task::spawn_blocking(start).await?);
    for nodes in 1..=3 {
        rows.push(measure(&model, Some(&database), nodes, turns, each).await?);
    }
    if let Some(python) = python {
        let address = model.base_url();
        for (how, address) in [("in-process model", None), ("over HTTP", Some(address.as_str()))] {
            let mut peer = LangGraph::start(python, &database.database(), address)?;
            rows.push(measure_peer(&mut peer, how, &database, turns, each)?);
        }
    }
    Ok(NodesComparison { setting, turns, rows })
}

/// Nodes, or one server with the embedded store.
struct Rig<'r> {
    nodes: Vec<RunningServer>,
    /// The tokens of the owners.
    tokens: Vec<String>,
    database: Option<&'r PostgresCluster>,
    /// Keep the data folders.
    _programs: Vec<Program>,
}

impl<'r> Rig<'r> {
    async fn start(model: &ModelServer, database: Option<&'r PostgresCluster>, count: usize) -> Result<Self> {
        let url = database.map(PostgresCluster::database);
        let (mut programs, mut nodes) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let program = program::release(model)?;
            programs.push(match &url {
                Some(url) => program.with("DWELL_STORE_URL", url).with("DWELL_CLUSTER_LISTEN", "127.0.0.1:0"),
                None => program,
            });
        }
        for program in &programs {
            nodes.push(program.start().await);
        }
        let mut tokens = Vec::new();
        for number in 0..OWNERS {
            let added = programs[0].run(&["owners", "add", &format!("owner{number}")]).await;
            ensure!(added.code() == 0, "failed to add an owner: {}", added.stderr);
            tokens.push(added.stdout.trim().to_owned());
        }
        tokio::time::sleep(NEW_OWNERS).await;
        Ok(Self { nodes, tokens, database, _programs: programs })
    }

    /// A new conversation of one of the owners, by one of the nodes.
    async fn conversation(&self, number: usize) -> Result<BenchConversation> {
        // Each owner's conversations reach every node.
        let node = &self.nodes[(number / OWNERS + number) % self.nodes.len()];
        BenchConversation::start_as(node, &self.tokens[number % OWNERS]).await
    }

    async fn idle(&self) -> Result<()> {
        for node in &self.nodes {
            idle(node).await?;
        }
        Ok(())
    }

    /// The CPU time of the nodes so far.
    fn cpu(&self) -> Result<Duration> {
        self.nodes.iter().map(|node| Ok(ProcessUsage::of(node.pid())?.cpu)).sum()
    }
}

async fn measure(
    model: &ModelServer,
    database: Option<&PostgresCluster>,
    nodes: usize,
    turns: usize,
    each: usize,
) -> Result<Row> {
    let rig = Rig::start(model, database, nodes).await?;
    let conversations = try_join_all((0..SESSIONS).map(|number| rig.conversation(number))).await?;
    // What is loaded once is loaded by the first messages.
    let mut conversations = try_join_all(conversations.into_iter().enumerate().map(|(number, mut conversation)| {
        let words = message(number);
        async move { say(&mut conversation, &words).await.map(|_| conversation) }
    }))
    .await?;
    rig.idle().await?;
    let first = conversations.first_mut().context("there are no conversations")?;
    let mut times = Vec::new();
    for turn in 0..turns {
        times.push(say(first, &message(turn)).await?);
    }
    rig.idle().await?;

    let (cpu, database_cpu, began) = (rig.cpu()?, rig.database.map(database_times), Instant::now());
    try_join_all(conversations.iter_mut().enumerate().map(|(number, conversation)| async move {
        for turn in 0..each {
            say(conversation, &message(number * each + turn)).await?;
        }
        anyhow::Ok(())
    }))
    .await?;
    let took = began.elapsed();
    rig.idle().await?;
    let all = (SESSIONS * each) as f64;
    let per_turn = |time: Duration| time.as_secs_f64() * 1000.0 / all;
    let name = match (database.is_some(), nodes) {
        (false, _) => "Dwell, embedded store".to_owned(),
        (true, 1) => "Dwell, one node on PostgreSQL".to_owned(),
        (true, nodes) => format!("Dwell, {nodes} nodes on PostgreSQL"),
    };
    let row = Row {
        name,
        p50_ms: p50(&times),
        cpu_ms: per_turn(rig.cpu()?.saturating_sub(cpu)),
        database_cpu_ms: rig.database.zip(database_cpu).map(|(database, before)| per_turn(since(database, &before))),
        turns_per_second: all / took.as_secs_f64(),
    };
    for node in rig.nodes {
        let exit = node.stop().await;
        ensure!(exit.success(), "a node failed to stop: {exit}");
    }
    Ok(row)
}

fn measure_peer(peer: &mut LangGraph, how: &str, database: &PostgresCluster, turns: usize, each: usize) -> Result<Row> {
    let messages: Vec<String> = (0..turns).map(message).collect();
    peer.take(&messages[..turns.min(5)])?;
    let alone = peer.take(&messages)?;
    let talk = |number: usize| (0..each).map(|turn| message(number * each + turn)).collect();
    let conversations: Vec<Vec<String>> = (0..SESSIONS).map(talk).collect();
    let (cpu, before) = (ProcessUsage::of(peer.pid())?.cpu, database_times(database));
    let took = peer.take_at_once(&conversations)?;
    let all = (SESSIONS * each) as f64;
    let per_turn = |time: Duration| time.as_secs_f64() * 1000.0 / all;
    Ok(Row {
        name: format!("LangGraph, PostgreSQL saver, {how}"),
        p50_ms: p50(&alone.times),
        cpu_ms: per_turn(ProcessUsage::of(peer.pid())?.cpu.saturating_sub(cpu)),
        database_cpu_ms: Some(per_turn(since(database, &before))),
        turns_per_second: all / took.as_secs_f64(),
    })
}

/// Sends a message; returns how long its turn took.
async fn say(conversation: &mut BenchConversation, words: &str) -> Result<Duration> {
    let turn = conversation.say(words).await?;
    ensure!(turn.status == "completed", "a turn has {}", turn.status);
    Ok(turn.total)
}

/// The CPU time of each of the database's processes so far.
fn database_times(database: &PostgresCluster) -> BTreeMap<u32, Duration> {
    let pids = database.processes().into_iter();
    pids.filter_map(|pid| Some((pid, ProcessUsage::of(pid).ok()?.cpu))).collect()
}

/// What they took since; those of connections that were closed meanwhile do not count.
fn since(database: &PostgresCluster, before: &BTreeMap<u32, Duration>) -> Duration {
    let after = database_times(database).into_iter();
    after.map(|(pid, cpu)| cpu.saturating_sub(before.get(&pid).copied().unwrap_or_default())).sum()
}

impl fmt::Display for NodesComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "A turn with one tool call, natural messages; {} turns alone, then {SESSIONS} conversations of {OWNERS} owners \
             at once. Nodes, database and clients on this machine.\n",
            self.turns
        )?;
        let heading = ["", "p50 ms", "turns/s of 32", "CPU ms per turn", "of the database"];
        let mut table = Table::new(heading);
        for row in &self.rows {
            table = table.row([
                row.name.clone(),
                rounded(row.p50_ms),
                rounded(row.turns_per_second),
                rounded(row.cpu_ms),
                row.database_cpu_ms.map_or_else(String::new, rounded),
            ]);
        }
        write!(f, "{}", table.to_string().trim_end())
    }
}
