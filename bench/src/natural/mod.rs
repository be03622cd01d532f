//! `natural`: what a turn costs as people have it.
//!
//! The default installation with the simulated home and memory, a calculator call in every turn, messages as people write
//! them, and a memory that is not empty; with the embedding model and without it. What is counted is all that the process
//! does, until it is idle again: an answer that leaves work behind is not cheaper for it.

mod sentences;

use std::{
    fmt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};
use testkit::{ModelServer, Program, Rest, Running};

pub(crate) use self::sentences::message;
use crate::{
    acting::answer,
    cli::Setting,
    conversation::Conversation,
    percentile::p50,
    process::{Usage, running_time},
    program,
    table::{Table, grouped, rounded},
};

/// Turns before the first that is counted.
const WARM_UP: usize = 20;
/// A process that used no more than this for that long is idle.
const IDLE_FOR: Duration = Duration::from_millis(600);
const IDLE_CPU: Duration = Duration::from_millis(10);
/// The longest wait for that.
const IDLE_WAIT_MAX: Duration = Duration::from_secs(600);
/// Entries that are written side by side.
const FILLED_AT_ONCE: usize = 16;

/// What a turn costs in each situation.
#[derive(Debug, Serialize)]
pub(crate) struct Natural {
    setting: Setting,
    turns: usize,
    rows: Vec<Row>,
}

/// What a turn costs in one situation.
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

pub(crate) async fn run(setting: Setting, embedding: Option<&Path>, entries: Option<usize>) -> Result<Natural> {
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
    Ok(Natural { setting, turns, rows })
}

async fn measure(turns: usize, entries: usize, embedding: Option<&Path>) -> Result<Row> {
    let model = ModelServer::start().await;
    model.forget_requests();
    model.respond_with(answer);
    let scene = Scene::open(&model, entries, embedding).await?;
    let messages: Vec<String> = (WARM_UP..WARM_UP + turns).map(message).collect();
    let talked = scene.talk(&messages).await?;
    scene.close().await?;
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

/// A running program with a memory that is filled.
pub(crate) struct Scene {
    running: Running,
    /// Its data folder goes with it.
    _program: Program,
}

/// What the turns of a conversation took, as means per turn.
pub(crate) struct Talked {
    pub(crate) path_cpu_ms: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) totals: Vec<Duration>,
    firsts: Vec<Duration>,
    written_bytes: f64,
    stored_bytes: f64,
}

impl Scene {
    /// Starts the program, fills its memory, and talks until nothing is new to it.
    pub(crate) async fn open(model: &ModelServer, entries: usize, embedding: Option<&Path>) -> Result<Self> {
        let mut program = program::release(model)?;
        if let Some(folder) = embedding {
            program = program.with("DWELL_MEMORY_EMBEDDING_DIR", &folder.display().to_string());
        }
        let running = program.start().await;
        fill(&running, entries).await?;
        let mut conversation = Conversation::start(&running).await?;
        for number in 0..WARM_UP {
            say(&mut conversation, &message(number)).await?;
        }
        idle(&running).await?;
        Ok(Self { running, _program: program })
    }

    /// Says all of it in a new conversation, and waits until the program is idle.
    pub(crate) async fn talk(&self, messages: &[String]) -> Result<Talked> {
        let pid = self.running.pid();
        let mut conversation = Conversation::start(&self.running).await?;
        let before = Usage::of(pid)?;
        let (mut totals, mut firsts, mut path) = (Vec::new(), Vec::new(), Duration::ZERO);
        for message in messages {
            let cpu = running_time(pid)?;
            let turn = say(&mut conversation, message).await?;
            path += running_time(pid)?.saturating_sub(cpu);
            totals.push(turn.total);
            firsts.push(turn.first);
        }
        idle(&self.running).await?;
        let after = Usage::of(pid)?;
        let per_turn = |total: f64| total / messages.len() as f64;
        Ok(Talked {
            path_cpu_ms: per_turn(path.as_secs_f64() * 1000.0),
            cpu_ms: per_turn((after.cpu - before.cpu).as_secs_f64() * 1000.0),
            totals,
            firsts,
            written_bytes: per_turn((after.written - before.written) as f64),
            stored_bytes: per_turn((after.stored - before.stored) as f64),
        })
    }

    /// Has several conversations at once; gives how long all of it took.
    pub(crate) async fn talk_at_once(&self, conversations: &[Vec<String>]) -> Result<Duration> {
        let mut begun = Vec::new();
        for messages in conversations {
            begun.push((Conversation::start(&self.running).await?, messages));
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

    async fn close(self) -> Result<()> {
        let exit = self.running.stop().await;
        ensure!(exit.success(), "the program failed to stop: {exit}");
        Ok(())
    }
}

async fn say(conversation: &mut Conversation, message: &str) -> Result<crate::conversation::Turn> {
    let turn = conversation.say(message).await?;
    ensure!(turn.status == "completed", "a turn has {}", turn.status);
    Ok(turn)
}

/// Writes so many entries into memory.
async fn fill(running: &Running, entries: usize) -> Result<()> {
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

async fn write(rest: &Rest, path: &str, number: usize) {
    let words = format!("Day {number}: {}", message(number * 7));
    rest.post(path, json!({ "raw_entry": words })).await.ok();
}

/// Waits until the process has nothing left to do.
async fn idle(running: &Running) -> Result<()> {
    let until = Instant::now() + IDLE_WAIT_MAX;
    loop {
        let before = Usage::of(running.pid())?.cpu;
        tokio::time::sleep(IDLE_FOR).await;
        if Usage::of(running.pid())?.cpu - before <= IDLE_CPU {
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

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "A turn with one tool call, natural messages, {} turns; means per turn.\n", self.turns)?;
        let heading = ["", "entries", "CPU ms in all", "until its end", "p50 ms", "first token", "written", "to disk"];
        let mut table = Table::new(heading);
        for row in &self.rows {
            table = table.row([
                if row.with_embedding { "with the embedding model" } else { "by words alone" }.to_owned(),
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
