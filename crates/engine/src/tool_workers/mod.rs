//! Tool workers: connections that serve tools to every session of their owner.
//!
//! The registry is in memory only. What has to outlive the process (which calls wait, and which of
//! them were delivered to whom) is in the journal of their sessions. The task of a waiting turn
//! asks for a worker, records the delivery, and then sends the call; a connection that ends or
//! appears makes all waiting turns of its owner ask again.

mod connection;
mod feed;
mod reserved_call;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use connection::{CallKey, HeldCall, WorkerConnection};
pub use feed::{WorkerFeed, WorkerMessage};
use protocol::{ConnectionId, Effect, OwnerId, ServedTool, SessionId, ToolServing, TurnId};
pub(crate) use reserved_call::ReservedCall;
use session::CallDelivery;
use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};

/// Workers of one owner.
pub(crate) const WORKERS_MAX: usize = 32;
/// Calls that one connection holds at a time; others wait.
const CALLS_MAX: usize = 64;
/// Messages that wait for one connection. A worker with more does not read them.
const MESSAGES_MAX: usize = 4 * CALLS_MAX;
/// How long the tools of a worker are offered after its connection has ended.
const GRACE: Duration = Duration::from_secs(60);

/// The workers of all owners.
#[derive(Default)]
pub(crate) struct ToolWorkers {
    by_owner: Mutex<HashMap<OwnerId, OwnerWorkers>>,
}

/// The workers of one owner.
#[derive(Default)]
struct OwnerWorkers {
    workers: BTreeMap<String, Worker>,
    /// Counts the times at which a worker began to serve.
    begun: u64,
    /// Notifies waiting turns that a worker may take a call now.
    changes: watch::Sender<()>,
}

/// A worker, or one that was there a moment ago.
struct Worker {
    tools: Vec<ServedTool>,
    /// Whether the client has given it its name.
    is_named: bool,
    /// Number of its last registration: newer ones are higher.
    number: u64,
    presence: Presence,
}

enum Presence {
    Here(WorkerConnection),
    Away(Instant),
}

/// Why a connection cannot serve.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ServeFault {
    #[error("this connection serves as worker `{0}` already; open another one for another worker")]
    OtherName(String),
    #[error("the owner has {WORKERS_MAX} tool workers already")]
    TooMany,
}

/// A call that needs a worker.
pub(crate) struct CallRequest<'a> {
    pub(crate) session_id: SessionId,
    pub(crate) turn_id: TurnId,
    pub(crate) call_id: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) effect: Effect,
    /// Its last delivery.
    pub(crate) delivery: Option<&'a CallDelivery>,
}

/// A tool, its worker's name, and whether that worker is away.
pub(crate) struct WorkerTool {
    pub(crate) tool: ServedTool,
    pub(crate) worker: String,
    pub(crate) is_away: bool,
}

impl ToolWorkers {
    /// Serves tools over a connection. Returns the feed of its calls if the connection served none
    /// before.
    pub(crate) fn serve(
        self: &Arc<Self>,
        owner: &OwnerId,
        connection_id: ConnectionId,
        name: Option<String>,
        tools: Vec<ServedTool>,
    ) -> Result<(ToolServing, Option<WorkerFeed>), ServeFault> {
        let mut all = self.lock();
        let own = all.entry(owner.clone()).or_default();
        let names: Vec<String> = tools.iter().map(|tool| tool.name.clone()).collect();
        if let Some(known) = own.name_of(connection_id) {
            if name.is_some_and(|name| name != known) {
                return Err(ServeFault::OtherName(known));
            }
            if tools.is_empty() {
                own.workers.remove(&known);
            } else if let Some(worker) = own.workers.get_mut(&known) {
                worker.tools = tools;
            }
            own.changes.send_replace(());
            return Ok((ToolServing { worker: known, tools: names }, None));
        }
        let is_named = name.is_some();
        let name = name.unwrap_or_else(|| format!("worker_{connection_id}"));
        if tools.is_empty() {
            return Ok((ToolServing { worker: name, tools: names }, None));
        }
        own.make_place(&name)?;
        let (outbox, messages) = mpsc::channel(MESSAGES_MAX);
        own.begun += 1;
        let number = own.begun;
        let (connection, is_lost) = WorkerConnection::new(connection_id, number, outbox);
        let worker = Worker { tools, is_named, number, presence: Presence::Here(connection) };
        if let Some(Worker { presence: Presence::Here(earlier), .. }) = own.workers.insert(name.clone(), worker) {
            earlier.be_replaced(&name);
        }
        own.changes.send_replace(());
        drop(all);
        let feed = WorkerFeed::new(self.clone(), owner.clone(), number, messages, is_lost);
        Ok((ToolServing { worker: name, tools: names }, Some(feed)))
    }

