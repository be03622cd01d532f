//! Damage within a journal: the damaged session is refused by name, the other sessions work, and
//! the events before the damage can be exported.

use std::fs;

use reqwest::Method;
use rusqlite::Connection;
use serde_json::{Value, json};
use testkit::{Program, RestClient, RunningServer};

use crate::program;

async fn told(rest: &RestClient, session: &str, words: &str) {
    let turn = rest.send(session, words).await;
    assert_eq!(rest.ended(&turn).await["status"], "completed");
}

/// Two sessions with messages, the first also with a large message; the server is stopped cleanly.
async fn stopped(program: &Program) -> (String, String) {
    let server = program.start().await;
    let rest = server.rest();
    let (first, second) = (rest.session().await, rest.session().await);
    told(&rest, &first, "short words").await;
    let large = json!({ "preferences": { "style": "long words ".repeat(3_000) } });
    rest.call(Method::PATCH, &format!("/api/v1/sessions/{first}"), Some(large), &[]).await.ok();
    told(&rest, &first, "more words").await;
    told(&rest, &second, "other words").await;
    server.stop().await;
    (first, second)
}

/// Changes a stopped journal with SQL; `?1` is the session.
fn harm(program: &Program, session: &str, sql: &str) {
    let file = Connection::open(program.folder().join("journal.db")).unwrap();
    let id = session.parse::<ulid::Ulid>().unwrap().to_bytes();
    let sql = sql.replace("MINE", "sid = (SELECT sid FROM sessions WHERE id = ?1)");
    assert_eq!(file.execute(&sql, [id]).unwrap(), 1, "{sql}");
}

/// Checks that the session is refused by name at that event and that the other session works.
async fn check_refused(server: &RunningServer, damaged: &str, sound: &str, seq: u64) {
    let rest = server.rest();
    let answer = rest.get(&format!("/api/v1/sessions/{damaged}/export")).await;
    assert_eq!((answer.status, &answer.body["code"]), (500, &json!("damaged")), "{}", answer.body);
    let message = answer.body["message"].as_str().unwrap();
    assert!(message.contains(&format!("session {damaged} is damaged at event {seq}:")), "{message}");
    let path = format!("/api/v1/sessions/{damaged}/turns");
    assert_eq!(rest.post(&path, json!({ "message": "hello" })).await.code(500), "damaged");
    told(&rest, sound, "and on").await;
    assert_eq!(rest.get("/readyz").await.ok()["damaged_sessions"], 1);
    assert_eq!(rest.get("/api/v1/stats").await.ok()["journal"]["damaged_sessions"], 1);
}

/// What `dwell verify --json` finds.
async fn faults(program: &Program) -> Vec<Value> {
    let verified = program.run(&["verify", "--json"]).await;
    assert_eq!(verified.code(), 1, "{}", verified.stderr);
    let report: Value = serde_json::from_str(&verified.stdout).unwrap();
    report["faults"].as_array().unwrap().clone()
}

#[tokio::test]
async fn changed_and_missing_events_are_refused_by_name() {
    if testkit::skips_without_journal_file() {
        return;
    }
    for (sql, seq) in [
        ("UPDATE events SET body = replace(body, 'short', 'shirt') WHERE MINE AND seq = 2", 2),
        ("DELETE FROM events WHERE MINE AND seq = 3", 3),
    ] {
        let program = program();
        let (damaged, sound) = stopped(&program).await;
        harm(&program, &damaged, sql);
        let found = faults(&program).await;
        assert_eq!((found.len(), &found[0]["id"], &found[0]["seq"]), (1, &json!(damaged), &json!(seq)), "{found:?}");
        let server = program.start().await;
        check_refused(&server, &damaged, &sound, seq).await;
        assert_eq!(faults(&program).await, found, "also while the server runs");
    }
}

#[tokio::test]
async fn a_changed_large_body_is_noticed_and_the_part_before_it_can_be_exported() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let program = program().with_log();
    let (damaged, sound) = stopped(&program).await;
    let file = Connection::open(program.folder().join("journal.db")).unwrap();
    let large = "SELECT min(seq) FROM events WHERE blob IS NOT NULL";
    let seq: i64 = file.query_row(large, [], |row| row.get(0)).unwrap();
    let seq = seq.cast_unsigned();
    file.execute_batch("UPDATE blobs SET bytes = CAST(replace(CAST(bytes AS TEXT), 'long', 'lung') AS BLOB)").unwrap();
    drop(file);
    let server = program.start().await;
    check_refused(&server, &damaged, &sound, seq).await;

    let exported = program.run(&["export", &damaged, "--sound"]).await;
    assert_eq!(exported.code(), 0, "{}", exported.stderr);
    let lines: Vec<Value> = exported.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // The first line is the manifest.
    assert_eq!((lines.len() as u64, &lines[2]["seq"]), (seq, &json!(2)));
    assert!(exported.stdout.contains("short words"));
    let whole = program.run(&["export", &damaged]).await;
    assert!(whole.code() == 1 && whole.stderr.contains("--sound"), "{}", whole.stderr);
    let log = fs::read_to_string(program.folder().join("log")).unwrap();
    assert!(log.contains("a session is damaged and refused from now on"), "{log}");
}

#[tokio::test]
async fn a_changed_snapshot_is_noticed_and_not_used() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let program = program().with_log();
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    for n in 0..6 {
        told(&rest, &session, &format!("message {n}")).await;
    }
    let log = rest.log(&session).await;
    server.stop().await;
    let title = "json_set(state, '$.head', 1)";
    harm(&program, &session, &format!("UPDATE snapshots SET state = {title} WHERE MINE"));
    assert_eq!(faults(&program).await[0]["what"], "snapshot");
    let server = program.start().await;
    told(&server.rest(), &session, "go on").await;
    assert_eq!(server.rest().log(&session).await[..log.len()], log);
    let log = fs::read_to_string(program.folder().join("log")).unwrap();
    assert!(log.contains("a snapshot is damaged"), "{log}");
}

#[tokio::test]
async fn damage_is_found_in_the_background() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let program = program().with("DWELL_JOURNAL_VERIFY_PER_MINUTE", "6000").with_log();
    let (damaged, _) = stopped(&program).await;
    harm(&program, &damaged, "UPDATE events SET at = at + 1 WHERE MINE AND seq = 2");
    let server = program.start().await;
    // No client reads the session.
    loop {
        let journal = server.rest().get("/api/v1/stats").await.ok()["journal"].clone();
        if journal["damaged_sessions"] == 1 && journal["passes"].as_u64() > Some(0) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let stats = program.run(&["stats"]).await;
    assert!(stats.stdout.contains("1 damaged"), "{}", stats.stdout);
    let path = format!("/api/v1/sessions/{damaged}");
    assert_eq!(server.rest().get(&path).await.code(500), "damaged");
}

#[tokio::test]
async fn a_sound_folder_verifies_while_the_server_runs_and_after() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let program = program();
    let (first, _) = stopped(&program).await;
    let server = program.start().await;
    told(&server.rest(), &first, "more words").await;
    let running = program.run(&["verify"]).await;
    assert_eq!(running.code(), 0, "{}{}", running.stdout, running.stderr);
    server.kill().await;
    let cut_off = program.run(&["verify"]).await;
    assert_eq!(cut_off.code(), 0, "{}{}", cut_off.stdout, cut_off.stderr);
    assert!(cut_off.stdout.contains("checked 2 sessions with ") && cut_off.stdout.contains("no damage was found"));
    program.start().await;
}
