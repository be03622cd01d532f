//! Backups: made while clients write, verified, restored elsewhere, and scheduled.

mod damaged;
mod restoring;
mod scheduled;

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use journal::{Journal, sqlite::Sqlite};
use protocol::Event;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use testkit::{Program, RestClient};

use crate::{harness::told, owners::add, program};

/// Makes a backup with the command line; returns its folder.
async fn back_up(program: &Program, into: &Path, more: &[&str]) -> PathBuf {
    let made = program.run(&[&["backup", into.to_str().unwrap()], more].concat()).await;
    assert_eq!(made.code(), 0, "{}", made.stderr);
    PathBuf::from(made.stdout.trim())
}

/// Restores a backup into the data folder of another program.
async fn restored(backup: &Path) -> Program {
    let program = program();
    let done = program.run(&["restore", backup.to_str().unwrap()]).await;
    assert_eq!(done.code(), 0, "{}", done.stderr);
    program
}

async fn ask(rest: &RestClient, session: &str, message: &str) -> Value {
    told(rest, session, json!({ "message": message })).await
}

/// Changes the manifest of a backup and updates the digests to match.
fn change_manifest(backup: &Path, change: impl FnOnce(&mut Value)) {
    let path = backup.join("backup.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    let text = format!("{}\n", serde_json::to_string_pretty(&manifest).unwrap());
    let digest: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
    let sums = fs::read_to_string(backup.join("backup.sha256")).unwrap();
    let (_, others) = sums.split_once('\n').unwrap();
    fs::write(backup.join("backup.sha256"), format!("{digest}  backup.json\n{others}")).unwrap();
    fs::write(path, text).unwrap();
}

#[tokio::test]
async fn a_backup_made_while_clients_write_has_all_that_was_acknowledged_before() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let (program, into) = (program(), TempDir::new().unwrap());
    let server = program.start().await;
    let rest = server.rest();
    let quiet = rest.session().await;
    ask(&rest, &quiet, "What is 1 + 1?").await;
    let mut acknowledged = Vec::new();
    let mut sessions = Vec::new();
    for _ in 0..3 {
        let session = rest.session().await;
        for n in 0..4 {
            acknowledged.push((session.clone(), rest.send(&session, &format!("What is {n} + 2?")).await));
        }
        sessions.push(session);
    }
    // The clients write until the backup is complete.
    let writers: Vec<_> = sessions
        .iter()
        .cloned()
        .map(|session| {
            let rest = server.rest();
            tokio::spawn(async move {
                for n in 0..200 {
                    let body = json!({ "message": format!("What is {n} + 3?") });
                    rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await;
                }
            })
        })
        .collect();
    let backup = back_up(&program, into.path(), &[]).await;
    writers.into_iter().for_each(|writer| writer.abort());

    let other = restored(&backup).await;
    let copy = Sqlite::open(other.folder()).unwrap();
    for session in &sessions {
        let kept = copy.read(session.parse().unwrap(), 0, 1_000_000).await.unwrap();
        assert!(kept.iter().zip(1..).all(|(event, seq)| event.seq == seq), "no number is missing");
        let lines = rest.log(session).await.into_iter().filter(|line| line["seq"].is_u64());
        let original: Vec<Event> = lines.map(|event| serde_json::from_value(event).unwrap()).collect();
        assert!(original.starts_with(&kept), "it is what the session was at some moment");
        for (_, turn) in acknowledged.iter().filter(|(of, _)| of == session) {
            let turn = turn.parse().unwrap();
            assert!(kept.iter().any(|event| event.turn_id == Some(turn)), "turn {turn} was acknowledged before");
        }
    }
    drop(copy);
    server.stop().await;
    let server = other.start().await;
    let turn = ask(&server.rest(), &quiet, "What is 20 + 22?").await;
    assert_eq!(turn["status"], "completed", "{turn}");
    assert!(turn["text"].as_str().unwrap().contains("42"), "{turn}");
    assert_eq!(server.rest().log(&quiet).await[0]["seq"], 1, "the conversation continues");
}

