//! A database that goes away: what waits, what is said, and that nothing is done twice or lost.

use std::{sync::Arc, time::Duration};

use journal::{Append, Change, Error, Journal, Memories, postgres::Postgres};
use testkit::{DiskFlushes, PostgresCluster};
use tokio::time::timeout;

use super::options_at;
use crate::sample::{self, note, owner, session, vault};

async fn open(url: &str) -> Postgres {
    let options = options_at(url, "one");
    Postgres::open(&options).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_wait_for_a_database_that_is_stopped_and_none_is_lost_or_done_twice() {
    let cluster = Arc::new(PostgresCluster::start_new(DiskFlushes::On));
    let url = cluster.database();
    let store = Arc::new(open(&url).await);
    let ada = owner("ada");
    let mut writers = Vec::new();
    for n in 1..=8 {
        let id = session(n);
        store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
        let (store, lease) = (store.clone(), store.acquire(id).await.unwrap());
        writers.push(tokio::spawn(async move {
            let mut head = 1;
            let end = tokio::time::Instant::now() + Duration::from_secs(4);
            while tokio::time::Instant::now() < end {
                let append = Append::new(head, vec![note(id, head + 1)], None);
                store.append(lease, append).await.unwrap();
                head += 1;
            }
            (id, head)
        }));
    }
    let changes = {
        let (store, ada) = (store.clone(), ada.clone());
        tokio::spawn(async move {
            let end = tokio::time::Instant::now() + Duration::from_secs(4);
            let mut n = 100;
            while tokio::time::Instant::now() < end {
                store.change(&ada, vec![Change::Vault(vault(n))]).await.unwrap();
                n += 1;
            }
            n - 100
        })
    };
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(700)).await;
        let cluster = cluster.clone();
        let outage = move || {
            cluster.stop_immediately();
            std::thread::sleep(Duration::from_millis(500));
            cluster.start();
        };
        tokio::task::spawn_blocking(outage).await.unwrap();
    }
    for writer in writers {
        let (id, head) = writer.await.unwrap();
        let events = store.read(id, 0, 1_000_000).await.unwrap();
        assert_eq!(events.len() as u64, head, "every acknowledged event is there once");
        assert!(head > 3, "it went on");
    }
    let made = changes.await.unwrap();
    assert_eq!(store.vaults(&ada, None, 1_000_000).await.unwrap().len() as u64, made);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_stays_away_is_named_and_everything_goes_on_when_it_is_back() {
    let cluster = Arc::new(PostgresCluster::start_new(DiskFlushes::On));
    let url = cluster.database();
    let store = open(&url).await;
    let (id, ada) = (session(1), owner("ada"));
    store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    let lease = store.acquire(id).await.unwrap();
    cluster.stop_immediately();
    let append = || Append::new(1, vec![note(id, 2)], None);
    let (appended, read) = tokio::join!(store.append(lease, append()), store.read(id, 0, 10));
    assert!(matches!(appended, Err(Error::Away { .. })), "{appended:?}");
    assert!(matches!(read, Err(Error::Away { .. })), "{read:?}");
    cluster.start();
    // It is refused at once until the next attempt to connect has found it.
    let back = async {
        while let Err(error) = store.append(lease, append()).await {
            assert!(matches!(error, Error::Away { .. }), "{error:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(20), back).await.unwrap();
    assert_eq!(store.read(id, 0, 10).await.unwrap().len(), 2);
}
