//! Memory as transports use it: the profile, search, corrections, consistency.

mod archive_check;
mod control;
mod exchange;
mod forget;
mod forget_in_turn;
mod once;
mod vaults;

use std::time::Duration;

use memory::long_term::{NewFact, Provenance};
use protocol::{
    AwaitConsistency, Consistency, Fact, ItemSource, Level, MemoryCorrect, MemoryGet, MemoryGraph, MemoryGraphQuery,
    MemoryId, MemoryItem, MemorySearch, MemorySet, MemorySnapshot, MissingItem, Origin, OwnerId, SessionId, SessionRef,
    VaultId,
};

use super::Hub;
use crate::Error;

/// Default and maximum wait for consistency.
const PATIENCE_DEFAULT: Duration = Duration::from_secs(10);
const PATIENCE_MAX: Duration = Duration::from_secs(60);

impl Hub {
    /// Sets a line of the profile.
    pub async fn memory_set(&self, owner: &OwnerId, asked: MemorySet) -> Result<Fact, Error> {
        let keyed = self.keyed(asked.idempotency_key.as_deref(), &asked)?;
        let new = NewFact {
            level: Level::Profile,
            key: self.redact(asked.key.trim().to_owned()),
            value: self.redact(asked.value.trim().to_owned()),
            priority: asked.priority,
            ttl_s: asked.ttl_s,
        };
        let (source, at) = (ItemSource::default(), self.now());
        let provenance = Provenance { source, origin: Origin::Trusted, at, vault_id: None };
        Ok(self.long_term().set(owner, new, provenance, keyed).await?)
    }

    /// The current lines of the profile, the most important first.
    pub async fn profile(&self, owner: &OwnerId) -> Result<Vec<Fact>, Error> {
        Ok(self.long_term().profile(owner).await?)
    }

    /// All values of a profile key, newest first.
    pub async fn profile_history(&self, owner: &OwnerId, key: &str) -> Result<Vec<Fact>, Error> {
        let facts = self.long_term().history(owner, key).await?;
        if facts.is_empty() {
            Err(Error::NoMemory(format!("nothing is stored under the key `{key}`")))
        } else {
            Ok(facts)
        }
    }

    /// Items that match a query.
    pub async fn memory_search(&self, owner: &OwnerId, asked: &MemorySearch) -> Result<MemorySnapshot, Error> {
        let session_id = self.memory_session(owner, &asked.session).await?;
        Ok(self.long_term().search(owner, asked, session_id).await?)
    }

    /// Items, newest first; with a query, those that match it.
    pub async fn memory_get(&self, owner: &OwnerId, asked: &MemoryGet) -> Result<MemorySnapshot, Error> {
        let session_id = self.memory_session(owner, &asked.session).await?;
        Ok(self.long_term().get(owner, asked, session_id).await?)
    }

    /// People, places and things with their facts.
    pub async fn memory_graph(&self, owner: &OwnerId, asked: &MemoryGraphQuery) -> Result<MemoryGraph, Error> {
        Ok(self.long_term().graph(owner, asked).await?)
    }

    /// What is in a vault or a memory, newest first: entries, the newest context documents, facts.
    pub async fn memory_contents(
        &self,
        owner: &OwnerId,
        vault_id: Option<VaultId>,
        memory_id: Option<MemoryId>,
        limit: usize,
    ) -> Result<Vec<MemoryItem>, Error> {
        Ok(self.long_term().contents(owner, vault_id, memory_id, limit).await?)
    }

    /// One item.
    pub async fn memory_item(&self, owner: &OwnerId, id: protocol::ItemId) -> Result<MemoryItem, Error> {
        Ok(self.long_term().item(owner, id).await?)
    }

    /// Corrects an item.
    pub async fn memory_correct(&self, owner: &OwnerId, mut asked: MemoryCorrect) -> Result<MemoryItem, Error> {
        asked.text = self.redact(asked.text);
        Ok(self.long_term().correct(owner, asked).await?)
    }

    /// Waits until earlier messages and writes can be found, or returns which cannot.
    pub async fn await_consistency(&self, owner: &OwnerId, asked: &AwaitConsistency) -> Result<Consistency, Error> {
        let patience = asked.timeout_ms.map_or(PATIENCE_DEFAULT, Duration::from_millis).min(PATIENCE_MAX);
        let deadline = tokio::time::Instant::now() + patience;
        let is_following = self.long_term().options().follows_sessions;
        let sessions = match asked.memory_id {
            _ if !is_following => Vec::new(),
            Some(id) => self.long_term().memory(owner, id).await?.session_id.into_iter().collect(),
            None => self.follower().behind(owner).await?,
        };
        let mut unread = Vec::new();
        for session_id in sessions {
            let Ok(view) = self.view(owner, session_id).await else { continue };
            let left = deadline.saturating_duration_since(tokio::time::Instant::now());
            if !self.follower().wait_for(session_id, view.last_seq, left).await {
                let why = "not all of its messages have been read yet".to_owned();
                unread.push(MissingItem { id: session_id.to_string(), why });
            }
        }
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        let mut consistency = self.long_term().await_consistency(owner, asked.memory_id, left).await?;
        if !unread.is_empty() {
            consistency.consistent = false;
            consistency.searchable = false;
            consistency.missing.extend(unread);
        }
        Ok(consistency)
    }

    /// The session that is given, if there is one.
    async fn memory_session(&self, owner: &OwnerId, session: &SessionRef) -> Result<Option<SessionId>, Error> {
        if session.session_id.is_none() && session.conversation_id.is_none() {
            return Ok(None);
        }
        let id = self.find(owner, session, false).await?;
        // A session of another owner is reported as missing.
        self.view(owner, id).await.map(|view| Some(view.session_id))
    }
}