    /// The feed of a worker has ended. Its tools stay offered for a while.
    fn leave(&self, owner: &OwnerId, number: u64) {
        if let Some(own) = self.lock().get_mut(owner) {
            own.lose(number);
        }
    }

    /// Notifies of every change after which a waiting call may find a worker.
    pub(crate) fn changes(&self, owner: &OwnerId) -> watch::Receiver<()> {
        self.lock().entry(owner.clone()).or_default().changes.subscribe()
    }

    /// The tools of an owner's workers, ordered by name. If several serve a tool of the same name,
    /// the newest that is there counts.
    pub(crate) fn tools(&self, owner: &OwnerId) -> Vec<WorkerTool> {
        let mut all = self.lock();
        let Some(own) = all.get_mut(owner) else { return Vec::new() };
        own.forget_gone();
        let mut workers: Vec<(&String, &Worker)> = own.workers.iter().collect();
        workers.sort_by_key(|(_, worker)| (worker.connection().is_some(), worker.number));
        let mut by_name = BTreeMap::new();
        for (name, worker) in workers {
            for tool in &worker.tools {
                let is_away = worker.connection().is_none();
                by_name.insert(tool.name.clone(), WorkerTool { tool: tool.clone(), worker: name.clone(), is_away });
            }
        }
        by_name.into_values().collect()
    }

    /// Reserves a worker for a call, unless one has it or none may take it now.
    pub(crate) fn reserve(self: &Arc<Self>, owner: &OwnerId, asked: &CallRequest<'_>) -> Option<ReservedCall> {
        let mut all = self.lock();
        let own = all.get_mut(owner)?;
        let key: CallKey = (asked.turn_id, asked.call_id.to_owned());
        if own.connections().any(|connection| connection.calls.contains_key(&key)) {
            return None;
        }
        let earlier = asked.delivery.and_then(|delivery| delivery.worker.as_deref());
        let fits = |(name, worker): &(&String, &mut Worker)| {
            let is_served = worker.tools.iter().any(|tool| tool.name == asked.tool);
            // A call that may have run and must not run twice is up to the worker that had it. One
            // without a name cannot be recognised: its calls go to any, which is told that they may
            // have run.
            let is_its_own = earlier.is_none_or(|earlier| earlier == **name);
            let has_place = worker.connection().is_some_and(|connection| connection.calls.len() < CALLS_MAX);
            has_place && is_served && (asked.effect == Effect::Idempotent || is_its_own)
        };
        let candidates = own.workers.iter_mut().filter(fits);
        let (name, worker) = candidates.min_by_key(|(name, worker)| {
            let calls = worker.connection().map_or(0, |connection| connection.calls.len());
            (earlier != Some(name.as_str()), calls, u64::MAX - worker.number)
        })?;
        let is_named = worker.is_named;
        let Presence::Here(connection) = &mut worker.presence else { return None };
        connection.calls.insert(key.clone(), HeldCall::new(asked.session_id, asked.tool));
        let (number, worker) = (connection.number, is_named.then(|| name.clone()));
        drop(all);
        Some(ReservedCall::new(self.clone(), owner.clone(), number, key, worker))
    }

    /// A call no longer waits. The worker that has it is told so, unless it has answered it.
    pub(crate) fn release(&self, owner: &OwnerId, turn_id: TurnId, call_id: &str, reason: &str) {
        self.release_all(owner, reason, |key, _| key.0 == turn_id && key.1 == call_id);
    }

    /// A turn has ended.
    pub(crate) fn end_turn(&self, owner: &OwnerId, turn_id: TurnId, reason: &str) {
        self.release_all(owner, reason, |key, _| key.0 == turn_id);
    }

    /// A session was removed.
    pub(crate) fn end_session(&self, owner: &OwnerId, session_id: SessionId) {
        self.release_all(owner, "deleted", |_, held| held.session_id == session_id);
    }

