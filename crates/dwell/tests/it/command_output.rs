//! What every command has in common: `--json`, `--quiet`, manual pages, completions, names.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Program, Reply};

use crate::{program, started};

/// Commands that print no result of their own, or need a call that waits, an artifact or a
/// terminal; their own tests look at their output.
const ELSEWHERE: [&str; 10] = [
    "serve",
    "mcp",
    "chat",
    "approvals answer",
    "artifacts get",
    "artifacts remove",
    "schedules approve",
    "schedules snooze",
    "restore",
    "migrate",
];

/// Runs commands with `--json`, and remembers which.
struct JsonCommands<'a> {
    program: &'a Program,
    known: BTreeSet<String>,
    done: BTreeSet<String>,
}

impl<'a> JsonCommands<'a> {
    async fn new(program: &'a Program) -> Self {
        let to = program.folder().join("manual");
        let written = program.run(&["man", "--to", to.to_str().unwrap(), "--json"]).await;
        let written: Value = serde_json::from_str(&written.stdout).unwrap();
        let pages = written["pages"].as_array().unwrap().iter().map(|path| path.as_str().unwrap().to_owned());
        let names: BTreeSet<String> = pages
            .map(|path| path.rsplit('/').next().unwrap().trim_end_matches(".1").replacen("dwell", "", 1))
            .map(|name| name.replace('-', " ").trim().to_owned())
            .collect();
        // A command with others below it is not run by itself.
        let is_leaf = |name: &String| !name.is_empty() && !names.iter().any(|it| it.starts_with(&format!("{name} ")));
        let known = names.iter().filter(|name| is_leaf(name)).cloned().collect();
        Self { program, known, done: BTreeSet::from(["man".to_owned()]) }
    }

    /// What a command prints.
    async fn json(&mut self, arguments: &[&str]) -> Value {
        let two = arguments.get(..2).unwrap_or_default().join(" ");
        let name = if self.known.contains(&two) { two } else { arguments[0].to_owned() };
        let output = self.program.run(&[arguments, &["--json"]].concat()).await;
        assert_eq!(output.code(), 0, "{arguments:?}: {}", output.stderr);
        self.done.insert(name);
        serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{arguments:?} printed: {}", output.stdout))
    }

