//! So many agents at work at once, of a session, of an owner and over all; the others wait in a fair line.
//!
//! Owners wait first, then their sessions, not turns: of the owners that wait, the one that holds the fewest agents is
//! served next, of equals the one that waits longest, and then it goes to the back; within an owner the same holds for its
//! sessions. So an owner with a thousand turns does not hold up one with a single turn, nor does a session another one.
//! Others that hold nothing might keep coming for ever, so now and then whoever waits longest is served, whatever it holds.
//! Within a session, first come is first served.

mod line;
mod queue;
#[cfg(test)]
mod tests;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::{OwnerId, Percentiles, SessionId};
use tokio::{sync::oneshot, time::Instant};

use self::line::{Line, Ticket};
use crate::counters::Samples;

/// How many agents may work at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Of a session.
    pub(crate) session: usize,
    /// Of an owner.
    pub(crate) owner: usize,
    /// Over all.
    pub(crate) all: usize,
}

/// So many agents at work at once. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Limiter {
    shared: Arc<Shared>,
}

struct Shared {
    desk: Mutex<Desk>,
}

struct Desk {
    line: Line<Waiter>,
    waits: Samples,
}

/// A turn that waits.
struct Waiter {
    since: Instant,
    hand: oneshot::Sender<Permit>,
}

/// One of the agents that may be at work at once. Dropping it lets the next one work.
pub(crate) struct Permit {
    limiter: Limiter,
    owner: OwnerId,
    session_id: SessionId,
}

impl Limiter {
    /// With room for so many, at least one each.
    pub(crate) fn new(limits: Limits) -> Self {
        let Limits { session, owner, all } = limits;
        let limits = Limits { session: session.max(1), owner: owner.max(1), all: all.max(1) };
        let desk = Mutex::new(Desk { line: Line::new(limits), waits: Samples::default() });
        Self { shared: Arc::new(Shared { desk }) }
    }

    /// Waits until one more may work. Dropping the future leaves the line.
    pub(crate) async fn acquire(&self, owner: &OwnerId, session_id: SessionId) -> Permit {
        loop {
            let Err((handed, _place)) = self.try_acquire(owner, session_id) else {
                return self.permit(owner.clone(), session_id);
            };
            // If this is dropped now, either the place is still in line and is given up, or a permit is on its way: it
            // finds nobody there, is dropped, and so comes back.
            if let Ok(permit) = handed.await {
                return permit;
            }
        }
    }

    /// How many are at work.
    pub(crate) fn working(&self) -> usize {
        self.lock().line.working()
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().line.waiting()
    }

    /// How many of an owner are at work.
    pub(crate) fn working_of(&self, owner: &OwnerId) -> usize {
        self.lock().line.of_owner(owner).0
    }

    /// The owners of whom agents work, and how many.
    pub(crate) fn owners(&self) -> Vec<(OwnerId, usize)> {
        self.lock().line.owners().map(|(owner, (working, _))| (owner.clone(), working)).collect()
    }

    /// How long those at work have waited.
    pub(crate) fn waits(&self) -> Percentiles {
        self.lock().waits.percentiles()
    }

    /// Lets one more work if there is room and nobody was there before, or gives it a place in line.
    fn try_acquire<'a>(
        &'a self,
        owner: &'a OwnerId,
        session_id: SessionId,
    ) -> Result<(), (oneshot::Receiver<Permit>, Place<'a>)> {
        let mut desk = self.lock();
        if desk.line.has_room(owner, session_id) {
            desk.line.take(owner, session_id);
            desk.waits.add(Duration::ZERO);
            return Ok(());
        }
        let (hand, handed) = oneshot::channel();
        let ticket = desk.line.join(owner, session_id, Waiter { since: Instant::now(), hand });
        Err((handed, Place { limiter: self, owner, session_id, ticket }))
    }

    fn give_back(&self, owner: &OwnerId, session_id: SessionId) {
        let mut served = Vec::new();
        {
            let mut desk = self.lock();
            desk.line.give_back(owner, session_id);
            while let Some((owner, next, waiter)) = desk.line.serve() {
                desk.waits.add(waiter.since.elapsed());
                served.push((owner, next, waiter.hand));
            }
        }
        // Handed over without the lock: a permit that nobody takes any more comes back through here.
        for (owner, next, hand) in served {
            drop(hand.send(self.permit(owner, next)));
        }
    }

    fn permit(&self, owner: OwnerId, session_id: SessionId) -> Permit {
        Permit { limiter: self.clone(), owner, session_id }
    }

    fn lock(&self) -> MutexGuard<'_, Desk> {
        self.shared.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.limiter.give_back(&self.owner, self.session_id);
    }
}

/// A place in line, given up when it is dropped.
struct Place<'a> {
    limiter: &'a Limiter,
    owner: &'a OwnerId,
    session_id: SessionId,
    ticket: Ticket,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let left = self.limiter.lock().line.leave(self.owner, self.session_id, self.ticket);
        drop(left);
    }
}
