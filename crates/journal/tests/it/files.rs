//! Torn, foreign or newer files are refused with the reason and left unchanged.

use std::{
    fs,
    path::{Path, PathBuf},
};

use journal::{
    Append, Artifacts, Bookmark, Catalog, Change, Journal, Memories, Snapshots, Totals, UnreadSession, sqlite::Sqlite,
};
use protocol::Event;
use rusqlite::{Connection, params};

use crate::{
    sample::{self, notes, session},
    sqlite::TestFolder,
};

/// A data folder whose journal has one session with 500 events, closed.
async fn written() -> (TestFolder, PathBuf) {
    let folder = TestFolder::new();
    let store = folder.open();
    let (id, ada) = (session(1), sample::owner("ada"));
    store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    let lease = store.acquire(id).await.unwrap();
    for round in 0..50 {
        store.append(lease, notes(id, 1 + round * 10, 10)).await.unwrap();
    }
    drop(store);
    let file = folder.0.path().join("journal.db");
    (folder, file)
}

/// Opening fails with the expected message and changes nothing.
fn check_refused(folder: &TestFolder, file: &Path, expected: &str) {
    let before = fs::read(file).ok();
    let refused = Sqlite::open(folder.0.path()).unwrap_err().to_string();
    assert!(refused.contains(expected), "{refused}");
    assert!(fs::read(file).ok() == before, "the file was changed");
}

#[tokio::test]
async fn a_torn_file_is_refused() {
    let (folder, file) = written().await;
    let whole = fs::read(&file).unwrap();
    for kept in [whole.len() / 2, 5_000, 60] {
        fs::write(&file, &whole[..kept]).unwrap();
        check_refused(&folder, &file, "is damaged");
    }
}

#[tokio::test]
async fn a_file_with_a_broken_page_is_refused() {
    let (folder, file) = written().await;
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0xa5);
    fs::write(&file, bytes).unwrap();
    check_refused(&folder, &file, "is damaged");
}

#[tokio::test]
async fn what_is_no_database_is_refused() {
    let folder = TestFolder::new();
    let file = folder.0.path().join("journal.db");
    for content in ["notes", &"my own notes, not yours\n".repeat(500)] {
        fs::write(&file, content).unwrap();
        check_refused(&folder, &file, "is not a Dwell journal");
    }
}

#[tokio::test]
async fn the_database_of_another_program_is_refused() {
    let folder = TestFolder::new();
    let file = folder.0.path().join("journal.db");
    Connection::open(&file).unwrap().execute_batch("CREATE TABLE cats (name TEXT); PRAGMA user_version = 1").unwrap();
    check_refused(&folder, &file, "belongs to another program");
}

#[tokio::test]
async fn a_newer_format_is_refused() {
    let (folder, file) = written().await;
    Connection::open(&file).unwrap().execute_batch("PRAGMA user_version = 4711").unwrap();
    check_refused(&folder, &file, "has format 4711");
}

#[tokio::test]
async fn a_log_without_its_file_is_refused() {
    let folder = TestFolder::new();
    let file = folder.0.path().join("journal.db");
    fs::write(folder.0.path().join("journal.db-wal"), "left over").unwrap();
    check_refused(&folder, &file, "its write-ahead log is there");
}

/// After a power cut the last commits are only partly in the log.
#[tokio::test]
async fn a_torn_tail_is_cut_back_to_the_last_commit() {
    let (folder, _) = written().await;
    let store = folder.open();
    let id = session(1);
    let lease = store.acquire(id).await.unwrap();
    for head in 501..521 {
        store.append(lease, notes(id, head, 1)).await.unwrap();
    }
    // A copy of the open folder stands for the disk at the moment of the power cut.
    let copy = TestFolder::new();
    for name in ["journal.db", "journal.db-wal", "journal.log"] {
        fs::copy(folder.0.path().join(name), copy.0.path().join(name)).unwrap();
    }
    let log = copy.0.path().join("journal.log");
    let bytes = fs::read(&log).unwrap();
    fs::write(&log, &bytes[..bytes.len() - 3]).unwrap();

    let reopened = copy.open();
    assert!(reopened.was_cut_off());
    let events = reopened.read(id, 0, 1_000).await.unwrap();
    assert_eq!(events.len(), 520, "the torn commit is gone, all before it are there");
    let lease = reopened.acquire(id).await.unwrap();
    reopened.append(lease, notes(id, 520, 1)).await.unwrap();
}

