//! The server on PostgreSQL: a kill of the server, a kill of the database, the commands, what nodes
//! share, and moving in and out.

mod commands;
mod migrate;
mod outage;
mod shared;

use std::sync::Arc;

use testkit::{DiskFlushes, ModelServer, PostgresCluster, Program, Reply};

use crate::program;

/// A database that survives its kills, with a program on it.
struct OnPostgres {
    cluster: Arc<PostgresCluster>,
    url: String,
    program: Program,
    model: ModelServer,
}

impl OnPostgres {
    async fn new() -> Self {
        let start = || PostgresCluster::start_new(DiskFlushes::On);
        let cluster = Arc::new(tokio::task::spawn_blocking(start).await.unwrap());
        let (url, model) = (cluster.database(), ModelServer::start().await);
        let program = program().with_model(&model).with("DWELL_STORE_URL", &url);
        Self { cluster, url, program, model }
    }

    /// Runs something that blocks on the cluster.
    async fn on_cluster(&self, work: impl FnOnce(&PostgresCluster) + Send + 'static) {
        let cluster = self.cluster.clone();
        tokio::task::spawn_blocking(move || work(&cluster)).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_survives_a_kill_of_the_server() {
    let set = OnPostgres::new().await;
    set.model.respond_with(Reply::echo);
    let server = set.program.start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let turn = rest.send(&session, "my bicycle is green").await;
    assert_eq!(rest.ended(&turn).await["status"], "completed");
    let before = rest.log(&session).await;
    assert!(before.len() > 3);
    // Killed in the middle of a turn, which the next start goes on with.
    set.model.respond_with(|request| Reply::echo(request).every(std::time::Duration::from_millis(200)));
    let cut = rest.send(&session, "and my boat is by the sea, a long way from here").await;
    server.kill().await;
    let server = set.program.start().await;
    let rest = server.rest();
    let ended = rest.ended(&cut).await;
    assert!(["completed", "interrupted"].contains(&ended["status"].as_str().unwrap()), "{ended}");
    let after = rest.log(&session).await;
    assert_eq!(after[..before.len()], before[..], "what was there is there");
    for (event, seq) in after.iter().zip(1u64..) {
        assert_eq!(event["seq"], seq, "numbers without gaps");
    }
    let accepted = after.iter().filter(|event| event["type"] == "message.accepted").count();
    assert_eq!(accepted, 2);
    assert!(!set.program.folder().join("journal.db").exists(), "nothing of the journal is in the data folder");
    // All of it is in the database, under this node.
    let node = std::fs::read_to_string(set.program.folder().join("node-id")).unwrap();
    let nodes = set.cluster.sql(&set.url, "SELECT id, boot FROM dwell.nodes");
    assert_eq!(nodes, format!("{}|2", node.trim()));
}
