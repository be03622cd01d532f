//! The queue itself: permits held, waiters, and who is next. No clock, no lock, no wakers.
//!
//! It has two levels: owners, and within each the owner's sessions. On both levels the one that
//! holds the fewest permits goes first. An owner or a session at its limit is not in the queue
//! until it returns a permit, and blocks no others.

use std::collections::{HashMap, VecDeque};

use protocol::{OwnerId, SessionId};

use super::{PermitLimits, queue::FairQueue};

/// A place in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct QueueTicket(u64);

/// Permits held and waiters. Every operation takes logarithmic time, except for leaving, which
/// searches the turns of its own session.
pub(super) struct WaitQueue<W> {
    limits: PermitLimits,
    owners: HashMap<OwnerId, OwnerQueue<W>>,
    /// The waiting owners that may hold more permits.
    queue: FairQueue<OwnerId>,
    working: usize,
    waiting: usize,
    /// Counts operations, which gives a strict order.
    tick: u64,
}

struct OwnerQueue<W> {
    holds: usize,
    waiting: usize,
    /// When it started to wait, or was last served.
    since: u64,
    sessions: HashMap<SessionId, SessionQueue<W>>,
    /// The waiting sessions that may hold more permits.
    queue: FairQueue<SessionId>,
}

struct SessionQueue<W> {
    holds: usize,
    /// When it started to wait, or was last served.
    since: u64,
    turns: VecDeque<(QueueTicket, W)>,
}

impl<W> WaitQueue<W> {
    pub(super) fn new(limits: PermitLimits) -> Self {
        Self { limits, owners: HashMap::new(), queue: FairQueue::default(), working: 0, waiting: 0, tick: 0 }
    }

    pub(super) const fn working(&self) -> usize {
        self.working
    }

    pub(super) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// The numbers of an owner's running and waiting turns.
    pub(super) fn of_owner(&self, owner: &OwnerId) -> (usize, usize) {
        self.owners.get(owner).map_or((0, 0), |owner| (owner.holds, owner.waiting))
    }

    /// The owners with running or waiting turns.
    pub(super) fn owners(&self) -> impl Iterator<Item = (&OwnerId, (usize, usize))> {
        self.owners.iter().map(|(id, owner)| (id, (owner.holds, owner.waiting)))
    }

    /// Whether one more turn of a session may run at once.
    pub(super) fn has_room(&self, owner: &OwnerId, id: SessionId) -> bool {
        let owner = self.owners.get(owner);
        let of_owner = owner.map_or(0, |owner| owner.holds);
        let of_session = owner.and_then(|owner| owner.sessions.get(&id)).map_or(0, |session| session.holds);
        self.working < self.limits.all
            && of_owner < self.limits.owner
            && of_session < self.limits.session
            && self.queue.is_empty()
    }

    /// Takes a permit for a session.
    pub(super) fn take(&mut self, owner: &OwnerId, id: SessionId) {
        self.change(owner, id, |owner, session, _| {
            *owner.holds += 1;
            session.holds += 1;
        });
        self.working += 1;
    }

    /// Returns a permit of a session.
    pub(super) fn give_back(&mut self, owner: &OwnerId, id: SessionId) {
        self.change(owner, id, |owner, session, _| {
            *owner.holds = owner.holds.saturating_sub(1);
            session.holds = session.holds.saturating_sub(1);
        });
        self.working = self.working.saturating_sub(1);
    }

    /// Adds a waiting turn of a session.
    pub(super) fn join(&mut self, owner: &OwnerId, id: SessionId, waiter: W) -> QueueTicket {
        self.tick += 1;
        let ticket = QueueTicket(self.tick);
        self.change(owner, id, |owner: &mut OwnerCounts<'_>, session, tick| {
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

    /// Removes a waiting turn. Returns its waiter, unless it was served before.
    pub(super) fn leave(&mut self, owner: &OwnerId, id: SessionId, ticket: QueueTicket) -> Option<W> {
        let mut left = None;
        self.change(owner, id, |owner, session, _| {
            let index = session.turns.iter().position(|(other, _)| *other == ticket);
            left = index.and_then(|index| session.turns.remove(index));
            *owner.waiting -= usize::from(left.is_some());
        });
        self.waiting -= usize::from(left.is_some());
        left.map(|(_, waiter)| waiter)
    }

    /// Serves the next waiter; `None` if there is no capacity, or no waiter that may use it.
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

    /// Changes a session and its owner and keeps both queues consistent. Empty entries are removed.
    fn change(
        &mut self,
        owner_id: &OwnerId,
        id: SessionId,
        change: impl FnOnce(&mut OwnerCounts<'_>, &mut SessionQueue<W>, u64),
    ) {
        let (limits, tick) = (self.limits, self.tick);
        let owner = self.owners.entry(owner_id.clone()).or_insert_with(|| OwnerQueue::new(tick));
        self.queue.remove(owner.holds, owner.since, owner_id);
        let OwnerQueue { holds, waiting, since, sessions, queue } = owner;
        let session =
            sessions.entry(id).or_insert_with(|| SessionQueue { holds: 0, since: tick, turns: VecDeque::new() });
        queue.remove(session.holds, session.since, &id);
        change(&mut OwnerCounts { holds, waiting, since }, session, tick);
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

/// The counts of an owner.
struct OwnerCounts<'a> {
    holds: &'a mut usize,
    waiting: &'a mut usize,
    since: &'a mut u64,
}

impl<W> OwnerQueue<W> {
    fn new(since: u64) -> Self {
        Self { holds: 0, waiting: 0, since, sessions: HashMap::new(), queue: FairQueue::default() }
    }
}
