//! The store on PostgreSQL: the contract, group commit, leases of several nodes, migrations, the
//! fence between owners, and a database that goes away.

mod away;
mod fences;
mod lost_answers;
mod lost_tail;
mod nodes;
mod shared_files;
mod trouble;

use std::{sync::Arc, time::Duration};

use journal::{
    Journal, Store,
    postgres::{Postgres, PostgresOptions},
};
use protocol::SessionId;
use testkit::PostgresCluster;

use crate::{
    contract::{Corruption, StoreFixture, contract_suite},
    sample::{self, notes, session},
};

/// A database that is removed with its cluster.
pub(crate) struct TestDatabase {
    pub(crate) cluster: Arc<PostgresCluster>,
    pub(crate) url: String,
}

/// The options of a node on a database.
pub(crate) fn options_at(url: &str, node: &str) -> PostgresOptions {
    let (url, node) = (url.to_owned(), node.to_owned());
    PostgresOptions { url, node, address: None, lease: Duration::from_secs(15), connections_max: 4 }
}

impl TestDatabase {
    pub(crate) fn new() -> Self {
        let cluster = PostgresCluster::shared();
        let url = cluster.database();
        Self { cluster, url }
    }

    pub(crate) fn options(&self, node: &str) -> PostgresOptions {
        options_at(&self.url, node)
    }

    pub(crate) async fn node(&self, node: &str) -> Postgres {
        Postgres::open(&self.options(node)).await.unwrap()
    }

    /// Runs SQL as a superuser.
    pub(crate) fn sql(&self, sql: &str) -> String {
        self.cluster.sql(&self.url, sql)
    }
}

impl StoreFixture for TestDatabase {
    fn open(&self) -> Arc<dyn Store> {
        let open = self.node("one");
        Arc::new(tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(open)))
    }

    fn corrupt(&self, session_id: SessionId, harm: Corruption) {
        let hex: String = session_id.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let sid = format!("sid = (SELECT sid FROM dwell.sessions WHERE id = '\\x{hex}')");
        let sql = match harm {
            Corruption::ChangeBody(seq) | Corruption::ChangeLargeBody(seq) => {
                format!("UPDATE dwell.events SET body = replace(body, 'o', '0') WHERE {sid} AND seq = {seq}")
            }
            Corruption::Remove(seq) => format!("DELETE FROM dwell.events WHERE {sid} AND seq = {seq}"),
            Corruption::ChangeTime(seq) => format!("UPDATE dwell.events SET at = at + 1 WHERE {sid} AND seq = {seq}"),
            Corruption::ChangeSnapshot => format!("UPDATE dwell.snapshots SET state = state || 'x' WHERE {sid}"),
        };
        let changed = self.sql(&format!("WITH changed AS ({sql} RETURNING 1) SELECT count(*) FROM changed"));
        assert_eq!(changed, "1", "{harm:?}");
    }
}

contract_suite!(TestDatabase::new());

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_appends_of_64_sessions_share_their_commits() {
    let database = TestDatabase::new();
    let store = Arc::new(database.node("one").await);
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
    let (appends, commits) = (after.0 - before.0, after.1 - before.1);
    assert_eq!(appends, 1_024);
    assert!(commits * 10 <= appends, "{commits} commits for {appends} appends");
}
