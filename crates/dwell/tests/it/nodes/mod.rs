//! Several nodes on one PostgreSQL: any of them takes any request, and any of them may die.

mod any_node;
mod balanced;
mod faults;
mod handover;
mod history;
mod home;
mod schedules;

use std::{fs, sync::Arc, time::Duration};

use testkit::{DiskFlushes, FaultProxy, ModelServer, PostgresCluster, Program, Reply, RunningServer, ToolServer};
use tokio::task::JoinHandle;

use self::balanced::BalancedClient;
use crate::program;

/// Nodes on a database, each with a proxy of its own in between.
struct Nodes {
    cluster: Arc<PostgresCluster>,
    url: String,
    model: ModelServer,
    tool_server: Arc<ToolServer>,
    nodes: Vec<TestNode>,
}

/// A node, which may be down.
struct TestNode {
    program: Arc<Program>,
    proxy: FaultProxy,
    server: Option<RunningServer>,
    /// Its start, if that was begun and not waited for.
    starting: Option<JoinHandle<RunningServer>>,
}

impl Nodes {
    /// Three nodes whose leases last this long.
    async fn start(lease: Duration) -> Self {
        let mut nodes = Self::prepare(lease).await;
        for node in &mut nodes.nodes {
            node.up().await;
        }
        nodes
    }

    /// The same, which are not started yet.
    async fn prepare(lease: Duration) -> Self {
        Self::prepare_with(3, lease, |program| program).await
    }

    /// That many nodes, with changed settings, which are not started yet.
    async fn prepare_with(count: usize, lease: Duration, set: impl Fn(Program) -> Program) -> Self {
        let start = || PostgresCluster::start_new(DiskFlushes::On);
        let cluster = Arc::new(tokio::task::spawn_blocking(start).await.unwrap());
        let (url, model) = (cluster.database(), ModelServer::start().await);
        let tool_server = Arc::new(ToolServer::start().await);
        model.respond_with(Reply::echo);
        let mut nodes = Vec::new();
        for _ in 0..count {
            let (proxy, through) = FaultProxy::in_front_of_database(&url).await;
            let program = program()
                .with_model(&model)
                .with("DWELL_STORE_URL", &through)
                .with("DWELL_CLUSTER_LISTEN", "127.0.0.1:0")
                .with("DWELL_CLUSTER_LEASE_MS", &lease.as_millis().to_string())
                .with("DWELL_LOG_FILTER", "error");
            let file = program.folder().join("tools.toml");
            fs::write(&file, tool_server.tools_toml()).unwrap();
            let program =
                program.with("DWELL_TOOLS_FILE", file.to_str().unwrap()).with("DWELL_TOOLS_ACTUATION", "true");
            nodes.push(TestNode { program: Arc::new(set(program)), proxy, server: None, starting: None });
        }
        Self { cluster, url, model, tool_server, nodes }
    }

    /// Adds an owner whom all nodes know; returns their token.
    async fn add_owner(&self, name: &str) -> String {
        crate::owners::add(&self.nodes[0].program, name).await
    }

    fn server(&self, at: usize) -> &RunningServer {
        self.nodes[at].server.as_ref().unwrap()
    }

    /// Starts the nodes that are down.
    async fn up(&mut self, client: &BalancedClient) {
        futures::future::join_all(self.nodes.iter_mut().map(TestNode::up)).await;
        (0..self.nodes.len()).for_each(|at| client.note_start(self, at));
    }

    /// Tells the clients of the nodes that have started by now.
    async fn note_started(&mut self, client: &BalancedClient) {
        for at in 0..self.nodes.len() {
            if self.nodes[at].starting.as_ref().is_some_and(JoinHandle::is_finished) {
                self.nodes[at].up().await;
                client.note_start(self, at);
            }
        }
    }

    /// One of the owners whom the node at a place serves.
    fn owner_at(&self, at: usize) -> Option<String> {
        let sql = format!(
            "SELECT min(l.owner) FROM dwell.owner_leases l JOIN dwell.nodes n ON n.number = l.node WHERE n.id = '{}'",
            self.nodes[at].id()
        );
        Some(self.cluster.sql(&self.url, &sql)).filter(|owner| !owner.is_empty())
    }

    /// The place of the node that serves an owner, if it is alive.
    fn serving(&self, owner: &str) -> Option<usize> {
        let sql = format!(
            "SELECT n.id FROM dwell.owner_leases l JOIN dwell.nodes n ON n.number = l.node
             WHERE l.owner = '{owner}' AND n.lease_until > clock_timestamp()"
        );
        let id = self.cluster.sql(&self.url, &sql);
        self.nodes.iter().position(|node| !id.is_empty() && node.id() == id)
    }
}

impl TestNode {
    /// Begins to start it, unless it runs.
    fn begin_start(&mut self) {
        if self.server.is_none() && self.starting.is_none() {
            let program = self.program.clone();
            self.starting = Some(tokio::spawn(async move { program.start().await }));
        }
    }

    /// Starts it, unless it runs, and waits until it does.
    async fn up(&mut self) {
        self.begin_start();
        if let Some(starting) = self.starting.take() {
            self.server = Some(starting.await.unwrap());
        }
    }

    /// Its id in the database.
    fn id(&self) -> String {
        fs::read_to_string(self.program.folder().join("node-id")).unwrap_or_default().trim().to_owned()
    }
}
