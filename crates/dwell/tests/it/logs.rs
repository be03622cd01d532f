//! `dwell logs`: the server's log over its API, for its operator.

use std::{process::Stdio, time::Duration};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::{program, started};

#[tokio::test]
async fn the_log_is_printed_and_followed_over_a_restart() {
    let backups = tempfile::TempDir::new().unwrap();
    let program = program().with("DWELL_LOG_FILTER", "info").with("DWELL_BACKUP_EVERY_HOURS", "1");
    let program = program.with("DWELL_BACKUP_DIR", backups.path().to_str().unwrap());
    let server = program.start().await;
    // The first backup is made at once, and logged.
    let page = loop {
        let page = program.run(&["logs", "--json"]).await;
        let page: Value = serde_json::from_str(&page.stdout).unwrap();
        if page["data"].to_string().contains("made a backup") {
            break page;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    let line =
        page["data"].as_array().unwrap().iter().find(|line| line["message"].to_string().contains("made a backup"));
    let line = line.unwrap();
    assert_eq!((&line["level"], &line["target"]), (&json!("info"), &json!("dwell::backup::schedule")));
    assert!(line["message"].as_str().unwrap().contains("folder="), "with its fields: {line}");
    let text = program.run(&["logs", "-n", "500"]).await.stdout;
    assert!(text.contains("INFO   dwell::backup::schedule: made a backup"), "{text}");
    assert_eq!(program.run(&["logs", "--level", "error"]).await.stdout, "", "nothing is so severe");

    let mut following = program.command(&["logs", "-f", "--json", "-n", "1"]);
    let mut following = following.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    assert!(first["seq"].as_u64().unwrap() >= 1, "{first}");
    // A killed server logs at its next start that it was.
    server.kill().await;
    let again = program.start().await;
    let told = tokio::time::timeout(Duration::from_secs(30), async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains("the last run was interrupted") {
                return true;
            }
        }
        false
    });
    assert!(told.await.unwrap(), "the new server's lines follow");
    following.kill().await.unwrap();
    drop(again);
}

#[tokio::test]
async fn only_the_operator_reads_the_log() {
    let (_model, program, server) = started().await;
    let added = program.run(&["owners", "add", "ben", "--json"]).await;
    let added: Value = serde_json::from_str(&added.stdout).unwrap();
    let ben = server.rest_as(added["token"].as_str());
    assert_eq!(ben.get("/api/v1/logs").await.status, 403);
    let refused =
        program.command(&["logs"]).env("DWELL_TOKEN", added["token"].as_str().unwrap()).output().await.unwrap();
    assert_eq!(refused.status.code(), Some(4));
    let rest = server.rest();
    // A line that may come ends the wait; none does within it.
    let waited = rest.get("/api/v1/logs?after=1&wait_ms=50&level=error").await.ok();
    assert_eq!(waited["data"], json!([]), "{waited}");
    assert_eq!(rest.get("/api/v1/logs?level=loud").await.status, 400);
}
