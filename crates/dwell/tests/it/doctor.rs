//! `dwell doctor`: what it finds, what it advises, and its exit code.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use testkit::{ModelServer, Program, Reply};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::TcpListener,
};

use crate::{damage, program, start, started};

/// The report as JSON, and the exit code.
async fn examined(program: &Program, arguments: &[&str]) -> (Value, i32) {
    let output = program.run(&[&["doctor", "--json"], arguments].concat()).await;
    let report = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{} {}", output.stdout, output.stderr));
    (report, output.code())
}

/// The lines of an area, each as its state and what was found.
fn lines(report: &Value, area: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let checks = report["checks"].as_array().unwrap().iter().filter(|line| line["area"] == area);
    checks.map(|line| (text(&line["state"]), text(&line["found"]))).collect()
}

/// The only line of an area has this state and contains this text.
#[track_caller]
fn assert_line(report: &Value, area: &str, state: &str, part: &str) {
    let found = lines(report, area);
    assert!(found.iter().any(|(is, text)| is == state && text.contains(part)), "{area} {state} {part}: {report:#}");
}

/// A Wyoming service that describes itself once for each connection.
async fn wyoming_service() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("tcp://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut stream = BufReader::new(stream);
            let mut line = String::new();
            stream.read_line(&mut line).await.unwrap();
            assert!(line.contains("\"describe\""), "{line}");
            let data = json!({ "asr": [{ "name": "whisper-test", "models": [] }], "tts": [] }).to_string();
            let info = format!("{}\n{data}", json!({ "type": "info", "data_length": data.len() }));
            stream.write_all(info.as_bytes()).await.unwrap();
        }
    });
    uri
}

#[tokio::test]
async fn a_running_server_and_all_that_it_uses_are_examined() {
    let (_model, program, server) = started().await;
    let (report, code) = examined(&program, &[]).await;
    assert_eq!((code, &report["problems"]), (0, &json!(0)), "{report:#}");
    assert_line(&report, "data folder", "ok", "can be written");
    // How full and how fast the disk of this machine is, is another matter.
    assert!(lines(&report, "disk")[0].1.contains("free"), "{report:#}");
    assert!(lines(&report, "flush")[0].1.contains(" ms (median"), "{report:#}");
    assert_line(&report, "server", "ok", server.url());
    assert_line(&report, "version", "ok", "the running server too");
    assert_line(&report, "journal", "ok", "the current one");
    assert_line(&report, "provider", "ok", "openai/");
    assert_line(&report, "embedding", "warning", "by words only");
    assert_line(&report, "backups", "warning", "no automatic backups");
    assert_line(&report, "clock", "ok", "steady");
    assert_eq!(lines(&report, "time zone").len(), 1);
    assert_line(&report, "home", "ok", "off");
    assert_line(&report, "MCP servers", "ok", "none");

    let said = program.run(&["doctor"]).await;
    assert!(said.stdout.contains("warning  backups") && said.stdout.contains("→ set `backup.dir`"), "{}", said.stdout);
    assert!(!said.stdout.contains('\x1b'), "no colours without a terminal");
    assert!(said.stderr.contains("no problems"), "{}", said.stderr);
    let quiet = program.run(&["doctor", "--quiet"]).await;
    assert!(!quiet.stdout.contains("ok  ") && quiet.stdout.contains("warning") && quiet.stderr.is_empty());
    let wrong = program.command(&["doctor", "--offline"]).env("DWELL_TOKEN", "wrong").output().await.unwrap();
    assert_eq!(wrong.status.code(), Some(1), "the token is refused");
}

#[tokio::test]
async fn what_does_not_work_is_named_with_what_to_do() {
    let model = ModelServer::start().await;
    model.push(Reply::status(401).error_message("no such key"));
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let program = program().with_model(&model).with("DWELL_LISTEN", &listen);
    let backups = program.folder().join("backups");
    let program = program
        .with("DWELL_BACKUP_DIR", backups.to_str().unwrap())
        .with("DWELL_TOOLS_TIME_ZONE", "Europe/Nowhere")
        .with("DWELL_HOME_ENABLED", "true")
        .with("HOME_ASSISTANT_URL", "http://127.0.0.1:9")
        .with("HOME_ASSISTANT_TOKEN", "secret-of-the-home")
        .with("DWELL_VOICE_SPEECH_TO_TEXT", &wyoming_service().await)
        .with("DWELL_VOICE_TEXT_TO_SPEECH", "tcp://127.0.0.1:9");
    std::fs::write(program.folder().join("token"), "x").unwrap();
    for (path, mode) in [("", 0o755), ("token", 0o644)] {
        let path = program.folder().join(path);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let file = program.folder().join("my.toml");
    std::fs::write(&file, "[mcp.servers.files]\ncommand = \"/nowhere/mcp-files\"\n").unwrap();
    let (report, code) = examined(&program, &["--config", file.to_str().unwrap()]).await;
    assert_eq!(code, 1);
    assert_line(&report, "server", "ok", "none runs");
    assert_line(&report, "port", "problem", &listen);
    assert_line(&report, "provider", "problem", "401");
    assert_line(&report, "data folder", "problem", "can read token");
    assert_line(&report, "time zone", "problem", "Europe/Nowhere");
    assert_line(&report, "home", "problem", "127.0.0.1:9");
    assert_line(&report, "speech", "ok", "whisper-test");
    assert_line(&report, "speech", "problem", "tcp://127.0.0.1:9");
    assert_line(&report, "MCP servers", "problem", "files");
    assert_line(&report, "backups", "warning", "no automatic backup in");
    assert_line(&report, "journal", "ok", "none yet");
    let checks = report["checks"].as_array().unwrap();
    assert!(checks.iter().all(|line| line["state"] == "ok" || line["advice"].is_string()), "{report:#}");
    assert!(!report.to_string().contains("secret-of-the-home"), "{report:#}");
    assert!(!program.folder().join("journal.db").exists(), "nothing is changed");

    std::fs::write(&file, "[limits]\nturnz_max = 7").unwrap();
    let (report, code) = examined(&program, &["--config", file.to_str().unwrap()]).await;
    assert_eq!(code, 1);
    assert_line(&report, "configuration", "problem", "no setting `limits.turnz_max`");
}

#[tokio::test]
async fn a_killed_server_and_a_newer_journal_are_recognised() {
    let (_model, program, server) = start(program().with("DWELL_LISTEN", "127.0.0.1:0")).await;
    server.kill().await;
    let (report, code) = examined(&program, &["--offline"]).await;
    assert_eq!(code, 0, "{report:#}");
    assert_line(&report, "server", "warning", "cannot reach");
    damage::make_newer(&program);
    let (report, code) = examined(&program, &["--offline"]).await;
    assert_eq!(code, 1);
    assert_line(&report, "journal", "problem", "format 4000");
}
