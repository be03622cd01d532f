//! A journal with fewer events than were acknowledged: the server names what is missing and does
//! not start without consent.

use std::{fs, path::Path, time::Duration};

use rusqlite::Connection;
use testkit::{CommandOutput, Program, RestClient};

use crate::program;

const MESSAGES: usize = 6;
const FILES: [&str; 4] = ["journal.db", "journal.db-wal", "journal.heads", "journal.log"];

/// The files of a journal, to be restored later.
struct JournalFiles([Option<Vec<u8>>; 4]);

impl JournalFiles {
    fn of(folder: &Path) -> Self {
        Self(FILES.map(|name| fs::read(folder.join(name)).ok()))
    }

    fn put_back(&self, folder: &Path) {
        let _ = fs::remove_file(folder.join("journal.db-shm"));
        for (name, bytes) in FILES.iter().zip(&self.0) {
            match bytes {
                Some(bytes) => fs::write(folder.join(name), bytes).unwrap(),
                None => drop(fs::remove_file(folder.join(name))),
            }
        }
    }
}

/// A program that was killed after it had acknowledged messages, and the session with those
/// messages.
async fn killed() -> (Program, String) {
    let program = program().with_log();
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    for n in 0..MESSAGES {
        let turn = rest.send(&session, &format!("message {n}")).await;
        rest.ended(&turn).await;
    }
    server.kill().await;
    (program, session)
}

/// The error that the server gives instead of starting.
async fn refused(program: &Program) -> CommandOutput {
    let serve = program.run(&["serve", "--listen", "127.0.0.1:0"]);
    let finished = tokio::time::timeout(Duration::from_secs(10), serve).await;
    let finished = finished.unwrap_or_else(|_| panic!("it starts although events are missing"));
    assert_eq!(finished.code(), 1, "{}", finished.stderr);
    for words in
        ["has less than was acknowledged", "acknowledged events are gone", "--accept-loss", "Nothing was changed"]
    {
        assert!(finished.stderr.contains(words), "{words}: {}", finished.stderr);
    }
    finished
}

async fn newest(rest: &RestClient, session: &str) -> u64 {
    rest.get(&format!("/api/v1/sessions/{session}")).await.ok()["last_seq"].as_u64().unwrap()
}

#[tokio::test]
async fn a_flipped_bit_in_the_log_is_noticed_wherever_it_is() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let (program, session) = killed().await;
    let folder = program.folder();
    let (files, log) = (JournalFiles::of(folder), folder.join("journal.db-wal"));
    let bytes = fs::read(&log).unwrap();
    // SQLite ignores all frames after a damaged one, so the later events are lost with it.
    for tenths in [1, 2, 3] {
        files.put_back(folder);
        let mut changed = bytes.clone();
        changed[bytes.len() * tenths / 10] ^= 4;
        fs::write(&log, &changed).unwrap();
        let refused = refused(&program).await;
        assert!(refused.stderr.contains(&format!("session {session}")), "{}", refused.stderr);
        assert_eq!(fs::read(&log).unwrap(), changed, "nothing is thrown away");
    }
    let verified = program.run(&["verify"]).await;
    assert_eq!(verified.code(), 1);
    assert!(verified.stdout.contains(&format!("lost: session {session}, events ")), "{}", verified.stdout);

    let server = program.start_with(&["--accept-loss"]).await;
    let fresh = server.rest().session().await;
    let turn = server.rest().send(&fresh, "go on").await;
    assert_eq!(server.rest().ended(&turn).await["status"], "completed");
    server.kill().await;
    assert!(folder.join("damaged-1/journal.db").exists(), "the files as they were are kept");
    assert!(fs::read_to_string(folder.join("damaged-1/loss.json")).unwrap().contains(&session));
    assert!(fs::read_to_string(folder.join("log")).unwrap().contains("a loss was accepted"));
    // After that the next start needs no consent.
    program.start().await;
}

