//! The line itself: who holds how many, who waits, who is next. No clock, no lock, no wakers.
//!
//! It has two levels: owners, and within each the owner's sessions. On both the one that holds fewest goes first. An owner or
//! a session that holds as many as it may is not in line until it gives one back, and holds up nobody.

use std::collections::{HashMap, VecDeque};

use protocol::{OwnerId, SessionId};

use super::{Limits, queue::FairQueue};

/// A place in line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ticket(u64);

/// Who holds how many, and who waits. Everything takes logarithmic time, apart from leaving, which looks through the
/// turns of its own session.
pub(super) struct Line<W> {
    limits: Limits,
    owners: HashMap<OwnerId, Owner<W>>,
    /// The owners that wait and may hold more.
    queue: FairQueue<OwnerId>,
    working: usize,
    waiting: usize,
    /// Counts what happens, so that there is an order, and no two have the same number.
    tick: u64,
}

struct Owner<W> {
    holds: usize,
    waiting: usize,
    /// Since when it waits, or when it was served last.
    since: u64,
    sessions: HashMap<SessionId, Session<W>>,
    /// The sessions that wait and may hold more.
    queue: FairQueue<SessionId>,
}

struct Session<W> {
    holds: usize,
    /// Since when it waits, or when it was served last.
    since: u64,
    turns: VecDeque<(Ticket, W)>,
}

impl<W> Line<W> {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, owners: HashMap::new(), queue: FairQueue::default(), working: 0, waiting: 0, tick: 0 }
    }

    pub(super) const fn working(&self) -> usize {
        self.working
    }

    pub(super) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// How many of an owner work, and how many wait.
    pub(super) fn of_owner(&self, owner: &OwnerId) -> (usize, usize) {
        self.owners.get(owner).map_or((0, 0), |owner| (owner.holds, owner.waiting))
    }

    /// The owners of whom somebody works or waits.
    pub(super) fn owners(&self) -> impl Iterator<Item = (&OwnerId, (usize, usize))> {
        self.owners.iter().map(|(id, owner)| (id, (owner.holds, owner.waiting)))
    }

    /// Whether one more of a session may work at once.
    pub(super) fn has_room(&self, owner: &OwnerId, id: SessionId) -> bool {
        let owner = self.owners.get(owner);
        let of_owner = owner.map_or(0, |owner| owner.holds);
        let of_session = owner.and_then(|owner| owner.sessions.get(&id)).map_or(0, |session| session.holds);
        self.working < self.limits.all
            && of_owner < self.limits.owner
            && of_session < self.limits.session
            && self.queue.is_empty()
    }

    /// One more of a session works.
    pub(super) fn take(&mut self, owner: &OwnerId, id: SessionId) {
        self.change(owner, id, |owner, session, _| {
            *owner.holds += 1;
            session.holds += 1;
        });
        self.working += 1;
    }

    /// One less of a session works.
    pub(super) fn give_back(&mut self, owner: &OwnerId, id: SessionId) {
        self.change(owner, id, |owner, session, _| {
            *owner.holds = owner.holds.saturating_sub(1);
            session.holds = session.holds.saturating_sub(1);
        });
        self.working = self.working.saturating_sub(1);
    }

    /// A turn of a session waits from now on.
    pub(super) fn join(&mut self, owner: &OwnerId, id: SessionId, waiter: W) -> Ticket {
        self.tick += 1;
        let ticket = Ticket(self.tick);
        self.change(owner, id, |owner: &mut Counts<'_>, session, tick| {
            if *owner.waiting == 0 {
                *owner.since = tick;
            }
            if session.turns.is_empty() {
                session.since = tick;
            }
            *owner.waiting += 1;
            session.turns.push_back((ticket, waiter));
        });
        self.waiting += 1;
        ticket
    }

    /// A turn no longer waits. Gives what waited, unless it was served before.
    pub(super) fn leave(&mut self, owner: &OwnerId, id: SessionId, ticket: Ticket) -> Option<W> {
        let mut left = None;
        self.change(owner, id, |owner, session, _| {
            let index = session.turns.iter().position(|(other, _)| *other == ticket);
            left = index.and_then(|index| session.turns.remove(index));
            *owner.waiting -= usize::from(left.is_some());
        });
        self.waiting -= usize::from(left.is_some());
        left.map(|(_, waiter)| waiter)
    }

    /// The next one works and no longer waits; none if there is no room, or none that may use it.
    pub(super) fn serve(&mut self) -> Option<(OwnerId, SessionId, W)> {
        if self.working >= self.limits.all {
            return None;
        }
        let owner_id = self.queue.next()?;
        let id = self.owners.get_mut(&owner_id)?.queue.next()?;
        self.tick += 1;
        let mut next = None;
        self.change(&owner_id, id, |owner, session, tick| {
            next = session.turns.pop_front();
            let count = usize::from(next.is_some());
            *owner.holds += count;
            *owner.waiting -= count;
            session.holds += count;
            (*owner.since, session.since) = (tick, tick);
        });
        let (_, waiter) = next?;
        (self.working, self.waiting) = (self.working + 1, self.waiting - 1);
        Some((owner_id, id, waiter))
    }

    /// Changes a session and its owner and keeps both queues right. Of whom nothing is left is forgotten.
    fn change(
        &mut self,
        owner_id: &OwnerId,
        id: SessionId,
        change: impl FnOnce(&mut Counts<'_>, &mut Session<W>, u64),
    ) {
        let (limits, tick) = (self.limits, self.tick);
        let owner = self.owners.entry(owner_id.clone()).or_insert_with(|| Owner::new(tick));
        self.queue.remove(owner.holds, owner.since, owner_id);
        let Owner { holds, waiting, since, sessions, queue } = owner;
        let session = sessions.entry(id).or_insert_with(|| Session { holds: 0, since: tick, turns: VecDeque::new() });
        queue.remove(session.holds, session.since, &id);
        change(&mut Counts { holds, waiting, since }, session, tick);
        if !session.turns.is_empty() && session.holds < limits.session {
            queue.insert(session.holds, session.since, id);
        } else if session.turns.is_empty() && session.holds == 0 {
            sessions.remove(&id);
        }
        if *holds < limits.owner && !queue.is_empty() {
            self.queue.insert(*holds, *since, owner_id.clone());
        }
        if sessions.is_empty() {
            self.owners.remove(owner_id);
        }
    }

    #[cfg(test)]
    pub(super) fn is_blank(&self) -> bool {
        self.owners.is_empty() && self.queue.is_empty() && self.waiting == 0 && self.working == 0
    }
}

/// What an owner holds and waits for.
struct Counts<'a> {
    holds: &'a mut usize,
    waiting: &'a mut usize,
    since: &'a mut u64,
}

impl<W> Owner<W> {
    fn new(since: u64) -> Self {
        Self { holds: 0, waiting: 0, since, sessions: HashMap::new(), queue: FairQueue::default() }
    }
}
