//! The durable follower that derives memories from conversations, in the background.
//!
//! It starts with the hub and reads every session's journal from its bookmark on. The result of an
//! event and the new bookmark are written together, so the follower can be stopped at any point:
//! nothing is lost and nothing is written twice.

mod followed_session;
mod unread;

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use followed_session::FollowedSession;
pub(crate) use followed_session::news;
use journal::Commit;
use memory::agent::Agent;
use observe::Measurement;
use protocol::{Event, OwnerId, SessionId};
use tokio::sync::{Notify, broadcast::error::RecvError, watch};
use unread::UnreadSessions;

use crate::{
    Error,
    hub::{Directory, OwnersGained},
};

/// Its name in the bookmarks.
pub(crate) const NAME: &str = "memory";
/// The pause after a failure of the store.
const PAUSE: Duration = Duration::from_secs(1);
/// Sessions that are kept in memory.
const KNOWN_MAX: usize = 10_000;

/// The handle of the follower.
pub(crate) struct Follower {
    directory: Arc<Directory>,
    agent: Agent,
    known: Mutex<HashMap<SessionId, FollowedSession>>,
    /// The sequence number up to which each session was read.
    read: Mutex<HashMap<SessionId, u64>>,
    /// Sessions whose events were rewritten: the next read is from the journal.
    rewritten: Mutex<HashSet<SessionId>>,
    moved: watch::Sender<u64>,
    /// The number of callers that wait for a position; while there are any, reading is not delayed.
    awaited: AtomicUsize,
    hurry: Notify,
}

/// How far reading has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadProgress {
    /// Nothing is left to do.
    Done,
    /// A report to the session is not recorded yet; the next write does it, or else a timer.
    Owing,
}

/// Counts a caller that waits for a position.
struct WaiterGuard<'a>(&'a AtomicUsize);

impl<'a> WaiterGuard<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for WaiterGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Follower {
    pub(crate) fn spawn(directory: Arc<Directory>, agent: Agent) -> Arc<Self> {
        let follower = Arc::new(Self {
            directory,
            agent,
            known: Mutex::default(),
            read: Mutex::default(),
            rewritten: Mutex::default(),
            moved: watch::Sender::new(0),
            awaited: AtomicUsize::new(0),
            hurry: Notify::new(),
        });
        let services = follower.directory.services.clone();
        let own = follower.clone();
        services.tasks.spawn(async move {
            let stopping = own.directory.services.stopping.clone();
            if !own.agent.long_term().options().follows_sessions {
                return;
            }
            tokio::select! {
                () = stopping.cancelled() => {}
                () = own.follow() => {}
            }
        });
        follower
    }

    /// Reads all commits, and at the start everything that is unread.
    async fn follow(&self) {
        let mut commits = self.directory.services.store.commits();
        let mut gained = OwnersGained::of(&*self.directory.services.store);
        let mut waiting = UnreadSessions::default();
        self.left(&mut waiting).await;
        loop {
            for (session_id, events) in waiting.take_due() {
                // The given events may contain text that was redacted since; the journal does not.
                let events = events.filter(|_| !Self::lock(&self.rewritten).remove(&session_id));
                match self.read(session_id, events).await {
                    Ok(ReadProgress::Done) => {}
                    Ok(ReadProgress::Owing) => waiting.come_back(session_id, PAUSE),
                    Err(Error::Journal(error @ journal::Error::DamagedSession { .. })) => {
                        // A retry would not help.
                        tracing::warn!(session = %session_id, %error, "no memories are derived from a damaged session");
                    }
                    Err(error) if error.is_elsewhere() => {}
                    Err(error) => {
                        tracing::warn!(session = %session_id, %error, "failed to derive memories from a session; trying again");
                        waiting.look(session_id, PAUSE);
                    }
                }
            }
            let due = waiting.due();
            let wait = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                commit = commits.recv() => match commit {
                    Ok(commit) => self.note(&mut waiting, &commit),
                    Err(RecvError::Lagged(_)) => self.left(&mut waiting).await,
                    Err(RecvError::Closed) => return,
                },
                () = wait => {}
                () = gained.next() => self.left(&mut waiting).await,
                () = self.hurry.notified() => waiting.hurry(),
            }
            while let Ok(commit) = commits.try_recv() {
                self.note(&mut waiting, &commit);
            }
        }
    }

    fn note(&self, waiting: &mut UnreadSessions, commit: &Commit) {
        if commit.head == Commit::REMOVED {
            waiting.drop_session(commit.session_id);
            Self::lock(&self.known).remove(&commit.session_id);
            Self::lock(&self.rewritten).remove(&commit.session_id);
        } else if !commit.is_foreign {
            waiting.add(commit, self.awaited.load(Ordering::SeqCst) > 0);
        }
    }

    async fn left(&self, waiting: &mut UnreadSessions) {
        loop {
            match self.agent.long_term().unread(NAME).await {
                Ok(unread) => {
                    return unread.into_iter().for_each(|unread| waiting.look(unread.session_id, Duration::ZERO));
                }
                Err(error) => {
                    tracing::warn!(%error, "failed to look for unread sessions; trying again");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Reads a session to the end of the given events, or else to its end.
    async fn read(&self, session_id: SessionId, events: Option<Vec<Arc<Event>>>) -> Result<ReadProgress, Error> {
        let taken = Self::lock(&self.known).remove(&session_id);
        let mut conversation = match taken {
            Some(known) => known,
            None => match FollowedSession::open(&self.directory, &self.agent, session_id).await {
                Ok(conversation) => conversation,
                // The session was removed meanwhile.
                Err(Error::NoSession) => return Ok(ReadProgress::Done),
                Err(error) => return Err(error),
            },
        };
        let newest = events.as_ref().and_then(|events| events.last()).map(|event| event.at);
        // After an error the session is opened again at its bookmark.
        let progress = conversation.read(&self.directory, &self.agent, events).await?;
        if let Some(at) = newest {
            let services = &self.directory.services;
            let lag = || Measurement::FollowerRead { lag: services.world.now().since(at) };
            services.options.observers.measure(lag);
        }
        Self::lock(&self.read).insert(session_id, conversation.position());
        self.moved.send_modify(|count| *count += 1);
        let mut known = Self::lock(&self.known);
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(session_id, conversation);
        Ok(progress)
    }

    /// Makes the next read of a session use the journal, since its events are being rewritten.
    pub(crate) fn drop_session(&self, session_id: SessionId) {
        Self::lock(&self.rewritten).insert(session_id);
        Self::lock(&self.known).remove(&session_id);
    }

    /// Waits until a session was read up to a sequence number. Returns whether it was within the
    /// given time.
    pub(crate) async fn wait_for(&self, session_id: SessionId, seq: u64, patience: Duration) -> bool {
        let mut moved = self.moved.subscribe();
        let _waiter = WaiterGuard::new(&self.awaited);
        self.hurry.notify_one();
        let is_there = || Self::lock(&self.read).get(&session_id).is_some_and(|read| *read >= seq);
        let waiting = async {
            while !is_there() {
                if moved.changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::time::timeout(patience, waiting).await.is_ok()
    }

    /// Sessions of an owner that were not read to their end.
    pub(crate) async fn behind(&self, owner: &OwnerId) -> Result<Vec<SessionId>, Error> {
        let unread = self.agent.long_term().unread(NAME).await?;
        Ok(unread.into_iter().filter(|unread| unread.owner == *owner).map(|unread| unread.session_id).collect())
    }

    /// The agent that does the work.
    pub(crate) const fn agent(&self) -> &Agent {
        &self.agent
    }

    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
