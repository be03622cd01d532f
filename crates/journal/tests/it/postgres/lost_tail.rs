//! A database that has lost its last commits: a replica that was behind when it was promoted, or a
//! restore to an earlier time.

use std::{sync::Arc, time::Duration};

use journal::{
    Append, Change, Error, Integrity, Journal, Memories,
    postgres::{Postgres, check},
};
use testkit::{DiskFlushes, PostgresCluster};

use super::{TestDatabase, options_at};
use crate::sample::{self, notes, owner, session, vault};

async fn on_cluster(cluster: &Arc<PostgresCluster>, work: fn(&PostgresCluster)) {
    let cluster = cluster.clone();
    tokio::task::spawn_blocking(move || work(&cluster)).await.unwrap();
}

async fn begin(store: &Postgres, n: u64) -> journal::Lease {
    let (id, ada) = (session(n), owner("ada"));
    store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    store.acquire(id).await.unwrap()
}

/// Waits until so many writes are known to be lost.
async fn until_lost(store: &Postgres, count: u64) {
    for _ in 0..200 {
        if store.lost_writes().is_some_and(|lost| lost.count == count && lost.noticed_at.is_some()) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{:?}", store.lost_writes());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failover_that_lost_the_last_commits_is_noticed_and_kept_until_it_is_accepted() {
    let cluster = Arc::new(PostgresCluster::start_new(DiskFlushes::On));
    let url = cluster.database();
    let options = options_at(&url, "one");
    let store = Postgres::open(&options).await.unwrap();
    let (one, two) = (begin(&store, 1).await, begin(&store, 2).await);
    store.append(one, notes(session(1), 1, 4)).await.unwrap();
    store.append(two, notes(session(2), 1, 2)).await.unwrap();
    on_cluster(&cluster, PostgresCluster::keep_copy).await;
    // A restart that loses nothing is not reported.
    store.append(one, notes(session(1), 5, 4)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(store.lost_writes(), None);
    store.change(&owner("ada"), vec![Change::Vault(vault(1))]).await.unwrap();
    on_cluster(&cluster, PostgresCluster::return_to_copy).await;
    // The first contact with the older database: the session is not where its writer left it.
    let refused = store.append(one, notes(session(1), 9, 1)).await;
    assert_eq!(refused, Err(Error::HeadMoved { expected: 9, actual: 5 }));
    until_lost(&store, 5).await;
    // It goes on from where the database is, and the untouched session as if nothing had happened.
    let one = store.acquire(session(1)).await.unwrap();
    store.append(one, notes(session(1), 5, 1)).await.unwrap();
    store.append(two, notes(session(2), 3, 1)).await.unwrap();
    let found = check(&url).await.unwrap();
    assert_eq!(found.lost.map(|lost| lost.count), Some(5), "the doctor knows it");
    drop(store);
    let store = Postgres::open(&options).await.unwrap();
    assert_eq!(store.lost_writes().map(|lost| lost.count), Some(5), "the next process knows it");
    store.accept_loss().await.unwrap();
    assert_eq!(store.lost_writes(), None);
    assert_eq!(check(&url).await.unwrap().lost, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_with_fewer_events_than_were_written_is_noticed_by_its_writer() {
    let database = TestDatabase::new();
    let store = database.node("one").await;
    let lease = begin(&store, 1).await;
    store.append(lease, notes(session(1), 1, 5)).await.unwrap();
    database.sql(
        "DELETE FROM dwell.events WHERE seq > 4;
         UPDATE dwell.heads h SET head = 4, sum = e.sum FROM dwell.events e WHERE e.sid = h.sid AND e.seq = 4",
    );
    let append = Append::new(6, vec![sample::note(session(1), 7)], None);
    assert_eq!(store.append(lease, append).await, Err(Error::HeadMoved { expected: 6, actual: 4 }));
    until_lost(&store, 2).await;
    assert_eq!(database.sql("SELECT value FROM dwell.meta WHERE name = 'lost_writes/one'"), "2");
}