    fn release_all(&self, owner: &OwnerId, reason: &str, is_over: impl Fn(&CallKey, &HeldCall) -> bool) {
        let mut all = self.lock();
        let Some(own) = all.get_mut(owner) else { return };
        let mut has_place = false;
        for connection in own.connections_mut() {
            let was_full = connection.calls.len() >= CALLS_MAX;
            has_place |= connection.release(reason, &is_over) && was_full;
        }
        if has_place {
            own.changes.send_replace(());
        }
    }

    /// A connection answers these calls itself, so it need not be told that they are answered.
    pub(crate) fn note_answer<'a>(
        &self,
        owner: &OwnerId,
        connection_id: ConnectionId,
        turn_id: TurnId,
        call_ids: impl Iterator<Item = &'a str>,
    ) {
        let mut all = self.lock();
        let Some(connection) = all.get_mut(owner).and_then(|own| own.connection_mut(connection_id)) else { return };
        for call_id in call_ids {
            if let Some(held) = connection.calls.get_mut(&(turn_id, call_id.to_owned())) {
                held.is_answered = true;
            }
        }
    }

    /// The session and the tool of a call that a connection has, for a report of its progress.
    /// `None`: it has no such call; the last value says whether the report is within the rate.
    pub(crate) fn progress_of(
        &self,
        owner: &OwnerId,
        connection_id: ConnectionId,
        turn_id: TurnId,
        call_id: &str,
    ) -> Option<(SessionId, String, bool)> {
        let mut all = self.lock();
        let connection = all.get_mut(owner)?.connection_mut(connection_id)?;
        let held = connection.calls.get_mut(&(turn_id, call_id.to_owned()))?;
        let may_show = held.reports.take(Instant::now());
        Some((held.session_id, held.tool.clone(), may_show))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<OwnerId, OwnerWorkers>> {
        self.by_owner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Worker {
    const fn connection(&self) -> Option<&WorkerConnection> {
        match &self.presence {
            Presence::Here(connection) => Some(connection),
            Presence::Away(_) => None,
        }
    }
}

impl OwnerWorkers {
    fn connections(&self) -> impl Iterator<Item = &WorkerConnection> {
        self.workers.values().filter_map(Worker::connection)
    }

    fn connections_mut(&mut self) -> impl Iterator<Item = &mut WorkerConnection> {
        self.workers.values_mut().filter_map(|worker| match &mut worker.presence {
            Presence::Here(connection) => Some(connection),
            Presence::Away(_) => None,
        })
    }

    fn connection_mut(&mut self, connection_id: ConnectionId) -> Option<&mut WorkerConnection> {
        self.connections_mut().find(|connection| connection.id == connection_id)
    }

    fn numbered_mut(&mut self, number: u64) -> Option<&mut WorkerConnection> {
        self.connections_mut().find(|connection| connection.number == number)
    }

    /// The worker that a connection serves as.
    fn name_of(&self, connection_id: ConnectionId) -> Option<String> {
        let is_meant = |worker: &Worker| worker.connection().is_some_and(|connection| connection.id == connection_id);
        self.workers.iter().find(|(_, worker)| is_meant(worker)).map(|(name, _)| name.clone())
    }

    /// Forgets the connection of a worker; others may take its calls.
    fn lose(&mut self, number: u64) {
        let is_meant = |worker: &&mut Worker| worker.connection().is_some_and(|connection| connection.number == number);
        if let Some(worker) = self.workers.values_mut().find(is_meant) {
            worker.presence = Presence::Away(Instant::now());
            self.changes.send_replace(());
        }
    }

    fn forget_gone(&mut self) {
        let is_gone = |worker: &Worker| matches!(worker.presence, Presence::Away(since) if since.elapsed() >= GRACE);
        self.workers.retain(|_, worker| !is_gone(worker));
    }

    /// Makes place for one more worker. Those that are away go first, the oldest of them.
    fn make_place(&mut self, name: &str) -> Result<(), ServeFault> {
        self.forget_gone();
        if self.workers.contains_key(name) || self.workers.len() < WORKERS_MAX {
            return Ok(());
        }
        let away = self.workers.iter().filter(|(_, worker)| worker.connection().is_none());
        let oldest = away.min_by_key(|(_, worker)| worker.number).map(|(name, _)| name.clone());
        let oldest = oldest.ok_or(ServeFault::TooMany)?;
        self.workers.remove(&oldest);
        Ok(())
    }
}
