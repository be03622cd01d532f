//! The durable follower that makes memories of conversations, off the answer's path.
//!
//! It is started with the hub and reads every session's journal from its bookmark on. What it makes of an event and how
//! far it has read are written together, so it can be stopped at any point: nothing is lost and nothing is written twice.

mod conversation;

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use conversation::Conversation;
use journal::Commit;
use memory::agent::Agent;
use protocol::{OwnerId, SessionId};
use tokio::sync::{broadcast::error::RecvError, watch};

use crate::{Error, hub::Directory};

/// Its name at its bookmarks.
pub(crate) const NAME: &str = "memory";
/// How long a store that failed is left alone.
const PAUSE: Duration = Duration::from_secs(1);
/// Conversations kept in mind.
const KNOWN_MAX: usize = 10_000;

/// The follower, as others reach it.
pub(crate) struct Follower {
    directory: Arc<Directory>,
    agent: Agent,
    known: Mutex<HashMap<SessionId, Conversation>>,
    /// Up to which number each session was read.
    read: Mutex<HashMap<SessionId, u64>>,
    moved: watch::Sender<u64>,
}

impl Follower {
    pub(crate) fn spawn(directory: Arc<Directory>, agent: Agent) -> Arc<Self> {
        let follower = Arc::new(Self {
            directory,
            agent,
            known: Mutex::default(),
            read: Mutex::default(),
            moved: watch::Sender::new(0),
        });
        let house = follower.directory.house.clone();
        let own = follower.clone();
        house.tasks.spawn(async move {
            let stopping = own.directory.house.stopping.clone();
            if !own.agent.room().options().follows_sessions {
                return;
            }
            tokio::select! {
                () = stopping.cancelled() => {}
                () = own.follow() => {}
            }
        });
        follower
    }

    /// Reads whatever is committed, and at the start whatever was left unread.
    async fn follow(&self) {
        let mut commits = self.directory.house.store.commits();
        let mut waiting = self.left().await;
        loop {
            while let Some(session_id) = waiting.pop_first() {
                let read = self.read(session_id).await;
                if let Err(Error::Journal(error @ journal::Error::DamagedSession { .. })) = &read {
                    // Trying again would not help it, and would hold up the others.
                    tracing::warn!(session = %session_id, %error, "no memories are made of a damaged session");
                    continue;
                }
                if let Err(error) = read {
                    tracing::warn!(session = %session_id, %error, "failed to make memories of a session; trying again");
                    waiting.insert(session_id);
                    tokio::time::sleep(PAUSE).await;
                }
            }
            match commits.recv().await {
                Ok(Commit { session_id, head }) if head != Commit::REMOVED => drop(waiting.insert(session_id)),
                Ok(Commit { session_id, .. }) => self.drop_session(session_id),
                Err(RecvError::Lagged(_)) => waiting = self.left().await,
                Err(RecvError::Closed) => return,
            }
            // One reading serves all commits of a session that have come in meanwhile.
            while let Ok(commit) = commits.try_recv() {
                if commit.head == Commit::REMOVED {
                    self.drop_session(commit.session_id);
                } else {
                    waiting.insert(commit.session_id);
                }
            }
        }
    }

    async fn left(&self) -> BTreeSet<SessionId> {
        loop {
            match self.agent.room().unread(NAME).await {
                Ok(unread) => return unread.into_iter().map(|unread| unread.session_id).collect(),
                Err(error) => {
                    tracing::warn!(%error, "failed to look for unread sessions; trying again");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Reads a session to its end.
    async fn read(&self, session_id: SessionId) -> Result<(), Error> {
        let taken = Self::lock(&self.known).remove(&session_id);
        let mut conversation = match taken {
            Some(known) => known,
            None => match Conversation::open(&self.directory, &self.agent, session_id).await {
                Ok(conversation) => conversation,
                // It was removed meanwhile.
                Err(Error::NoSession) => return Ok(()),
                Err(error) => return Err(error),
            },
        };
        // After an error the conversation is opened anew, from its bookmark.
        conversation.read(&self.directory, &self.agent).await?;
        Self::lock(&self.read).insert(session_id, conversation.position());
        self.moved.send_modify(|count| *count += 1);
        let mut known = Self::lock(&self.known);
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(session_id, conversation);
        Ok(())
    }

    /// Opens a session anew when it is read next: its records were rewritten.
    pub(crate) fn drop_session(&self, session_id: SessionId) {
        Self::lock(&self.known).remove(&session_id);
    }

    /// Waits until a session was read up to a number; whether it was, when the patience is over.
    pub(crate) async fn wait_for(&self, session_id: SessionId, seq: u64, patience: Duration) -> bool {
        let mut moved = self.moved.subscribe();
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
        let unread = self.agent.room().unread(NAME).await?;
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
