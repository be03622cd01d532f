//! `instructions`: instruction counts of five code paths, compared with the recorded ones.
//!
//! Times vary with the machine, instruction counts hardly do. The program runs under valgrind's
//! callgrind, which counts only while it is told to. A debug build is sufficient, since it is
//! compared with itself. Each path runs several times and the lowest count is used, since timers
//! run meanwhile. The command fails when a path has become more expensive than the margin allows,
//! so that no change makes a turn more expensive unnoticed. `--record` replaces the recorded
//! counts.

use std::{
    collections::BTreeMap,
    fmt, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use serde_json::json;
use testkit::{ModelServer, Program, Reply, Request, RunningServer};

use crate::{
    acting, answers,
    conversation::BenchConversation,
    natural::message,
    table::{Table, grouped},
};

/// The recorded counts.
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.json");
/// How much a count may exceed the recorded one.
const MARGIN: f64 = 0.10;
/// How often each path runs before and during counting.
const WARM_UP: usize = 2;
const TIMES: usize = 4;
/// Entries in memory, and events that are replayed.
const ENTRIES: usize = 60;
const REPLAYED: u64 = 150;
/// The commands to the home, in alternation.
const COMMANDS: [&str; 2] = ["turn on the kitchen lights", "turn off the kitchen lights"];

/// Arguments of the command.
#[derive(Debug, Clone)]
pub(crate) struct InstructionArgs {
    /// The program.
    pub(crate) dwell: PathBuf,
    /// Whether to record the new counts.
    pub(crate) record: bool,
}

/// The count of each path.
#[derive(Debug, Serialize)]
pub(crate) struct Instructions {
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    way: &'static str,
    counted: u64,
    recorded: Option<u64>,
}

pub(crate) async fn run(asked: &InstructionArgs) -> Result<Instructions> {
    let recorded: BTreeMap<String, u64> = match fs::read_to_string(RECORDED) {
        Ok(text) => serde_json::from_str(&text).with_context(|| format!("failed to read {RECORDED}"))?,
        Err(_) => BTreeMap::new(),
    };
    let counted = count_all(&asked.dwell).await?;
    if asked.record {
        let counted: BTreeMap<&str, u64> = counted.iter().copied().collect();
        fs::write(RECORDED, serde_json::to_string_pretty(&counted)? + "\n")?;
    }
    let row = |(way, counted)| Row { way, counted, recorded: recorded.get(way).copied() };
    let all = Instructions { rows: counted.into_iter().map(row).collect() };
    if !asked.record {
        all.check()?;
    }
    Ok(all)
}

impl Instructions {
    fn check(&self) -> Result<()> {
        for Row { way, counted, recorded } in &self.rows {
            let Some(recorded) = recorded else {
                bail!("{self}\n\n`{way}` was never recorded; record it with `bench instructions --record`");
            };
            let ratio = *counted as f64 / *recorded as f64;
            ensure!(
                ratio <= 1.0 + MARGIN,
                "{self}\n\n`{way}` takes {:.0} % more instructions than recorded. Make it cheaper, or explain in the commit why it \
                 may cost more and record it with `bench instructions --record`",
                (ratio - 1.0) * 100.0
            );
        }
        Ok(())
    }
}

async fn count_all(dwell: &Path) -> Result<Vec<(&'static str, u64)>> {
    let folder = tempfile::tempdir()?;
    let model = ModelServer::start().await;
    model.respond_with(answer);
    let script = watched(folder.path(), dwell)?;
    let path = script.to_str().context("failed to start the program: its path is not text")?;
    let path_variable = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    let program = Program::new(path).with_home().with_model(&model).with("PATH", path_variable);
    let program = program.with("DWELL_LOG_FILTER", "error").with("TMPDIR", &folder.path().display().to_string());
    let running = program.start().await;
    let counter = InstructionCounter { pid: running.pid(), line: line_to(folder.path()) };
    fill(&running).await?;
    let mut counted = Vec::new();
    for way in ["send", "tool call", "reflex"] {
        let mut conversation = BenchConversation::start(&running).await?;
        for number in 0..WARM_UP {
            say(&mut conversation, way, number).await?;
        }
        counter.begin()?;
        let mut least = u64::MAX;
        for _ in 0..TIMES {
            counter.zero()?;
            // The same messages each time; the two commands leave the home unchanged.
            for number in 0..COMMANDS.len() {
                say(&mut conversation, way, number).await?;
            }
            least = least.min(counter.read()? / COMMANDS.len() as u64);
        }
        counter.end()?;
        counted.push((way, least));
    }
    let rest = running.rest();
    let ask = async || {
        let question = message(3).replace(' ', "%20");
        rest.get(&format!("/api/v1/memories?query={question}")).await.ok();
    };
    ask().await;
    counter.begin()?;
    let mut least = u64::MAX;
    for _ in 0..2 * TIMES {
        counter.zero()?;
        ask().await;
        least = least.min(counter.read()?);
    }
    counter.end()?;
    counted.push(("recall", least));
    counted.push(("replay of an event", replay(&running, &counter).await?));
    running.stop().await;
    Ok(counted)
}

/// Replays a session's events from the first on.
async fn replay(running: &RunningServer, counter: &InstructionCounter) -> Result<u64> {
    let mut conversation = BenchConversation::start(running).await?;
    let id = conversation.session_id().as_str().context("failed to start a session")?.to_owned();
    let mut number = 0;
    loop {
        say(&mut conversation, "tool call", number).await?;
        number += 1;
        let head = running.rest().get(&format!("/api/v1/sessions/{id}")).await.ok()["last_seq"].as_u64().unwrap_or(0);
        if head >= REPLAYED {
            break;
        }
    }
    counter.begin()?;
    let mut least = u64::MAX;
    for _ in 0..TIMES {
        counter.zero()?;
        let mut frames = running.frames(&id, 0).await;
        frames.until(|frame| frame.id >= Some(REPLAYED)).await;
        least = least.min(counter.read()? / REPLAYED);
    }
    counter.end()?;
    Ok(least)
}

/// A call of the calculator if the message asks for it, otherwise a text.
fn answer(request: &Request) -> Reply {
    let asks =
        |message: &serde_json::Value| message["content"].as_str().is_some_and(|text| text.contains("17 times 23"));
    let newest = request.messages().iter().rev().find(|message| message["role"] == "user").cloned();
    if newest.as_ref().is_some_and(asks) { acting::answer(request) } else { answers::text(std::time::Duration::ZERO) }
}

async fn say(conversation: &mut BenchConversation, way: &str, number: usize) -> Result<()> {
    let words = match way {
        "reflex" => COMMANDS[number % COMMANDS.len()].to_owned(),
        "tool call" => format!("{} And what is 17 times 23?", message(number)),
        _ => message(number),
    };
    let turn = conversation.say(&words).await?;
    ensure!(turn.status == "completed", "a turn has {}", turn.status);
    Ok(())
}

async fn fill(running: &RunningServer) -> Result<()> {
    let rest = running.rest();
    let vault = rest.post("/api/v1/vaults", json!({ "title": "filled" })).await.ok();
    let memories = format!("/api/v1/vaults/{}/memories", vault["vault_id"].as_str().unwrap_or_default());
    let memory = rest.post(&memories, json!({ "title": "filled" })).await.ok();
    let path = format!("{memories}/{}/entries", memory["memory_id"].as_str().unwrap_or_default());
    for number in 0..ENTRIES {
        rest.post(&path, json!({ "raw_entry": format!("Day {number}: {}", message(number * 7)) })).await.ok();
    }
    Ok(())
}

/// A script that starts the program under valgrind, with counting off.
fn watched(folder: &Path, dwell: &Path) -> Result<PathBuf> {
    ensure!(dwell.is_file(), "the program {} does not exist", dwell.display());
    let (script, dwell) = (folder.join("dwell"), dwell.canonicalize()?);
    let out = folder.join("callgrind.out");
    let text = format!(
        "#!/bin/sh\nexec valgrind --quiet --tool=callgrind --instr-atstart=no --vgdb-prefix='{}' --callgrind-out-file='{}' '{}' \"$@\"\n",
        line_to(folder).display(),
        out.display(),
        dwell.display()
    );
    fs::write(&script, text)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700))?;
    Ok(script)
}

