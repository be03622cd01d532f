//! `natural`: the cost of a realistic turn.
//!
//! The default installation with the simulated home and memory, a calculator call in every turn,
//! natural messages, and a filled memory, with and without the embedding model. All work of the
//! process counts until it is idle again, so that deferred work is included.

mod sentences;

use std::{
    fmt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};
use testkit::{ModelServer, Program, RestClient, RunningServer};

pub(crate) use self::sentences::message;
use crate::{
    acting::answer,
    cli::BenchScale,
    conversation::BenchConversation,
    percentile::p50,
    process::{ProcessUsage, running_time},
    program,
    table::{Table, grouped, rounded},
};

/// Turns before the first measured one.
const WARM_UP: usize = 20;
/// A process that used no more CPU time than this for that long is idle.
const IDLE_FOR: Duration = Duration::from_millis(600);
const IDLE_CPU: Duration = Duration::from_millis(10);
/// The longest wait for an idle process.
const IDLE_WAIT_MAX: Duration = Duration::from_secs(600);
/// Entries that are written concurrently.
const FILLED_AT_ONCE: usize = 16;

/// The cost of a turn in each situation.
#[derive(Debug, Serialize)]
pub(crate) struct NaturalResult {
    setting: BenchScale,
    turns: usize,
    rows: Vec<Row>,
}

/// The cost of a turn in one situation.
#[derive(Debug, Serialize)]
struct Row {
    with_embedding: bool,
    entries: usize,
    /// Until the turn has ended.
    path_cpu_ms: f64,
    /// Until the process is idle again.
    cpu_ms: f64,
    p50_ms: f64,
    first_ms: f64,
    written_bytes: f64,
    stored_bytes: f64,
}

pub(crate) async fn run(
    setting: BenchScale,
    embedding: Option<&Path>,
    entries: Option<usize>,
) -> Result<NaturalResult> {
    let turns = setting.pick(40, 200);
    let fills: &[usize] = match &entries {
        Some(entries) => std::slice::from_ref(entries),
        None => setting.pick(&[0, 1_000], &[0, 1_000, 10_000]),
    };
    let mut rows = Vec::new();
    for folder in [None, embedding].into_iter().take(1 + usize::from(embedding.is_some())) {
        for entries in fills {
            rows.push(measure(turns, *entries, folder).await?);
        }
    }
    Ok(NaturalResult { setting, turns, rows })
}

async fn measure(turns: usize, entries: usize, embedding: Option<&Path>) -> Result<Row> {
    let model = ModelServer::start().await;
    model.forget_requests();
    model.respond_with(answer);
    let server = DwellServer::open(&model, entries, embedding).await?;
    let messages: Vec<String> = (WARM_UP..WARM_UP + turns).map(message).collect();
    let talked = server.talk(&messages).await?;
    server.close().await?;
    Ok(Row {
        with_embedding: embedding.is_some(),
        entries,
        path_cpu_ms: talked.path_cpu_ms,
        cpu_ms: talked.cpu_ms,
        p50_ms: p50(&talked.totals),
        first_ms: p50(&talked.firsts),
        written_bytes: talked.written_bytes,
        stored_bytes: talked.stored_bytes,
    })
}

/// A running program with a filled memory.
pub(crate) struct DwellServer {
    running: RunningServer,
    /// Keeps its data folder.
    _program: Program,
}

/// The cost of a conversation's turns, as means per turn.
pub(crate) struct ConversationTimes {
    pub(crate) path_cpu_ms: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) totals: Vec<Duration>,
    firsts: Vec<Duration>,
    written_bytes: f64,
    stored_bytes: f64,
}

impl DwellServer {
    /// Starts the program, fills its memory, and warms it up.
    pub(crate) async fn open(model: &ModelServer, entries: usize, embedding: Option<&Path>) -> Result<Self> {
        let server = Self::start(program::release(model)?, embedding).await?;
        fill(&server.running, entries).await?;
        let mut conversation = BenchConversation::start(&server.running).await?;
        for number in 0..WARM_UP {
            say(&mut conversation, &message(number)).await?;
        }
        idle(&server.running).await?;
        Ok(server)
    }

    /// Starts the program with the embedding model of this folder.
    pub(crate) async fn start(program: Program, embedding: Option<&Path>) -> Result<Self> {
        let program = match embedding {
            Some(folder) => program.with("DWELL_MEMORY_EMBEDDING_DIR", &folder.display().to_string()),
            None => program,
        };
        let running = program.start().await;
        Ok(Self { running, _program: program })
    }

    /// The process.
    pub(crate) fn pid(&self) -> u32 {
        self.running.pid()
    }

    /// Sends all messages in a new conversation, and waits until the program is idle.
    pub(crate) async fn talk(&self, messages: &[String]) -> Result<ConversationTimes> {
        self.talk_each(std::slice::from_ref(&messages)).await
    }

