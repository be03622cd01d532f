//! The supervisor of a server: starts it, lists its tools, listens for changes, and restarts it
//! when it is lost.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use protocol::ToolServerView;
use rmcp::{model::Tool, service::Subscription};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tools::{Registry, redaction::Redactor};

use crate::{
    backoff::{Backoff, STEADY},
    client_handler::McpClientHandler,
    connection::{McpConnection, next_change, unlisted},
    link::{ActiveConnection, ServerLink},
    settings::ExternalServer,
    tool_list::{self, AcceptedTools},
};

/// The interval at which a connection is checked for being idle.
const IDLE_LOOK: Duration = Duration::from_millis(100);
/// The minimum pause between two reads of the tool list.
const LIST_PAUSE: Duration = Duration::from_secs(1);

/// The external servers that are running.
pub struct ExternalServers {
    stopping: CancellationToken,
    tasks: TaskTracker,
    /// The number of servers whose first start has succeeded or failed.
    tried: watch::Receiver<usize>,
    count: usize,
}

/// Starts the servers, each in its own task, so that none delays another. Their tools appear in the
/// registry as they are listed.
pub fn open(servers: Vec<ExternalServer>, registry: &Registry, redactor: &Redactor) -> ExternalServers {
    let (stopping, tasks, tried) = (CancellationToken::new(), TaskTracker::new(), watch::Sender::new(0));
    let count = servers.len();
    for server in servers {
        let supervisor = ServerSupervisor {
            link: ServerLink::new(&server.name, redactor.clone()),
            server,
            registry: registry.clone(),
            changed: Arc::new(Notify::new()),
            stopping: stopping.clone(),
            tried: tried.clone(),
            tasks: tasks.clone(),
            is_tried: AtomicBool::new(false),
        };
        supervisor.note_away("it is being started");
        tasks.spawn(supervisor.run());
    }
    ExternalServers { stopping, tasks, tried: tried.subscribe(), count }
}

impl ExternalServers {
    /// Waits until each server has listed its tools or failed to, at most this long. Turns that
    /// resume after a restart should find the tools that they had.
    pub async fn tried(&self, patience: Duration) {
        let mut tried = self.tried.clone();
        // The tools of slower servers are added later.
        let _ = timeout(patience, tried.wait_for(|tried| *tried >= self.count)).await;
    }

    /// Stops all servers, including the processes they have started.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

struct ServerSupervisor {
    server: ExternalServer,
    link: Arc<ServerLink>,
    registry: Registry,
    changed: Arc<Notify>,
    stopping: CancellationToken,
    tasks: TaskTracker,
    tried: watch::Sender<usize>,
    is_tried: AtomicBool,
}

/// Why a connection ended.
enum ConnectionEnd {
    Stopped,
    Lost(String),
}

impl ServerSupervisor {
    async fn run(self) {
        let mut backoff = Backoff::default();
        loop {
            let began = Instant::now();
            let ConnectionEnd::Lost(why) = self.serve().await else { break };
            if began.elapsed() >= STEADY {
                backoff.reset();
            }
            let wait = backoff.next();
            let because = format!("{why}; it will be tried again");
            self.link.away(&because);
            self.note_away(&because);
            self.note_tried();
            tracing::warn!(
                server = self.server.name,
                wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                "the external server is unavailable: {why}"
            );
            tokio::select! {
                () = self.stopping.cancelled() => break,
                () = tokio::time::sleep(wait) => {}
            }
        }
        self.link.away("the server is stopping");
    }

    /// Runs one connection from its start to its end.
    async fn serve(&self) -> ConnectionEnd {
        let handler = McpClientHandler { link: self.link.clone(), changed: self.changed.clone() };
        let patience = self.server.start_timeout;
        let opened = tokio::select! {
            () = self.stopping.cancelled() => return ConnectionEnd::Stopped,
            opened = timeout(patience, McpConnection::open(&self.server, &handler)) => opened,
        };
        let connection = match opened {
            Ok(Ok(connection)) => connection,
            Ok(Err(why)) => return ConnectionEnd::Lost(why),
            Err(_) => return ConnectionEnd::Lost(format!("it did not start within {} s", patience.as_secs_f64())),
        };
        let begun = tokio::select! {
            () = self.stopping.cancelled() => Err(ConnectionEnd::Stopped),
            begun = timeout(patience, self.begin(&connection)) => match begun {
                Ok(begun) => begun.map_err(ConnectionEnd::Lost),
                Err(_) => Err(ConnectionEnd::Lost(format!("it did not list its tools within {} s", patience.as_secs_f64()))),
            },
        };
        let subscription = match begun {
            Ok(subscription) => subscription,
            Err(end) => {
                connection.close().await;
                return end;
            }
        };
        self.listen(connection, subscription).await
    }

    /// Lists the tools, adds the accepted ones, and subscribes to changes.
    async fn begin(&self, connection: &McpConnection) -> Result<Option<Subscription>, String> {
        // Subscribing before reading the list makes sure that no change is missed.
        let subscription = connection.subscribe().await;
        let listed = tool_list::list(connection.peer()).await.map_err(|error| unlisted(&self.link, &error))?;
        self.link.up(connection.peer().clone());
        self.accept_tools(connection, listed);
        self.note_tried();
        Ok(subscription)
    }

