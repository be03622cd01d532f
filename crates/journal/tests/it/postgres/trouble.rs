//! A network that fails between the store and its database, and a database in which transactions
//! run into each other: everything is done once, or named.

use std::time::Duration;

use journal::{
    Append, Change, Error, Journal, Memories,
    postgres::{Postgres, PostgresOptions},
};
use testkit::{Direction, Fault, FaultProxy};
use tokio::time::{Instant, timeout};

use super::{TestDatabase, options_at};
use crate::sample::{self, note, owner, session, vault};

/// A store behind a proxy; `more` are further parameters of its address.
async fn proxied(database: &TestDatabase, more: &str) -> (FaultProxy, Postgres) {
    let (proxy, url) = FaultProxy::in_front_of_database(&database.url).await;
    let options = PostgresOptions { connections_max: 2, ..options_at(&format!("{url}&{more}"), "one") };
    (proxy, Postgres::open(&options).await.unwrap())
}

/// A store that waits for two seconds, and for a statement one.
async fn impatient(database: &TestDatabase) -> (FaultProxy, Postgres) {
    proxied(database, "dwell_wait=2&dwell_statement=1&connect_timeout=1").await
}

async fn begin(store: &Postgres) -> journal::Lease {
    let (id, ada) = (session(1), owner("ada"));
    store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    store.acquire(id).await.unwrap()
}

fn next(head: u64) -> Append {
    Append::new(head, vec![note(session(1), head + 1)], None)
}

