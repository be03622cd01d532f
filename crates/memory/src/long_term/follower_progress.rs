//! A follower's progress in a session, stored in the same write as what the follower made of it.

use journal::{Bookmark, Change, UnreadSession};
use protocol::{ItemId, OwnerId, SessionId};
use serde::{Deserialize, Serialize};

use super::{Error, LongTermMemory};

/// A follower's progress in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowerProgress {
    follower: String,
    session_id: SessionId,
    from: u64,
    seq: u64,
    state: FollowerState,
}

/// The follower's pending work: items it has written and not yet reported to the session, and
/// whether a summary is due.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct FollowerState {
    untold: Vec<ItemId>,
    /// Whether a summary of the conversation is due.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_due: bool,
}

impl FollowerProgress {
    /// Items that are not yet reported to the session.
    pub fn untold_items(&self) -> &[ItemId] {
        &self.state.untold
    }

    /// The number of the last event that was read.
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// Whether a summary of the conversation is due.
    pub const fn is_due(&self) -> bool {
        self.state.is_due
    }

    /// The same after reading up to an event.
    #[must_use]
    pub fn up_to(&self, seq: u64) -> Self {
        Self { from: self.seq, seq, ..self.clone() }
    }

    /// The same with more items to report.
    #[must_use]
    pub fn untold(mut self, items: Vec<ItemId>) -> Self {
        self.state.untold.extend(items);
        self
    }

    /// The same with a summary due, or no longer due.
    #[must_use]
    pub fn due(mut self, is_due: bool) -> Self {
        self.state.is_due = is_due;
        self
    }

    /// The same position, with more items to report.
    #[must_use]
    pub(crate) fn again(self, items: Vec<ItemId>) -> Self {
        Self { from: self.seq, ..self.untold(items) }
    }

    /// The same after it was stored, as the base of the next one.
    #[must_use]
    pub fn stored(self) -> Self {
        Self { from: self.seq, ..self }
    }

    /// The same position, with no items left to report.
    #[must_use]
    pub fn told(&self) -> Self {
        Self { from: self.seq, state: FollowerState::default(), ..self.clone() }
    }

    pub(super) fn change(self) -> Change {
        // No pending work is stored as an empty text, so that the query for unfinished work need
        // not parse it.
        let state = match self.state == FollowerState::default() {
            true => String::new(),
            false => serde_json::to_string(&self.state).unwrap_or_default(),
        };
        let bookmark = Bookmark { follower: self.follower, session_id: self.session_id, seq: self.seq, state };
        Change::Bookmark { from: self.from, bookmark }
    }
}

impl LongTermMemory {
    /// A follower's progress in a session.
    pub async fn reading(&self, follower: &str, session_id: SessionId) -> Result<FollowerProgress, Error> {
        let bookmark = self.inner.store.bookmark(follower, session_id).await?;
        let seq = bookmark.as_ref().map_or(0, |it| it.seq);
        let state = bookmark.map(|it| serde_json::from_str(&it.state).unwrap_or_default()).unwrap_or_default();
        Ok(FollowerProgress { follower: follower.to_owned(), session_id, from: seq, seq, state })
    }

    /// Stores a follower's progress when it made nothing of what it read.
    pub async fn read_on(&self, owner: &OwnerId, reading: FollowerProgress) -> Result<(), Error> {
        Ok(self.inner.store.change(owner, vec![reading.change()]).await?)
    }

    /// Sessions that a follower has not read to their end, or has items to report to.
    pub async fn unread(&self, follower: &str) -> Result<Vec<UnreadSession>, Error> {
        Ok(self.inner.store.unread(follower).await?)
    }
}