    fn note_tried(&self) {
        if !self.is_tried.swap(true, Ordering::Relaxed) {
            self.tried.send_modify(|tried| *tried += 1);
        }
    }

    fn accept_tools(&self, connection: &McpConnection, listed: Vec<Tool>) {
        let AcceptedTools { tools, mut names, mut left_out } = tool_list::accept(&self.server, &self.link, listed);
        for refused in self.registry.replace(&self.server.name, tools) {
            if let tools::Error::NameTaken(name) | tools::Error::BadName(name) = &refused {
                names.retain(|known| known != name);
                let because = "another tool already has that name".to_owned();
                left_out.push(protocol::LeftOutTool { tool: name.clone(), because });
            }
        }
        let told: Vec<String> = left_out.iter().map(|out| format!("{} ({})", out.tool, out.because)).collect();
        tracing::info!(
            server = self.server.name,
            tools = names.len(),
            left_out = told.join(", "),
            "the external server's tools are available"
        );
        self.registry.note_server(ToolServerView {
            name: self.server.name.clone(),
            away_because: None,
            protocol_version: connection.version().map(|version| version.to_string()),
            tools: names,
            left_out,
        });
    }

    fn note_away(&self, because: &str) {
        let known = self.registry.servers().into_iter().find(|view| view.name == self.server.name);
        let known = known.unwrap_or_else(|| ToolServerView {
            name: self.server.name.clone(),
            away_because: None,
            protocol_version: None,
            tools: Vec::new(),
            left_out: Vec::new(),
        });
        self.registry.note_server(ToolServerView { away_because: Some(because.to_owned()), ..known });
    }

    /// Serves a connection for as long as it lasts.
    async fn listen(&self, mut connection: McpConnection, mut subscription: Option<Subscription>) -> ConnectionEnd {
        let active = self.link.active().ok();
        let end = loop {
            tokio::select! {
                () = self.stopping.cancelled() => break ConnectionEnd::Stopped,
                () = connection.ended() => break ConnectionEnd::Lost("it exited or closed the connection".to_owned()),
                // A report about an earlier connection says nothing about this one.
                () = self.link.broken() => if let Some(because) = self.link.away_because() {
                    break ConnectionEnd::Lost(because);
                },
                () = self.changed.notified() => self.read_again(&connection).await,
                heard = next_of(&mut subscription) => match heard {
                    Some(()) => self.changed.notify_one(),
                    None => {
                        subscription = self.subscribe_again(&connection).await;
                        // Over HTTP without a subscription, nothing else reports the end of the
                        // server.
                        if subscription.is_none() && !connection.is_process() {
                            break ConnectionEnd::Lost("the connection was lost".to_owned());
                        }
                    }
                },
            }
        };
        match (active, &end) {
            // Calls that were sent on other HTTP requests may still be answered.
            (Some(active), ConnectionEnd::Lost(_)) if !connection.is_process() => {
                self.tasks.spawn(close_when_idle(connection, active, self.stopping.clone()));
            }
            (active, _) => {
                drop(active);
                connection.close().await;
            }
        }
        end
    }

    /// Renews the subscription: a proxy may have closed the idle stream.
    async fn subscribe_again(&self, connection: &McpConnection) -> Option<Subscription> {
        let subscription = tokio::select! {
            () = self.stopping.cancelled() => None,
            subscribed = timeout(self.server.start_timeout, connection.subscribe()) => subscribed.ok().flatten(),
        };
        if subscription.is_some() {
            // The list may have changed in the meantime.
            self.changed.notify_one();
        }
        subscription
    }

    async fn read_again(&self, connection: &McpConnection) {
        match timeout(self.server.start_timeout, tool_list::list(connection.peer())).await {
            Ok(Ok(listed)) => self.accept_tools(connection, listed),
            Ok(Err(error)) => {
                let why = unlisted(&self.link, &error);
                tracing::warn!(server = self.server.name, "the external server's tool list is unchanged: {why}");
            }
            Err(_) => {
                tracing::warn!(server = self.server.name, "the external server did not return its changed tool list")
            }
        }
        tokio::select! {
            () = self.stopping.cancelled() => {}
            () = tokio::time::sleep(LIST_PAUSE) => {}
        }
    }
}

/// Closes a connection once all its calls have ended, which they do within their timeouts.
async fn close_when_idle(connection: McpConnection, active: ActiveConnection, stopping: CancellationToken) {
    while !active.is_idle() && !stopping.is_cancelled() {
        tokio::time::sleep(IDLE_LOOK).await;
    }
    drop(active);
    connection.close().await;
}

/// The next change; waits forever without a subscription.
async fn next_of(subscription: &mut Option<Subscription>) -> Option<()> {
    match subscription {
        Some(subscription) => next_change(subscription).await,
        None => std::future::pending().await,
    }
}
