//! What `verify` finds in a data folder, and files without checksums.

use std::path::Path;

use journal::{
    Append, Artifacts, Change, Error, Integrity, Journal, Memories, Snapshot, Snapshots,
    sqlite::{VerifyReport, verify},
};
use rusqlite::Connection;

use crate::{
    sample::{self, artifact, artifact_id, entry, memory, note, notes, owner, session, text, turn, vault},
    sqlite::TestFolder,
};

/// A folder with data of every kind.
async fn written() -> TestFolder {
    let folder = TestFolder::new();
    let store = folder.open();
    let (id, ada) = (session(1), owner("ada"));
    store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    let lease = store.acquire(id).await.unwrap();
    let events = vec![text(id, 2, turn(1), "short"), text(id, 3, turn(1), &"long ".repeat(10_000)), note(id, 4)];
    store.append(lease, Append::new(1, events, None)).await.unwrap();
    store.save(id, Snapshot { seq: 4, format: 1, state: "state".to_owned() }).await.unwrap();
    store.put(artifact(1, id, &ada, 1, 100)).await.unwrap();
    store.change(&ada, vec![Change::Vault(vault(1)), Change::Memory(memory(1, 1))]).await.unwrap();
    store.change(&ada, vec![Change::Put(entry(1, 1, 1, "remembered"))]).await.unwrap();
    folder
}

fn checked(folder: &TestFolder) -> VerifyReport {
    verify(folder.0.path(), &mut |_, _| {}).unwrap()
}

fn change(folder: &Path, sql: &str) {
    Connection::open(folder.join("journal.db")).unwrap().execute_batch(sql).unwrap();
}

#[tokio::test]
async fn a_sound_folder_is_checked_whole() {
    let folder = written().await;
    let report = checked(&folder);
    assert!(report.is_sound() && report.has_heads, "{report:?}");
    let counts = (report.sessions, report.events, report.snapshots, report.artifacts, report.records);
    assert_eq!(counts, (1, 4, 1, 1, 3));
    let _server = folder.open();
    assert!(checked(&folder).is_sound(), "also while a server runs");
}

#[tokio::test]
async fn each_kind_of_damage_is_named() {
    for (sql, what, seq) in [
        ("UPDATE events SET body = replace(body, 'short', 'shirt')", "session", Some(2)),
        ("UPDATE blobs SET bytes = CAST('x' AS BLOB)", "session", Some(3)),
        ("DELETE FROM blobs", "session", Some(3)),
        ("DELETE FROM events WHERE seq = 2", "session", Some(2)),
        ("UPDATE events SET agent = 'other' WHERE seq = 2", "session", Some(2)),
        ("UPDATE events SET sum = X'' WHERE seq = 2", "session", Some(2)),
        ("UPDATE snapshots SET state = 'other'", "snapshot", None),
        ("UPDATE snapshots SET seq = 3", "snapshot", None),
        ("UPDATE artifacts SET bytes = X'00'", "artifact", None),
        ("UPDATE records SET body = replace(body, 'remembered', 'forgotten')", "record", None),
    ] {
        let folder = written().await;
        change(folder.0.path(), sql);
        let report = checked(&folder);
        let found: Vec<_> = report.faults.iter().map(|fault| (fault.what, fault.seq)).collect();
        assert_eq!(found, [(what, seq)], "{sql}");
        assert_eq!(report.loss, None, "{sql}");
    }
}

#[tokio::test]
async fn a_damaged_artifact_is_not_handed_out() {
    let folder = written().await;
    change(folder.0.path(), "UPDATE artifacts SET bytes = X'00'");
    let refused = folder.open().artifact(&owner("ada"), artifact_id(1)).await;
    assert_eq!(refused, Err(Error::DamagedArtifact(artifact_id(1))));
}

/// The newest event is compared with the recorded head, even if its checksum was made to match.
#[tokio::test]
async fn a_newest_event_that_was_never_committed_is_noticed() {
    let folder = written().await;
    let other = written().await;
    change(other.0.path(), "UPDATE events SET at = at + 1 WHERE seq = 4");
    let row = Connection::open(other.0.path().join("journal.db")).unwrap();
    let body: String = row.query_row("SELECT body FROM events WHERE seq = 4", [], |row| row.get(0)).unwrap();
    change(folder.0.path(), &format!("UPDATE events SET body = '{body}', sum = randomblob(16) WHERE seq = 4"));
    let store = folder.open();
    let damaged: Vec<_> = store.damaged().iter().map(|damage| damage.seq).collect();
    assert_eq!(damaged, [4]);
}

#[tokio::test]
async fn an_older_file_gets_its_sums_once() {
    let folder = TestFolder::new();
    let file = folder.0.path().join("journal.db");
    Connection::open(&file).unwrap().execute_batch(include_str!("format_1.sql")).unwrap();
    let store = folder.open();
    let verdict = store.verify(session(1)).await.unwrap();
    assert_eq!((verdict.events, verdict.damage), (3, None));
    assert_eq!(store.latest(session(1)).await.unwrap().unwrap().seq, 3);
    let lease = store.acquire(session(1)).await.unwrap();
    store.append(lease, notes(session(1), 3, 1)).await.unwrap();
    drop(store);
    assert!(checked(&folder).is_sound());
    change(folder.0.path(), "UPDATE events SET at = 0 WHERE seq = 2");
    assert_eq!(checked(&folder).faults[0].seq, Some(2));
}
