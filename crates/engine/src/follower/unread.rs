//! Committed events that were not read yet, and when they will be.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use journal::Commit;
use protocol::{Event, SessionId};
use tokio::time::Instant;

/// The delay between a commit and its reading, so that the messages of one or several short turns
/// become one write.
const WAIT: Duration = Duration::from_millis(200);
/// Events of a session that are kept in memory until then; more are read from the journal.
const EVENTS_MAX: usize = 1024;

/// Sessions with unread events.
#[derive(Default)]
pub(super) struct UnreadSessions {
    sessions: BTreeMap<SessionId, UnreadEvents>,
}

/// The unread events of a session.
struct UnreadEvents {
    /// The events in order; `None` if they have to be read from the journal.
    events: Option<Vec<Arc<Event>>>,
    due: Instant,
}

impl UnreadSessions {
    /// Adds a commit.
    pub(super) fn add(&mut self, commit: &Commit, is_hurried: bool) {
        let due = if is_hurried { Instant::now() } else { Instant::now() + WAIT };
        let unread = self.sessions.entry(commit.session_id).or_insert(UnreadEvents { events: Some(Vec::new()), due });
        unread.due = unread.due.min(due);
        let kept = unread.events.take().filter(|kept| {
            !commit.events.is_empty() && kept.len() + commit.events.len() <= EVENTS_MAX && follows(kept, &commit.events)
        });
        unread.events = kept.map(|mut kept| {
            kept.extend(commit.events.iter().cloned());
            kept
        });
    }

    /// Schedules a read from the journal.
    pub(super) fn look(&mut self, session_id: SessionId, after: Duration) {
        self.sessions.insert(session_id, UnreadEvents { events: None, due: Instant::now() + after });
    }

    /// Schedules a read even if nothing more is committed.
    pub(super) fn come_back(&mut self, session_id: SessionId, after: Duration) {
        let due = Instant::now() + after;
        self.sessions.entry(session_id).or_insert(UnreadEvents { events: Some(Vec::new()), due });
    }

    /// Cancels all reads of a session.
    pub(super) fn drop_session(&mut self, session_id: SessionId) {
        self.sessions.remove(&session_id);
    }

    /// Makes all pending reads due now.
    pub(super) fn hurry(&mut self) {
        let now = Instant::now();
        self.sessions.values_mut().for_each(|unread| unread.due = unread.due.min(now));
    }

    /// When the next session is due.
    pub(super) fn due(&self) -> Option<Instant> {
        self.sessions.values().map(|unread| unread.due).min()
    }

    /// The sessions that are due, the longest due first, with their events if they are in memory.
    pub(super) fn take_due(&mut self) -> Vec<(SessionId, Option<Vec<Arc<Event>>>)> {
        let now = Instant::now();
        let mut due: Vec<_> = self.sessions.extract_if(.., |_, unread| unread.due <= now).collect();
        due.sort_by_key(|(_, unread)| unread.due);
        due.into_iter().map(|(id, unread)| (id, unread.events)).collect()
    }
}

/// Whether the next events directly follow those that are kept.
fn follows(kept: &[Arc<Event>], next: &[Arc<Event>]) -> bool {
    match (kept.last(), next.first()) {
        (Some(last), Some(first)) => first.seq == last.seq + 1,
        _ => true,
    }
}
