//! The official SDKs: whole conversations through each, with a kill of the server in the middle.
//!
//! `./test` installs them and sets `DWELL_SDK` to the folder. Without it these tests print that
//! they were skipped. Every script of `tests/sdk` needs a test here.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Mutex,
    time::Duration,
};

use tempfile::TempDir;
use testkit::Reply;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::Command,
};

use crate::harness::{ToolHarness, harness_with};

/// How long each half of a script may take.
const PATIENCE: Duration = Duration::from_secs(120);
const TOKEN: &str = "test-token-0123456789";

/// The folder in which `./test` has installed third-party packages, if this one is among them.
#[allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test is set by its environment, and says if it is not"
)]
pub(crate) fn installed(part: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("DWELL_SDK").map(PathBuf::from).filter(|folder| folder.join(part).exists());
    if folder.is_none() {
        eprintln!("skipped: DWELL_SDK does not say where {part} is; `./test` installs it");
    }
    folder
}

/// The language of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScriptLanguage {
    Python,
    TypeScript,
}

/// The command that runs a script of `tests/sdk`, if the SDKs are installed. Files that the script
/// needs are put into `beside`.
fn script(language: ScriptLanguage, name: &str, beside: &TempDir) -> Option<Command> {
    let folder = installed(match language {
        ScriptLanguage::Python => "venv/bin/python",
        ScriptLanguage::TypeScript => "node_modules/@modelcontextprotocol/sdk",
    })?;
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk");
    let mut command = match language {
        ScriptLanguage::Python => {
            let mut command = Command::new(folder.join("venv/bin/python"));
            command.arg(scripts.join(name));
            command
        }
        ScriptLanguage::TypeScript => {
            // Node looks for modules in the folder of the script.
            std::fs::copy(scripts.join(name), beside.path().join(name)).unwrap();
            std::os::unix::fs::symlink(folder.join("node_modules"), beside.path().join("node_modules")).unwrap();
            let mut command = Command::new(folder.join("node_modules/.bin/node"));
            command.arg(beside.path().join(name));
            command
        }
    };
    command.env("DWELL_TOKEN", TOKEN).env_remove("HTTP_PROXY").env_remove("http_proxy").kill_on_drop(true);
    Some(command)
}

/// A harness whose model never answers certain messages the first time and answers them when it is
/// asked again.
async fn slow_to_think() -> ToolHarness {
    let harness = harness_with(|_| {}, |program| program.with("DWELL_TOOLS_CONFIRM", "book_table")).await;
    let thought = Mutex::new(BTreeSet::new());
    harness.model.respond_with(move |request| {
        let said = request.last_user().to_owned();
        if said.contains("the sun") {
            // Slow enough that progress is reported meanwhile.
            return Reply::echo(request).every(Duration::from_millis(50));
        }
        let is_slow = said.contains("Never mind") || said.contains("Think this over");
        if is_slow && thought.lock().unwrap().insert(said) { Reply::hang() } else { Reply::echo(request) }
    });
    harness
}

/// Runs a script to its end and kills the server when the script prints `kill`.
async fn converse(mut command: Command, harness: ToolHarness) {
    let ToolHarness { model, tool_server, program, server } = harness;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut lines = BufReader::new(output).lines();
    let mut next = async || {
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await.unwrap().unwrap();
        line.unwrap_or_else(|| panic!("the script has failed: see what it printed"))
    };
    assert_eq!(next().await, "kill");
    // The model has received the message that it will never answer.
    model.until(|model| model.requests().iter().any(|request| request.last_user().contains("Think this over"))).await;
    server.kill().await;
    let server = program.start().await;
    input.write_all(format!("{}\n", server.url()).as_bytes()).await.unwrap();
    assert_eq!(next().await, "done");
    let ended = tokio::time::timeout(PATIENCE, child.wait()).await.unwrap().unwrap();
    assert!(ended.success());
    assert_eq!(tool_server.effects("book_table"), 1, "what was asked about happened once");
}

async fn python(transport: &str, wire: &str) {
    let beside = TempDir::new().unwrap();
    let Some(mut command) = script(ScriptLanguage::Python, "mcp_conversation.py", &beside) else { return };
    let harness = slow_to_think().await;
    command
        .args([transport, wire, env!("CARGO_BIN_EXE_dwell")])
        .arg(harness.program.folder())
        .arg(harness.server.url());
    converse(command, harness).await;
}

async fn typescript(transport: &str) {
    let beside = TempDir::new().unwrap();
    let Some(mut command) = script(ScriptLanguage::TypeScript, "mcp_conversation.mjs", &beside) else { return };
    let harness = slow_to_think().await;
    command.args([transport, env!("CARGO_BIN_EXE_dwell")]).arg(harness.program.folder()).arg(harness.server.url());
    converse(command, harness).await;
}

#[tokio::test]
async fn sdk_of_python_over_http_on_the_older_wire() {
    python("http", "legacy").await;
}

#[tokio::test]
async fn sdk_of_python_over_http_on_the_newer_wire() {
    python("http", "2026-07-28").await;
}

#[tokio::test]
async fn sdk_of_python_over_stdio_on_the_older_wire() {
    python("stdio", "legacy").await;
}

#[tokio::test]
async fn sdk_of_python_over_stdio_on_the_newer_wire() {
    python("stdio", "auto").await;
}

#[tokio::test]
async fn sdk_of_typescript_over_http() {
    typescript("http").await;
}

#[tokio::test]
async fn sdk_of_typescript_over_stdio() {
    typescript("stdio").await;
}
