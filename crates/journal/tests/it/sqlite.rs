//! The embedded store: the contract, and the effect of group commit.

use std::sync::Arc;

use journal::{Catalog, Journal, Store, sqlite::Sqlite};
use protocol::SessionId;
use rusqlite::{Connection, params};
use tempfile::TempDir;

use crate::{
    contract::{Corruption, StoreFixture, contract_suite},
    sample::{self, notes, session},
};

/// A data folder that is removed with the test.
pub(crate) struct TestFolder(pub(crate) TempDir);

impl TestFolder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn open(&self) -> Sqlite {
        Sqlite::open(self.0.path()).unwrap()
    }
}

impl StoreFixture for TestFolder {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(self.open())
    }

    fn corrupt(&self, session_id: SessionId, harm: Corruption) {
        let event = "sid = (SELECT sid FROM sessions WHERE id = ?1) AND seq = ?2";
        let (sql, seq) = match harm {
            Corruption::ChangeBody(seq) => {
                (format!("UPDATE events SET body = replace(body, 'o', '0') WHERE {event}"), seq)
            }
            Corruption::ChangeLargeBody(seq) => {
                let changed = "CAST(replace(CAST(bytes AS TEXT), 'o', '0') AS BLOB)";
                let digest = format!("SELECT blob FROM events WHERE {event}");
                (format!("UPDATE blobs SET bytes = {changed} WHERE digest = ({digest})"), seq)
            }
            Corruption::Remove(seq) => (format!("DELETE FROM events WHERE {event}"), seq),
            Corruption::ChangeTime(seq) => (format!("UPDATE events SET at = at + 1 WHERE {event}"), seq),
            Corruption::ChangeSnapshot => {
                let session = "sid = (SELECT sid FROM sessions WHERE id = ?1) AND ?2 = 0";
                (format!("UPDATE snapshots SET state = state || 'x' WHERE {session}"), 0)
            }
        };
        let file = Connection::open(self.0.path().join("journal.db")).unwrap();
        let changed = file.execute(&sql, params![session_id.to_bytes(), seq.cast_signed()]).unwrap();
        assert_eq!(changed, 1, "{harm:?}");
    }
}

contract_suite!(TestFolder::new());

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_appends_of_64_sessions_share_their_flushes() {
    let folder = TestFolder::new();
    let store = Arc::new(folder.open());
    let ada = sample::owner("ada");
    let mut leases = Vec::new();
    for n in 0..64 {
        let id = session(n);
        store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, n)).await.unwrap();
        leases.push(store.acquire(id).await.unwrap());
    }
    let before = store.counters();
    let writers = leases.into_iter().map(|lease| {
        let store = store.clone();
        tokio::spawn(async move {
            for head in 1..=16 {
                store.append(lease, notes(lease.session_id, head, 1)).await.unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let after = store.counters();
    let (appends, commits) = (after.appends - before.appends, after.commits - before.commits);
    assert_eq!(appends, 1_024);
    assert!(commits * 10 <= appends, "{commits} flushes for {appends} appends");
}

#[tokio::test]
async fn a_second_process_is_told_who_holds_the_folder() {
    let folder = TestFolder::new();
    let _held = folder.open();
    let refused = Sqlite::open(folder.0.path()).unwrap_err().to_string();
    assert!(refused.contains("in use by another Dwell"), "{refused}");
    assert!(refused.contains(&std::process::id().to_string()), "{refused}");
}

#[tokio::test]
async fn a_journal_that_was_closed_was_not_cut_off() {
    let folder = TestFolder::new();
    let store = folder.open();
    assert!(!store.was_cut_off());
    store.moving().await.unwrap();
    drop(store);
    assert!(!folder.open().was_cut_off());
}