async fn heads(store: &Postgres) -> Vec<u64> {
    store.read(session(1), 0, 10_000).await.unwrap().iter().map(|event| event.seq).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_cut_in_the_middle_of_a_commit_loses_nothing_and_does_nothing_twice() {
    let database = TestDatabase::new();
    let (proxy, store) = proxied(&database, "dwell_wait=10").await;
    let (lease, ada) = (begin(&store).await, owner("ada"));
    let (mut head, mut vaults) = (1, 0);
    for direction in [Direction::ToServer, Direction::ToClient] {
        // Somewhere in a handshake, in a statement, in its answer, and between them.
        for bytes in [0, 1, 40, 200, 700, 1_500, 2_600, 4_000, 6_000] {
            proxy.set(Fault::CutAfter(direction, bytes)).await;
            for _ in 0..3 {
                store.append(lease, next(head)).await.unwrap();
                head += 1;
            }
            store.change(&ada, vec![Change::Vault(vault(100 + vaults))]).await.unwrap();
            vaults += 1;
        }
    }
    for direction in [Direction::ToServer, Direction::ToClient] {
        proxy.set(Fault::HalfClose(direction)).await;
        let append = store.append(lease, next(head));
        let heal = async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            proxy.heal().await;
        };
        tokio::join!(append, heal).0.unwrap();
        head += 1;
    }
    assert_eq!(heads(&store).await, (1..=head).collect::<Vec<_>>());
    assert_eq!(store.vaults(&ada, None, 1_000).await.unwrap().len() as u64, vaults);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_goes_silent_is_named_in_time_and_everything_goes_on_when_it_speaks_again() {
    let database = TestDatabase::new();
    let (proxy, store) = impatient(&database).await;
    let lease = begin(&store).await;
    // A moment of silence is nothing.
    proxy.set(Fault::Stall).await;
    let append = store.append(lease, next(1));
    let speak = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        proxy.heal().await;
    };
    tokio::join!(append, speak).0.unwrap();
    proxy.set(Fault::Stall).await;
    let began = Instant::now();
    let (appended, read) = tokio::join!(store.append(lease, next(2)), store.read(session(1), 0, 9));
    assert!(matches!(&appended, Err(Error::Away { .. })), "{appended:?}");
    assert!(matches!(&read, Err(Error::Away { .. })), "{read:?}");
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
    // From now on callers do not wait that long.
    let began = Instant::now();
    assert!(matches!(store.read(session(1), 0, 9).await, Err(Error::Away { .. })));
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    proxy.heal().await;
    // Whether the silent connection has committed it is for the store to find out.
    match timeout(Duration::from_secs(5), store.append(lease, next(2))).await.unwrap() {
        Ok(()) | Err(Error::HeadMoved { expected: 2, actual: 3 }) => {}
        other => panic!("{other:?}"),
    }
    store.append(lease, next(3)).await.unwrap();
    assert_eq!(heads(&store).await, [1, 2, 3, 4]);
    assert_eq!(journal::Integrity::lost_writes(&store), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_connection_that_goes_silent_is_replaced() {
    let database = TestDatabase::new();
    let (proxy, store) = impatient(&database).await;
    let lease = begin(&store).await;
    proxy.set(Fault::Stall).await;
    let append = store.append(lease, next(1));
    let replace = async {
        // Too late for the statement, and only new connections work.
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        proxy.cut();
        proxy.heal().await;
    };
    tokio::join!(append, replace).0.unwrap();
    assert_eq!(heads(&store).await, [1, 2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_that_the_network_has_left_open_blocks_the_next_attempt_for_seconds_only() {
    let database = TestDatabase::new();
    let (proxy, store) = proxied(&database, "dwell_wait=10").await;
    let ada = owner("ada");
    store.change(&ada, vec![Change::Vault(vault(1))]).await.unwrap();
    proxy.set(Fault::Delay(Duration::from_millis(200))).await;
    let change = store.change(&ada, vec![Change::Vault(vault(2))]);
    let open = "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = \
                current_database()";
    let vanish = async {
        // The transaction has begun, and the database waits for its next statement.
        while database.sql(open) != "1" {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        proxy.set(Fault::Vanish).await;
        assert_eq!(database.sql(open), "1", "it does not know better");
        proxy.heal().await;
    };
    tokio::join!(change, vanish).0.unwrap();
    assert_eq!(store.vaults(&ada, None, 9).await.unwrap(), [vault(1), vault(2)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_find_no_free_connection_are_refused_in_time() {
    let database = TestDatabase::new();
    let options = PostgresOptions { url: format!("{}&dwell_wait=1", database.url), ..database.options("one") };
    let store = Postgres::open(&PostgresOptions { connections_max: 2, ..options }).await.unwrap();
    begin(&store).await;
    let (cluster, url) = (database.cluster.clone(), database.url.clone());
    let locked = tokio::task::spawn_blocking(move || {
        cluster.sql(&url, "BEGIN; LOCK TABLE dwell.events IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(6); COMMIT")
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    // These two wait for the lock, with all connections that there are.
    let blocked = async { tokio::join!(store.read(session(1), 0, 9), store.read(session(1), 0, 9)) };
    let third = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let began = Instant::now();
        let vaults = store.vaults(&owner("ada"), None, 9).await;
        assert!(matches!(&vaults, Err(Error::Away { cause }) if cause.contains("no connection")), "{vaults:?}");
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    };
    let (blocked, ()) = tokio::join!(blocked, third);
    assert_eq!((blocked.0.unwrap().len(), blocked.1.unwrap().len()), (1, 1), "a slow statement is no outage");
    locked.await.unwrap();
    assert!(store.vaults(&owner("ada"), None, 9).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transactions_that_run_into_each_other_are_repeated() {
    let database = TestDatabase::new();
    let store = database.node("one").await;
    let (lease, ada) = (begin(&store).await, owner("ada"));
    // A serialization failure, then a deadlock, then neither, for each kind of write.
    database.sql(
        "CREATE SEQUENCE tries; GRANT ALL ON tries TO dwell;
         CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$
             DECLARE n bigint := nextval('public.tries') % 3; BEGIN
             IF n = 1 THEN RAISE 'serialization' USING ERRCODE = '40001'; END IF;
             IF n = 2 THEN RAISE 'deadlock' USING ERRCODE = '40P01'; END IF;
             RETURN NULL; END $$;
         CREATE TRIGGER colliding AFTER INSERT ON dwell.events FOR EACH STATEMENT EXECUTE FUNCTION collide();
         CREATE TRIGGER colliding AFTER INSERT ON dwell.vaults FOR EACH STATEMENT EXECUTE FUNCTION collide();",
    );
    store.append(lease, next(1)).await.unwrap();
    store.change(&ada, vec![Change::Vault(vault(1))]).await.unwrap();
    assert_eq!(database.sql("SELECT last_value FROM tries"), "6", "each took three attempts");
    assert_eq!(heads(&store).await, [1, 2]);
    assert_eq!(store.vaults(&ada, None, 9).await.unwrap(), [vault(1)]);
}