/// The format that every new step starts from must keep loading.
#[tokio::test]
async fn a_file_of_format_1_is_brought_to_the_current_one() {
    let folder = TestFolder::new();
    let file = folder.0.path().join("journal.db");
    Connection::open(&file).unwrap().execute_batch(include_str!("format_1.sql")).unwrap();
    add_temporary_sessions(&file);
    let (id, ada) = (session(1), sample::owner("ada"));

    let store = folder.open();
    assert_eq!(store.unread("reader").await.unwrap(), [UnreadSession { owner: ada.clone(), session_id: id, seq: 0 }]);
    for n in [2, 3] {
        let lease = store.acquire(session(n)).await.unwrap();
        store.remove(lease).await.unwrap();
    }
    let events = store.read(id, 0, 10).await.unwrap();
    assert_eq!(events.len(), 3);
    // Bodies in their original form, in the row and in the table of blobs.
    let totals = store.totals(&ada).await.unwrap();
    assert!(totals.sessions == 1 && totals.journal_bytes > 100, "{totals:?}");
    assert_eq!(events[2], sample::text(id, 3, sample::turn(1), "a body kept beside the events"));
    assert_eq!(store.named(&ada, &"kitchen".parse().unwrap()).await, Ok(Some(id)));
    assert_eq!(store.latest(id).await.unwrap().unwrap().seq, 3);

    store.put(sample::artifact(1, id, &ada, 1, 10)).await.unwrap();
    let lease = store.acquire(id).await.unwrap();
    store.append(lease, notes(id, 3, 1)).await.unwrap();
    let bookmark = Bookmark { follower: "reader".to_owned(), session_id: id, seq: 4, state: String::new() };
    store.change(&ada, vec![Change::Bookmark { from: 0, bookmark }]).await.unwrap();
    assert_eq!(store.unread("reader").await, Ok(vec![]));
    store.remove(lease).await.unwrap();
    drop(store);
    for table in ["sessions", "events", "blobs", "snapshots", "artifacts", "bookmarks", "session_totals"] {
        assert_eq!(rows(&file, table), 0, "{table}");
    }
}

/// Two sessions that were temporary before there was a column for it: the first body of one is in
/// the row, that of the other in the table of blobs.
fn add_temporary_sessions(file: &Path) {
    let body = r#"{"type":"session.started","data":{"owner":"ada","temporary":true}}"#;
    let connection = Connection::open(file).unwrap();
    for (sid, beside) in [(2, false), (3, true)] {
        let id = session(sid).to_bytes();
        connection
            .execute("INSERT INTO sessions VALUES (?1, ?2, 'ada', NULL, 0, 0, '{}')", params![sid.cast_signed(), id])
            .unwrap();
        if beside {
            connection.execute("INSERT INTO blobs VALUES (?1, CAST(?2 AS BLOB))", params![id, body]).unwrap();
        }
        let (body, blob) = if beside { (None, Some(id)) } else { (Some(body), None) };
        connection
            .execute(
                "INSERT INTO events VALUES (?1, 1, 1, 0, NULL, NULL, ?2, ?3)",
                params![sid.cast_signed(), body, blob],
            )
            .unwrap();
    }
}

/// A body is removed with the last session that refers to it.
#[tokio::test]
async fn bodies_go_with_the_last_session_that_refers_to_them() {
    let folder = TestFolder::new();
    let file = folder.0.path().join("journal.db");
    let ada = sample::owner("ada");
    let store = folder.open();
    for n in [1, 2] {
        let id = session(n);
        store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
        let lease = store.acquire(id).await.unwrap();
        let long = |text: &str| sample::text(id, 2, sample::turn(n), &text.repeat(10_000));
        let own = Event { seq: 3, ..long(if n == 1 { "mine " } else { "yours " }) };
        let append = Append::new(1, vec![long("ours "), own], None);
        store.append(lease, append).await.unwrap();
    }
    for (n, left) in [(1, 2), (2, 0)] {
        let lease = store.acquire(session(n)).await.unwrap();
        store.remove(lease).await.unwrap();
        assert_eq!(rows(&file, "blobs"), left, "after removing session {n}");
    }
}

fn rows(file: &Path, table: &str) -> i64 {
    let connection = Connection::open(file).unwrap();
    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}
