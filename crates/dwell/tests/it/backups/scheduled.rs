//! Scheduled backups.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;
use testkit::{Program, RunningServer};

use super::{back_up, change_manifest};
use crate::program;

fn backups(into: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(into).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = all
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("dwell-backup-"))
        .filter(|path| made_by(path) == "schedule")
        .collect();
    all.sort_by_key(|path| manifest(path)["number"].as_u64());
    all
}

fn manifest(backup: &Path) -> Value {
    serde_json::from_slice(&fs::read(backup.join("backup.json")).unwrap()).unwrap()
}

fn made_by(backup: &Path) -> String {
    manifest(backup)["made_by"].as_str().unwrap().to_owned()
}

fn numbers(into: &Path) -> Vec<u64> {
    backups(into).iter().map(|path| manifest(path)["number"].as_u64().unwrap()).collect()
}

/// Starts the server and waits until the backup that is due is made and counted in the statistics.
async fn started_and_made(program: &Program, into: &Path, number: u64) -> RunningServer {
    let server = program.start().await;
    loop {
        let is_made = numbers(into).last() == Some(&number);
        let stats = server.rest().get("/api/v1/stats").await.ok();
        if is_made && stats["backup"]["kept"].as_u64() == Some(numbers(into).len() as u64) {
            return server;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Sets the newest backup's time back, so that the next one is due.
fn age(into: &Path) {
    let newest = backups(into).pop().unwrap();
    change_manifest(&newest, |manifest| manifest["made_at"] = "2026-01-01T00:00:00.000Z".into());
}

#[tokio::test]
async fn the_newest_are_kept_and_only_its_own_are_removed() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let into = TempDir::new().unwrap();
    let program = program()
        .with("DWELL_BACKUP_DIR", into.path().to_str().unwrap())
        .with("DWELL_BACKUP_EVERY_HOURS", "1")
        .with("DWELL_BACKUP_KEEP", "2");
    let server = started_and_made(&program, into.path(), 1).await;
    let shown = program.run(&["stats"]).await.stdout;
    assert!(shown.contains("backup      newest of 1 made at "), "{shown}");
    let by_hand = back_up(&program, into.path(), &[]).await;
    let foreign = into.path().join("dwell-backup-mine");
    fs::create_dir(&foreign).unwrap();
    server.stop().await;
    // The next backup is not due yet.
    let server = program.start().await;
    assert_eq!(server.rest().get("/api/v1/stats").await.ok()["backup"]["kept"], 1);
    server.stop().await;
    assert_eq!(fs::remove_dir(&foreign).ok(), Some(()));
    for (number, kept) in [(2, vec![1, 2]), (3, vec![2, 3])] {
        age(into.path());
        started_and_made(&program, into.path(), number).await.stop().await;
        assert_eq!(numbers(into.path()), kept);
    }
    let newest = backups(into.path()).pop().unwrap();
    for whole in [&by_hand, &newest] {
        let checked = program.run(&["backup", "--verify", whole.to_str().unwrap()]).await;
        assert_eq!(checked.code(), 0, "{}", checked.stderr);
    }
}

#[tokio::test]
async fn one_that_fails_is_told_of_and_logged() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let into = TempDir::new().unwrap();
    let file = into.path().join("a file and no folder");
    fs::write(&file, "").unwrap();
    let program = program().with_log().with("DWELL_BACKUP_DIR", file.to_str().unwrap());
    let server = program.start().await;
    while server.rest().get("/api/v1/stats").await.ok()["backup"]["failed_at"].is_null() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(program.run(&["stats"]).await.stdout.contains("none yet; the last attempt"));
    let log = fs::read_to_string(program.folder().join("log")).unwrap();
    assert!(log.contains("a scheduled backup failed"), "{log}");
}
