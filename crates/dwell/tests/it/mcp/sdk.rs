//! The SDKs that people use: whole conversations through each, with a kill of the server in the middle.
//!
//! `./test` installs them and says where in `DWELL_SDK`; without it these tests say that they were skipped. A script of
//! `tests/sdk` that is to be run belongs into a test here.

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

use crate::scene::{Scene, scene_with};

/// How long a script may take for one of its halves.
const PATIENCE: Duration = Duration::from_secs(120);
const TOKEN: &str = "test-token-0123456789";

/// Where `./test` has installed what others have made, if this is among it.
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

/// What a script is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Python,
    TypeScript,
}

/// The command that runs a script of `tests/sdk`, where the SDKs are installed. What it needs beside it is put there.
fn script(language: Language, name: &str, beside: &TempDir) -> Option<Command> {
    let folder = installed(match language {
        Language::Python => "venv/bin/python",
        Language::TypeScript => "node_modules/@modelcontextprotocol/sdk",
    })?;
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk");
    let mut command = match language {
        Language::Python => {
            let mut command = Command::new(folder.join("venv/bin/python"));
            command.arg(scripts.join(name));
            command
        }
        Language::TypeScript => {
            // Modules are looked for beside the script.
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

/// A model that thinks for ever about what is said first, and answers when it is asked again.
async fn slow_to_think() -> Scene {
    let scene = scene_with(|_| {}, |program| program.with("DWELL_TOOLS_CONFIRM", "book_table")).await;
    let thought = Mutex::new(BTreeSet::new());
    scene.model.respond_with(move |request| {
        let said = request.last_user().to_owned();
        if said.contains("the sun") {
            // Slowly enough that there is something to tell meanwhile.
            return Reply::echo(request).every(Duration::from_millis(50));
        }
        let is_slow = said.contains("Never mind") || said.contains("Think this over");
        if is_slow && thought.lock().unwrap().insert(said) { Reply::hang() } else { Reply::echo(request) }
    });
    scene
}

/// Runs a script to its end, killing the server when it says so.
async fn converse(mut command: Command, scene: Scene) {
    let Scene { model, world, program, server } = scene;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut lines = BufReader::new(output).lines();
    let mut next = async || {
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await.unwrap().unwrap();
        line.unwrap_or_else(|| panic!("the script has failed: see what it printed"))
    };
    assert_eq!(next().await, "kill");
    // The model has taken up what it will never answer.
    model.until(|model| model.requests().iter().any(|request| request.last_user().contains("Think this over"))).await;
    server.kill().await;
    let server = program.start().await;
    input.write_all(format!("{}\n", server.url()).as_bytes()).await.unwrap();
    assert_eq!(next().await, "done");
    let ended = tokio::time::timeout(PATIENCE, child.wait()).await.unwrap().unwrap();
    assert!(ended.success());
    assert_eq!(world.effects("book_table"), 1, "what was asked about happened once");
}

async fn python(door: &str, wire: &str) {
    let beside = TempDir::new().unwrap();
    let Some(mut command) = script(Language::Python, "mcp_conversation.py", &beside) else { return };
    let scene = slow_to_think().await;
    command.args([door, wire, env!("CARGO_BIN_EXE_dwell")]).arg(scene.program.folder()).arg(scene.server.url());
    converse(command, scene).await;
}

async fn typescript(door: &str) {
    let beside = TempDir::new().unwrap();
    let Some(mut command) = script(Language::TypeScript, "mcp_conversation.mjs", &beside) else { return };
    let scene = slow_to_think().await;
    command.args([door, env!("CARGO_BIN_EXE_dwell")]).arg(scene.program.folder()).arg(scene.server.url());
    converse(command, scene).await;
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