/// The prefix of the pipes that control callgrind.
fn line_to(folder: &Path) -> PathBuf {
    folder.join("vgdb")
}

/// Counts the instructions of a process that runs under callgrind.
struct InstructionCounter {
    pid: u32,
    line: PathBuf,
}

impl InstructionCounter {
    fn begin(&self) -> Result<()> {
        self.control(&["--instr=on"]).map(drop)
    }

    fn end(&self) -> Result<()> {
        self.control(&["--instr=off"]).map(drop)
    }

    fn zero(&self) -> Result<()> {
        self.control(&["--zero"]).map(drop)
    }

    fn read(&self) -> Result<u64> {
        let counters = self.control(&["-e", "Ir"])?;
        read_counter(&counters).with_context(|| format!("failed to read a count in {counters:?}"))
    }

    fn control(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new("callgrind_control");
        command.arg(format!("--vgdb-prefix={}", self.line.display()));
        let output = command.args(arguments).arg(self.pid.to_string()).output();
        let output = output.context("failed to start callgrind_control: install valgrind")?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        ensure!(output.status.success() && !said.contains("Error:"), "callgrind_control failed: {said}");
        Ok(said)
    }
}

/// The sum of callgrind's counters over all threads, which are lines like `Th 1  300,188`.
fn read_counter(text: &str) -> Option<u64> {
    let threads = text.lines().filter_map(|line| line.trim().strip_prefix("Th "));
    let counts: Vec<u64> =
        threads.filter_map(|line| line.split_ascii_whitespace().nth(1)?.replace(',', "").parse().ok()).collect();
    (!counts.is_empty()).then(|| counts.iter().sum())
}

impl fmt::Display for Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["instructions", "counted", "recorded", "ratio"]);
        for Row { way, counted, recorded } in &self.rows {
            let ratio = recorded.map(|recorded| format!("{:.2}", *counted as f64 / recorded as f64));
            let recorded = recorded.map_or_else(String::new, grouped);
            table = table.row([(*way).to_owned(), grouped(*counted), recorded, ratio.unwrap_or_default()]);
        }
        write!(f, "{}", table.to_string().trim_end())
    }
}
