//! The durable follower whose model extracts facts from conversations, in the background.
//!
//! It starts with the hub and wakes up some time after a turn has ended, so that one call reads all
//! new messages of a session. It reads what the memory follower has stored, with a bookmark of its
//! own: the facts and the new position are one write. So it can be stopped at any point: nothing is
//! lost and nothing is written twice. An answer never waits for it.

mod counters;
mod session_batch;
mod token_budget;

use std::{
    collections::HashMap,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use counters::ExtractionCounters;
use futures::FutureExt;
use journal::Commit;
use memory::long_term::LongTermMemory;
use protocol::{Body, MemoryModelStats, SessionId};
use token_budget::TokenBudgets;
use tokio::{
    sync::broadcast::error::RecvError,
    task::JoinSet,
    time::{Instant, sleep_until},
};

use crate::{
    Error,
    follower::Follower,
    hub::{Directory, OwnersGained},
};

/// Its name in the bookmarks.
const NAME: &str = "memory model";
/// Sessions that are read at once.
const SESSIONS_MAX: usize = 4;
/// Calls for one batch; then the rules alone have read it.
const ATTEMPTS_MAX: u32 = 5;
/// The factor between the waits before two attempts.
const BACKOFF_FACTOR: u32 = 3;
/// A session in which turns keep ending is read after this many delays at the latest.
const DELAYS_MAX: u32 = 4;
/// The limits of the delay where waits are computed from it.
const DELAY_MIN: Duration = Duration::from_millis(10);
const DELAY_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// The pause after a failure of the store.
const PAUSE: Duration = Duration::from_secs(1);

/// Which model extracts facts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ExtractionModel {
    /// None: rules alone do.
    #[default]
    Off,
    /// The model that answers in the session.
    OfSession,
    /// The model of this name; an empty name is the default model.
    Named(String),
}

/// Options of the extraction by a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractionOptions {
    /// The model.
    pub model: ExtractionModel,
    /// What the operator wants remembered and what not.
    pub instructions: String,
    /// Tokens per owner and hour; `None` means unlimited.
    pub tokens_per_hour: Option<u64>,
    /// The wait after a turn, so that several messages become one call.
    pub delay: Duration,
}

impl Default for ExtractionOptions {
    fn default() -> Self {
        Self {
            model: ExtractionModel::Off,
            instructions: String::new(),
            tokens_per_hour: None,
            delay: Duration::from_secs(5),
        }
    }
}

/// The handle of the follower.
pub(crate) struct ExtractionFollower {
    directory: Arc<Directory>,
    follower: Arc<Follower>,
    options: ExtractionOptions,
    budgets: Mutex<TokenBudgets>,
    counters: ExtractionCounters,
}

/// What is left to do for a session after a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BatchOutcome {
    /// Nothing.
    Done,
    /// More messages wait.
    More,
    /// It can go on after this time.
    Later(Duration),
    /// The model failed; the same messages are sent again.
    Failed,
}

/// A session with messages to read.
#[derive(Debug, Clone, Copy)]
struct PendingSession {
    due: Instant,
    /// Later turns do not postpone it beyond this.
    latest: Instant,
    /// The event that the memory follower must have read before.
    seq: u64,
    attempts: u32,
}

impl ExtractionFollower {
    pub(crate) fn spawn(directory: Arc<Directory>, follower: Arc<Follower>, options: ExtractionOptions) -> Arc<Self> {
        let options = ExtractionOptions { delay: options.delay.min(DELAY_MAX), ..options };
        let is_on = options.model != ExtractionModel::Off && directory.services.long_term.options().follows_sessions;
        let model = match &options.model {
            ExtractionModel::Named(name) => Some(directory.services.models.name(Some(name))),
            ExtractionModel::Off | ExtractionModel::OfSession => None,
        };
        let own = Arc::new(Self {
            budgets: Mutex::new(TokenBudgets::new(options.tokens_per_hour)),
            counters: ExtractionCounters::new(is_on, model),
            directory,
            follower,
            options,
        });
        if is_on {
            let task = own.clone();
            own.directory.services.tasks.spawn(async move {
                let stopping = task.directory.services.stopping.clone();
                tokio::select! {
                    () = stopping.cancelled() => {}
                    () = task.follow() => {}
                }
            });
        }
        own
    }

    /// The statistics.
    pub(crate) fn stats(&self) -> MemoryModelStats {
        self.counters.read()
    }

    fn long_term(&self) -> &LongTermMemory {
        &self.directory.services.long_term
    }