    /// Has conversations one after the other, and waits until the program is idle.
    pub(crate) async fn talk_each(&self, conversations: &[&[String]]) -> Result<ConversationTimes> {
        let pid = self.running.pid();
        let mut begun = Vec::new();
        for _ in conversations {
            begun.push(BenchConversation::start(&self.running).await?);
        }
        let before = ProcessUsage::of(pid)?;
        let (mut totals, mut firsts, mut path) = (Vec::new(), Vec::new(), Duration::ZERO);
        for (conversation, messages) in begun.iter_mut().zip(conversations) {
            for message in *messages {
                let cpu = running_time(pid)?;
                let turn = say(conversation, message).await?;
                path += running_time(pid)?.saturating_sub(cpu);
                totals.push(turn.total);
                firsts.push(turn.first);
            }
        }
        idle(&self.running).await?;
        let after = ProcessUsage::of(pid)?;
        let turns = totals.len();
        let per_turn = |total: f64| total / turns as f64;
        Ok(ConversationTimes {
            path_cpu_ms: per_turn(path.as_secs_f64() * 1000.0),
            cpu_ms: per_turn((after.cpu - before.cpu).as_secs_f64() * 1000.0),
            totals,
            firsts,
            written_bytes: per_turn((after.written - before.written) as f64),
            stored_bytes: per_turn((after.stored - before.stored) as f64),
        })
    }

    /// Runs several conversations at once; returns the total time.
    pub(crate) async fn talk_at_once(&self, conversations: &[Vec<String>]) -> Result<Duration> {
        let mut begun = Vec::new();
        for messages in conversations {
            begun.push((BenchConversation::start(&self.running).await?, messages));
        }
        let started = Instant::now();
        let talks = begun.into_iter().map(|(mut conversation, messages)| async move {
            for message in messages {
                say(&mut conversation, message).await?;
            }
            anyhow::Ok(())
        });
        futures::future::try_join_all(talks).await?;
        let took = started.elapsed();
        idle(&self.running).await?;
        Ok(took)
    }

    pub(crate) async fn close(self) -> Result<()> {
        let exit = self.running.stop().await;
        ensure!(exit.success(), "the program failed to stop: {exit}");
        Ok(())
    }
}

async fn say(conversation: &mut BenchConversation, message: &str) -> Result<crate::conversation::TurnTimes> {
    let turn = conversation.say(message).await?;
    ensure!(turn.status == "completed", "a turn has {}", turn.status);
    Ok(turn)
}

/// Writes this many entries into memory.
async fn fill(running: &RunningServer, entries: usize) -> Result<()> {
    if entries == 0 {
        return Ok(());
    }
    let rest = running.rest();
    let id = |page: &Value, field: &str| page[field].as_str().unwrap_or_default().to_owned();
    let vault = rest.post("/api/v1/vaults", json!({ "title": "filled" })).await.ok();
    let memories = format!("/api/v1/vaults/{}/memories", id(&vault, "vault_id"));
    let memory = rest.post(&memories, json!({ "title": "filled" })).await.ok();
    let path = format!("{memories}/{}/entries", id(&memory, "memory_id"));
    let numbers: Vec<usize> = (0..entries).collect();
    for some in numbers.chunks(FILLED_AT_ONCE) {
        futures::future::join_all(some.iter().map(|number| write(&rest, &path, *number))).await;
    }
    Ok(())
}

async fn write(rest: &RestClient, path: &str, number: usize) {
    let words = format!("Day {number}: {}", message(number * 7));
    rest.post(path, json!({ "raw_entry": words })).await.ok();
}

/// Waits until the process is idle.
pub(crate) async fn idle(running: &RunningServer) -> Result<()> {
    let until = Instant::now() + IDLE_WAIT_MAX;
    loop {
        let before = ProcessUsage::of(running.pid())?.cpu;
        tokio::time::sleep(IDLE_FOR).await;
        if ProcessUsage::of(running.pid())?.cpu - before <= IDLE_CPU {
            return Ok(());
        }
        ensure!(Instant::now() < until, "the program is still busy after {} s", IDLE_WAIT_MAX.as_secs());
    }
}

/// The folder of the embedding model, checked.
pub(crate) fn embedding_folder(named: Option<PathBuf>) -> Result<Option<PathBuf>> {
    match named {
        Some(folder) => {
            ensure!(folder.is_dir(), "there is no folder {}; `dwell setup --to` makes one", folder.display());
            Ok(Some(folder.canonicalize()?))
        }
        None => Ok(None),
    }
}

impl fmt::Display for NaturalResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "A turn with one tool call, natural messages, {} turns; means per turn.\n", self.turns)?;
        let heading = ["", "entries", "CPU ms in all", "until its end", "p50 ms", "first token", "written", "to disk"];
        let mut table = Table::new(heading);
        for row in &self.rows {
            table = table.row([
                if row.with_embedding { "with the embedding model" } else { "lexical only" }.to_owned(),
                grouped(row.entries as u64),
                rounded(row.cpu_ms),
                rounded(row.path_cpu_ms),
                rounded(row.p50_ms),
                rounded(row.first_ms),
                rounded(row.written_bytes),
                rounded(row.stored_bytes),
            ]);
        }
        write!(f, "{}", table.to_string().trim_end())?;
        if self.rows.iter().all(|row| !row.with_embedding) {
            write!(f, "\n\nWithout the embedding model: name its folder with `--embedding`.")?;
        }
        Ok(())
    }
}
