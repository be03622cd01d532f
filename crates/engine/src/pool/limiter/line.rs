//! The line itself: who holds how many, who waits, who is next. No clock, no lock, no wakers.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use protocol::SessionId;

/// Every so often whoever waits longest is served, whatever it holds.
pub(super) const OLDEST_EVERY: u64 = 8;

/// A place in line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket(u64);

/// Who holds how many, and who waits. Everything takes logarithmic time, apart from leaving, which looks through the
/// turns of its own session.
pub(super) struct Line<W> {
    sessions: HashMap<SessionId, Session<W>>,
    /// The sessions that wait, by what they hold and since when.
    by_holding: BTreeSet<(usize, u64, SessionId)>,
    /// The same ones, by since when.
    by_age: BTreeMap<u64, SessionId>,
    working: usize,
    waiting: usize,
    /// Counts what happens, so that there is an order.
    tick: u64,
    served: u64,
}

struct Session<W> {
    holds: usize,
    /// Since when it waits, or when it was served last.
    since: u64,
    turns: VecDeque<(Ticket, W)>,
}

impl<W> Default for Line<W> {
    fn default() -> Self {
        Self {
            sessions: HashMap::new(),
            by_holding: BTreeSet::new(),
            by_age: BTreeMap::new(),
            working: 0,
            waiting: 0,
            tick: 0,
            served: 0,
        }
    }
}

impl<W> Line<W> {
    pub(super) const fn working(&self) -> usize {
        self.working
    }

    pub(super) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// One more of a session works.
    pub(super) fn take(&mut self, id: SessionId) {
        self.change(id, |session, _| session.holds += 1);
        self.working += 1;
    }

    /// One less of a session works.
    pub(super) fn give_back(&mut self, id: SessionId) {
        self.change(id, |session, _| session.holds = session.holds.saturating_sub(1));
        self.working = self.working.saturating_sub(1);
    }

    /// A turn of a session waits from now on.
    pub(super) fn join(&mut self, id: SessionId, waiter: W) -> Ticket {
        self.tick += 1;
        let ticket = Ticket(self.tick);
        self.change(id, |session, tick| {
            if session.turns.is_empty() {
                session.since = tick;
            }
            session.turns.push_back((ticket, waiter));
        });
        self.waiting += 1;
        ticket
    }

    /// A turn no longer waits. Gives what waited, unless it was served before.
    pub(super) fn leave(&mut self, id: SessionId, ticket: Ticket) -> Option<W> {
        let mut left = None;
        self.change(id, |session, _| {
            let index = session.turns.iter().position(|(other, _)| *other == ticket);
            left = index.and_then(|index| session.turns.remove(index));
        });
        self.waiting -= usize::from(left.is_some());
        left.map(|(_, waiter)| waiter)
    }

    /// The next one works and no longer waits.
    pub(super) fn serve(&mut self) -> Option<(SessionId, W)> {
        let is_for_oldest = self.served % OLDEST_EVERY == OLDEST_EVERY - 1;
        let id = match is_for_oldest {
            true => *self.by_age.first_key_value()?.1,
            false => self.by_holding.first()?.2,
        };
        self.tick += 1;
        let mut next = None;
        self.change(id, |session, tick| {
            next = session.turns.pop_front();
            session.holds += usize::from(next.is_some());
            session.since = tick;
        });
        let (_, waiter) = next?;
        (self.served, self.working, self.waiting) = (self.served + 1, self.working + 1, self.waiting - 1);
        Some((id, waiter))
    }

    /// Changes a session and keeps the orders right. A session of which nothing is left is forgotten.
    fn change(&mut self, id: SessionId, change: impl FnOnce(&mut Session<W>, u64)) {
        let tick = self.tick;
        let session =
            self.sessions.entry(id).or_insert_with(|| Session { holds: 0, since: tick, turns: VecDeque::new() });
        self.by_holding.remove(&(session.holds, session.since, id));
        // Another session may have the same number once it no longer waits.
        if self.by_age.get(&session.since) == Some(&id) {
            self.by_age.remove(&session.since);
        }
        change(session, tick);
        if !session.turns.is_empty() {
            self.by_holding.insert((session.holds, session.since, id));
            self.by_age.insert(session.since, id);
        } else if session.holds == 0 {
            self.sessions.remove(&id);
        }
    }

    #[cfg(test)]
    pub(super) fn is_blank(&self) -> bool {
        let nothing_waits = self.by_holding.is_empty() && self.by_age.is_empty() && self.waiting == 0;
        self.sessions.is_empty() && nothing_waits && self.working == 0
    }
}
