//! What is committed and not yet read, and when it will be.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use journal::Commit;
use protocol::{Event, SessionId};
use tokio::time::Instant;

/// What is said is read this long after it was committed, so that the messages of a short turn, or of many, are one write.
const WAIT: Duration = Duration::from_millis(200);
/// Events of a session that are kept at hand until then; more are read from the journal.
const EVENTS_MAX: usize = 1024;

/// Sessions with something to read.
#[derive(Default)]
pub(super) struct UnreadSessions {
    sessions: BTreeMap<SessionId, UnreadEvents>,
}

/// What is to be read of a session.
struct UnreadEvents {
    /// The events in their order; none if they have to be read from the journal.
    events: Option<Vec<Arc<Event>>>,
    due: Instant,
}

impl UnreadSessions {
    /// A session was appended to.
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

    /// A session is to be read from the journal after a while.
    pub(super) fn look(&mut self, session_id: SessionId, after: Duration) {
        self.sessions.insert(session_id, UnreadEvents { events: None, due: Instant::now() + after });
    }

    /// A session is to be looked at after a while, also if nothing more is committed.
    pub(super) fn come_back(&mut self, session_id: SessionId, after: Duration) {
        let due = Instant::now() + after;
        self.sessions.entry(session_id).or_insert(UnreadEvents { events: Some(Vec::new()), due });
    }

    /// Nothing more of a session is to be read.
    pub(super) fn drop_session(&mut self, session_id: SessionId) {
        self.sessions.remove(&session_id);
    }

    /// All that waits is read now.
    pub(super) fn hurry(&mut self) {
        let now = Instant::now();
        self.sessions.values_mut().for_each(|unread| unread.due = unread.due.min(now));
    }

    /// When the next session is to be read.
    pub(super) fn due(&self) -> Option<Instant> {
        self.sessions.values().map(|unread| unread.due).min()
    }

    /// A session that is to be read by now, with its events where they are at hand.
    pub(super) fn take_due(&mut self) -> Option<(SessionId, Option<Vec<Arc<Event>>>)> {
        let now = Instant::now();
        let first = self.sessions.iter().filter(|(_, unread)| unread.due <= now).min_by_key(|(_, unread)| unread.due);
        let id = first.map(|(id, _)| *id)?;
        self.sessions.remove(&id).map(|unread| (id, unread.events))
    }
}

/// Whether events come right after those that are there.
fn follows(kept: &[Arc<Event>], next: &[Arc<Event>]) -> bool {
    match (kept.last(), next.first()) {
        (Some(last), Some(first)) => first.seq == last.seq + 1,
        _ => true,
    }
}