    /// Waits until a turn has this status.
    async fn until_status(&mut self, turn: &str, status: &str) {
        while self.json(&["turns", "show", turn]).await["status"] != status {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn missing(&self) -> Vec<&String> {
        let left = self.known.iter().filter(|name| !self.done.contains(*name));
        left.filter(|name| !ELSEWHERE.contains(&name.as_str())).collect()
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

#[tokio::test]
async fn every_command_that_prints_a_result_prints_it_as_json() {
    let (model, program, _server) = started().await;
    let mut all = JsonCommands::new(&program).await;
    let folder = program.folder().to_str().unwrap().to_owned();
    let file = |name: &str| format!("{folder}/{name}");
    all.json(&["ask", "--session", "kitchen", "Is the oven on?"]).await;
    sessions_and_turns(&mut all, &model).await;
    memory(&mut all, &file).await;
    plans(&mut all).await;
    std::fs::create_dir(file("papers")).unwrap();
    std::fs::write(file("papers/a.md"), "# Boiler\n\nIt is serviced in May.").unwrap();
    all.json(&["library", "add", &file("papers")]).await;
    for command in [&["library", "list"][..], &["library", "search", "boiler"], &["library", "rescan"]] {
        all.json(command).await;
    }
    all.json(&["library", "remove", &file("papers")]).await;
    all.json(&["export", "kitchen", "--to", &file("kitchen.ndjson")]).await;
    all.json(&["import", &file("kitchen.ndjson"), "--name", "cellar"]).await;
    let elsewhere = TempDir::new().unwrap();
    all.json(&["backup", elsewhere.path().to_str().unwrap()]).await;
    for command in ["add", "renew", "remove"] {
        all.json(&["owners", command, "ben"]).await;
    }
    all.json(&["tokens", "create", "tablet", "--scope", "talk"]).await;
    for command in [
        &["tokens", "list"][..],
        &["tokens", "revoke", "tablet"],
        &["open", "--print"],
        &["doctor", "--offline"],
        &["logs"],
        &["approvals", "list"],
        &["artifacts", "list", "--session", "kitchen"],
        &["owners", "list"],
        &["setup", "--list"],
        &["completions", "bash"],
        &["sweep"],
        &["tools"],
        &["models"],
        &["stats", "kitchen"],
        &["nodes"],
        &["health"],
        &["doors"],
        &["verify"],
        &["config"],
    ] {
        all.json(command).await;
    }
    assert!(all.missing().is_empty(), "add these commands to this test: {:?}", all.missing());
}

async fn sessions_and_turns(all: &mut JsonCommands<'_>, model: &testkit::ModelServer) {
    all.json(&["sessions", "list"]).await;
    all.json(&["sessions", "show", "kitchen"]).await;
    let turns = all.json(&["turns", "list", "--session", "kitchen", "--status", "completed"]).await;
    let turn = text(&turns["data"][0]["turn_id"]).to_owned();
    for command in ["show", "passages"] {
        all.json(&["turns", command, &turn]).await;
    }
    let retried = all.json(&["turns", "retry", &turn]).await;
    all.until_status(text(&retried["turn_id"]), "completed").await;
    model.push(Reply::text("one two three").stall_after(1));
    let begun = all.json(&["ask", "--background", "count"]).await;
    let turn = text(&begun["turn_id"]).to_owned();
    model.until(|model| model.in_flight() == 1).await;
    all.json(&["turns", "background"]).await;
    all.json(&["turns", "pause", &turn]).await;
    all.until_status(&turn, "paused").await;
    model.push(Reply::text("one two three").stall_after(1));
    all.json(&["turns", "resume", &turn]).await;
    all.json(&["turns", "cancel", &turn]).await;
    all.json(&["ask", "--session", "attic", "Is it dry?"]).await;
    assert_eq!(all.json(&["sessions", "end", "attic"]).await["status"], "ended", "by its name");
    all.json(&["sessions", "delete", "attic", "--yes"]).await;
}

async fn memory(all: &mut JsonCommands<'_>, file: &impl Fn(&str) -> String) {
    let line = all.json(&["memory", "set", "diet", "vegan"]).await;
    all.json(&["memory", "correct", text(&line["fact_id"]), "vegan at home"]).await;
    let chat =
        [json!({ "role": "user", "content": "Where is it?" }), json!({ "role": "assistant", "content": "Here." })];
    std::fs::write(file("chat.jsonl"), format!("{}\n{}\n", chat[0], chat[1])).unwrap();
    all.json(&["memory", "ingest", &file("chat.jsonl")]).await;
    all.json(&["memory", "export", &file("memory.json")]).await;
    all.json(&["memory", "import", &file("memory.json")]).await;
    for command in [
        &["list"][..],
        &["search", "diet"],
        &["graph"],
        &["profile"],
        &["history", "diet"],
        &["audit"],
        &["vaults"],
        &["wait"],
        &["window", "kitchen"],
        &["forget", "--key", "diet", "--yes"],
    ] {
        all.json(&[&["memory"], command].concat()).await;
    }
}

async fn plans(all: &mut JsonCommands<'_>) {
    all.json(&["schedules", "add", "--remind", "tea", "--in", "10h", "--name", "tea"]).await;
    all.json(&["schedules", "preview", "--in", "10h"]).await;
    for command in ["show", "pause", "resume", "run"] {
        all.json(&["schedules", command, "tea"]).await;
    }
    all.json(&["schedules", "change", "tea", "--remind", "green tea"]).await;
    all.json(&["schedules", "list"]).await;
    all.json(&["schedules", "cancel", "tea"]).await;
    let alerts = loop {
        let alerts = all.json(&["alerts"]).await;
        if !alerts["data"].as_array().unwrap().is_empty() {
            break alerts;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    all.json(&["alerts", "seen", text(&alerts["data"][0]["alert_id"])]).await;
}

#[tokio::test]
async fn quiet_commands_print_results_and_errors_only() {
    let (_model, program, _server) = started().await;
    program.run(&["ask", "--session", "kitchen", "Is the oven on?"]).await;
    let elsewhere = TempDir::new().unwrap();
    let backup = program.run(&["backup", elsewhere.path().to_str().unwrap(), "-q"]).await;
    assert_eq!((backup.stdout.lines().count(), backup.stderr.as_str()), (1, ""), "only the folder");
    let ended = program.run(&["sessions", "end", "kitchen", "--quiet"]).await;
    assert_eq!((ended.code(), ended.stdout.as_str(), ended.stderr.as_str()), (0, "", ""));
    let wrong = program.run(&["sessions", "end", "cellar", "--quiet"]).await;
    assert!(wrong.code() == 1 && wrong.stderr.contains("no session `cellar`"), "{}", wrong.stderr);
    let turns = program.run(&["turns", "list", "-q"]).await.stdout;
    assert!(turns.contains("completed") && turns.contains("kitchen  Is the oven on?"), "{turns}");
    assert_eq!(program.run(&["turns", "list", "--status", "failed", "-q"]).await.stdout, "");
    let folder = elsewhere.path().to_str().unwrap();
    assert_eq!(program.run(&["memory", "set", "diet", "vegan"]).await.code(), 0);
    for silent in [
        &["artifacts", "list"][..],
        &["schedules", "list"],
        &["schedules", "add", "--remind", "the oven", "--in", "1h", "--name", "oven"],
        &["schedules", "pause", "oven"],
        &["library", "add", folder],
        &["library", "remove", folder],
        &["memory", "forget", "--key", "diet", "--yes"],
        &["memory", "wait"],
        &["sweep"],
    ] {
        let output = program.run(&[silent, &["--quiet"]].concat()).await;
        let printed = (output.code(), output.stdout.as_str(), output.stderr.as_str());
        assert_eq!(printed, (0, "", ""), "{silent:?}");
    }
    let token = program.run(&["tokens", "create", "phone", "--scope", "read", "-q"]).await;
    assert_eq!((token.stdout.lines().count(), token.stderr.as_str()), (1, ""), "only the token");
}

#[tokio::test]
async fn turns_of_all_sessions_are_listed_newest_first() {
    let (_model, program, _server) = started().await;
    for (session, message) in [("a", "first"), ("b", "second"), ("a", "third")] {
        program.run(&["ask", "--session", session, message]).await;
    }
    let messages = async |arguments: &[&str]| -> Vec<String> {
        let listed = program.run(&[&["turns", "list", "--json"], arguments].concat()).await;
        let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
        let turns = listed["data"].as_array().unwrap().iter();
        turns.map(|turn| text(&turn["request"]["message"]).to_owned()).collect()
    };
    assert_eq!(messages(&[]).await, ["third", "second", "first"]);
    assert_eq!(messages(&["--limit", "2"]).await, ["third", "second"]);
    assert_eq!(messages(&["--session", "a"]).await, ["third", "first"]);
    assert_eq!(messages(&["--status", "cancelled"]).await, [""; 0]);
    assert_eq!(program.run(&["turns", "list", "--session", "nowhere"]).await.code(), 1);
}

#[tokio::test]
async fn shells_understand_the_completions_and_man_the_pages() {
    let program = program();
    for (shell, part) in [("bash", "complete -F _dwell"), ("zsh", "#compdef dwell"), ("fish", "complete -c dwell")] {
        let script = program.run(&["completions", shell]).await;
        assert!(script.code() == 0 && script.stdout.contains(part), "{shell}: {}", script.stderr);
        assert!(script.stdout.contains("doctor"), "{shell}");
        if shell == "bash" {
            let file = program.folder().join("dwell.bash");
            std::fs::write(&file, &script.stdout).unwrap();
            let bash = tokio::process::Command::new("bash").arg("-n").arg(file).status().await.unwrap();
            assert!(bash.success(), "bash understands it");
        }
    }
    let to = program.folder().join("man");
    assert_eq!(program.run(&["man", "--to", to.to_str().unwrap()]).await.code(), 0);
    let page = std::fs::read_to_string(to.join("dwell-sessions-list.1")).unwrap();
    for part in [".TH", "dwell\\-sessions\\-list", "\\-\\-limit", "\\-\\-json", "Only sessions with this status"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!to.join("dwell-openapi.1").exists(), "hidden commands have no page");
}