#[tokio::test]
async fn a_log_or_a_journal_that_is_gone_is_noticed() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let (program, session) = killed().await;
    let folder = program.folder();
    let files = JournalFiles::of(folder);
    let gone = format!("session {session} is gone with its");

    fs::remove_file(folder.join("journal.db-wal")).unwrap();
    refused(&program).await;
    files.put_back(folder);
    fs::write(folder.join("journal.db"), "").unwrap();
    assert!(refused(&program).await.stderr.contains(&gone));
    fs::remove_file(folder.join("journal.db-wal")).unwrap();
    assert!(refused(&program).await.stderr.contains(&gone), "it does not start as new");
    fs::remove_file(folder.join("journal.db")).unwrap();
    assert!(refused(&program).await.stderr.contains(&gone));

    files.put_back(folder);
    let server = program.start().await;
    let head = newest(&server.rest(), &session).await;
    // Memory may have added an event since.
    let log = server.rest().log(&session).await;
    assert!(log.len() as u64 >= head && log.last().unwrap()["seq"] == log.len(), "all of it is there again: {head}");
}

#[tokio::test]
async fn missing_last_events_are_noticed() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let (program, session) = killed().await;
    // A clean start and stop: the file of heads is rewritten, and all events are in the database.
    program.start().await.stop().await;
    let file = Connection::open(program.folder().join("journal.db")).unwrap();
    let head: i64 = file.query_row("SELECT max(seq) FROM events", [], |row| row.get(0)).unwrap();
    file.execute("DELETE FROM events WHERE seq > ?1", [head - 3]).unwrap();
    drop(file);
    let said = refused(&program).await.stderr;
    assert!(said.contains("3 acknowledged events are gone"), "{said}");
    assert!(said.contains(&format!("session {session} misses events {} to {head}", head - 2)), "{said}");
}

/// After a power cut the file of heads may be older than the database, but never newer.
#[tokio::test]
async fn heads_that_are_older_than_the_journal_are_normal() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let program = program().with_log();
    let server = program.start().await;
    let session = server.rest().session().await;
    let heads = program.folder().join("journal.heads");
    let mut states = vec![fs::read(&heads).unwrap()];
    for n in 0..3 {
        let turn = server.rest().send(&session, &format!("message {n}")).await;
        server.rest().ended(&turn).await;
        states.push(fs::read(&heads).unwrap());
    }
    let head = newest(&server.rest(), &session).await;
    server.kill().await;
    let files = JournalFiles::of(program.folder());
    let torn = states[3][..states[3].len() - 9].to_vec();
    for state in [states[0].clone(), states[2].clone(), torn] {
        files.put_back(program.folder());
        fs::write(&heads, state).unwrap();
        let server = program.start().await;
        // Memory may have added an event since.
        assert!(newest(&server.rest(), &session).await >= head);
        server.kill().await;
    }
    let log = fs::read_to_string(program.folder().join("log")).unwrap();
    assert!(!log.contains("cannot be told"), "nothing to warn of: {log}");

    fs::remove_file(&heads).unwrap();
    program.start().await.kill().await;
    let log = fs::read_to_string(program.folder().join("log")).unwrap();
    assert!(log.contains("the file of heads is gone") && log.contains("cannot be told"), "{log}");
    assert!(heads.exists(), "it is created again");
}

#[tokio::test]
async fn an_older_copy_put_in_place_by_hand_is_noticed() {
    if testkit::skips_without_journal_file() {
        return;
    }
    let program = program();
    let server = program.start().await;
    let session = server.rest().session().await;
    server.stop().await;
    let older = fs::read(program.folder().join("journal.db")).unwrap();
    let server = program.start().await;
    let turn = server.rest().send(&session, "newer").await;
    server.rest().ended(&turn).await;
    server.stop().await;
    fs::write(program.folder().join("journal.db"), older).unwrap();
    assert!(refused(&program).await.stderr.contains(&format!("session {session} misses events 2 to ")));
}
