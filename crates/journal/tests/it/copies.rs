//! Copies of the journal: one consistent snapshot, taken while others write, and checked.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use journal::{
    Error, Journal,
    sqlite::{
        Sqlite,
        backup::{check, copy},
    },
};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::{
    sample::{self, notes, session},
    sqlite::TestFolder,
};

async fn with_sessions(folder: &TestFolder, count: u64) -> Arc<Sqlite> {
    let (store, ada) = (Arc::new(folder.open()), sample::owner("ada"));
    for n in 1..=count {
        let id = session(n);
        store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, n)).await.unwrap();
    }
    store
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_is_one_moment_of_a_journal_that_is_being_written() {
    let (folder, target) = (TestFolder::new(), TempDir::new().unwrap());
    let store = with_sessions(&folder, 2).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = [1, 2]
        .into_iter()
        .map(|n| {
            let (store, is_over) = (store.clone(), is_over.clone());
            tokio::spawn(async move {
                let lease = store.acquire(session(n)).await.unwrap();
                let mut head = 1;
                while !is_over.load(Ordering::SeqCst) {
                    store.append(lease, notes(session(n), head, 20)).await.unwrap();
                    head += 20;
                }
                head
            })
        })
        .collect();
    let mut copies = Vec::new();
    for n in 0..3 {
        let (from, to) = (folder.0.path().to_owned(), target.path().join(format!("copy #{n}?.db")));
        let made = to.clone();
        let told = tokio::task::spawn_blocking(move || {
            let mut told = Vec::new();
            let contents = copy(&from, &made, &mut |done, total| told.push((done, total))).unwrap();
            (contents, told)
        });
        let (contents, told) = told.await.unwrap();
        assert!(told.last().is_some_and(|(done, total)| done == total && *total > 0), "{told:?}");
        copies.push((to, contents));
    }
    is_over.store(true, Ordering::SeqCst);
    let mut heads = 0;
    for writer in writers {
        heads += writer.await.unwrap();
    }
    for (file, contents) in copies {
        assert_eq!(check(&file).unwrap(), contents, "and nothing else comes of looking at it");
        assert_eq!((contents.sessions, contents.events % 20), (2, 2), "whole commits only: {contents:?}");
        assert!(contents.events <= heads);
        assert!(!target.path().join(format!("{}-wal", file.display())).exists(), "it is a single file");
    }
}

/// This includes what the database does not have yet, while the journal is in use and after a kill.
#[tokio::test]
async fn a_copy_has_all_that_was_acknowledged() {
    let (folder, target) = (TestFolder::new(), TempDir::new().unwrap());
    let store = with_sessions(&folder, 1).await;
    let lease = store.acquire(session(1)).await.unwrap();
    for head in 1..=30 {
        store.append(lease, notes(session(1), head, 1)).await.unwrap();
        let made = target.path().join(format!("{head}.db"));
        let contents = copy(folder.0.path(), &made, &mut |_, _| {}).unwrap();
        assert_eq!((contents.sessions, contents.events), (1, head + 1));
    }
}

#[tokio::test]
async fn a_copy_with_a_missing_event_or_a_broken_page_is_found_out() {
    let (folder, target) = (TestFolder::new(), TempDir::new().unwrap());
    let store = with_sessions(&folder, 1).await;
    let lease = store.acquire(session(1)).await.unwrap();
    store.append(lease, notes(session(1), 1, 500)).await.unwrap();
    let file = target.path().join("copy.db");
    copy(folder.0.path(), &file, &mut |_, _| {}).unwrap();
    let whole = std::fs::read(&file).unwrap();
    Connection::open(&file).unwrap().execute_batch("DELETE FROM events WHERE seq = 7").unwrap();
    let gap = check(&file).unwrap_err().to_string();
    assert!(gap.contains("events are missing"), "{gap}");
    let mut broken = whole.clone();
    let middle = broken.len() / 2 / 4096 * 4096;
    broken[middle..middle + 4096].fill(0xa5);
    std::fs::write(&file, broken).unwrap();
    assert!(matches!(check(&file), Err(Error::Damaged { .. })));
    std::fs::write(&file, &whole).unwrap();
    Connection::open(&file).unwrap().execute_batch("PRAGMA user_version = 4711").unwrap();
    assert!(matches!(check(&file), Err(Error::Newer { found: 4711, .. })));
    let none = copy(target.path(), &target.path().join("none"), &mut |_, _| {}).unwrap_err().to_string();
    assert!(none.contains("there is no journal"), "{none}");
}