#[tokio::test]
async fn owners_tokens_artifacts_and_the_home_come_along() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let (program, into) = (program().with_own_token(), TempDir::new().unwrap());
    let server = program.start().await;
    let bob = add(&program, "bob").await;
    let token = fs::read_to_string(program.folder().join("token")).unwrap().trim().to_owned();
    let rest = server.rest_as(Some(&token));
    let (mine, his) = (rest.session().await, server.rest_as(Some(&bob)).session().await);
    ask(&rest, &mine, "Save this as notes.md: Buy milk.").await;
    let backup = back_up(&program, into.path(), &[]).await;
    server.stop().await;

    for (path, mode) in [(&backup, 0o700), (&backup.join("journal.db"), 0o600), (&backup.join("token"), 0o600)] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
    for name in ["token", "seal-key", "ollama-key", "owners.json"] {
        let (kept, original) = (fs::read(backup.join(name)).unwrap(), fs::read(program.folder().join(name)).unwrap());
        assert_eq!(kept, original, "{name}");
    }
    for name in ["dwell.lock", "address", "journal.db-wal", "journal.heads"] {
        assert!(!backup.join(name).exists(), "{name}");
    }
    let other = restored(&backup).await.with_own_token();
    let server = other.start().await;
    assert!(!server.greeting().iter().any(|line| line.starts_with("token ")), "it has the token that it had");
    let (rest, his_rest) = (server.rest_as(Some(&token)), server.rest_as(Some(&bob)));
    assert_eq!(rest.get("/api/v1/artifacts").await.ok()["data"][0]["name"], "notes.md");
    assert_eq!(his_rest.get("/api/v1/sessions").await.ok()["data"][0]["session_id"], his.as_str());
    assert_eq!(his_rest.get(&format!("/api/v1/sessions/{mine}")).await.status, 404);
    assert_eq!(server.rest_as(Some("nobody's token")).get("/api/v1/sessions").await.status, 401);
}

#[tokio::test]
async fn without_secrets_there_are_none_in_it() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let (program, into) = (program().with_own_token(), TempDir::new().unwrap());
    let server = program.start().await;
    let token = fs::read_to_string(program.folder().join("token")).unwrap();
    fs::write(program.folder().join("config.toml"), "# a key may stand here\n").unwrap();
    add(&program, "bob").await;
    let backup = back_up(&program, into.path(), &["--without-secrets"]).await;
    server.stop().await;
    let names = |folder: &Path| {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let expected = ["backup.json", "backup.sha256", "journal.db", "owners.json", "simulated-home.json"];
    assert!(names(&backup).iter().all(|name| expected.contains(&name.as_str())), "{:?}", names(&backup));
    let whole = back_up(&program, into.path(), &[]).await;
    assert!(names(&whole).contains(&"config.toml".to_owned()));
    let other = restored(&backup).await.with_own_token();
    let server = other.start().await;
    let line = server.greeting().iter().find(|line| line.starts_with("token ")).unwrap();
    assert!(!line.contains(token.trim()), "it makes a new one");
}

#[tokio::test]
async fn a_backup_needs_no_server_and_says_what_is_in_it() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let (program, into) = (program(), TempDir::new().unwrap());
    let none = program.run(&["backup", into.path().to_str().unwrap()]).await;
    assert!(none.code() == 1 && none.stderr.contains("no journal"), "{}", none.stderr);
    let server = program.start().await;
    let session = server.rest().session().await;
    ask(&server.rest(), &session, "What is 1 + 2?").await;
    server.kill().await;
    // The backup includes the write-ahead log that the kill left behind.
    let backup = back_up(&program, into.path(), &[]).await;
    assert!(backup.file_name().unwrap().to_str().unwrap().starts_with("dwell-backup-20"), "{}", backup.display());
    let checked = program.run(&["backup", "--verify", backup.to_str().unwrap(), "--json"]).await;
    let told: Value = serde_json::from_str(&checked.stdout).unwrap();
    assert_eq!(told["backup"]["journal"]["sessions"], 1, "{told}");
    assert!(checked.stderr.contains("checking journal.db"), "{}", checked.stderr);
    let within = program.run(&["backup", program.folder().join("here").to_str().unwrap()]).await;
    assert!(within.code() == 1 && within.stderr.contains("within the data folder"), "{}", within.stderr);
    let left = fs::read_dir(into.path()).unwrap().count();
    assert_eq!(left, 1, "nothing unfinished is left");
}
