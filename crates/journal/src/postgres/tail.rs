//! The last commits of this node, to notice a database that has lost them.
//!
//! A replica that is promoted may lack what its primary has acknowledged last; so does a database
//! that was restored to an earlier time. Sessions then have fewer events than clients have seen,
//! and numbers are given a second time. Nothing can bring them back, but it must not go unnoticed.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::{SessionId, Timestamp};
use tokio::time::Instant;

use crate::{LostEvents, LostWrites};

/// Sessions whose newest event is remembered. What is lost is the end of all commits, so the last
/// ones tell.
const SESSIONS_MAX: usize = 1024;
/// How long the token of a write is looked for. They are removed after ten minutes, by the
/// database's clock, which may be another machine's after a failover.
const TOKEN_AGE_MAX: Duration = Duration::from_secs(5 * 60);
/// Why a database has less than was acknowledged.
const CAUSE: &str = "a failover to a replica that was behind, or a restore to an earlier time";

/// Remembers the last commits, and says what is missing.
#[derive(Debug, Default)]
pub(super) struct TailWatch {
    tail: Mutex<Tail>,
}

#[derive(Debug, Default)]
struct Tail {
    /// The newest acknowledged event of the sessions that were appended to last.
    heads: HashMap<SessionId, u64>,
    order: VecDeque<SessionId>,
    /// The token of the last write that was no append.
    token: Option<(String, Instant)>,
    /// What was lost and is not in the database yet.
    unreported: MissingCommits,
    lost: Option<LostWrites>,
    /// The sessions whose loss is in it, with the newest event that was acknowledged.
    reported: HashMap<SessionId, u64>,
    /// The sessions of which it is, until they are loaded again.
    outdated: BTreeSet<SessionId>,
}

/// Commits that were found missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MissingCommits {
    sessions: BTreeMap<SessionId, LostEvents>,
    has_other: bool,
}

impl MissingCommits {
    pub(super) fn is_empty(&self) -> bool {
        self.sessions.is_empty() && !self.has_other
    }

    pub(super) fn count(&self) -> u64 {
        let events: u64 = self.sessions.values().map(|lost| lost.acknowledged - lost.found).sum();
        events + u64::from(self.has_other)
    }
}

impl TailWatch {
    /// Notes the newest event of a session, which was committed.
    pub(super) fn note_head(&self, session_id: SessionId, head: u64) {
        let mut tail = self.lock();
        if let Some(known) = tail.heads.get_mut(&session_id) {
            *known = head.max(*known);
            return;
        }
        tail.heads.insert(session_id, head);
        tail.order.push_back(session_id);
        if tail.order.len() > SESSIONS_MAX
            && let Some(oldest) = tail.order.pop_front()
        {
            tail.heads.remove(&oldest);
        }
    }

    /// Notes the token of a write, which was committed.
    pub(super) fn note_write(&self, token: &str) {
        self.lock().token = Some((token.to_owned(), Instant::now()));
    }

    /// A session has fewer events than were acknowledged.
    pub(super) fn note_missing(&self, session_id: SessionId, found: u64, acknowledged: u64) {
        let mut tail = self.lock();
        // Counted once, however often it is found: its writer and the check find it at the same
        // time.
        if tail.reported.get(&session_id) == Some(&acknowledged) {
            return;
        }
        let lost = LostEvents { session_id, found, acknowledged };
        tracing::error!(
            session = %session_id,
            found,
            acknowledged,
            "the database has lost acknowledged events of a session: {CAUSE}"
        );
        tail.heads.remove(&session_id);
        tail.order.retain(|other| *other != session_id);
        tail.unreported.sessions.entry(session_id).or_insert(lost);
        tail.outdated.insert(session_id);
    }

    /// The sessions that were found to have fewer events since the last call.
    pub(super) fn take_outdated(&self) -> Vec<SessionId> {
        std::mem::take(&mut self.lock().outdated).into_iter().collect()
    }

    /// What was lost, as far as it is known and not accepted.
    pub(super) fn lost(&self) -> Option<LostWrites> {
        let tail = self.lock();
        let unreported = tail.unreported.count();
        match tail.lost {
            Some(lost) => Some(LostWrites { count: lost.count + unreported, ..lost }),
            None => (unreported > 0).then_some(LostWrites { count: unreported, noticed_at: None }),
        }
    }

    /// The heads that are remembered.
    pub(super) fn heads(&self) -> BTreeMap<SessionId, u64> {
        self.lock().heads.iter().map(|(id, head)| (*id, *head)).collect()
    }

    /// The token of the last write, if it must still be there.
    pub(super) fn token(&self) -> Option<String> {
        let tail = self.lock();
        let known = tail.token.as_ref().filter(|(_, at)| at.elapsed() < TOKEN_AGE_MAX);
        known.map(|(token, _)| token.clone())
    }

    /// The write with this token is missing.
    pub(super) fn note_missing_write(&self, token: &str) {
        tracing::error!("the database has lost an acknowledged write: {CAUSE}");
        let mut tail = self.lock();
        tail.unreported.has_other = true;
        tail.token.take_if(|(known, _)| known == token);
    }

    /// What is not in the database yet.
    pub(super) fn unreported(&self) -> MissingCommits {
        self.lock().unreported.clone()
    }

    /// Notes that it is in the database now.
    pub(super) fn note_reported(&self, missing: &MissingCommits, noticed_at: Timestamp) {
        let mut tail = self.lock();
        tail.unreported.sessions.retain(|id, _| !missing.sessions.contains_key(id));
        tail.reported.extend(missing.sessions.iter().map(|(id, lost)| (*id, lost.acknowledged)));
        tail.unreported.has_other &= !missing.has_other;
        let before = tail.lost.map_or(0, |lost| lost.count);
        tail.lost = Some(LostWrites { count: before + missing.count(), noticed_at: Some(noticed_at) });
    }

    /// Sets what nodes have left in the database.
    pub(super) fn set_lost(&self, lost: Option<LostWrites>) {
        self.lock().lost = lost;
    }

    fn lock(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_that_is_found_again_after_it_was_reported_is_counted_once() {
        let (watch, session) = (TailWatch::default(), SessionId::from_bytes([1; 16]));
        watch.note_head(session, 9);
        watch.note_missing(session, 5, 9);
        watch.note_missing(session, 5, 9);
        assert_eq!(watch.lost().map(|lost| lost.count), Some(4));
        let missing = watch.unreported();
        watch.note_reported(&missing, Timestamp::from_millis(1));
        watch.note_missing(session, 5, 9);
        assert_eq!(watch.lost().map(|lost| lost.count), Some(4));
        // What is lost later is another loss.
        watch.note_missing(session, 5, 7);
        assert_eq!(watch.lost().map(|lost| lost.count), Some(6));
    }
}