    fn budgets(&self) -> MutexGuard<'_, TokenBudgets> {
        self.budgets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads sessions whose turns have ended, and at the start everything that is unread.
    async fn follow(self: &Arc<Self>) {
        let mut commits = self.directory.services.store.commits();
        let mut gained = OwnersGained::of(&*self.directory.services.store);
        let mut pending: HashMap<SessionId, PendingSession> = HashMap::new();
        let mut running: HashMap<SessionId, PendingSession> = HashMap::new();
        let mut batches: JoinSet<(SessionId, Result<BatchOutcome, Error>)> = JoinSet::new();
        self.left(&mut pending).await;
        loop {
            self.start_due(&mut pending, &mut running, &mut batches);
            self.counters.wait_for(pending.len() + running.len());
            let next = pending.iter().filter(|(id, _)| !running.contains_key(id)).map(|(_, it)| it.due).min();
            let next = next.filter(|_| running.len() < SESSIONS_MAX);
            let wait = async {
                match next {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                commit = commits.recv() => match commit {
                    Ok(commit) => self.note(&mut pending, &commit),
                    Err(RecvError::Lagged(_)) => self.left(&mut pending).await,
                    Err(RecvError::Closed) => return,
                },
                Some(ended) = batches.join_next(), if !batches.is_empty() => {
                    let Ok((session_id, outcome)) = ended else { continue };
                    if let Some(before) = running.remove(&session_id) {
                        self.settle(&mut pending, session_id, before, outcome);
                    }
                },
                () = gained.next() => self.left(&mut pending).await,
                () = wait => {}
            }
        }
    }

    fn start_due(
        self: &Arc<Self>,
        pending: &mut HashMap<SessionId, PendingSession>,
        running: &mut HashMap<SessionId, PendingSession>,
        batches: &mut JoinSet<(SessionId, Result<BatchOutcome, Error>)>,
    ) {
        let now = Instant::now();
        let mut due: Vec<(Instant, SessionId)> = pending
            .iter()
            .filter(|(id, it)| it.due <= now && !running.contains_key(id))
            .map(|(id, it)| (it.due, *id))
            .collect();
        due.sort_unstable();
        for (_, session_id) in due.into_iter().take(SESSIONS_MAX.saturating_sub(running.len())) {
            let Some(session) = pending.remove(&session_id) else { continue };
            running.insert(session_id, session);
            let own = self.clone();
            let is_last = session.attempts + 1 >= ATTEMPTS_MAX;
            batches.spawn(async move {
                // A batch that panics counts as failed.
                let read = AssertUnwindSafe(own.read(session_id, session.seq, is_last)).catch_unwind();
                (session_id, read.await.unwrap_or(Ok(BatchOutcome::Failed)))
            });
        }
    }

    /// Schedules what is left to do.
    fn settle(
        &self,
        pending: &mut HashMap<SessionId, PendingSession>,
        session_id: SessionId,
        before: PendingSession,
        outcome: Result<BatchOutcome, Error>,
    ) {
        let (wait, attempts) = match outcome {
            Ok(BatchOutcome::Done) | Err(Error::NoSession) => return,
            Err(error) if error.is_elsewhere() => return,
            Ok(BatchOutcome::More) => (Duration::ZERO, 0),
            Ok(BatchOutcome::Later(wait)) => (wait, before.attempts),
            Ok(BatchOutcome::Failed) => {
                let attempts = (before.attempts + 1).min(ATTEMPTS_MAX);
                let factor = BACKOFF_FACTOR.saturating_pow(attempts);
                (self.options.delay.max(DELAY_MIN).saturating_mul(factor), attempts)
            }
            Err(Error::Journal(error @ journal::Error::DamagedSession { .. })) => {
                tracing::warn!(session = %session_id, %error, "no facts are extracted from a damaged session");
                return;
            }
            Err(error) => {
                tracing::warn!(session = %session_id, %error, "failed to store extracted facts; trying again");
                (PAUSE, before.attempts)
            }
        };
        let due = Instant::now() + wait;
        let again = pending.entry(session_id).or_insert(PendingSession { due, latest: due, seq: before.seq, attempts });
        // What came meanwhile does not shorten the wait of a failing model or of a used-up budget.
        again.due = again.due.max(due);
        again.latest = again.latest.max(due);
        again.attempts = attempts;
    }

    fn note(&self, pending: &mut HashMap<SessionId, PendingSession>, commit: &Commit) {
        if commit.head == Commit::REMOVED {
            pending.remove(&commit.session_id);
            return;
        }
        if commit.is_foreign {
            return;
        }
        let is_end = |body: &Body| matches!(body, Body::TurnStatus(change) if change.status.status().is_final());
        // Without its events the commit may be anything.
        if !commit.events.is_empty() && !commit.events.iter().any(|event| is_end(&event.body)) {
            return;
        }
        let (now, delay) = (Instant::now(), self.options.delay);
        let fresh = PendingSession { due: now, latest: now + delay * DELAYS_MAX, seq: commit.head, attempts: 0 };
        let session = pending.entry(commit.session_id).or_insert(fresh);
        session.seq = session.seq.max(commit.head);
        session.due = session.due.max((now + delay).min(session.latest));
    }

    async fn left(&self, pending: &mut HashMap<SessionId, PendingSession>) {
        loop {
            match self.long_term().unread(NAME).await {
                Ok(unread) => {
                    let now = Instant::now();
                    for unread in unread {
                        let fresh = PendingSession { due: now + self.options.delay, latest: now, seq: 0, attempts: 0 };
                        pending.entry(unread.session_id).or_insert(fresh);
                    }
                    return;
                }
                Err(error) => {
                    tracing::warn!(%error, "failed to look for sessions without extracted facts; trying again");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}
