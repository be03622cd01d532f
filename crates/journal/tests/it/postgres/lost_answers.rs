//! Answers that are lost on the way: the database has done it, and the store does not know.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use journal::{Append, Change, Error, Journal, Memories, Totals, ValueChange, Values, postgres::Postgres};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{UnixListener, UnixStream},
};

use super::TestDatabase;
use crate::sample::{self, at, note, notes, owner, session, vault};

const SOCKET: &str = ".s.PGSQL.5432";

/// A proxy in front of the database. It loses the answer to the next request that contains a text.
struct LossyProxy {
    folder: TempDir,
    /// The text, until an answer was lost.
    lose: Arc<Mutex<Option<&'static [u8]>>>,
}

impl LossyProxy {
    fn start(database: &TestDatabase) -> Self {
        let behind = database.url.split("host=").nth(1).map(PathBuf::from).unwrap().join(SOCKET);
        let folder = TempDir::new().unwrap();
        let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        let lose = Arc::new(Mutex::new(None));
        let shared = lose.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, behind.clone(), shared.clone()));
            }
        });
        Self { folder, lose }
    }

    fn url(&self, database: &TestDatabase) -> String {
        let (before, _) = database.url.split_once("host=").unwrap();
        format!("{before}host={}", self.folder.path().display())
    }

    fn lose_answer_to(&self, text: &'static str) {
        *self.lose.lock().unwrap() = Some(text.as_bytes());
    }

    fn has_lost(&self) -> bool {
        self.lose.lock().unwrap().is_none()
    }
}

async fn pass(mut client: UnixStream, behind: impl AsRef<Path>, lose: Arc<Mutex<Option<&'static [u8]>>>) {
    let Ok(mut server) = UnixStream::connect(behind).await else { return };
    let (mut request, mut answer) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            read = client.read(&mut request) => {
                let Ok(length @ 1..) = read else { return };
                let is_it = |text: &[u8]| request[..length].windows(text.len()).any(|part| part == text);
                let is_lost = lose.lock().unwrap().take_if(|text| is_it(text)).is_some();
                if server.write_all(&request[..length]).await.is_err() {
                    return;
                }
                if is_lost {
                    // The database answers, so it is done; then the line is dead.
                    let _ = server.read(&mut answer).await;
                    return;
                }
            }
            read = server.read(&mut answer) => {
                let Ok(length @ 1..) = read else { return };
                if client.write_all(&answer[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn behind_proxy(database: &TestDatabase) -> (LossyProxy, Postgres) {
    let proxy = LossyProxy::start(database);
    let mut options = database.options("one");
    options.url = proxy.url(database);
    let store = Postgres::open(&options).await.unwrap();
    (proxy, store)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_whose_answer_was_lost_is_done_once() {
    let database = TestDatabase::new();
    let (proxy, store) = behind_proxy(&database).await;
    let (id, ada) = (session(1), owner("ada"));
    proxy.lose_answer_to("COMMIT");
    store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    assert!(proxy.has_lost());
    let lease = store.acquire(id).await.unwrap();
    proxy.lose_answer_to("new_events");
    store.append(lease, notes(id, 1, 3)).await.unwrap();
    assert!(proxy.has_lost());
    store.append(lease, notes(id, 4, 1)).await.unwrap();
    assert_eq!(store.read(id, 0, 10).await.unwrap().len(), 5);
    let bytes = database.sql("SELECT sum(octet_length(body)) FROM dwell.events");
    assert_eq!(store.totals(&ada).await.unwrap().journal_bytes.to_string(), bytes, "they count once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_that_was_done_before_its_session_was_taken_over_counts_as_done() {
    let database = TestDatabase::new();
    let (proxy, store) = behind_proxy(&database).await;
    let (id, ada) = (session(1), owner("ada"));
    store.create(vec![sample::started(id, &ada, None)], sample::summary(id, &ada, None, 0)).await.unwrap();
    let lease = store.acquire(id).await.unwrap();
    // Another node takes the session with the very statement that appends.
    database.sql(
        "CREATE FUNCTION take() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN UPDATE dwell.heads SET epoch = epoch + 1 WHERE sid = NEW.sid; RETURN NULL; END';
         CREATE CONSTRAINT TRIGGER taken AFTER INSERT ON dwell.events DEFERRABLE INITIALLY DEFERRED
             FOR EACH ROW WHEN (NEW.seq = 2) EXECUTE FUNCTION take()",
    );
    proxy.lose_answer_to("new_events");
    store.append(lease, Append::new(1, vec![note(id, 2)], None)).await.unwrap();
    assert!(proxy.has_lost());
    assert_eq!(store.append(lease, notes(id, 2, 1)).await, Err(Error::StaleLease), "and no more");
    assert_eq!(store.read(id, 0, 10).await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_writes_whose_answers_were_lost_are_done_once() {
    let database = TestDatabase::new();
    let (proxy, store) = behind_proxy(&database).await;
    let ada = owner("ada");
    proxy.lose_answer_to("COMMIT");
    store.change(&ada, vec![Change::Vault(vault(1))]).await.unwrap();
    assert!(proxy.has_lost(), "a second time it would be refused as taken");
    let put = |bytes: &[u8]| journal::NewValue {
        key: protocol::ValueKey(vec!["k".to_owned()]),
        bytes: bytes.to_vec(),
        ttl_ms: None,
        vectors: Vec::new(),
        keep: true,
    };
    let change = |puts| ValueChange {
        deletes: Vec::new(),
        deletes_below: Vec::new(),
        puts,
        refreshes: Vec::new(),
        now: at(1),
        bytes_max: None,
    };
    proxy.lose_answer_to("COMMIT");
    let changed = store.change_values(&ada, change(vec![put(b"v")])).await.unwrap();
    assert_eq!((proxy.has_lost(), changed.written), (true, 1), "the answer is that of the first attempt");
    assert_eq!(store.change_values(&ada, change(vec![put(b"w")])).await.unwrap().written, 0);
    // What is lost before the commit is simply done again.
    proxy.lose_answer_to("dwell.vaults (id");
    store.change(&ada, vec![Change::Vault(vault(2))]).await.unwrap();
    assert!(proxy.has_lost());
    assert_eq!(store.vaults(&ada, None, 9).await.unwrap(), [vault(1), vault(2)]);
}
