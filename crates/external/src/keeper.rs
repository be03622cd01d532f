//! Who keeps a server: starts it, asks for its tools, listens for changes, and starts it again when it is lost.

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
    connection::{Connection, next_change, unlisted},
    ears::Ears,
    link::{Link, Way},
    offer::{self, Offer},
    settings::Server,
};

/// How often it is looked whether a connection is used.
const IDLE_LOOK: Duration = Duration::from_millis(100);
/// A list that changes all the time is read no more often than this.
const LIST_PAUSE: Duration = Duration::from_secs(1);

/// The external servers that are kept.
pub struct External {
    stopping: CancellationToken,
    tasks: TaskTracker,
    /// Of how many it is known whether they could be started.
    tried: watch::Receiver<usize>,
    count: usize,
}

/// Takes the servers up, each in a task of its own: none of them can keep anybody waiting. What they offer comes into the
/// registry as they tell it.
pub fn open(servers: Vec<Server>, registry: &Registry, redactor: &Redactor) -> External {
    let (stopping, tasks, tried) = (CancellationToken::new(), TaskTracker::new(), watch::Sender::new(0));
    let count = servers.len();
    for server in servers {
        let keeper = Keeper {
            link: Link::new(&server.name, redactor.clone()),
            server,
            registry: registry.clone(),
            changed: Arc::new(Notify::new()),
            stopping: stopping.clone(),
            tried: tried.clone(),
            tasks: tasks.clone(),
            is_tried: AtomicBool::new(false),
        };
        keeper.note_away("it is being started");
        tasks.spawn(keeper.keep());
    }
    External { stopping, tasks, tried: tried.subscribe(), count }
}

impl External {
    /// Waits until each of them has told its tools or failed to, but no longer than this: turns that go on after a restart
    /// should find the tools that they had.
    pub async fn tried(&self, patience: Duration) {
        let mut tried = self.tried.clone();
        // Whoever is slower comes later.
        let _ = timeout(patience, tried.wait_for(|tried| *tried >= self.count)).await;
    }

