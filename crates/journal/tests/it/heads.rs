//! The file of heads: acknowledged data survives every kill, and a loss is always noticed.

use std::{fs, path::Path};

use journal::{
    Change, Error, Journal, Loss, LostEvents, Memories,
    sqlite::{Sqlite, make_heads, verify},
};
use protocol::SessionId;
use rusqlite::Connection;

use crate::{
    sample::{self, notes, owner, session, vault},
    sqlite::TestFolder,
};

const FILES: [&str; 4] = ["journal.db", "journal.db-wal", "journal.heads", "journal.log"];

async fn begin(store: &Sqlite, n: u64) -> SessionId {
    let (id, ada) = (session(n), owner("ada"));
    store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    id
}

async fn add(store: &Sqlite, id: SessionId, head: u64, count: u64) {
    let lease = store.acquire(id).await.unwrap();
    for head in head..head + count {
        store.append(lease, notes(id, head, 1)).await.unwrap();
    }
}

/// A copy of the files, as a kill would leave them.
fn copy(from: &Path, names: &[&str]) -> TestFolder {
    let folder = TestFolder::new();
    for name in names.iter().filter(|name| from.join(name).exists()) {
        fs::copy(from.join(name), folder.0.path().join(name)).unwrap();
    }
    folder
}

fn lost(folder: &TestFolder) -> Loss {
    // SQLite treats a missing log and an empty one alike.
    let files = || FILES.map(|name| fs::read(folder.0.path().join(name)).unwrap_or_default());
    let before = files();
    match Sqlite::open(folder.0.path()) {
        Err(Error::Lost { loss, .. }) => {
            assert!(before == files(), "the files are left as they are");
            assert_eq!(verify(folder.0.path(), &mut |_, _| {}).unwrap().loss.as_ref(), Some(&*loss));
            *loss
        }
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it starts"),
    }
}

#[tokio::test]
async fn a_kill_at_any_moment_leaves_nothing_missing() {
    let folder = TestFolder::new();
    let store = folder.open();
    let id = begin(&store, 1).await;
    add(&store, id, 1, 5).await;
    let killed = copy(folder.0.path(), &FILES);
    add(&store, id, 6, 5).await;
    for heads in [None, Some(&killed)] {
        // The current database, with the current or the earlier heads, as after a power cut.
        let later = copy(folder.0.path(), &FILES);
        if let Some(before) = heads {
            fs::copy(before.0.path().join("journal.heads"), later.0.path().join("journal.heads")).unwrap();
        }
        for torn in [0, 1, 7, 40] {
            let again = copy(later.0.path(), &FILES);
            let file = again.0.path().join("journal.heads");
            let bytes = fs::read(&file).unwrap();
            fs::write(&file, &bytes[..bytes.len() - torn]).unwrap();
            let store = again.open();
            assert_eq!(store.read(id, 0, 100).await.unwrap().len(), 11);
            add(&store, id, 11, 1).await;
        }
    }
}

#[tokio::test]
async fn a_flipped_bit_in_the_log_is_a_loss_that_is_named() {
    let folder = TestFolder::new();
    let store = folder.open();
    let id = begin(&store, 1).await;
    add(&store, id, 1, 20).await;
    let size = fs::metadata(folder.0.path().join("journal.log")).unwrap().len();
    let mut losses = Vec::new();
    for place in [1, 3, 5, 7, 9].map(|tenths| size * tenths / 10) {
        let damaged = copy(folder.0.path(), &FILES);
        let log = damaged.0.path().join("journal.log");
        let mut bytes = fs::read(&log).unwrap();
        bytes[usize::try_from(place).unwrap()] ^= 0x10;
        fs::write(&log, bytes).unwrap();
        losses.push(lost(&damaged).events());

        let store = Sqlite::open_accepting_loss(damaged.0.path()).unwrap();
        let copies = damaged.0.path().join("damaged-1");
        assert!(copies.join("journal.db").exists() && copies.join("journal.heads").exists());
        assert!(fs::read_to_string(copies.join("loss.json")).unwrap().contains("acknowledged"));
        drop(store);
        assert!(!damaged.open().was_cut_off(), "accepted is accepted");
    }
    assert!(losses.is_sorted_by(|a, b| a > b) && losses[0] >= 18 && losses[4] >= 1, "{losses:?}");
}

#[tokio::test]
async fn a_log_that_is_gone_and_a_journal_that_is_empty_are_losses() {
    let folder = TestFolder::new();
    let store = folder.open();
    let id = begin(&store, 1).await;
    drop(store);
    let store = folder.open();
    add(&store, id, 1, 4).await;

    let without_log = copy(folder.0.path(), &["journal.db", "journal.heads"]);
    assert_eq!(lost(&without_log).sessions, [LostEvents { session_id: id, found: 1, acknowledged: 5 }]);
    let gone = [LostEvents { session_id: id, found: 0, acknowledged: 5 }];
    let without_file = copy(folder.0.path(), &["journal.heads"]);
    assert_eq!(lost(&without_file).sessions, gone);
    let only_log = copy(folder.0.path(), &["journal.db-wal", "journal.heads"]);
    assert_eq!(lost(&only_log).sessions, gone);
    let emptied = copy(folder.0.path(), &FILES);
    fs::write(emptied.0.path().join("journal.db"), "").unwrap();
    assert_eq!(lost(&emptied).sessions, gone);
    let store = Sqlite::open_accepting_loss(emptied.0.path()).unwrap();
    begin(&store, 2).await;
    assert!(emptied.0.path().join("damaged-1/journal.db-wal").exists());
}

