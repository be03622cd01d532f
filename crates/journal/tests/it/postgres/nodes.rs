//! Leases of several nodes, and migrations.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use journal::{
    Change, Error, Journal, Memories, OwnerLeases, OwnerPlace, follow,
    postgres::{Postgres, PostgresOptions},
};
use testkit::{Fault, FaultProxy};

use super::TestDatabase;
use crate::sample::{self, notes, session, vault};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_of_a_living_node_is_refused_with_its_name() {
    let database = TestDatabase::new();
    let short = |node| PostgresOptions { lease: Duration::from_secs(1), ..database.options(node) };
    let (one, two) = (Postgres::open(&short("one")).await.unwrap(), Postgres::open(&short("two")).await.unwrap());
    let (id, ada) = (session(1), sample::owner("ada"));
    one.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    let lease = one.acquire(id).await.unwrap();
    let mut hold = one.hold(&ada).await.unwrap();
    match two.acquire(id).await {
        Err(Error::Elsewhere { owner, node, .. }) => assert_eq!((&owner, node.as_str()), (&ada, "one")),
        other => panic!("{other:?}"),
    }
    // A node whose lease has ended loses its owners and sessions, and cannot write any more.
    database.sql("UPDATE dwell.nodes SET lease_until = clock_timestamp() WHERE id = 'one'");
    let taken = loop {
        // It is remembered for a moment that another node had the owner.
        match two.acquire(id).await {
            Ok(taken) => break taken,
            Err(Error::Elsewhere { .. }) => {
                database.sql("UPDATE dwell.nodes SET lease_until = clock_timestamp() WHERE id = 'one'");
            }
            Err(error) => panic!("{error}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(taken.epoch > lease.epoch);
    assert_eq!(one.append(lease, notes(id, 1, 1)).await, Err(Error::StaleLease));
    assert!(matches!(one.change(&ada, vec![Change::Vault(vault(9))]).await, Err(Error::Elsewhere { .. })));
    two.append(taken, notes(id, 1, 1)).await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), hold.lost()).await.unwrap();
    assert!(matches!(one.place(&ada).await.unwrap(), OwnerPlace::Elsewhere(node) if node.id == "two"));
    // The same node after a restart need not wait, and neither need others after one that leaves.
    two.release(taken).await;
    drop(two);
    let two = Postgres::open(&short("two")).await.unwrap();
    assert!(two.acquire(id).await.unwrap().epoch > taken.epoch);
    two.leave().await;
    let again = loop {
        match one.acquire(id).await {
            Ok(again) => break again,
            Err(Error::Elsewhere { .. }) => tokio::time::sleep(Duration::from_millis(50)).await,
            Err(error) => panic!("{error}"),
        }
    };
    one.append(again, notes(id, 2, 1)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_whose_renewal_was_not_answered_learns_what_it_has_lost() {
    let database = TestDatabase::new();
    let (proxy, through) = FaultProxy::in_front_of_database(&database.url).await;
    let options = PostgresOptions { url: through, lease: Duration::from_secs(1), ..database.options("one") };
    let one = Postgres::open(&options).await.unwrap();
    let (two, ada) = (database.node("two").await, sample::owner("ada"));
    let mut hold = one.hold(&ada).await.unwrap();
    proxy.set(Fault::Refuse).await;
    while !matches!(two.place(&ada).await.unwrap(), OwnerPlace::Here(_)) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The database has renewed the lease after its end, and the answer did not arrive.
    database.sql("UPDATE dwell.nodes SET lease_until = clock_timestamp() + interval '1 hour' WHERE id = 'one'");
    proxy.heal().await;
    tokio::time::timeout(Duration::from_secs(10), hold.lost()).await.expect("it still believes that it serves them");
    assert!(matches!(one.place(&ada).await.unwrap(), OwnerPlace::Elsewhere(node) if node.id == "two"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_of_a_node_that_slept_goes_with_its_owner() {
    let database = TestDatabase::new();
    let (one, two) = (database.node("one").await, database.node("two").await);
    let (first, second, ada) = (session(1), session(2), sample::owner("ada"));
    for id in [first, second] {
        one.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    }
    let lease = one.acquire(second).await.unwrap();
    // The first node sleeps, the other takes the owner over, and the first is alive again.
    database.sql("UPDATE dwell.nodes SET lease_until = clock_timestamp() WHERE id = 'one'");
    two.acquire(first).await.unwrap();
    database.sql("UPDATE dwell.nodes SET lease_until = clock_timestamp() + interval '1 hour' WHERE id = 'one'");
    let taken = two.acquire(second).await.unwrap();
    assert!(taken.epoch > lease.epoch);
    assert_eq!(one.append(lease, notes(second, 1, 1)).await, Err(Error::StaleLease));
    two.append(taken, notes(second, 1, 1)).await.unwrap();
    assert!(matches!(one.acquire(second).await, Err(Error::Elsewhere { .. } | Error::Held { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_start_together_migrate_once() {
    let database = TestDatabase::new();
    let nodes = (0..5).map(|n| {
        let options = database.options(&format!("node {n}"));
        tokio::spawn(async move { Postgres::open(&options).await })
    });
    let opened = futures::future::join_all(nodes).await;
    assert!(opened.iter().all(|opened| opened.as_ref().unwrap().is_ok()), "{opened:?}");
    assert_eq!(database.sql("SELECT number FROM dwell.schema"), "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_schema_is_refused_by_name() {
    let database = TestDatabase::new();
    drop(database.node("one").await);
    database.sql("UPDATE dwell.schema SET number = 99, program = 'Dwell 9.0', oldest = 98");
    let refused = Postgres::open(&database.options("one")).await.unwrap_err();
    assert!(matches!(&refused, Error::NewerSchema { found: 99, .. }), "{refused:?}");
    assert!(refused.to_string().contains("written by Dwell 9.0"), "{refused}");
    assert_eq!(database.sql("SELECT number FROM dwell.schema"), "99", "nothing was changed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_cannot_be_used_is_named() {
    let database = TestDatabase::new();
    let other = database.url.replace("/test", "/nosuchtest");
    let refused = journal::postgres::check(&other).await.unwrap_err().to_string();
    assert!(refused.contains("nosuchtest"), "{refused}");
    let found = journal::postgres::check(&database.url).await.unwrap();
    assert!(found.schema.is_none() && found.commit.is_none(), "{found:?}");
    drop(database.node("one").await);
    let found = journal::postgres::check(&database.url).await.unwrap();
    assert!(found.schema.is_some_and(|(number, _)| number == found.known) && found.commit.is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn followers_on_another_node_see_every_commit() {
    let database = TestDatabase::new();
    let (one, two) = (database.node("one").await, Arc::new(database.node("two").await));
    let (id, ada) = (session(1), sample::owner("ada"));
    one.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    let lease = one.acquire(id).await.unwrap();
    let follower = follow(two.clone(), id, 0);
    tokio::pin!(follower);
    assert_eq!(follower.next().await.unwrap().unwrap().seq, 1);
    for head in 1..=20 {
        one.append(lease, notes(id, head, 1)).await.unwrap();
        // The first node learns of the second within seconds; what it wrote before is found too.
        assert_eq!(follower.next().await.unwrap().unwrap().seq, head + 1);
    }
    one.remove(lease).await.unwrap();
    assert_eq!(follower.next().await.unwrap(), Err(Error::NotFound), "and that it was removed");
}