    /// Ends all of them, with whatever they have started.
    pub async fn stop(&self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

struct Keeper {
    server: Server,
    link: Arc<Link>,
    registry: Registry,
    changed: Arc<Notify>,
    stopping: CancellationToken,
    tasks: TaskTracker,
    tried: watch::Sender<usize>,
    is_tried: AtomicBool,
}

/// How a connection came to its end.
enum End {
    Stopped,
    Lost(String),
}

impl Keeper {
    async fn keep(self) {
        let mut backoff = Backoff::default();
        loop {
            let began = Instant::now();
            let End::Lost(why) = self.serve().await else { break };
            if began.elapsed() >= STEADY {
                backoff.reset();
            }
            let wait = backoff.next();
            let because = format!("{why}; it is tried again");
            self.link.away(&because);
            self.note_away(&because);
            self.note_tried();
            tracing::warn!(
                server = self.server.name,
                wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
                "the external server is away: {why}"
            );
            tokio::select! {
                () = self.stopping.cancelled() => break,
                () = tokio::time::sleep(wait) => {}
            }
        }
        self.link.away("the server is stopping");
    }

    /// One connection, from its beginning to its end.
    async fn serve(&self) -> End {
        let ears = Ears { link: self.link.clone(), changed: self.changed.clone() };
        let patience = self.server.start_timeout;
        let opened = tokio::select! {
            () = self.stopping.cancelled() => return End::Stopped,
            opened = timeout(patience, Connection::open(&self.server, &ears)) => opened,
        };
        let connection = match opened {
            Ok(Ok(connection)) => connection,
            Ok(Err(why)) => return End::Lost(why),
            Err(_) => return End::Lost(format!("it did not start within {} s", patience.as_secs_f64())),
        };
        let begun = tokio::select! {
            () = self.stopping.cancelled() => Err(End::Stopped),
            begun = timeout(patience, self.begin(&connection)) => match begun {
                Ok(begun) => begun.map_err(End::Lost),
                Err(_) => Err(End::Lost(format!("it did not tell its tools within {} s", patience.as_secs_f64()))),
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

    /// Reads the list, lets it in, and asks to be told of changes.
    async fn begin(&self, connection: &Connection) -> Result<Option<Subscription>, String> {
        // Who is told of changes before the list is read misses none.
        let subscription = connection.subscribe().await;
        let listed = offer::list(connection.peer()).await.map_err(|error| unlisted(&self.link, &error))?;
        self.link.up(connection.peer().clone());
        self.let_in(connection, listed);
        self.note_tried();
        Ok(subscription)
    }

    fn note_tried(&self) {
        if !self.is_tried.swap(true, Ordering::Relaxed) {
            self.tried.send_modify(|tried| *tried += 1);
        }
    }

    fn let_in(&self, connection: &Connection, listed: Vec<Tool>) {
        let Offer { tools, mut names, mut left_out } = offer::sift(&self.server, &self.link, listed);
        for refused in self.registry.replace(&self.server.name, tools) {
            if let tools::Error::NameTaken(name) | tools::Error::BadName(name) = &refused {
                names.retain(|known| known != name);
                let because = "somebody else's tool has that name here".to_owned();
                left_out.push(protocol::LeftOutTool { tool: name.clone(), because });
            }
        }
        let told: Vec<String> = left_out.iter().map(|out| format!("{} ({})", out.tool, out.because)).collect();
        tracing::info!(
            server = self.server.name,
            tools = names.len(),
            left_out = told.join(", "),
            "the external server's tools are let in"
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

    /// Stays with a connection for as long as it lasts.
    async fn listen(&self, mut connection: Connection, mut subscription: Option<Subscription>) -> End {
        let way = self.link.way().ok();
        let end = loop {
            tokio::select! {
                () = self.stopping.cancelled() => break End::Stopped,
                () = connection.ended() => break End::Lost("it has ended or hung up".to_owned()),
                // What was found of an earlier connection says nothing of this one.
                () = self.link.broken() => if let Some(because) = self.link.away_because() {
                    break End::Lost(because);
                },
                () = self.changed.notified() => self.read_again(&connection).await,
                heard = next_of(&mut subscription) => match heard {
                    Some(()) => self.changed.notify_one(),
                    None => {
                        subscription = self.subscribe_again(&connection).await;
                        // Between us and an address there is nothing else that would tell of the end.
                        if subscription.is_none() && !connection.is_process() {
                            break End::Lost("the connection was lost".to_owned());
                        }
                    }
                },
            }
        };
        match (way, &end) {
            // What was sent there on other ways may still be answered.
            (Some(way), End::Lost(_)) if !connection.is_process() => {
                self.tasks.spawn(close_when_idle(connection, way, self.stopping.clone()));
            }
            (way, _) => {
                drop(way);
                connection.close().await;
            }
        }
        end
    }

    /// Asks once more to be told of changes: whoever passes on what we hear may cut off what is silent for long.
    async fn subscribe_again(&self, connection: &Connection) -> Option<Subscription> {
        let subscription = tokio::select! {
            () = self.stopping.cancelled() => None,
            subscribed = timeout(self.server.start_timeout, connection.subscribe()) => subscribed.ok().flatten(),
        };
        if subscription.is_some() {
            // Something may have changed meanwhile.
            self.changed.notify_one();
        }
        subscription
    }

    async fn read_again(&self, connection: &Connection) {
        match timeout(self.server.start_timeout, offer::list(connection.peer())).await {
            Ok(Ok(listed)) => self.let_in(connection, listed),
            Ok(Err(error)) => {
                let why = unlisted(&self.link, &error);
                tracing::warn!(server = self.server.name, "the external server's list stays as it was: {why}");
            }
            Err(_) => tracing::warn!(server = self.server.name, "the external server does not tell its changed list"),
        }
        tokio::select! {
            () = self.stopping.cancelled() => {}
            () = tokio::time::sleep(LIST_PAUSE) => {}
        }
    }
}

/// Closes a connection once all calls on it have come to an end, as they do within their time.
async fn close_when_idle(connection: Connection, way: Way, stopping: CancellationToken) {
    while !way.is_idle() && !stopping.is_cancelled() {
        tokio::time::sleep(IDLE_LOOK).await;
    }
    drop(way);
    connection.close().await;
}

/// The next change; nothing is heard for ever where nothing was asked for.
async fn next_of(subscription: &mut Option<Subscription>) -> Option<()> {
    match subscription {
        Some(subscription) => next_change(subscription).await,
        None => std::future::pending().await,
    }
}
