//! `dwell setup` chooses the model that answers: by flags, and by questions in a terminal.

use std::{os::unix::fs::PermissionsExt, path::Path, process::Stdio, time::Duration};

use serde_json::Value;
use testkit::{CatalogModel, ModelCatalog, ModelServer, Program, ProviderServer, ProviderWire, Reply};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::ChildStdin,
};

use crate::program;

/// What `dwell config` says of a setting: its value and where it comes from.
async fn setting(program: &Program, key: &str) -> (String, String) {
    let shown: Value = serde_json::from_str(&program.run(&["config", "--json"]).await.stdout).unwrap();
    let setting = &shown["settings"][key];
    (
        setting["value"].as_str().unwrap_or_default().to_owned(),
        setting["source"].as_str().unwrap_or_default().to_owned(),
    )
}

#[tokio::test]
async fn a_provider_is_tried_and_written_down_for_the_server() {
    let model = ModelServer::start().await;
    model.offers(ModelCatalog::names(&["small-1", "large-1"]));
    let program = program();
    let key = program.folder().join("key");
    std::fs::write(&key, "sk-from-a-file\n").unwrap();
    let key = key.to_str().unwrap();
    let base_url = model.base_url();
    let openai = ["setup", "--provider", "openai", "--address", &base_url, "--key-file", key];
    let written = program.run(&[&openai[..], &["--model", "large-1", "--json"]].concat()).await;
    assert_eq!(written.code(), 0, "{}", written.stderr);
    let said: Value = serde_json::from_str(&written.stdout).unwrap();
    assert_eq!(said["model"], "openai/large-1");
    assert!(said["answered_ms"].is_u64(), "it was tried: {said}");
    let asked = model.requests().pop().unwrap();
    assert_eq!(asked.header("authorization"), Some("Bearer sk-from-a-file"));
    let file = program.folder().join("setup.toml");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(setting(&program, "model.name").await, ("openai/large-1".to_owned(), file.display().to_string()));
    let (shown, _) = setting(&program, "openai.api_key").await;
    assert!(!shown.contains("sk-") && !shown.is_empty(), "{shown}");

    let server = program.start().await;
    assert!(server.greeting().iter().any(|line| line.contains("openai/large-1")), "{:?}", server.greeting());
    assert_eq!(program.run(&["ask", "hello"]).await.stdout, "You said: hello\n");
    drop(server);

    // Every other layer takes precedence, which is said.
    let over = program.command(&["setup", "--provider", "none"]).env("DWELL_MODEL", "openai/small-1").output().await;
    let over = String::from_utf8(over.unwrap().stderr).unwrap();
    assert!(over.contains("`model.name` is also set by environment DWELL_MODEL"), "{over}");
    assert_eq!(setting(&program, "model.name").await.0, "offline");
    assert_eq!(setting(&program, "openai.api_key").await.0, "", "the key is gone with its provider");
}

#[tokio::test]
async fn what_does_not_work_is_not_written_down() {
    let model = ModelServer::start().await;
    let program = program();
    let base_url = model.base_url();
    let openai = ["setup", "--provider", "openai", "--address", &base_url];
    model.push(Reply::status(401).error_message("no such key"));
    let refused = program.run(&[&openai[..], &["--model", "large-1"]].concat()).await;
    assert_eq!(refused.code(), 1);
    assert!(
        refused.stderr.contains("no such key") && refused.stderr.contains("nothing was written"),
        "{}",
        refused.stderr
    );
    assert!(!program.folder().join("setup.toml").exists());
    let untested = program.run(&[&openai[..], &["--model", "large-1", "--untested"]].concat()).await;
    assert_eq!(untested.code(), 0, "{}", untested.stderr);

    for (arguments, part) in [
        (&["setup", "--provider", "anthropic"][..], "needs a key"),
        (&["setup", "--provider", "anthropic", "--key-file", "/nowhere/key"], "/nowhere/key"),
        (&["setup", "--key-file", "x"], "--provider"),
        (&["setup", "--provider", "oracle"], "oracle"),
    ] {
        let wrong = program.run(arguments).await;
        assert_eq!(wrong.code(), 2, "{arguments:?}: {}", wrong.stderr);
        assert!(wrong.stderr.contains(part), "{arguments:?}: {}", wrong.stderr);
    }
}

/// `script` gives a command a terminal.
fn has_terminals() -> bool {
    Path::new("/usr/bin/script").exists()
}

/// Types an answer once the question is there.
async fn answer(
    output: &mut (impl AsyncReadExt + Unpin),
    seen: &mut String,
    typed: &mut ChildStdin,
    turn: (&str, &str),
) {
    let (question, line) = turn;
    let from = seen.len();
    let reading = async {
        let mut bytes = [0; 1024];
        while !seen[from..].contains(question) {
            let read = output.read(&mut bytes).await.unwrap();
            assert!(read > 0, "it ended before `{question}`: {seen}");
            seen.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
    };
    tokio::time::timeout(Duration::from_secs(30), reading).await.unwrap_or_else(|_| panic!("no `{question}`"));
    typed.write_all(format!("{line}\n").as_bytes()).await.unwrap();
}

#[tokio::test]
#[allow(clippy::print_stderr, reason = "a test says why it was skipped")]
async fn questions_in_a_terminal_lead_to_a_model() {
    if !has_terminals() {
        eprintln!("SKIPPED: there is no `script` here");
        return;
    }
    let ollama = ProviderServer::start(ProviderWire::Ollama).await;
    ollama.offers(ModelCatalog::ollama([CatalogModel::new("qwen3", 8_192)]));
    let model = ModelServer::start().await;
    model.offers(ModelCatalog::names(&["small-1", "large-1"]));
    let program = program().with("OLLAMA_HOST", &ollama.base_url());
    let inner = program.command(&["setup"]);
    let inner = inner.as_std();
    let words = std::iter::once(inner.get_program()).chain(inner.get_args());
    let line: Vec<String> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    let mut script = tokio::process::Command::new("script");
    script.args(["-q", "-e", "-c", &line.join(" "), "/dev/null"]).env_clear().kill_on_drop(true);
    script.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("TERM", "dumb");
    script.env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh");
    let mut running = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut typed, mut output) = (running.stdin.take().unwrap(), running.stdout.take().unwrap());
    let mut seen = String::new();
    let base_url = model.base_url();
    model.push(Reply::status(401).error_message("no such key"));
    for turn in [
        ("number [5]", "2"),
        ("address of the server", base_url.as_str()),
        ("key (empty: none)", "sk-wrong-unseen"),
        ("number or name of the model", "2"),
        ("try again?", ""),
        ("address of the server", base_url.as_str()),
        ("key (empty: none)", "sk-right-unseen"),
        ("number or name of the model", "large-1"),
        ("download the embedding model", "n"),
    ] {
        answer(&mut output, &mut seen, &mut typed, turn).await;
    }
    let status = tokio::time::timeout(Duration::from_secs(30), running.wait()).await.unwrap().unwrap();
    assert!(status.success(), "{seen}");
    assert!(seen.contains("runs on this machine, 1 models") && seen.contains("no such key"), "{seen}");
    assert!(!seen.contains("unseen"), "a key is not shown: {seen}");
    let written = std::fs::read_to_string(program.folder().join("setup.toml")).unwrap();
    assert!(written.contains("sk-right-unseen") && written.contains("openai/large-1"), "{written}");
}
