//! Checks of the store: whether the data is what was written, and whether the store can still
//! write.

use std::fmt::Write as _;

use async_trait::async_trait;
use protocol::{SessionId, Timestamp};
use serde::Serialize;

use crate::Error;

/// Result of a check of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCheck {
    /// Number of intact events, from the first one.
    pub events: u64,
    /// The first damage, if there is any.
    pub damage: Option<Damage>,
}

/// Where a session is damaged. The events before it are intact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The session.
    pub session_id: SessionId,
    /// The number of the first event that is changed or missing.
    pub seq: u64,
    /// How this was detected.
    pub detail: String,
}

impl From<Damage> for Error {
    fn from(damage: Damage) -> Self {
        let Damage { session_id, seq, detail } = damage;
        Self::DamagedSession { session_id, seq, detail }
    }
}

/// Checks of the stored data. Once a store has found a session damaged, it refuses to load or
/// extend it with [`Error::DamagedSession`]. The events before the damage can still be read, and
/// the session can be removed.
#[async_trait]
pub trait Integrity: Send + Sync + 'static {
    /// Checks every event of a session: its body, and the checksum that chains it to the event
    /// before.
    async fn verify(&self, session_id: SessionId) -> Result<SessionCheck, Error>;

    /// The session with the next higher id, for a pass over all sessions.
    async fn next_session(&self, after: Option<SessionId>) -> Result<Option<SessionId>, Error>;

    /// Sessions found damaged since the store was opened.
    fn damaged(&self) -> Vec<Damage>;

    /// What the store has acknowledged and was found to have lost while it is open, if anything. A
    /// store on this machine checks that when it is opened.
    fn lost_writes(&self) -> Option<LostWrites> {
        None
    }

    /// Sessions with fewer events than were acknowledged, found since the last call. What a caller
    /// has of them in memory is no longer valid.
    fn take_outdated(&self) -> Vec<SessionId> {
        Vec::new()
    }

    /// Writes a value without meaning, and answers once it is on the disk.
    async fn probe(&self) -> Result<(), Error>;
}

/// Acknowledged writes that a database has lost, for example in a failover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LostWrites {
    /// Events that are missing at the end of sessions, and one more if another write is missing.
    /// There may be more that no node remembers.
    pub count: u64,
    /// When it was last noticed; `None` in the moment in which it is.
    pub noticed_at: Option<Timestamp>,
}

/// Acknowledged data that is missing in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The number of the last commit that was acknowledged.
    pub acknowledged_commits: u64,
    /// The number of the last commit that is in the store.
    pub found_commits: u64,
    /// Sessions with fewer events than were acknowledged.
    pub sessions: Vec<LostEvents>,
}

/// The events that are missing at the end of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LostEvents {
    /// The session.
    pub session_id: SessionId,
    /// The number of its newest event in the store; 0 if the session is gone.
    pub found: u64,
    /// The number of its newest acknowledged event.
    pub acknowledged: u64,
}

/// Maximum number of sessions that a message names. The others are counted.
const NAMED_MAX: usize = 20;

impl Loss {
    /// Number of acknowledged events that are missing.
    pub fn events(&self) -> u64 {
        self.sessions.iter().map(|lost| lost.acknowledged - lost.found).sum()
    }

    /// Describes what is missing.
    pub(crate) fn in_words(&self) -> String {
        let mut text = format!("{} acknowledged events are gone", self.events());
        let commits = self.acknowledged_commits.saturating_sub(self.found_commits);
        if commits > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, ", the last {commits} commits are missing");
        }
        for lost in self.sessions.iter().take(NAMED_MAX) {
            let LostEvents { session_id, found, acknowledged } = lost;
            let _ = match (acknowledged - found, found) {
                (_, 0) => write!(text, "; session {session_id} is gone with its {acknowledged} events"),
                (1, _) => write!(text, "; session {session_id} misses event {acknowledged}"),
                _ => write!(text, "; session {session_id} misses events {} to {acknowledged}", found + 1),
            };
        }
        if let Some(more) = self.sessions.len().checked_sub(NAMED_MAX).filter(|more| *more > 0) {
            let _ = write!(text, "; {more} more sessions miss events");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_names_sessions_and_events() {
        let id = SessionId::from_bytes([0; 16]);
        let lost = |found, acknowledged| LostEvents { session_id: id, found, acknowledged };
        let loss =
            Loss { acknowledged_commits: 9, found_commits: 7, sessions: vec![lost(3, 4), lost(2, 9), lost(0, 5)] };
        assert_eq!(
            loss.in_words(),
            format!(
                "13 acknowledged events are gone, the last 2 commits are missing; session {id} misses event 4; \
                 session {id} misses events 3 to 9; session {id} is gone with its 5 events"
            )
        );
        let many = Loss { acknowledged_commits: 1, found_commits: 1, sessions: vec![lost(1, 2); 25] };
        assert!(many.in_words().ends_with("; 5 more sessions miss events"), "{}", many.in_words());
    }
}
