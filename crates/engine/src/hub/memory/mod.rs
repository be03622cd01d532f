//! What is remembered, as doors ask for it: the profile, searching, correcting, waiting.

mod exchange;
mod forget;
mod once;
mod own_archive;
mod vaults;

use std::time::Duration;

use memory::room::{NewFact, Provenance};
use protocol::{
    AwaitConsistency, Consistency, Fact, Item, Level, MemoryCorrect, MemoryGet, MemorySearch, MemorySet,
    MemorySnapshot, Missing, Origin, OwnerId, SessionId, SessionRef, Source,
};

use super::Hub;
use crate::Error;

/// How long to wait for what was written unless told, and at most.
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
        let provenance = Provenance { source: Source::default(), origin: Origin::Trusted, at: self.now() };
        Ok(self.room().set(owner, new, provenance, keyed).await?)
    }

    /// The lines of the profile that hold, the most important first.
    pub async fn profile(&self, owner: &OwnerId) -> Result<Vec<Fact>, Error> {
        Ok(self.room().profile(owner).await?)
    }

    /// All that was ever stated under a key, newest first.
    pub async fn profile_history(&self, owner: &OwnerId, key: &str) -> Result<Vec<Fact>, Error> {
        let facts = self.room().history(owner, key).await?;
        if facts.is_empty() {
            Err(Error::NoMemory(format!("nothing is kept under the key `{key}`")))
        } else {
            Ok(facts)
        }
    }

    /// What fits a question.
    pub async fn memory_search(&self, owner: &OwnerId, asked: &MemorySearch) -> Result<MemorySnapshot, Error> {
        let session_id = self.memory_session(owner, &asked.session).await?;
        Ok(self.room().search(owner, asked, session_id).await?)
    }

    /// What is there, newest first; with a question, what fits it.
    pub async fn memory_get(&self, owner: &OwnerId, asked: &MemoryGet) -> Result<MemorySnapshot, Error> {
        let session_id = self.memory_session(owner, &asked.session).await?;
        Ok(self.room().get(owner, asked, session_id).await?)
    }

    /// One item.
    pub async fn memory_item(&self, owner: &OwnerId, id: protocol::ItemId) -> Result<Item, Error> {
        Ok(self.room().item(owner, id).await?)
    }

    /// Puts right what is wrong.
    pub async fn memory_correct(&self, owner: &OwnerId, mut asked: MemoryCorrect) -> Result<Item, Error> {
        asked.text = self.redact(asked.text);
        Ok(self.room().correct(owner, asked).await?)
    }

    /// Waits until what was said and written before can be found, or says what cannot.
    pub async fn await_consistency(&self, owner: &OwnerId, asked: &AwaitConsistency) -> Result<Consistency, Error> {
        let patience = asked.timeout_ms.map_or(PATIENCE_DEFAULT, Duration::from_millis).min(PATIENCE_MAX);
        let deadline = tokio::time::Instant::now() + patience;
        let is_following = self.room().options().follows_sessions;
        let sessions = match asked.memory_id {
            _ if !is_following => Vec::new(),
            Some(id) => self.room().memory(owner, id).await?.session_id.into_iter().collect(),
            None => self.follower().behind(owner).await?,
        };
        let mut unread = Vec::new();
        for session_id in sessions {
            let Ok(view) = self.view(owner, session_id).await else { continue };
            let left = deadline.saturating_duration_since(tokio::time::Instant::now());
            if !self.follower().wait_for(session_id, view.last_seq, left).await {
                let why = "not all of its messages have been read yet".to_owned();
                unread.push(Missing { id: session_id.to_string(), why });
            }
        }
        let left = deadline.saturating_duration_since(tokio::time::Instant::now());
        let mut consistency = self.room().await_consistency(owner, asked.memory_id, left).await?;
        if !unread.is_empty() {
            consistency.consistent = false;
            consistency.searchable = false;
            consistency.missing.extend(unread);
        }
        Ok(consistency)
    }

    /// The session that is meant, where one is.
    async fn memory_session(&self, owner: &OwnerId, session: &SessionRef) -> Result<Option<SessionId>, Error> {
        if session.session_id.is_none() && session.conversation_id.is_none() {
            return Ok(None);
        }
        let id = self.find(owner, session, false).await?;
        // Another owner's session is no session.
        self.view(owner, id).await.map(|view| Some(view.session_id))
    }
}