/// A log belongs to exactly the database that it continues.
#[tokio::test]
async fn the_log_of_another_copy_says_nothing() {
    let folder = TestFolder::new();
    let store = folder.open();
    let id = begin(&store, 1).await;
    drop(store);
    let older = fs::read(folder.0.path().join("journal.db")).unwrap();
    let store = folder.open();
    add(&store, id, 1, 3).await;
    let copied = copy(folder.0.path(), &["journal.log"]);
    fs::write(copied.0.path().join("journal.db"), older).unwrap();
    let store = copied.open();
    assert_eq!(store.read(id, 0, 10).await.unwrap().len(), 1);
}

/// A replayed log is not replayed again, no matter how often a start is interrupted.
#[tokio::test]
async fn a_log_is_repeated_once() {
    let folder = TestFolder::new();
    let store = folder.open();
    let id = begin(&store, 1).await;
    add(&store, id, 1, 3).await;
    store.change(&owner("ada"), vec![Change::Vault(vault(1))]).await.unwrap();
    let log = fs::read(folder.0.path().join("journal.log")).unwrap();
    let killed = copy(folder.0.path(), &FILES);
    for _ in 0..3 {
        let store = killed.open();
        assert_eq!(store.read(id, 0, 10).await.unwrap().len(), 4);
        assert_eq!(store.vaults(&owner("ada"), None, 10).await.unwrap().len(), 1);
        drop(store);
        assert!(verify(killed.0.path(), &mut |_, _| {}).unwrap().is_sound());
        fs::write(killed.0.path().join("journal.log"), &log).unwrap();
    }
}

#[tokio::test]
async fn missing_last_rows_are_a_loss_and_a_removed_session_is_none() {
    let folder = TestFolder::new();
    let store = folder.open();
    let (id, other) = (begin(&store, 1).await, begin(&store, 2).await);
    add(&store, id, 1, 4).await;
    let lease = store.acquire(other).await.unwrap();
    store.remove(lease).await.unwrap();
    drop(store);
    drop(folder.open());
    let file = Connection::open(folder.0.path().join("journal.db")).unwrap();
    file.execute_batch("DELETE FROM events WHERE seq > 3").unwrap();
    drop(file);
    let loss = lost(&folder);
    assert_eq!(loss.sessions, [LostEvents { session_id: id, found: 3, acknowledged: 5 }]);
    assert_eq!(loss.acknowledged_commits, loss.found_commits);
}

/// Changes outside of sessions count too.
#[tokio::test]
async fn lost_changes_of_memory_are_a_loss() {
    let folder = TestFolder::new();
    drop(folder.open());
    let store = folder.open();
    store.change(&owner("ada"), vec![Change::Vault(vault(1))]).await.unwrap();
    let loss = lost(&copy(folder.0.path(), &["journal.db", "journal.heads"]));
    assert_eq!((loss.sessions.len(), loss.acknowledged_commits - loss.found_commits), (0, 1));
}

#[tokio::test]
async fn an_older_copy_of_the_journal_is_a_loss_unless_its_heads_are_made() {
    let folder = TestFolder::new();
    let store = folder.open();
    let id = begin(&store, 1).await;
    drop(store);
    let older = fs::read(folder.0.path().join("journal.db")).unwrap();
    let store = folder.open();
    add(&store, id, 1, 3).await;
    drop(store);
    fs::write(folder.0.path().join("journal.db"), older).unwrap();
    assert_eq!(lost(&folder).events(), 3);
    make_heads(folder.0.path()).unwrap();
    let store = folder.open();
    add(&store, id, 1, 1).await;
}

#[tokio::test]
async fn heads_that_are_gone_or_damaged_do_not_block_a_start() {
    let folder = TestFolder::new();
    let store = folder.open();
    let id = begin(&store, 1).await;
    drop(store);
    let heads = folder.0.path().join("journal.heads");
    for content in [None, Some(""), Some("something else\n")] {
        match content {
            None => fs::remove_file(&heads).unwrap(),
            Some(content) => fs::write(&heads, content).unwrap(),
        }
        let store = folder.open();
        assert_eq!(store.read(id, 0, 10).await.unwrap().len(), 1);
        drop(store);
        assert!(fs::read_to_string(&heads).unwrap().contains(&id.to_string()), "it is made anew");
    }
}

/// No checksum of erased text is left.
#[tokio::test]
async fn forgetting_leaves_no_older_sum_in_the_file() {
    use journal::{Eraser, RedactedEvent};
    use protocol::{Body, TextDelta};
    let folder = TestFolder::new();
    let store = folder.open();
    let id = begin(&store, 1).await;
    add(&store, id, 1, 3).await;
    let sums = |bytes: &str| -> Vec<String> {
        let words = bytes.split_whitespace().filter_map(|word| word.split_once('.'));
        words.map(|(_, sum)| sum.to_owned()).collect()
    };
    let heads = folder.0.path().join("journal.heads");
    let before = sums(&fs::read_to_string(&heads).unwrap());
    assert_eq!(before.len(), 4);
    let lease = store.acquire(id).await.unwrap();
    let redacted = RedactedEvent { seq: 2, body: Body::Text(TextDelta { offset: 0, delta: String::new() }) };
    store.redact(lease, vec![redacted], None).await.unwrap();
    let after = sums(&fs::read_to_string(&heads).unwrap());
    assert_eq!(after.len(), 1);
    assert!(!before.contains(&after[0]));
}
