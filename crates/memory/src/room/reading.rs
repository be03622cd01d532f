//! How far a follower has read a session: written together with what it made of it.

use journal::{Bookmark, Change, Unread};
use protocol::{ItemId, OwnerId, SessionId};
use serde::{Deserialize, Serialize};

use super::{Error, Room};

/// A follower's progress in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    follower: String,
    session_id: SessionId,
    from: u64,
    seq: u64,
    state: State,
}

/// What a follower keeps in mind: what it has written and not yet told the session, and what it has not yet written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct State {
    untold: Vec<ItemId>,
    /// Whether the conversation is to be summed up next.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_due: bool,
}

impl Reading {
    /// What is still to be told.
    pub fn untold_items(&self) -> &[ItemId] {
        &self.state.untold
    }

    /// The number of the last event that was read.
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// Whether the conversation is to be summed up next.
    pub const fn is_due(&self) -> bool {
        self.state.is_due
    }

    /// The same, having read up to an event.
    #[must_use]
    pub fn up_to(&self, seq: u64) -> Self {
        Self { from: self.seq, seq, ..self.clone() }
    }

    /// The same, with more to tell.
    #[must_use]
    pub fn untold(mut self, items: Vec<ItemId>) -> Self {
        self.state.untold.extend(items);
        self
    }

    /// The same, with what the conversation comes to still to be written, or no longer.
    #[must_use]
    pub fn due(mut self, is_due: bool) -> Self {
        self.state.is_due = is_due;
        self
    }

    /// The same place once more, with more to tell.
    #[must_use]
    pub(crate) fn again(self, items: Vec<ItemId>) -> Self {
        Self { from: self.seq, ..self.untold(items) }
    }

    /// The same, once it is stored: the next one goes on from there.
    #[must_use]
    pub fn stored(self) -> Self {
        Self { from: self.seq, ..self }
    }

    /// The same place, with nothing left to tell.
    #[must_use]
    pub fn told(&self) -> Self {
        Self { from: self.seq, state: State::default(), ..self.clone() }
    }

    pub(super) fn change(self) -> Change {
        // Nothing in mind is an empty text, so that whoever looks for unfinished work need not read it.
        let state = match self.state == State::default() {
            true => String::new(),
            false => serde_json::to_string(&self.state).unwrap_or_default(),
        };
        let bookmark = Bookmark { follower: self.follower, session_id: self.session_id, seq: self.seq, state };
        Change::Bookmark { from: self.from, bookmark }
    }
}

impl Room {
    /// Where a follower is in a session.
    pub async fn reading(&self, follower: &str, session_id: SessionId) -> Result<Reading, Error> {
        let bookmark = self.inner.store.bookmark(follower, session_id).await?;
        let seq = bookmark.as_ref().map_or(0, |it| it.seq);
        let state = bookmark.map(|it| serde_json::from_str(&it.state).unwrap_or_default()).unwrap_or_default();
        Ok(Reading { follower: follower.to_owned(), session_id, from: seq, seq, state })
    }

    /// A follower has read on, and made nothing of it.
    pub async fn read_on(&self, owner: &OwnerId, reading: Reading) -> Result<(), Error> {
        Ok(self.inner.store.change(owner, vec![reading.change()]).await?)
    }

    /// Sessions that a follower has not read to their end, or has something to tell.
    pub async fn unread(&self, follower: &str) -> Result<Vec<Unread>, Error> {
        Ok(self.inner.store.unread(follower).await?)
    }
}
